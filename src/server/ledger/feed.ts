// Tells readers of a ledger that it has grown: at once in this process, by one notice to the others, by a poll at last.
import { randomUUID } from 'node:crypto'
import type { Ephemeral, Feed, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

/** Chain → actions of what was added to it. */
export type Grown = ReadonlyMap<string, ReadonlySet<string>>

export type LedgerFeed = Feed & {
  /** After the commit: these chains have new entries, of these actions. */
  changed(grown: Grown): void
  /** Hears what this process has written, in the same turn. */
  onChanged(hear: (grown: Grown) => void): void
  /** How many follow a chain now. */
  readers(): number
  /** How many wait for a chain to grow. */
  waiting(): number
  stop(): Promise<void>
}

const channel = 'atrium_ledger'
const toldChannel = 'atrium_told'
/** One notice per process in this time, outside the write's own transaction. */
const gatherMs = 100
/** Of what is told, since somebody watches it come. */
const toldGatherMs = 20
const pollMs = 1_000
/** A notice holds at most 8,000 bytes; with more chains than this, everybody looks. */
const mostNamed = 100
const mostBytes = 7_000

/** `seq` is the least that any of those who wait has seen. */
type Waiting = { seq: number; wake: Set<() => void> }

export async function startFeed(database: Database, log: Log): Promise<LedgerFeed> {
  const isShared = database.engine === 'postgres'
  const failed = (error: unknown) =>
    log.warn({ err: error }, 'live updates could not look at the ledger; they try again')
  const growth = waitingRoom(database)
  const listeners: ((grown: Grown) => void)[] = []
  const told = tellings(database, isShared, failed)
  const notice = gathering(gatherMs, failed, async (chains: string[]) => {
    const named = new Set(chains)
    const payload = named.size > mostNamed ? '*' : [...named].join(' ')
    await database.query(sql`select pg_notify(${channel}, ${payload}) is null as told`)
  })
  const listening = isShared
    ? [await database.listen(channel, growth.heard), await database.listen(toldChannel, told.heard)]
    : []
  const polling = isShared ? setInterval(() => growth.poll().catch(failed), pollMs).unref() : undefined
  return {
    grown: growth.grown,
    tell: told.tell,
    hear: told.hear,
    readers: told.readers,
    waiting: growth.waiting,
    onChanged: hear => void listeners.push(hear),
    changed(grown) {
      for (const chain of grown.keys()) {
        growth.wake(chain)
        if (isShared) notice.add(chain)
      }
      for (const hear of listeners) hear(grown)
    },
    async stop() {
      clearInterval(polling)
      notice.stop()
      told.stop()
      growth.heard('*')
      for (const unlisten of listening) await unlisten()
    },
  }
}

/** What comes within a moment is sent together. */
function gathering<T>(ms: number, failed: (error: unknown) => void, send: (gathered: T[]) => Promise<void>) {
  let gathered: T[] = []
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    timer = undefined
    const sent = gathered
    gathered = []
    send(sent).catch(failed)
  }
  return {
    add(item: T) {
      gathered.push(item)
      timer ??= setTimeout(flush, ms).unref()
    },
    stop: () => clearTimeout(timer),
  }
}

function waitingRoom(database: Database) {
  const places = new Map<string, Waiting>()

  function wake(chain: string): void {
    const place = places.get(chain)
    if (!place) return
    places.delete(chain)
    for (const resolve of place.wake) resolve()
  }

  function grown(chain: string, seen: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise(resolve => {
      const place = places.get(chain) ?? { seq: seen, wake: new Set() }
      place.seq = Math.min(place.seq, seen)
      places.set(chain, place)
      const leave = () => {
        signal.removeEventListener('abort', leave)
        place.wake.delete(leave)
        if (place.wake.size === 0 && places.get(chain) === place) places.delete(chain)
        resolve()
      }
      place.wake.add(leave)
      signal.addEventListener('abort', leave)
    })
  }

  /** A notice can be lost with its connection; a head cannot. */
  async function poll(): Promise<void> {
    if (places.size === 0) return
    const heads = await database.query<{ chain: string; seq: number }>(sql`
      select chain, seq from ledger_heads where chain = any(${[...places.keys()]}::text[])`)
    for (const { chain, seq } of heads) {
      const place = places.get(chain)
      if (place && seq > place.seq) wake(chain)
    }
  }

  return {
    wake,
    grown,
    poll,
    heard: (payload: string) => {
      for (const chain of payload === '*' ? [...places.keys()] : payload.split(' ')) wake(chain)
    },
    waiting: () => [...places.values()].reduce((sum, { wake: those }) => sum + those.size, 0),
  }
}

/** What is told is not kept: it goes to who listens now, here and in the other processes. */
function tellings(database: Database, isShared: boolean, failed: (error: unknown) => void) {
  const listeners = new Map<string, Set<(event: Ephemeral, chain: string) => void>>()
  const own = randomUUID()
  let readers = 0
  const deliver = (chain: string, event: Ephemeral) => {
    for (const take of listeners.get(chain) ?? []) take(event, chain)
  }
  const notice = gathering(toldGatherMs, failed, async (payloads: string[]) => {
    await database.query(sql`
      select pg_notify(${toldChannel}, payload) is null as told from unnest(${payloads}::text[]) payload`)
  })
  return {
    tell(chain: string, event: Ephemeral) {
      const payload = JSON.stringify({ own, chain, event })
      if (Buffer.byteLength(payload) > mostBytes) throw new Error(`${event.action} is too large to be told; split it`)
      deliver(chain, event)
      if (isShared) notice.add(payload)
    },
    heard(payload: string) {
      const told = JSON.parse(payload) as { own: string; chain: string; event: Ephemeral }
      if (told.own !== own) deliver(told.chain, told.event)
    },
    hear(chains: readonly string[], take: (event: Ephemeral, chain: string) => void) {
      readers++
      for (const chain of chains) listeners.set(chain, (listeners.get(chain) ?? new Set()).add(take))
      return () => {
        readers--
        for (const chain of chains) {
          const place = listeners.get(chain)
          place?.delete(take)
          if (place?.size === 0) listeners.delete(chain)
        }
      }
    },
    readers: () => readers,
    stop: () => notice.stop(),
  }
}
