// Those who follow one workspace share one reading of what is new; who is behind reads for itself until it is level.
import type { Ephemeral, Feed } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { type AuditLogRow, shownAfter } from '../audit_logs/store.ts'

/** `isOwn`: told to this very person, wherever they are. */
export type News = { entry: AuditLogRow } | { event: Ephemeral; isOwn: boolean }
type Heard = Extract<News, { event: Ephemeral }>

type Hub = {
  /** The newest entries, in order. */
  recent: AuditLogRow[]
  /** The last entry that was read. */
  tail: number
  readers: number
  wake: Set<() => void>
  end: AbortController
  failure: unknown
}

const batch = 200
const mostRecent = 200
/** Of what is told to a reader that does not keep up, the oldest is lost. */
const mostTold = 200

const hubs = new WeakMap<Feed, Map<string, Hub>>()

export type Follow = { chain: string; personId: string | null; after: number; head: number; signal: AbortSignal }

/** From the entry behind `after` on, until the signal; `head` is the last entry that there is now. */
export async function* follow(
  db: Db,
  feed: Feed,
  { chain, personId, after, head, signal }: Follow,
): AsyncGenerator<News> {
  const hub = join(db, feed, chain, head)
  let told: Heard[] = []
  const take = (event: Ephemeral, name: string) => {
    if (told.push({ event, isOwn: name === personId }) > mostTold) told.shift()
    wakeAll(hub)
  }
  const unhear = feed.hear(personId === null ? [chain] : [chain, personId], take)
  try {
    for (let seq = after; !signal.aborted; ) {
      if (hub.failure) throw hub.failure
      const { tail } = hub
      const entries = await newsAfter(db, hub, chain, seq)
      // Pruned meanwhile: there is nothing to catch up with.
      if (entries.length === 0) seq = Math.max(seq, tail)
      for (const entry of entries) {
        yield { entry }
        seq = entry.seq
      }
      const events = told
      told = []
      yield* events
      if (entries.length === 0 && told.length === 0) await next(hub, seq, signal)
    }
  } finally {
    unhear()
    leave(feed, chain, hub)
  }
}

/** Nothing where the reader is level with the hub. */
async function newsAfter(db: Db, hub: Hub, chain: string, seq: number): Promise<AuditLogRow[]> {
  if (seq >= hub.tail) return []
  const [oldest] = hub.recent
  if (oldest && oldest.seq <= seq + 1) return hub.recent.filter(entry => entry.seq > seq)
  return await shownAfter(db, chain, seq, batch)
}

/** Asked in the tick in which the reader was seen to be level: nothing can come in between. */
function next(hub: Hub, seq: number, signal: AbortSignal): Promise<void> {
  if (hub.tail > seq || hub.failure || signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const go = () => {
      hub.wake.delete(go)
      signal.removeEventListener('abort', go)
      resolve()
    }
    hub.wake.add(go)
    signal.addEventListener('abort', go)
  })
}

function wakeAll(hub: Hub): void {
  for (const go of [...hub.wake]) go()
}

function join(db: Db, feed: Feed, chain: string, head: number): Hub {
  const ofFeed = hubs.get(feed) ?? new Map<string, Hub>()
  hubs.set(feed, ofFeed)
  let hub = ofFeed.get(chain)
  if (!hub) {
    hub = { recent: [], tail: head, readers: 0, wake: new Set(), end: new AbortController(), failure: null }
    ofFeed.set(chain, hub)
    void read(db, feed, chain, hub)
  }
  hub.readers++
  return hub
}

function leave(feed: Feed, chain: string, hub: Hub): void {
  if (--hub.readers > 0) return
  hub.end.abort()
  const ofFeed = hubs.get(feed)
  if (ofFeed?.get(chain) === hub) ofFeed.delete(chain)
}

/** One reading for all, as long as anybody follows. */
async function read(db: Db, feed: Feed, chain: string, hub: Hub): Promise<void> {
  const { signal } = hub.end
  try {
    while (!signal.aborted) {
      // Asked before the look, so that nothing falls between the two.
      const grown = feed.grown(chain, hub.tail, signal)
      for (let rows = batch; rows === batch && !signal.aborted; ) {
        const entries = await shownAfter(db, chain, hub.tail, batch)
        rows = entries.length
        hub.recent = [...hub.recent, ...entries].slice(-mostRecent)
        hub.tail = entries.at(-1)?.seq ?? hub.tail
        if (rows > 0) wakeAll(hub)
      }
      await grown
    }
  } catch (error) {
    hub.failure = error
    hubs.get(feed)?.delete(chain)
    wakeAll(hub)
  }
}
