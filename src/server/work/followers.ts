// Runs what follows the ledger: woken by this process's own commits, by a slow scan for what others left undone.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { inBackground } from '../../kit/background.ts'
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
/** A chain that has more to be read for this long makes room for those that wait. */
const turnMs = 1_000
const longestRetryMs = 3_600_000
const mostKnown = 10_000
const metricTimeoutMs = 1_000

export async function startFollowers(options: Options): Promise<Followers> {
  const { database, feed, followers, log } = options
  const stopping = new AbortController()
  const crews = followers.map(follower => startCrew(options, follower, stopping.signal))
  if (database.engine === 'pglite') await store.takeBack(database)
  for (const { name, from } of followers) await store.register(database, name, from)
  const lookAtAll = async () => {
    const names = crews.map(({ name }) => name)
    for await (const behind of store.chainsBehind(database, names)) {
      for (const crew of crews) {
        if (stopping.signal.aborted) return
        await crew.wantAmong(behind.get(crew.name) ?? [])
      }
    }
  }
  const failed = (error: unknown) => log.warn({ err: error }, 'followers could not look at the ledger; they try again')
  let scanning: Promise<void> = Promise.resolve()
  const scan = () => {
    scanning = scanning.then(() => inBackground(lookAtAll)).catch(failed)
  }
  // Alone on its database, a process knows of every commit; what is left is a retry that an earlier start has put off.
  const everyMs = database.engine === 'postgres' ? 10_000 : 60_000
  const timer = crews.length > 0 ? setInterval(scan, everyMs).unref() : undefined
  // Entries that concern nobody wake nobody: the scan takes the place past them.
  feed.onChanged(grown => {
    for (const crew of crews) {
      crew.hear([...grown].filter(([, actions]) => [...actions].some(crew.follows)).map(([chain]) => chain))
    }
  })
  if (crews.length > 0) scan()
  return {
    async behind() {
      const ofAll = followers.filter(({ where }) => !where)
      const counts = ofAll.length > 0 ? await store.behind(database, ofAll) : {}
      const asking = async () => {
        for (const { name, where } of followers) if (where) counts[name] = await behindWhere(database, name, where)
      }
      // Figures are asked for when the database is slow, too: they are left out then.
      await Promise.race([asking().catch(() => {}), wait(metricTimeoutMs, undefined, { ref: false })])
      return { ...counts }
    },
    async stop() {
      clearInterval(timer)
      stopping.abort(new Error('the service stops'))
      // Whoever closes the database next must find nobody who asks it.
      await Promise.all([scanning, ...crews.map(crew => crew.idle())])
    },
  }
}

/** Of chains that it is not for, it reads nothing, and so is never behind. */
async function behindWhere(database: Database, name: string, where: NonNullable<Follower['where']>): Promise<number> {
  let count = 0
  for await (const behind of store.chainsBehind(database, [name])) {
    const chains = behind.get(name) ?? []
    if (chains.length > 0) count += await store.behindIn(database, name, await where(database, chains))
  }
  return count
}

type Crew = {
  name: string
  follows(action: string): boolean
  /** These have grown. */
  hear(chains: readonly string[]): void
  /** Looks at those of them that the follower is for. */
  wantAmong(chains: readonly string[]): Promise<void>
  idle(): Promise<void>
}

