// One reading of an account: what its provider tells is stored with its moment, and put into the graph after that.
import { conflict } from '../../../contract/errors.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { pack } from '../../../kit/packing.ts'
import type { AccountRow } from '../store.ts'
import { failOne } from '../syncs/applying.ts'
import * as syncs from '../syncs/store.ts'
import { faultOf, ownFault } from './faults.ts'
import { underLease } from './leasing.ts'
import { readAccount } from './reading.ts'
import * as store from './store.ts'

export const sourceOf = ({ provider }: { provider: string }) => (provider === 'telemetry' ? 'telemetry' : 'sync')

/** False where another process has it. */
export async function syncOne(ctx: JobContext, workspaceId: string, id: string): Promise<boolean> {
  return await underLease(ctx, workspaceId, id, async (account, signal) => {
    if (account.state === 'disconnected') return
    const missing = lacking({ ...account, secretsSet: Object.keys(account.secrets) })
    if (missing !== null) return await skip(ctx, account, missing)
    const syncId = await syncs.beginReading(ctx.db, account, sourceOf(account), ctx.now())
    try {
      const { found, complete } = await readAccount({ ...ctx, signal }, account)
      const payload = await pack(found)
      const isKept = await ctx.transaction(async tx => {
        // Deleted, or pointed elsewhere, in the meantime.
        if (!(await store.holds(tx, id, ctx.id))) return false
        await syncs.keepFound(tx, id, syncId, { payload, complete, errors: found.unseen }, ctx.now())
        return true
      })
      if (isKept) await ctx.enqueue('cloud_infra.apply', { workspaceId, accountId: id })
    } catch (error) {
      signal.throwIfAborted()
      const fault = faultOf(error)
      if (!fault) ctx.log.error({ err: error, account: id }, 'an account could not be read')
      await failOne(ctx, account, syncId, fault ?? ownFault)
    }
  })
}

type Configured = Pick<AccountRow, 'provider' | 'config'> & { secretsSet: readonly string[] }

/** What is still to be said before it can be read; null where nothing is. */
export function lacking({ provider, config, secretsSet }: Configured): string | null {
  const has = (name: string) => secretsSet.includes(name)
  switch (provider) {
    case 'push':
      return 'a snapshot, by cloud_infra.snapshots.post'
    case 'terraform_state':
      if (config.repositoryId === undefined) return 'a state, by cloud_accounts.state.put'
      return config.path === undefined ? '"config.path"' : null
    case 'kubernetes':
      return has('kubeconfig') || config.server !== undefined ? null : '"config.server", or a kubeconfig'
    case 'docker':
      return config.address === undefined ? '"config.address"' : null
    case 'manifests':
      return config.repositoryId === undefined ? '"config.repositoryId"' : null
    case 'aws':
      return has('accessKeyId') && has('secretAccessKey') ? null : 'accessKeyId and secretAccessKey in "credentials"'
    case 'telemetry':
      return config.datasetId === undefined ? '"config.datasetId"' : null
  }
}

/** What it was read from is gone, or was never there. */
async function skip(ctx: JobContext, account: store.Leased, missing: string): Promise<void> {
  const text = `It cannot be read: send ${missing}.`
  await syncs.giveUp(ctx.db, account.id, text)
  if (account.state === 'pending') await store.tried(ctx.db, account.id, ctx.now())
  else await store.failed(ctx.db, account.id, { code: 'failed', text }, ctx.now())
}

/** 409 where there is nothing to read, or it is being read. */
export function refuseSync(account: AccountRow): void {
  const { status, provider } = account
  if (provider === 'push') throw conflict('This account is sent by others, and never read.', { state: status })
  if (status === 'disconnected') {
    throw conflict('The account is disconnected; set its status to pending first.', { state: status })
  }
  const missing = lacking(account)
  if (missing !== null) throw conflict(`The account cannot be read yet: send ${missing} first.`, { state: status })
  if (status === 'syncing') throw conflict('The account is being synced already.', { state: status })
}
