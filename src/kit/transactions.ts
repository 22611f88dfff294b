// Knows whether the code that runs holds a transaction: nothing slow, and no other statement, belongs beside it.
import { AsyncLocalStorage } from 'node:async_hooks'

const holding = new AsyncLocalStorage<true>()

export function holdTransaction<T>(work: () => Promise<T>): Promise<T> {
  return holding.run(true, work)
}

export function isInTransaction(): boolean {
  return holding.getStore() === true
}
