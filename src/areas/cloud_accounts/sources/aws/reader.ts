// What a service is read with: its requests in one region, and its parts, of which each may fail for itself.
import type { Params } from './asking.ts'
import type { Action } from './calls.ts'
import type { Collected } from './collecting.ts'

export type Reader = Pick<Collected, 'node' | 'edge' | 'name' | 'tag'> & {
  /** '' where a service is not in a region. */
  region: string
  /** Those that are read. */
  regions: readonly string[]
  ask: (action: Action, params?: Params, region?: string) => Promise<unknown>
  list: (action: Action, params?: Params) => AsyncGenerator<unknown, void, undefined>
  /** What fails in it makes these types unseen, and the rest goes on; undefined where it failed. */
  part: <T>(types: readonly string[], work: () => Promise<T>) => Promise<T | undefined>
}

/** `types`: all that it may tell of. */
export type Service = {
  types: readonly string[]
  /** Read once, not for each region; 'everywhere' has its things in regions all the same. */
  scope: 'region' | 'global' | 'everywhere'
  read: (reader: Reader) => Promise<void>
}

const atOnce = 4

/** A few at a time; after a failure no further one is begun. */
export async function each<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]()
  let hasFailed = false
  const worker = async () => {
    for (let next = left.next(); !next.done && !hasFailed; next = left.next()) {
      try {
        await work(next.value)
      } catch (thrown) {
        hasFailed = true
        throw thrown
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}

export function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}
