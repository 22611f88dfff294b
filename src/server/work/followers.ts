// Runs what follows the ledger: woken by this process's own commits, by a slow scan for what others left undone.
import { randomUUID } from 'node:crypto'
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { Follower } from '../../kit/follow.ts'
import type { JobContext } from '../../kit/jobs.ts'
import type { LedgerFeed } from '../ledger/feed.ts'
import * as store from './follower_store.ts'
import { inTime } from './in_time.ts'

export type Followers = {
  /** Entries still to be read, by follower; nothing where the database does not say so in time. */
  behind(): Promise<Record<string, number>>
  stop(): Promise<void>
}

type Options = {
  database: Database
  feed: Pick<LedgerFeed, 'onChanged'>
  followers: readonly Follower[]
  context: (id: string, log: Log, signal: AbortSignal, attempt: number) => JobContext
  log: Log
}

/** Chains of one follower that are worked on at the same time in this process. */
const atOnce = 4
/** Entries of one statement: few, so that none of them holds up requests on the embedded engine. */
const batch = 50
const entryTimeoutMs = 30_000
/** After this a piece ends and the lease is renewed; with the longest entry it stays below the lease. */
const pieceMs = 20_000
/** Where another process has the chain: it may have looked just before our entry came. */
const againMs = 500
const mostAgain = 3
const longestRetryMs = 3_600_000

export async function startFollowers(options: Options): Promise<Followers> {
  const { database, feed, followers, log } = options
  const stopping = new AbortController()
  const crews = followers.map(follower => startCrew(options, follower, stopping.signal))
  for (const { name, from } of followers) await store.register(database, name, from)
  const lookAtAll = async () => {
    for (const crew of crews) {
      if (stopping.signal.aborted) return
      for await (const chains of store.chainsBehind(database, crew.name)) for (const chain of chains) crew.want(chain)
    }
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'followers could not look at the ledger; they try again')
  let scanning: Promise<void> = Promise.resolve()
  const scan = () => {
    scanning = scanning.then(lookAtAll).catch(failed)
  }
  // Alone on its database, a process knows of every commit; what is left is a retry that an earlier start has put off.
  const everyMs = database.engine === 'postgres' ? 10_000 : 60_000
  const timer = crews.length > 0 ? setInterval(scan, everyMs).unref() : undefined
  // Entries that concern nobody wake nobody: the scan takes the place past them.
  feed.onChanged(grown => {
    for (const crew of crews) {
      for (const [chain, actions] of grown) if ([...actions].some(crew.follows)) crew.want(chain)
    }
  })
  if (crews.length > 0) scan()
  return {
    behind: () => (followers.length > 0 ? store.behind(database, followers) : Promise.resolve({})),
    async stop() {
      clearInterval(timer)
      stopping.abort(new Error('the service stops'))
      // Whoever closes the database next must find nobody who asks it.
      await Promise.all([scanning, ...crews.map(crew => crew.idle())])
    },
  }
}

type Crew = { name: string; follows(action: string): boolean; want(chain: string): void; idle(): Promise<void> }

/** One follower in this process: the chains that it should look at, and those it is at. */
function startCrew(options: Options, follower: Follower, stopping: AbortSignal): Crew {
  const { database, log } = options
  const wanted = new Set<string>()
  const busy = new Map<string, Promise<void>>()
  /** Chains that failed here, until they are tried again. */
  const resting = new Set<string>()
  const refused = new Map<string, number>()

  function later(chain: string, ms: number): void {
    resting.add(chain)
    setTimeout(() => {
      resting.delete(chain)
      want(chain)
    }, ms).unref()
  }

  function want(chain: string): void {
    if (stopping.aborted || resting.has(chain)) return
    wanted.add(chain)
    next()
  }

  function next(): void {
    for (const chain of wanted) {
      if (busy.size >= atOnce) return
      if (busy.has(chain)) continue
      wanted.delete(chain)
      const work = visit(chain)
        .catch(error => {
          log.error(
            { err: error, follower: follower.name, chain },
            'a follower could not read its place; it tries again',
          )
          later(chain, againMs)
        })
        .finally(() => {
          busy.delete(chain)
          if (!stopping.aborted) next()
        })
      busy.set(chain, work)
    }
  }

  async function visit(chain: string): Promise<void> {
    const lease = randomUUID()
    const place = await store.take(database, follower.name, chain, lease)
    if (!place) {
      const times = (refused.get(chain) ?? 0) + 1
      refused.set(chain, times)
      if (times <= mostAgain) later(chain, againMs)
      else refused.delete(chain)
      return
    }
    refused.delete(chain)
    const { failures } = place
    const read = await readOn(options, follower, chain, { ...place, lease }, stopping)
    if (!read.failure) return await store.release(database, follower.name, chain, { lease, seq: read.seq })
    const restMs = Math.min(1_000 * 2 ** (read.seq > place.seq ? 0 : failures), longestRetryMs)
    const retry = { failures: read.seq > place.seq ? 1 : failures + 1, restMs }
    await store.release(database, follower.name, chain, { lease, seq: read.seq, ...retry })
    log.error(
      { err: read.failure.error, follower: follower.name, chain, seq: read.seq, restMs },
      'a follower failed; it tries again',
    )
    later(chain, restMs)
  }

  const { name, pattern } = follower
  return {
    name,
    follows: action => (pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern),
    want,
    idle: async () => void (await Promise.all(busy.values())),
  }
}

type Read = { seq: number; failure?: { error: unknown } }

/** From the place on, until there is nothing more, something fails, or the lease is lost. */
async function readOn(
  { database, context, log }: Options,
  { name, pattern, run }: Follower,
  chain: string,
  place: { seq: number; failures: number; lease: string },
  stopping: AbortSignal,
): Promise<Read> {
  let { seq } = place
  let attempt = place.failures
  let since = performance.now()
  for (;;) {
    const entries = await store.entriesAfter(database, chain, seq, pattern, batch)
    for (const { seq: at, entry } of entries) {
      if (stopping.aborted) return { seq }
      try {
        if (entry)
          await inTime(entryTimeoutMs, stopping, signal =>
            run(context(`${name}:${chain}:${at}`, log, signal, attempt), entry),
          )
      } catch (error) {
        // Cut off by the end of the service: no fault of its own.
        return stopping.aborted ? { seq } : { seq, failure: { error } }
      }
      seq = at
      attempt = 0
      if (performance.now() - since > pieceMs) break
    }
    if (entries.length < batch && seq === (entries.at(-1)?.seq ?? seq)) return { seq }
    if (!(await store.renew(database, name, chain, place.lease, seq))) return { seq }
    since = performance.now()
  }
}
