// Puts what syncs have found into the graph, one after the other and each once; the graph itself is given as functions.
import type { Db } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { unpack } from '../../../kit/packing.ts'
import type { Unseen } from '../found/contract.ts'
import { ownFault } from '../syncing/faults.ts'
import { underLease } from '../syncing/leasing.ts'
import * as accounts from '../syncing/store.ts'
import * as store from './store.ts'

type Account = { id: string; workspaceId: string; ownerId: string; provider: string }

type Telling = { syncId: string; at: Date; complete: boolean; source: store.SyncSource }

/** `apply` writes the graph, and the same again for a sync that was written before; `count` says how many are active. */
export type Graph = {
  apply: (ctx: JobContext, account: Account, telling: Telling, found: store.Payload) => Promise<store.Outcome>
  count: (db: Db, account: Account) => Promise<number>
}

/** After so many tries that failed by a fault of our own the sync is given up, so that others are not kept waiting. */
const mostTries = 5

/** False where another process has the account: what waits is to be looked at again then. */
export async function applyWaiting(
  ctx: JobContext,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  graph: Graph,
): Promise<boolean> {
  const isDone = await underLease(ctx, workspaceId, accountId, async (account, signal) => {
    for (;;) {
      signal.throwIfAborted()
      const waiting = await store.nextWaiting(ctx.db, accountId, ctx.now())
      if (!waiting) return
      await applyOne({ ...ctx, signal }, account, waiting, graph)
    }
  })
  return isDone || (await accounts.findLeased(ctx.db, workspaceId, accountId)) === undefined
}

async function applyOne(ctx: JobContext, account: accounts.Leased, waiting: store.Waiting, graph: Graph) {
  const { id, workspaceId, ownerId, provider } = account
  const owned = { id, workspaceId, ownerId, provider }
  try {
    const found = (await unpack(waiting.payload)) as store.Payload
    const refusal = await refusalOf(ctx, account, found.externalId)
    if (refusal) return await failOne(ctx, account, waiting.id, refusal)
    const { id: syncId, moment: at, complete, source } = waiting
    const counts = await graph.apply(ctx, owned, { syncId, at, complete, source }, found)
    await succeedOne(ctx, account, waiting.id, found, { counts, nodes: await graph.count(ctx.db, owned) })
  } catch (error) {
    if (ctx.signal.aborted || ctx.attempt < mostTries) throw error
    ctx.log.error({ err: error, account: id, sync: waiting.id }, 'a sync could not be put into the graph')
    await failOne(ctx, account, waiting.id, ownFault)
  }
}

type Refusal = Pick<Unseen, 'code' | 'text'>

/** What is called otherwise than before is something else: its nodes would replace those of the first. */
async function refusalOf(ctx: JobContext, account: accounts.Leased, told: string | null): Promise<Refusal | null> {
  if (told === null || told === account.externalId) return null
  if (account.externalId !== null && ['aws', 'kubernetes', 'docker'].includes(account.provider)) {
    const text = `It is ${told}, and this account is of ${account.externalId}: correct the credentials, or "externalId".`
    return { code: 'failed', text }
  }
  if (!(await accounts.isTaken(ctx.db, account, told))) return null
  const text = `Another account of this workspace is of ${told} already; delete one of the two.`
  return { code: 'failed', text }
}

async function succeedOne(
  ctx: JobContext,
  account: accounts.Leased,
  syncId: string,
  { externalId, unseen }: store.Payload,
  { counts, nodes }: { counts: store.Outcome; nodes: number },
): Promise<void> {
  const [first] = unseen
  const error = first ? { code: first.code, text: first.text } : null
  const target = { object: 'cloud_account', id: account.id }
  const events = [{ chain: account.workspaceId, action: 'cloud_accounts.synced', target }]
  // Told once, not with each sync that finds the same.
  const isNews = error !== null && error.code !== account.errorCode
  if (isNews) events.push({ chain: account.workspaceId, action: 'cloud_accounts.failed', target })
  await ctx.transaction(async tx => {
    const now = ctx.now()
    await accounts.told(tx, account.id, { externalId, error, nodes }, now)
    await store.finish(tx, syncId, counts, error !== null, now)
    await ctx.record(tx, events)
  })
  account.errorCode = error?.code ?? null
  account.externalId = externalId ?? account.externalId
}

/** The reading, or the writing of what was read, did not go well: the graph stays as it was. */
export async function failOne(ctx: JobContext, account: accounts.Leased, syncId: string, { code, text }: Refusal) {
  await ctx.transaction(async tx => {
    const now = ctx.now()
    await accounts.failed(tx, account.id, { code, text }, now)
    await store.failSync(tx, syncId, { code, text }, now)
    if (code === account.errorCode && account.state === 'error') return
    const target = { object: 'cloud_account', id: account.id }
    await ctx.record(tx, { chain: account.workspaceId, action: 'cloud_accounts.failed', target })
  })
}
