// One execution taken up, worked on as far as it goes, and left in a state from which anybody can go on.
import type { JobContext } from '../../../kit/jobs.ts'
import { notify } from '../../../kit/notify.ts'
import { newToken, tokenHash } from '../../../kit/tokens.ts'
import { nextPending, stepsOf, type Taken } from '../executions/store.ts'
import { lock } from '../store.ts'
import type { Outcome } from './outcomes.ts'
import * as store from './store.ts'
import { isTrue, type Values } from './values.ts'
import { walk } from './walking.ts'
import { isOut, type Work } from './work.ts'

/** Of one job; then it makes room for others. */
const longestMs = 20_000
/** Longer than any one call takes: whoever comes later takes it up only when this process must be gone. */
const leaseMs = 90_000
const tokenMs = 600_000
const mostFailures = 5

export type Run = { id: string; slot?: string }

export async function run(ctx: JobContext, { id, slot }: Run): Promise<void> {
  const until = ctx.now().getTime() + longestMs
  const isWoken = slot === 'woken'
  let work = await takenUp(ctx, until, (lease, now) => store.takeUp(ctx.db, id, lease, { isWoken, now }))
  if (!work) {
    // Whoever works on it may have looked before what this is about had happened.
    if (isWoken && (await store.isBusy(ctx.db, id, ctx.now()))) await again(ctx, { id, slot }, 1)
    return
  }
  while (work) {
    const isEnded = await left(work, await outcomeOf(work))
    work = isEnded ? await nextAfter(work) : undefined
  }
}

type Take = (lease: Parameters<typeof store.takeUp>[2], now: Date) => Promise<Taken | undefined>

async function takenUp(ctx: JobContext, until: number, take: Take): Promise<Work | undefined> {
  const now = ctx.now()
  const token = newToken('art')
  const tokenUntil = new Date(now.getTime() + tokenMs)
  const lease = { hash: tokenHash(token), tokenUntil, leaseUntil: new Date(now.getTime() + leaseMs) }
  const execution = await take(lease, now)
  if (!execution) return undefined
  // What is done again from a step has the steps before it.
  const isBegun = execution.taken > 1 || execution.rerunOf !== null
  const rows = isBegun ? await stepsOf(ctx.db, execution.id) : []
  return { ctx, execution, token, tokenUntil, until, rows: new Map(rows.map(row => [row.path, row])) }
}

/**
 * Whoever waited for it to end goes on: at once in this job, as long as that may last, since a job for each would cost
 * more than most executions do.
 */
async function nextAfter(work: Work): Promise<Work | undefined> {
  const { ctx, execution, until } = work
  const { automationId } = execution
  if (execution.definition.concurrency === 'skip') return undefined
  if (!isOut(work)) return await takenUp(ctx, until, (lease, now) => store.takeNext(ctx.db, automationId, lease, now))
  for (const id of await nextPending(ctx.db, automationId, 1)) await again(ctx, { id, slot: 'on' }, 0)
  return undefined
}

async function outcomeOf(work: Work): Promise<Outcome | { is: 'skipped'; reason: 'disabled' | 'condition' }> {
  const { execution } = work
  const { definition, automationId, automationName, workspaceId, data, started, ms } = execution
  if (execution.grantedBy === null) {
    return { is: 'failed', error: 'Whoever saved it is no longer here; somebody must save it again.' }
  }
  const values: Values = {
    ...{ trigger: data, automation: { id: automationId, name: automationName }, workspace: { id: workspaceId } },
    ...{ now: new Date(started).toISOString(), steps: {} },
  }
  if (execution.taken === 1) {
    if (!execution.enabled) return { is: 'skipped', reason: 'disabled' }
    if (definition.condition !== null && !isTrue(definition.condition, values).matches) {
      return { is: 'skipped', reason: 'condition' }
    }
  }
  if (ms > definition.timeoutSeconds * 1000) {
    return { is: 'failed', error: `It worked for more than ${definition.timeoutSeconds} s.` }
  }
  return await walk(work, definition.steps, '', values)
}

/** Whether it has ended: it does not go on by itself. */
async function left(work: Work, outcome: Awaited<ReturnType<typeof outcomeOf>>): Promise<boolean> {
  const { ctx, execution } = work
  const now = ctx.now()
  switch (outcome.is) {
    case 'over':
      return false
    case 'paused':
      if (await store.letGo(ctx.db, execution, now)) await again(ctx, { id: execution.id, slot: 'on' }, 0)
      return false
    case 'waiting': {
      const until = new Date(Math.max(outcome.until.getTime(), now.getTime()))
      if (!(await store.wait(ctx.db, execution, until, now))) return false
      const seconds = Math.ceil((until.getTime() - now.getTime()) / 1000)
      // Keyed by the moment: one that waits for later must not keep out one that wakes it sooner.
      await again(ctx, { id: execution.id, slot: `at ${until.getTime()}` }, seconds)
      moved(work, 'waiting')
      return false
    }
    case 'skipped':
      await store.end(ctx.db, execution, { status: 'skipped', error: null, skippedReason: outcome.reason }, now)
      moved(work, 'skipped')
      return true
    case 'done':
      if (!(await store.end(ctx.db, execution, { status: 'succeeded', error: null }, now))) return false
      if (execution.failures > 0) await store.forgetFailures(ctx.db, execution.automationId)
      moved(work, 'succeeded')
      return true
    case 'failed':
      return await failed(work, outcome.error)
  }
}

async function failed(work: Work, error: string): Promise<boolean> {
  const { ctx, execution } = work
  const { automationId: id, workspaceId } = execution
  const target = { object: 'automation', id }
  const now = ctx.now()
  const disabledFor = await ctx.transaction(async tx => {
    // Before the execution: whoever ends an account holds them in this order.
    await lock(tx, workspaceId, id)
    if (!(await store.end(tx, execution, { status: 'failed', error: error.slice(0, 2_000) }, now))) return undefined
    const failures = await store.countFailure(tx, id)
    const reason = `It failed ${failures} times in a row: ${error.slice(0, 500)}`
    const isDisabled = failures >= mostFailures && (await store.disable(tx, id, reason, now))
    const events = [
      { chain: workspaceId, action: 'automations.failed', target },
      ...(isDisabled ? [{ chain: workspaceId, action: 'automations.disabled', target }] : []),
    ]
    await ctx.record(tx, events)
    return isDisabled ? reason : null
  })
  if (disabledFor === undefined) return false
  const notice = { to: execution.grantedBy, workspaceId, target, once: execution.id }
  const told = disabledFor
    ? { ...notice, type: 'automations.disabled', facts: { why: disabledFor } }
    : { ...notice, type: 'automations.failed', facts: { why: error } }
  await notify(ctx, told)
  moved(work, 'failed')
  return true
}

function moved({ ctx, execution }: Work, status: string): void {
  const { automationId, workspaceId, id } = execution
  const target = { object: 'automation', id: automationId }
  ctx.feed.tell(workspaceId, { action: 'automations.executions.moved', target, data: { executionId: id, status } })
}

async function again(ctx: JobContext, payload: Run, startAfterSeconds: number): Promise<void> {
  await ctx.enqueue('automations.run', payload, startAfterSeconds > 0 ? { startAfterSeconds } : {})
}
