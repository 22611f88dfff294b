// Counts everything again from the ledger, with what was read of records then: the numbers must be the same.
import type { ChainRow } from '../../contract/ledger_verifier.ts'
import type { Database, Tx } from '../../kit/db.ts'
import type { FollowedEntry } from '../../kit/follow.ts'
import { rowsAfter } from '../../kit/ledger_check.ts'
import { findCheckpoint } from '../audit_logs/store.ts'
import { count } from './following/following.ts'
import * as store from './following/store.ts'
import type { Fields } from './metrics/metric.ts'

export type Rebuilt = { workspaceId: string; entries: number; isPruned: boolean }

/** One workspace after the other, each as a whole or not at all. */
export async function rebuild(database: Database, tell: (rebuilt: Rebuilt) => void): Promise<void> {
  for (const workspaceId of await store.countedWorkspaces(database)) {
    tell(
      await database.transaction(async tx => {
        await tx.unhurried()
        return await rebuildOne(tx, workspaceId)
      }),
    )
  }
}

/** Up to where it was counted before; the follower goes on from there. */
export async function rebuildOne(tx: Tx, workspaceId: string): Promise<Rebuilt> {
  const place = await store.lockPlace(tx, workspaceId)
  // Entries that were pruned cannot be counted again: what was counted then stays, and its hours are summed up anew.
  if (await findCheckpoint(tx, workspaceId)) {
    await store.sumAgain(tx, workspaceId)
    return { workspaceId, entries: 0, isPruned: true }
  }
  await store.forget(tx, workspaceId)
  const states = new Map<string, Fields>()
  let entries = 0
  for await (const rows of rowsAfter(tx, workspaceId, 0, place)) {
    entries += rows.length
    await countAgain(tx, workspaceId, rows, states)
  }
  await store.sumAgain(tx, workspaceId)
  await store.putStates(tx, workspaceId, states)
  return { workspaceId, entries, isPruned: false }
}

/** States stay in memory until the end: they are few beside the entries. */
async function countAgain(tx: Tx, workspaceId: string, rows: readonly ChainRow[], states: Map<string, Fields>) {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return
  const told = rows.map(({ entry, seq }): FollowedEntry => ({ ...JSON.parse(entry), seq }))
  const done = told.filter(({ outcome }) => outcome === 'success')
  const readings = await store.readingsBetween(tx, workspaceId, first.seq, last.seq)
  const { facts } = count(done, readings, states)
  await store.keepFacts(tx, workspaceId, facts)
}