/** Chains that have grown are held against `where` together, this often at the most. */
const lookMs = 100
/** Known to be for it: they are looked at without asking. Whether they still are is asked this often. */
const knownMs = 10_000

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
      const work = inBackground(() => visit(chain))
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
    const from = follower.where ? (await follower.where(database, [chain])).get(chain) : 0
    // It is no longer for this chain.
    if (from === undefined) return await store.release(database, follower.name, chain, { lease, seq: place.seq })
    const begun = performance.now()
    const isAlone = () => wanted.size === (wanted.has(chain) ? 1 : 0)
    const hasTurn = () => isAlone() || performance.now() - begun < turnMs
    const at = { ...place, seq: Math.max(place.seq, from), lease }
    const read = await readOn(options, follower, chain, at, { stopping, hasTurn })
    if (!read.failure) {
      await store.release(database, follower.name, chain, { lease, seq: read.seq })
      return read.isMore ? want(chain) : undefined
    }
    const restMs = Math.min(1_000 * 2 ** (read.seq > place.seq ? 0 : failures), longestRetryMs)
    const retry = { failures: read.seq > place.seq ? 1 : failures + 1, restMs }
    await store.release(database, follower.name, chain, { lease, seq: read.seq, ...retry })
    log.error(
      { err: read.failure.error, follower: follower.name, chain, seq: read.seq, restMs },
      'a follower failed; it tries again',
    )
    later(chain, restMs)
  }

  const { name, pattern, where, gatherMs } = follower
  const known = new Map<string, number>()
  const heard = new Set<string>()
  let looking: Promise<void> = Promise.resolve()

  async function wantAmong(chains: readonly string[]): Promise<void> {
    if (!where || chains.length === 0) return chains.forEach(want)
    const found = await where(database, chains)
    for (const chain of chains) known.delete(chain)
    for (const chain of found.keys()) {
      if (known.size >= mostKnown) known.clear()
      known.set(chain, performance.now())
      want(chain)
    }
  }

  /** Later than this, so that many commits ask once. */
  function look(): void {
    looking = wait(gatherMs ?? lookMs, undefined, { ref: false, signal: stopping })
      .then(async () => {
        const chains = [...heard]
        heard.clear()
        await inBackground(() => wantAmong(chains))
      })
      .catch(error => {
        if (stopping.aborted) return
        log.warn({ err: error, follower: name }, 'a follower could not ask what it is for; the scan does')
      })
  }

  function hear(chains: readonly string[]): void {
    const isKnown = (chain: string) =>
      !where || performance.now() - (known.get(chain) ?? Number.NEGATIVE_INFINITY) < knownMs
    for (const chain of chains) {
      if (gatherMs === undefined && isKnown(chain)) {
        want(chain)
        continue
      }
      if (heard.size === 0) look()
      heard.add(chain)
    }
  }

  return {
    name,
    hear,
    wantAmong,
    follows: action => (pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern),
    idle: async () => {
      await looking
      await Promise.all(busy.values())
    },
  }
}

type Read = { seq: number; failure?: { error: unknown }; isMore?: true }

/** From the place on, until there is nothing more, something fails, the lease is lost, or others have waited long enough. */
async function readOn(
  { database, context, log }: Options,
  follower: Follower,
  chain: string,
  place: { seq: number; failures: number; lease: string },
  { stopping, hasTurn }: { stopping: AbortSignal; hasTurn: () => boolean },
): Promise<Read> {
  const { name, pattern, run } = follower
  let { seq } = place
  let attempt = place.failures
  let since = performance.now()
  for (;;) {
    const entries = await store.entriesAfter(database, chain, seq, pattern, batch)
    for (const some of together(entries, follower.atOnce)) {
      if (stopping.aborted) return { seq }
      const last = some.at(-1)?.seq ?? seq
      const told = some.flatMap(({ entry }) => entry ?? [])
      try {
        if (told.length > 0)
          await inTime(entryTimeoutMs, stopping, signal =>
            run(context(`${name}:${chain}:${last}`, log, signal, attempt), told),
          )
      } catch (error) {
        // Cut off by the end of the service: no fault of its own.
        return stopping.aborted ? { seq } : { seq, failure: { error } }
      }
      seq = last
      attempt = 0
      if (performance.now() - since > pieceMs || !hasTurn()) break
    }
    if (entries.length < batch && seq === (entries.at(-1)?.seq ?? seq)) return { seq }
    if (!hasTurn()) return { seq, isMore: true }
    if (!(await store.renew(database, name, chain, place.lease, seq))) return { seq }
    since = performance.now()
  }
}

function together<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size))
}
