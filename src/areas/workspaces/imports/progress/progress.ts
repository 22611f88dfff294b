// Writes down how far an import is, so that who waits can ask; seldom enough to cost nothing.
import type { Db } from '../../../../kit/db.ts'
import { type Progress, putProgress, removeProgress } from './store.ts'

/** Told before each part, and again while a long one goes on. */
export type Tell = (progress?: Progress) => Promise<void>

/** No part takes longer without a word: who is silent for so long is gone. */
export const silentMs = 5 * 60_000

const atMostEachMs = 250

export function telling(db: Db, userId: string, now: () => Date): Tell {
  let current: Progress | undefined
  let told = 0
  return async progress => {
    current = progress ?? current
    if (!current || performance.now() - told < atMostEachMs) return
    told = performance.now()
    await putProgress(db, userId, current, now())
  }
}

/** However it ends, nothing of it stays. */
export async function whileTold<T>(db: Db, userId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await removeProgress(db, userId)
  }
}
