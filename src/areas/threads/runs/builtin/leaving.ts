// What becomes of a run when a job has stopped working on it.
import { ServiceStops } from '../../../../kit/jobs.ts'
import * as messages from '../../messages/store.ts'
import { setStatus } from '../../store.ts'
import { enqueueOwn, giveBack, holdFamily } from '../ending.ts'
import { finish, leave, type Work } from '../own.ts'
import { lock } from '../store.ts'
import type { Outcome } from './stopping.ts'
import * as store from './store.ts'

const afterLossSeconds = 5

export async function settle(work: Work, outcome: Outcome): Promise<void> {
  if (outcome.is === 'ended') {
    const { status, error } = outcome
    await finish(work, { status, ...(error !== undefined && { error: error.slice(0, 4000) }) })
  } else if (outcome.is === 'parked') await leave(work)
  else if (outcome.is === 'later') await handBack(work, outcome.afterSeconds)
}

/** Nobody is missed: it waits for its next job, from the last complete message on. */
async function handBack({ ctx, run, hash }: Work, afterSeconds: number): Promise<void> {
  const isBack = await ctx.transaction(async tx => {
    const family = await holdFamily(tx, run.threadId)
    if (!family || !(await store.handBack(tx, run.id, hash, ctx.now()))) return false
    await messages.failStreamed(tx, run.id, ctx.now())
    await setStatus(tx, run.threadId, 'queued', ctx.now())
    return true
  })
  const { id: runId, workspaceId } = run
  if (isBack) await ctx.enqueue('threads.runBuiltin', { runId, workspaceId }, { startAfterSeconds: afterSeconds })
}

/** Something went wrong that is neither the model’s nor the run’s: another job tries, so many times. */
export async function lose(work: Work, error: unknown): Promise<void> {
  const { ctx, run, hash } = work
  if (error instanceof ServiceStops) return await handBack(work, afterLossSeconds)
  ctx.log.error({ err: error, runId: run.id }, 'a run was interrupted; it is taken up again')
  const became = await ctx.transaction(async tx => {
    const family = await holdFamily(tx, run.threadId)
    const held = await lock(tx, run.id)
    if (!family || !held || !(await store.isHeld(tx, run.id, hash))) return null
    const target = { object: 'thread', id: run.threadId }
    const outcome = await giveBack({ ...ctx, db: tx }, family, held)
    await ctx.record(tx, { chain: run.workspaceId, action: `threads.runs.${outcome}`, target })
    return outcome
  })
  if (became === 'requeued') await enqueueOwn(ctx.enqueue, run)
}
