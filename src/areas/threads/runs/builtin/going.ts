// What one job knows of the run that it works on, and what the run has used by now.
import type { Work } from '../own.ts'
import { outOfMinutes, type Spent, spentOf, withAnswer } from './budget.ts'
import type { Setup } from './endpoint.ts'
import { failed, type Outcome, Stop } from './stopping.ts'
import * as store from './store.ts'

export type Going = { work: Work; setup: Setup; spent: Spent; begun: number }

export async function beginWith(work: Work, setup: Setup): Promise<Going> {
  const { usage, named } = await store.stateOf(work.ctx.db, work.run.id)
  return { work, setup, spent: spentOf(usage, named.workedMs ?? 0), begun: work.ctx.now().getTime() }
}

/** With the time that this job has worked on it. */
export function spentNow({ work, spent, begun }: Going): Spent {
  return { ...spent, workedMs: spent.workedMs + work.ctx.now().getTime() - begun }
}

/** Null as long as the run has minutes left. */
export function lateness(going: Going): Outcome | null {
  const error = outOfMinutes(going.setup.limits, spentNow(going))
  return error === null ? null : failed(error).outcome
}

/** False where the run is another’s by now. */
export async function writeDown(going: Going, spent: Spent = going.spent): Promise<boolean> {
  const { ctx, run, hash } = going.work
  const { in: read, out, steps, cost } = spent
  const usage = { in: read, out, steps, cost, model: going.setup.endpoint.model }
  const { workedMs } = spentNow(going)
  const isUsed = steps > 0
  return await store.keep(ctx.db, { id: run.id, hash }, { workedMs, ...(isUsed && { usage }) }, ctx.now())
}

/** From now on the model may work: should this process be lost, what it reads counts as used. */
export async function reserve(going: Going, reads: number): Promise<void> {
  const kept = await writeDown(going, withAnswer(going.spent, going.setup.limits, { in: reads, out: 0 }))
  if (!kept) throw new Stop({ is: 'over' })
}

export async function count(going: Going, used: { in: number; out: number }): Promise<void> {
  going.spent = withAnswer(going.spent, going.setup.limits, used)
  if (!(await writeDown(going))) throw new Stop({ is: 'over' })
}
