// Carries out the operations on runs: started by whoever may, taken up by a runner, ended by its own token or cancelled.
import { forbidden, notFound, unauthorized } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { answering, implement, Outdated, staged } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { newToken, tokenHash } from '../../../kit/tokens.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { refuseForeignChild } from '../agents.ts'
import * as messages from '../messages/store.ts'
import * as threads from '../store.ts'
import { runMoves, runs } from './contract.ts'
import { endRun, holdFamily } from './ending.ts'
import { leaseEnd, leaseSeconds } from './leases.ts'
import { startRun } from './queueing.ts'
import * as store from './store.ts'
import { until } from './waiting.ts'

/** As many messages as a runner is given to begin with; it can ask for more. */
const mostMessages = 50

export default implement(runs, {
  'threads.runs.list': async ({ db, caller }, { workspaceId, id, ...query }) => {
    await existing(db, caller, workspaceId, id)
    return await store.pageOfRuns(db, query, id)
  },

  'threads.runs.get': async ({ db, caller }, { workspaceId, id, runId }) => {
    await existing(db, caller, workspaceId, id)
    return await found(store.find(db, id, runId), 'run')
  },

  'threads.runs.post': async (ctx, { workspaceId, id, ...starting }) => {
    const { db, caller, note } = ctx
    await enter(db, caller, workspaceId)
    const thread = await found(threads.lock(db, workspaceId, id, caller), 'thread')
    refuseForeignChild(caller, thread)
    const run = await startRun(ctx, thread, starting)
    note({ target: { object: 'thread', id }, after: toldOf(run) })
    return run
  },

  'threads.runs.claim': staged(
    async (ctx, { workspaceId, kinds = null, wait = 0 }) => {
      const { db, caller, now, enqueue } = ctx
      if (await store.isAnyLapsed(db, workspaceId, now())) await enqueue('threads.sweepLeases', {})
      const look = () => store.isAnyClaimable(db, { ...caller, workspaceId, kinds })
      return await until(ctx, workspaceId, ({ action }) => action === 'threads.runs.queued', look, wait * 1000)
    },
    async ({ db, caller, now, note }, { workspaceId, kinds = null }, isThere) => {
      if (!isThere) {
        note({ unchanged: true })
        return answering(204, null)
      }
      await enter(db, caller, workspaceId)
      const token = newToken('run')
      const lease = { hash: tokenHash(token), until: leaseEnd(now()), runnerId: caller.credentialId }
      const run = await store.claim(db, { ...caller, workspaceId, kinds }, lease, now())
      // Somebody else was quicker: wait for the next.
      if (!run) throw new Outdated()
      await threads.setStatus(db, run.threadId, 'running', now())
      const thread = await existing(db, caller, workspaceId, run.threadId)
      note({ target: { object: 'thread', id: thread.id }, after: { run: toldOf(run) } })
      const context = {
        threadName: thread.name,
        threadType: thread.type,
        parentThreadId: thread.parentThreadId,
        statement: thread.hypothesis?.statement ?? null,
        items: thread.context,
        messages: await messages.newest(db, thread.id, mostMessages, caller),
      }
      return { run, token, leaseSeconds, context }
    },
  ),

  'threads.runs.heartbeat': async ({ db, caller, now }, { workspaceId, id, runId }) => {
    const attempt = await ownAttempt(db, caller, workspaceId, id, runId)
    const renewed = await store.renew(db, runId, attempt, leaseEnd(now()), now())
    if (!renewed) throw ended()
    return renewed
  },

  'threads.runs.finish': async (ctx, { id, runId, workspaceId, ...ending }) => {
    const { db, caller, note } = ctx
    const attempt = await ownAttempt(db, caller, workspaceId, id, runId)
    await enter(db, caller, workspaceId)
    const family = await holdFamily(db, id)
    const run = await store.lock(db, runId)
    if (!family || !run || run.attempt !== attempt || runMoves.from(run.status).length === 0) throw ended()
    const finished = await endRun(ctx, family, run, ending)
    note({ target: { object: 'thread', id }, before: toldOf(run), after: toldOf(finished) })
    return finished
  },

  'threads.runs.cancel': async (ctx, { workspaceId, id, runId }) => {
    const { db, caller, note } = ctx
    await enter(db, caller, workspaceId)
    await existing(db, caller, workspaceId, id)
    const family = await holdFamily(db, id)
    if (!family) throw notFound('thread')
    await found(store.find(db, id, runId), 'run')
    const run = await found(store.lock(db, runId), 'run')
    runMoves.check('run', run.status, 'cancelled')
    const cancelled = await endRun(ctx, family, run, { status: 'cancelled' })
    note({ target: { object: 'thread', id }, before: toldOf(run), after: toldOf(cancelled) })
    return cancelled
  },
})

function existing(db: Db, caller: Caller, workspaceId: string, id: string): Promise<threads.ThreadRow> {
  return found(threads.find(db, workspaceId, id, caller), 'thread')
}

function ended() {
  return unauthorized('The lease of this attempt is over; the run is another’s now, or has ended.')
}

/** A token speaks for its own run alone. */
async function ownAttempt(
  db: Db,
  caller: Caller,
  workspaceId: string,
  threadId: string,
  runId: string,
): Promise<number> {
  const { run } = caller
  if (run?.id === runId && run.threadId === threadId) return run.attempt
  await existing(db, caller, workspaceId, threadId)
  await found(store.find(db, threadId, runId), 'run')
  throw forbidden('The token is that of another run; each speaks for itself.', { reason: 'thread' })
}

/** What the ledger keeps: states and figures, and no word of what was said or found. */
function toldOf({ id, status, kind, runner, attempt, usage }: store.RunRow): object {
  return { id, status, kind, runner, attempt, usage }
}
