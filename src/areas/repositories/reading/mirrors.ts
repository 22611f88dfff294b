// From a request to the commit that it is about: the record, the ref, the mirror on this machine, the tag of the answer.
import { hash } from 'node:crypto'
import { ApiError, conflict, notFound } from '../../../contract/errors.ts'
import type { BeforeContext, Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { GitFailure, isSha, type Mirror } from '../../../kit/git.ts'
import { type Tagged, tagged, unchanged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import * as store from '../store.ts'
import { errorOf } from '../syncing/faults.ts'
import { restore } from '../syncing/syncing.ts'

/** As much as a reading needs of what `before` is given. */
export type ReadingContext = Pick<Context, 'db' | 'settings' | 'now' | 'log'> &
  Pick<BeforeContext, 'git' | 'fetch'> & { origin: Pick<Context['origin'], 'requestId' | 'ifNoneMatch'> }

export type At = { mirror: Mirror; row: store.ReadingRow; sha: string }

type Asked = { workspaceId: string; id: string; ref?: string | undefined }

/** Longer than this nobody waits for a mirror that must be made first. */
const restoreMs = 20_000

/** Reads at the commit that `ref` means. What the caller has already is told without asking git. */
export async function readAt<R>(ctx: ReadingContext, asked: Asked, read: (at: At) => Promise<R>): Promise<Tagged<R>> {
  const row = await readable(ctx.db, asked.workspaceId, asked.id)
  const known = await knownSha(ctx.db, row, asked.ref)
  if (known && isHeld(ctx, tagOf(known, asked))) return tagged<R>(tagOf(known, asked), unchanged)
  return await inWords(async () => {
    const at = await foundIn(ctx, row, known, asked.ref)
    return tagged(tagOf(at.sha, asked), await read(at))
  })
}

type AskedBetween = Omit<Asked, 'ref'> & { base?: string | undefined; head?: string | undefined }

/** The same with two commits; without a base it is undefined. */
export async function readBetween<R>(
  ctx: ReadingContext,
  asked: AskedBetween,
  read: (at: At, base: string | undefined) => Promise<R>,
): Promise<Tagged<R>> {
  const row = await readable(ctx.db, asked.workspaceId, asked.id)
  const known = await knownSha(ctx.db, row, asked.head)
  const isBased = asked.base !== undefined
  const knownBase = isBased ? await knownSha(ctx.db, row, asked.base) : undefined
  const tag = (head: string, base: string | undefined) => tagOf(`${head} ${base}`, asked)
  if (known && (knownBase || !isBased) && isHeld(ctx, tag(known, knownBase))) {
    return tagged<R>(tag(known, knownBase), unchanged)
  }
  return await inWords(async () => {
    const at = await foundIn(ctx, row, known, asked.head)
    const base = isBased ? (await foundIn(ctx, row, knownBase, asked.base)).sha : undefined
    return tagged(tag(at.sha, base), await read(at, base))
  })
}

/** For what no tag can be made of, since more than the commit decides it. */
export async function commitAt(ctx: ReadingContext, asked: Asked): Promise<At> {
  const row = await readable(ctx.db, asked.workspaceId, asked.id)
  const known = await knownSha(ctx.db, row, asked.ref)
  return await inWords(() => foundIn(ctx, row, known, asked.ref))
}

async function foundIn(
  ctx: ReadingContext,
  row: store.ReadingRow,
  known: string | undefined,
  ref: string | undefined,
): Promise<At> {
  const mirror = await mirrorOf(ctx, row)
  return { mirror, row, sha: await commitOf(mirror, known ?? (await longSha(mirror, ref))) }
}

/** The record, where it can be read: 404 where there is none, 409 where there is nothing to read yet. */
export async function readable(db: Db, workspaceId: string, id: string): Promise<store.ReadingRow> {
  const row = await found(store.findForReading(db, workspaceId, id), 'repository')
  if (!row.enabled) throw conflict('The repository is disabled; enable it to read it.', { state: 'disabled' })
  if (!row.isSynced) {
    const detail = 'The repository was not synced yet; its status and error say how that goes.'
    throw conflict(detail, { state: row.state })
  }
  return row
}

/** By the database alone. Undefined where only git can tell. */
async function knownSha(db: Db, row: store.ReadingRow, ref: string | undefined): Promise<string | undefined> {
  if (ref === undefined) {
    if (row.headSha === null) throw new ApiError('not_found', 'The repository has no commits.')
    return row.headSha
  }
  if (isSha(ref)) return ref
  const named = await store.shaOf(db, row.id, [`refs/heads/${ref}`, `refs/tags/${ref}`, ref, `refs/${ref}`])
  if (named) return named.sha
  if (/^[0-9a-f]{7,39}$/.test(ref)) return undefined
  throw notFound('branch, tag or commit')
}

/** The beginning of an id, which is nothing but hexadecimal digits here. */
async function longSha(mirror: Mirror, short: string | undefined): Promise<string> {
  const output = await mirror
    .run(['rev-parse', '--verify', '--quiet', '--end-of-options', `${short}^{commit}`])
    .catch(() => Buffer.alloc(0))
  const sha = output.toString('latin1').trim().split('\n').at(-1) ?? ''
  if (!isSha(sha)) throw notFound('branch, tag or commit')
  return sha
}

async function commitOf(mirror: Mirror, sha: string): Promise<string> {
  const head = await mirror.head(sha)
  if (head?.type !== 'commit') throw notFound('branch, tag or commit')
  return sha
}

const restoring = new Map<string, Promise<boolean>>()

/** As the last sync saw it: where this machine has it not, or an older one, it is fetched first. */
export async function mirrorOf(ctx: ReadingContext, row: store.ReadingRow, mostMs = restoreMs): Promise<Mirror> {
  await ctx.git.ready()
  const mirror = ctx.git.mirror(row.id)
  const isCurrent = async () =>
    row.headSha === null || ((await mirror.exists()) && (await mirror.head(row.headSha)) !== null)
  if (await isCurrent()) return mirror
  let making = restoring.get(row.id)
  if (!making) {
    making = restore(ctx, row.workspaceId, row.id, ctx.origin.requestId)
      .catch(error => {
        const fault = errorOf(error)
        ctx.log.warn({ repository: row.id, fault: fault?.code }, 'a mirror could not be made again')
        return false
      })
      .finally(() => restoring.delete(row.id))
    restoring.set(row.id, making)
  }
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, mostMs)
  await Promise.race([making, late])
  clearTimeout(timer)
  if (await isCurrent()) return mirror
  throw new ApiError('unavailable', 'The mirror of the repository is being made again; try again in a moment.')
}

/** Of what was asked and of the commit: nothing else changes the answer. */
function tagOf(sha: string, asked: object): string {
  return `W/"${hash('sha256', JSON.stringify([sha, asked]), 'base64url').slice(0, 27)}"`
}

function isHeld({ origin }: Pick<ReadingContext, 'origin'>, tag: string): boolean {
  const { ifNoneMatch } = origin
  return ifNoneMatch?.split(',').some(one => one.trim() === tag) ?? false
}

/** What git could not do, as callers are told. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    if (error.fault === 'timeout') throw new ApiError('unavailable', 'It took longer than it may; ask for less.')
    if (error.fault === 'too_long') throw new ApiError('payload_too_large', 'There is too much of it; ask for less.')
    if (error.fault === 'busy' || error.fault === 'aborted') {
      throw new ApiError('unavailable', 'Too many read repositories just now; try again in a moment.')
    }
    throw error
  }
}
