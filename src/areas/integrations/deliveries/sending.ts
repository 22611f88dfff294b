// Sends what is due to one target, one message after the other, and writes down what came of each.
import type { JobContext } from '../../../kit/jobs.ts'
import { notify } from '../../../kit/notify.ts'
import { openValues } from '../../../kit/sealed.ts'
import { deliver, type Sent } from '../kinds.ts'
import { secretsColumn } from '../types/contract.ts'
import { countsAfter, disabledAfterMs, failingAfter, nextAttempt, restAfter } from './schedule.ts'
import * as store from './store.ts'
import * as targets from './targets/store.ts'

/** After so long others have their turn: a target that is slow holds a place no longer than one message takes. */
const sliceMs = 2_000
/** The disk is waited for after so many messages: no more than these are sent twice after a crash. */
const syncedEvery = 10
/** What is later than this is found by the schedule. */
const soonMs = 60_000

const jobFor = ({ misses }: store.Turn) => (misses > 0 ? 'integrations.sendToFailing' : 'integrations.send')

/** Who failed the last time is sent to in places of its own, so that those who answer never wait for those who do not. */
export async function send(ctx: JobContext, id: string, health: 'well' | 'failing'): Promise<void> {
  // Another one on each try: what an earlier try of the job has sent and not written down may still be under way.
  const lease = `${ctx.id} ${ctx.attempt}`
  const began = performance.now()
  let done: store.Done | null = null
  for (let count = 0; ; count++) {
    const isSynced: boolean = count % syncedEvery === 0
    const turn: store.Turn | undefined = await store.takeTurn(ctx.db, id, { lease, now: ctx.now(), done, isSynced })
    // Whoever has it looks again when it is done.
    if (!turn?.isHeld) return
    if (!turn.due) break
    const isElsewhere = health === 'well' && turn.misses > 0
    if (isElsewhere || performance.now() - began > sliceMs || ctx.signal.aborted) {
      await targets.release(ctx.db, id, lease)
      return await ctx.enqueue(jobFor(turn), { id })
    }
    try {
      done = await sendOne(ctx, turn, turn.due)
    } catch (error) {
      await targets.release(ctx.db, id, lease)
      throw error
    }
  }
  await targets.release(ctx.db, id, lease)
  await comeBack(ctx, id)
}

/** Something may have come between the last look and the release of the lease. */
async function comeBack(ctx: JobContext, id: string): Promise<void> {
  const next = await targets.nextDue(ctx.db, id)
  if (!next) return
  const waitMs = next.getTime() - ctx.now().getTime()
  if (waitMs <= 0) await ctx.enqueue('integrations.send', { id })
  else if (waitMs < soonMs) {
    const startAfterSeconds = Math.ceil(waitMs / 1_000)
    await ctx.enqueue('integrations.retry', { id, slot: Math.ceil(next.getTime() / 1_000) }, { startAfterSeconds })
  }
}

/** What got through is written down with the next turn; everything else at once. */
async function sendOne(ctx: JobContext, turn: store.Turn, due: store.Due): Promise<store.Done | null> {
  const secrets = openValues(ctx.settings, secretsColumn, turn.id, turn.secrets)
  const began = performance.now()
  const at = ctx.now()
  const sent = await deliver(ctx, { ...turn, secrets }, { id: due.messageId, at, body: due.body })
  const ms = Math.round(performance.now() - began)
  // Cut off by the end of the service: it says nothing about the target, and is sent again.
  if (!sent.isOk && ctx.signal.aborted) throw new Error('the service stops')
  const isReplay = due.replayOf !== null
  const { isOk, code, responseBody, error, requestHeaders } = sent
  const attempt = {
    at: at.toISOString(),
    status: isOk ? 'succeeded' : 'failed',
    code,
    ms,
    error,
    responseBody,
  } as const
  // Sending again says nothing about the target: somebody may try it while it is being mended.
  if (isOk && (isReplay || turn.status !== 'failing')) {
    return { deliveryId: due.id, attempt, requestHeaders, counts: !isReplay }
  }
  const attempts = due.attempt + 1
  const nextAttemptAt = isOk || isReplay ? null : nextAttempt(attempts, due.messageId, ctx.now())
  const status = statusAfter(sent, isReplay, nextAttemptAt)
  await store.recordAttempt(ctx.db, due.id, { attempt, status, nextAttemptAt, requestHeaders }, ctx.now())
  if (isReplay) return null
  if (isOk) await succeeded(ctx, turn)
  else await failed(ctx, turn, sent, attempts)
  return null
}

function statusAfter({ isOk }: Sent, isReplay: boolean, next: Date | null) {
  if (isOk) return 'succeeded'
  if (isReplay) return 'failed'
  return next ? 'pending' : 'dead'
}

async function succeeded(ctx: JobContext, { id, workspaceId }: store.Turn): Promise<void> {
  const now = ctx.now()
  await targets.forgive(ctx.db, id, now)
  await ctx.transaction(async tx => {
    if (await targets.moveStatus(tx, id, ['failing'], 'active', now)) {
      await ctx.record(tx, {
        chain: workspaceId,
        action: 'integrations.recovered',
        target: { object: 'integration', id },
      })
    }
  })
}

async function failed(ctx: JobContext, turn: store.Turn, sent: Sent, attempts: number): Promise<void> {
  const { id, misses } = turn
  const now = ctx.now()
  const error = sent.error ?? 'The target did not take it.'
  const restingUntil = restAfter(misses + 1, now)
  const countsAsMessage = attempts === countsAfter
  const health = await targets.countFailure(ctx.db, id, { error, restingUntil, countsAsMessage, now })
  if (!health) return
  if (sent.code === 410) return await end(ctx, turn, 'disabled', 'its target answered 410, which says that it is gone')
  if (health.failingSince !== null && now.getTime() - Date.parse(health.failingSince) > disabledAfterMs) {
    return await end(ctx, turn, 'disabled', `nothing got through for five days (${error})`)
  }
  if (health.consecutiveFailures >= failingAfter && turn.status === 'active') await end(ctx, turn, 'failing', error)
}

/** Its owner is told once. What waits for a disabled target is not sent any more. */
async function end(ctx: JobContext, turn: store.Turn, status: 'failing' | 'disabled', why: string): Promise<void> {
  const { id, workspaceId, ownerId } = turn
  const target = { object: 'integration', id }
  const now = ctx.now()
  const from = status === 'failing' ? (['active'] as const) : (['active', 'failing', 'paused'] as const)
  const isMoved = await ctx.transaction(async tx => {
    if (!(await targets.moveStatus(tx, id, from, status, now))) return false
    if (status === 'disabled') await store.cancelPending(tx, id, now)
    await ctx.record(tx, { chain: workspaceId, action: `integrations.${status}`, target })
    return true
  })
  if (!isMoved) return
  const once = `${id} ${status} ${now.toISOString()}`
  await notify(ctx, { type: `integrations.${status}`, to: ownerId, workspaceId, target, facts: { why }, once })
}

/** Finds what a process that died or a long wait has left. */
export async function sweep(ctx: JobContext): Promise<void> {
  const due = await ctx.db.query(targets.dueTargets(ctx.now(), 1_000))
  for (const one of due) await ctx.enqueue('integrations.send', one)
}
