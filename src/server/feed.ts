// Tells readers of a ledger that it has grown: at once in this process, by one notice to the others, by a poll at last.
import type { Feed, Log } from '../kit/context.ts'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'

export type LedgerFeed = Feed & {
  /** After the commit: these chains have new entries. */
  changed(chains: Iterable<string>): void
  stop(): Promise<void>
}

const channel = 'atrium_ledger'
/** One notice per process in this time, outside the write's own transaction. */
const gatherMs = 100
const pollMs = 1_000
/** A notice holds at most 8,000 bytes; with more chains than this, everybody looks. */
const mostNamed = 100

/** `seq` is the least that any of those who wait has seen. */
type Waiting = { seq: number; wake: Set<() => void> }

export async function startFeed(database: Database, log: Log): Promise<LedgerFeed> {
  const waiting = new Map<string, Waiting>()
  let gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  function wake(chain: string): void {
    const place = waiting.get(chain)
    if (!place) return
    waiting.delete(chain)
    for (const resolve of place.wake) resolve()
  }

  async function tell(): Promise<void> {
    timer = undefined
    const chains = [...gathered]
    gathered = new Set()
    const payload = chains.length > mostNamed ? '*' : chains.join(' ')
    await database.query(sql`select pg_notify(${channel}, ${payload}) is null as told`)
  }

  function hear(payload: string): void {
    for (const chain of payload === '*' ? [...waiting.keys()] : payload.split(' ')) wake(chain)
  }

  /** A notice can be lost with its connection; a head cannot. */
  async function poll(): Promise<void> {
    if (waiting.size === 0) return
    const heads = await database.query<{ chain: string; seq: number }>(sql`
      select chain, seq from ledger_heads where chain = any(${[...waiting.keys()]}::text[])`)
    for (const { chain, seq } of heads) {
      const place = waiting.get(chain)
      if (place && seq > place.seq) wake(chain)
    }
  }

  const failed = (error: unknown) =>
    log.warn({ err: error }, 'live updates could not look at the ledger; they try again')
  const isShared = database.engine === 'postgres'
  const unlisten = isShared ? await database.listen(channel, hear) : async () => {}
  const polling = isShared ? setInterval(() => poll().catch(failed), pollMs).unref() : undefined

  return {
    grown: (chain, seen) =>
      new Promise(resolve => {
        const place = waiting.get(chain) ?? { seq: seen, wake: new Set() }
        place.seq = Math.min(place.seq, seen)
        place.wake.add(resolve)
        waiting.set(chain, place)
      }),
    changed(chains) {
      for (const chain of chains) {
        wake(chain)
        gathered.add(chain)
      }
      if (isShared && !timer) timer = setTimeout(() => tell().catch(failed), gatherMs).unref()
    },
    async stop() {
      clearInterval(polling)
      clearTimeout(timer)
      for (const chain of [...waiting.keys()]) wake(chain)
      await unlisten()
    },
  }
}
