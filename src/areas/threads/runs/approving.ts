// A run waits while a person decides on one of its calls: parked with the question, taken up again with the decision.
import { unauthorized } from '../../../contract/errors.ts'
import type { CallerRun } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { holdFamily } from './ending.ts'
import * as store from './store.ts'

export type HeldRun = { family: NonNullable<Awaited<ReturnType<typeof holdFamily>>>; run: store.RunRow }

/** With its threads, which are held first; null where it is gone, or never was in a thread. */
export async function holdRun(db: Db, threadId: string | null, runId: string | null): Promise<HeldRun | null> {
  if (threadId === null || runId === null) return null
  const family = await holdFamily(db, threadId)
  const run = await store.lock(db, runId)
  return family && run ? { family, run } : null
}

/** The run behind a token, while the token is still that of its present attempt. */
export async function holdCaller(db: Db, { id, threadId, attempt }: CallerRun): Promise<HeldRun | null> {
  if (threadId === null) return null
  const held = await holdRun(db, threadId, id)
  const isOver = held?.run.attempt !== attempt || !['leased', 'running', 'parked'].includes(held.run.status)
  if (!held || isOver) throw unauthorized('The run has ended, or is another’s now.')
  return held
}
