// Pushing to the host of a repository: new branches only, by the credentials that the repository has.
import { ApiError, conflict } from '../../../contract/errors.ts'
import type { BeforeContext, Context } from '../../../kit/context.ts'
import { GitFailure, type Mirror, type Remote } from '../../../kit/git.ts'
import { HostFault } from '../../integrations/hosts/faults.ts'
import { errorOf } from '../syncing/faults.ts'
import * as store from '../syncing/store.ts'
import { type HostedRemote, remoteOf } from '../syncing/syncing.ts'

export type { HostedRemote }

/** Where it is pushed to; nothing where there is no such repository, or a disabled one. */
export async function remoteFor(
  ctx: Pick<Context & BeforeContext, 'settings' | 'db' | 'fetch' | 'now'>,
  workspaceId: string,
  id: string,
): Promise<HostedRemote | undefined> {
  const row = await store.findLeased(ctx.db, workspaceId, id)
  try {
    return row && (await remoteOf(ctx, row))
  } catch (error) {
    if (!(error instanceof HostFault)) throw error
    if (error.code === 'unreachable') throw new ApiError('unavailable', error.text)
    throw conflict(error.text, { reason: error.code })
  }
}

/** What was pushed before, by a try whose answer was lost, is taken as it is. 409 where the ref is something else. */
export async function pushNew(mirror: Mirror, remote: Remote, sha: string, ref: string): Promise<void> {
  try {
    const { refs } = await mirror.ask(remote)
    const there = refs.get(ref)
    if (there === sha) return
    if (there !== undefined) {
      throw conflict('The host has a branch of this name already, with something else; it is left as it is.', { ref })
    }
    await mirror.push(remote, sha, ref)
  } catch (error) {
    const fault = error instanceof GitFailure ? errorOf(error) : null
    if (!fault) throw error
    const detail = `The branch could not be pushed. ${fault.text}`
    if (fault.code === 'unreachable' || fault.code === 'timeout') throw new ApiError('unavailable', detail)
    throw conflict(detail, { reason: fault.code })
  }
}
