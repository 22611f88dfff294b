// Knows whether the code that runs is background work, for which no person waits: jobs and followers of the ledger.
import { AsyncLocalStorage } from 'node:async_hooks'

const background = new AsyncLocalStorage<boolean>()

export function inBackground<T>(work: () => T): T {
  return background.run(true, work)
}

/** For what others wait for as well: a call through the door, a reading that requests share. */
export function inForeground<T>(work: () => T): T {
  return background.run(false, work)
}

export function isInBackground(): boolean {
  return background.getStore() === true
}
