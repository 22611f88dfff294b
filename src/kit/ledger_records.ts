// What the instance's chain says about another chain: that it began, and where it stood later.
import { hash } from 'node:crypto'
import { chainText, type Start, toldBy } from '../contract/ledger_verifier.ts'
import { type Db, first } from './db.ts'
import { sql } from './sql.ts'

/** Changes that belong to no workspace, refusals of strangers, and what is known of every other chain. */
export const instanceChain = 'instance'

/** Heads of version 1 are of chains that began before beginnings were recorded. */
export const headVersion = 2

export const beginAction = 'audit_logs.begun'
export const anchorAction = 'audit_logs.anchored'

/** How an entry of the instance's chain tells where a chain stands. */
export function standing({ chain, seq, hash }: Start & { chain: string }) {
  return {
    target: { object: 'audit_log', id: chain },
    changes: [
      { path: 'seq', after: seq },
      { path: 'hash', after: hash },
    ],
  }
}

export type StoredRecord = {
  seq: number
  entry: string
  at: string
  previousHash: string
  hash: string
  /** What the entry behind it calls the one before; null where there is none. */
  calledByNext: string | null
}

/** The newest record of a chain, and whether it has entries at all. */
export async function findRecord(db: Db, chain: string): Promise<{ hasRows: boolean; record: StoredRecord | null }> {
  const row = await first<{ hasRows: boolean } & StoredRecord>(
    db,
    sql`
    select exists (select from ledger where chain = ${chain}) as has_rows, r.* from (select) one
    left join lateral (
      select l.seq, l.entry, l.at, l.previous_hash, l.hash,
        (select n.previous_hash from ledger n where n.chain = l.chain and n.seq = l.seq + 1) as called_by_next
      from ledger l
      where l.chain = ${instanceChain} and l.target_id = ${chain} and l.action = any(${[beginAction, anchorAction]}::text[])
      order by l.seq desc limit 1
    ) r on true`,
  )
  return { hasRows: row?.hasRows ?? false, record: row?.seq ? row : null }
}

/** Where the record says that the chain stood; null where the record itself was changed. */
export function standingIn(record: StoredRecord): Start | null {
  const { seq, entry, previousHash, hash: own, calledByNext } = record
  if (hash('sha256', chainText(previousHash, seq, entry)) !== own) return null
  if (calledByNext !== null && calledByNext !== own) return null
  const [first, second] = (toldBy(entry)?.changes ?? []) as { after?: unknown }[]
  const [at, of] = [first?.after, second?.after]
  return typeof at === 'number' && typeof of === 'string' ? { seq: at, hash: of } : null
}
