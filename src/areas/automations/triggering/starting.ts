// Makes executions of what started an automation, within its limits; what is too much is counted and left out.

import type { Db } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { newId } from '../../../kit/random.ts'
import { keepAlive } from '../../workspaces/store.ts'
import * as executions from '../executions/store.ts'
import { ExecutionId } from '../fields/contract.ts'
import { peopleIn } from '../people.ts'
import { type Acting, lock } from '../store.ts'

export type Start = Pick<
  executions.NewExecution,
  'triggerOn' | 'triggerAt' | 'eventSeq' | 'event' | 'byUserId' | 'data'
> & {
  /** The automations whose executions led to it. */
  causes?: readonly string[]
  waitsUntil?: Date | null
  rerunOf?: string
}

/** `isLeft`: as many as may be are at work, and take it up when they end. */
export type Made = { id: string; waitsUntil: Date | null; isLeft: boolean }

/** `reason`: why some were not made. */
export type Started = { made: Made[]; reason: string | null }

/** For whoever waits for an answer. */
export function wordsFor(reason: string | null, { maxPerHour }: { maxPerHour: number }): string {
  if (reason === 'rate')
    return `It has had its ${maxPerHour} executions of this hour; try again later, or raise maxPerHour.`
  if (reason === 'concurrency') return 'One is at work, and it does one at a time; wait for it, or cancel it.'
  if (reason === 'queue') return `${mostQueued} executions wait already; try again later.`
  return 'It was not started.'
}

const mostCauses = 5
const mostQueued = 100

/** In a transaction: whoever else starts the same automation waits, so that limits hold. */
export async function start(db: Db, automation: Acting, starts: readonly Start[], now: Date): Promise<Started> {
  // In the order that all keep to: whoever ends an account holds the workspace before what is in it.
  await keepAlive(db, automation.workspaceId)
  await lock(db, automation.workspaceId, automation.id)
  const load = await executions.loadOf(db, automation.id, now)
  const made: (executions.NewExecution & { isLeft: boolean })[] = []
  const skipped = new Map<string, { one: Start; count: number }>()
  for (const one of starts) {
    const reason = reasonToSkip(automation, one, load)
    if (reason === null) {
      made.push({ ...newExecution(one), isLeft: isLeftToOthers(automation, one, load) })
      load.active++
      load.queued++
      load.lastHour++
    } else skipped.set(reason, { one, count: (skipped.get(reason)?.count ?? 0) + 1 })
  }
  const inserted = new Set(await executions.insertExecutions(db, automation, made, now))
  for (const [reason, { one, count }] of skipped) {
    const { triggerOn, triggerAt, event, causes = [] } = one
    const row = { id: newId(ExecutionId), triggerOn, triggerAt, event, causes, reason, count }
    await executions.countSkipped(db, automation, row, now)
  }
  const [reason = null] = skipped.keys()
  const started = made.filter(({ id }) => inserted.has(id))
  return { made: started.map(({ id, waitsUntil, isLeft }) => ({ id, waitsUntil, isLeft })), reason }
}

function newExecution({ causes = [], waitsUntil = null, rerunOf, ...one }: Start): executions.NewExecution {
  return { ...one, id: newId(ExecutionId), causes, waitsUntil, rerunOf: rerunOf ?? null, people: peopleIn(one.data) }
}

type Load = Awaited<ReturnType<typeof executions.loadOf>>

function reasonToSkip({ id, definition }: Acting, { causes = [] }: Start, load: Load): string | null {
  if (causes.length > mostCauses || causes.includes(id)) return 'loop'
  if (load.lastHour >= definition.maxPerHour) return 'rate'
  if (definition.concurrency === 'skip' && load.active > 0) return 'concurrency'
  if (load.queued >= mostQueued && definition.concurrency !== 'skip') return 'queue'
  return null
}

function isLeftToOthers({ definition }: Acting, { waitsUntil = null }: Start, { active }: Load): boolean {
  return definition.concurrency === 'parallel' && waitsUntil === null && active >= executions.mostParallel
}

/** Should the process die before this, or those that they are left to, they are found by the sweep. */
export async function enqueueAll(ctx: Pick<JobContext, 'enqueue' | 'now'>, made: readonly Made[]): Promise<void> {
  for (const { id, waitsUntil, isLeft } of made) {
    if (isLeft) continue
    const seconds = waitsUntil ? Math.max(0, Math.ceil((waitsUntil.getTime() - ctx.now().getTime()) / 1000)) : 0
    await ctx.enqueue('automations.run', { id, slot: 'on' }, seconds > 0 ? { startAfterSeconds: seconds } : {})
  }
}
