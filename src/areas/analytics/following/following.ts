// Counts what the ledger tells, as it grows: a batch of entries, its facts and the new place in one transaction.
import type { Db } from '../../../kit/db.ts'
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { instanceChain } from '../../../kit/ledger_records.ts'
import { keepAlive, stillThere } from '../../workspaces/store.ts'
import type { Fields } from '../metrics/metric.ts'
import { type Fact, factsOf } from './counting.ts'
import { type Reading, readFor } from './reading.ts'
import { sweptBy } from './relabelling.ts'
import { stateKey, statesOf } from './states.ts'
import * as store from './store.ts'

export type Counted = { facts: Fact[]; changed: Map<string, Fields | null> }

/** A follower of the ledger. The same entries may come twice: those before the place are counted already. */
export async function onEntries(ctx: JobContext, entries: readonly FollowedEntry[]): Promise<void> {
  const [chain, last] = [entries[0]?.chain, entries.at(-1)]
  if (chain === undefined || !last || chain === instanceChain) return
  const place = await store.placeOf(ctx.db, chain)
  const fresh = entries.filter(({ seq }) => seq > place)
  if (fresh.length === 0) return
  const done = fresh.filter(({ outcome }) => outcome === 'success')
  const states = await store.statesAmong(ctx.db, chain, [...new Set(done.flatMap(statesOf))])
  const readings = await readFor(ctx.db, chain, done, states)
  for (const [key, fields] of await statesBeside(ctx.db, chain, done, readings)) {
    if (!states.has(key)) states.set(key, fields)
  }
  const { facts, changed } = count(done, readings, states)
  await ctx.transaction(async tx => {
    await keepAlive(tx, chain)
    // A ledger outlives its workspace; nobody asks for the figures of one that is gone.
    if (!(await stillThere(tx, [chain])).has(chain)) return
    // What was read above is old then; the next try begins where the others stopped.
    if (!(await store.advance(tx, chain, place, last.seq, ctx.now()))) {
      throw new Error('somebody else has counted these entries meanwhile')
    }
    await store.keepReadings(tx, chain, readings)
    await store.addFacts(tx, chain, facts)
    await store.putStates(tx, chain, changed)
  })
}

/** Of issues that change without an entry of their own. */
async function statesBeside(
  db: Db,
  chain: string,
  entries: readonly FollowedEntry[],
  readings: ReadonlyMap<number, Reading>,
): Promise<[string, Fields][]> {
  const others = [...readings.values()].flatMap(({ others = {} }) => Object.keys(others))
  const found = await store.statesAmong(
    db,
    chain,
    others.map(id => stateKey('issue', id)),
  )
  const swept = entries.flatMap(sweptBy)
  if (swept.length === 0) return [...found]
  const labels = swept.flatMap(one => ('label' in one ? one.label : []))
  const teams = swept.flatMap(one => ('team' in one ? one.team : []))
  return [...found, ...(await store.statesWith(db, chain, { labels, teams }))]
}

/** In order; `states` are those that these entries need, and are changed. */
export function count(
  entries: readonly FollowedEntry[],
  readings: ReadonlyMap<number, Reading>,
  states: Map<string, Fields>,
): Counted {
  const changed = new Map<string, Fields | null>()
  const facts = entries.flatMap(entry => factsOf(entry, readings.get(entry.seq), states, changed))
  return { facts, changed }
}
