// SQL of the audit log: reads of the ledger, and its pruning.
import type { Static } from 'typebox'
import { type ChainRow, genesis, type Start } from '../../contract/ledger_verifier.ts'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import type { FollowedEntry } from '../../kit/follow.ts'
import { rowBefore } from '../../kit/ledger_check.ts'
import { anchorAction, beginAction, instanceChain } from '../../kit/ledger_records.ts'
import { matchingAll, within } from '../../kit/list_filters.ts'
import { listSql } from '../../kit/list_sql.ts'
import { idOf, rowsOf, titleOf } from '../../kit/record_sql.ts'
import { plannedAnew, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { AuditLog, auditLogs } from './contract.ts'

export type AuditLogRow = Static<typeof AuditLog> & Pick<FollowedEntry, 'wasShared'>

type LedgerRow = ChainRow & { id: string; chain: string; actorName: string | null }

/** Of an actor that is no person. */
function nameAmong(object: 'team' | 'oauth_client'): Sql {
  const kind = directory.kinds.get(object)
  if (!kind) throw new Error(`there is no kind of record ${object}`)
  return sql`(select ${titleOf(kind)} from ${rowsOf(kind)} where ${idOf(kind)} = l.actor_id)`
}

const columns = sql`
  l.id, l.chain, l.seq, l.entry, l.personal, l.previous_hash, l.hash,
  coalesce((select coalesce(u.username, u.forename) from users u where u.id = l.actor_id), ${nameAmong('team')},
    ${nameAmong('oauth_client')}) as actor_name`

export type Span = { from?: string; to?: string }

/** Times are stored as text, in one form. */
const time = { column: 'l.at', type: 'text' } as const

const filterColumns = {
  action: 'l.action',
  actorId: 'l.actor_id',
  object: 'l.target_object',
  targetId: 'l.target_id',
  outcome: 'l.outcome',
}

export type Filters = { [K in keyof typeof filterColumns]?: string | string[] }

type Query = QueryOf<typeof auditLogs, 'audit_logs.list'>

export async function pageOfLogs(db: Db, query: Query, workspaceId: string) {
  return await listSql<AuditLogRow, Query>(db, query, {
    from: sql`ledger l`,
    where: sql`l.chain = ${workspaceId}`,
    select: columns,
    sort: { seq: 'l.seq', at: 'l.at', action: 'l.action' },
    filter: filterColumns,
    time,
    id: 'l.seq',
    neverNull: ['seq', 'at', 'action'],
    cursor: { id: 'bigint', seq: 'bigint', at: 'text', action: 'text' },
    map: row => shown(row as unknown as LedgerRow),
  })
}

export async function find(db: Db, workspaceId: string, id: string): Promise<AuditLogRow | undefined> {
  const row = await first<LedgerRow>(
    db,
    sql`select ${columns} from ledger l where l.chain = ${workspaceId} and l.id = ${id}`,
  )
  return row && shown(row)
}

/** The entry says what happened; what is known of a person stands beside it, until it is erased. */
function shown({ id, chain, seq, entry, personal, previousHash, hash, actorName }: LedgerRow): AuditLogRow {
  const told = JSON.parse(entry) as AuditLogRow & { actor: AuditLogRow['actor'] }
  const { at, action, outcome, reason = null, missing = [], omitted = 0, actor, target, requestId, cause = null } = told
  const { wasShared } = told
  const isErased = actor.id?.startsWith('usr_') && actorName === null
  const name = isErased ? `deleted-${actor.id?.slice(-6)}` : actorName
  const known = new Map(((personal?.changes ?? []) as AuditLogRow['changes']).map(change => [change.path, change]))
  const changes = told.changes.map(change => known.get(change.path) ?? change)
  const who = { ip: personal?.address ?? null, userAgent: personal?.userAgent ?? null }
  const rest = { reason, missing, omitted, actor: { ...actor, name }, target, changes, requestId, cause, ...who }
  const seal = { previousHash, hash, _object: 'audit_log' as const, ...(wasShared && { wasShared }) }
  return { id, workspaceId: chain, seq, at, action, outcome, ...rest, ...seal }
}

/** As people see them, for the live stream. */
export async function shownAfter(db: Db, chain: string, after: number, limit: number): Promise<AuditLogRow[]> {
  const rows = await db.query<LedgerRow>(sql`
    select ${columns} from ledger l where l.chain = ${chain} and l.seq > ${after} order by l.seq limit ${limit}::int`)
  return rows.map(shown)
}

/** As people see them: those of these numbers that are still there. */
export async function shownAmong(db: Db, chain: string, seqs: readonly number[]): Promise<AuditLogRow[]> {
  const rows = await db.query<LedgerRow>(sql`
    select ${columns} from ledger l where l.chain = ${chain} and l.seq = any(${seqs}::bigint[]) order by l.seq`)
  return rows.map(shown)
}

const batch = 1_000

type SeqSpan = { after: number; upTo: number }

/** As people see them, for the CSV file. */
export async function* matchingEntries(db: Db, chain: string, span: SeqSpan, wanted: Filters) {
  for await (const rows of matching(db, chain, span, wanted)) yield rows.map(shown)
}

/** As they are stored, for a file that is no whole chain. */
export async function* matchingRows(db: Db, chain: string, span: SeqSpan, wanted: Filters): AsyncGenerator<ChainRow[]> {
  for await (const rows of matching(db, chain, span, wanted)) {
    yield rows.map(({ seq, entry, personal, previousHash, hash }) => ({ seq, entry, personal, previousHash, hash }))
  }
}

async function* matching(db: Db, chain: string, { after, upTo }: SeqSpan, wanted: Filters) {
  for (let seq = after; seq < upTo; ) {
    const rows = await db.query<LedgerRow>(
      plannedAnew(sql`
      select ${columns} from ledger l
      where l.chain = ${chain} and l.seq > ${seq} and l.seq <= ${upTo} and ${matchingAll(filterColumns, wanted)}
      order by l.seq limit ${batch}::int`),
    )
    if (rows.length > 0) yield rows
    if (rows.length < batch) return
    seq = rows.at(-1)?.seq ?? upTo
  }
}

type Head = Start & { signature: string }

export function findHead(db: Db, chain: string): Promise<Head | undefined> {
  return first(db, sql`select seq, hash, signature from ledger_heads where chain = ${chain}`)
}

export function findCheckpoint(db: Db, chain: string): Promise<Head | undefined> {
  return first(db, sql`select seq, hash, signature from ledger_checkpoints where chain = ${chain}`)
}

/** Where a file begins whose first entry is behind this one. */
export async function exportStart(db: Db, chain: string, after: number): Promise<Start> {
  if (after === 0) return genesis
  const checkpoint = await findCheckpoint(db, chain)
  if (checkpoint?.seq === after) return { seq: checkpoint.seq, hash: checkpoint.hash }
  return (await rowBefore(db, chain, after + 1)) ?? genesis
}

/** Sequence numbers of the first and last entry in a span of time. */
export async function seqSpan(
  db: Db,
  chain: string,
  span: Span,
): Promise<{ least: number | null; most: number | null }> {
  const row = await first<{ least: number | null; most: number | null }>(
    db,
    plannedAnew(sql`
    select min(l.seq) as least, max(l.seq) as most from ledger l
    where l.chain = ${chain} and ${within(time, span.from, span.to)}`),
  )
  return row ?? { least: null, most: null }
}

/** Those of which a rotation of the secret key has taken leave. */
export async function earlierExportKeys(db: Db): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select split_part(name, ' ', 2) as key from instance where name like 'earlier_export_key %' order by value desc`)
  return rows.map(({ key }) => key)
}

// Pruning

/**
 * Chains whose oldest entry is past its time, by what it says itself, with the last such entry. Of the instance's chain
 * what is behind the newest record of any other chain stays.
 */
export function overdue(db: Db, now: Date, defaultDays: number) {
  return db.query<{ chain: string; seq: number; hash: string }>(sql`
    select h.chain, l.seq, l.hash from ledger_heads h
    left join workspaces w on w.id = h.chain
    cross join lateral (
      select seq, hash from ledger l
      where l.chain = h.chain and l.seq < h.seq and position('"at":"' || l.at || '"' in l.entry) > 0 and l.at < to_char(
        (${now}::timestamptz - make_interval(days => coalesce((w.settings -> 'retention' ->> 'auditDays')::int, ${defaultDays}::int)))
          at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        and (h.chain <> ${instanceChain} or l.seq < ${oldestNeeded})
      order by l.seq desc limit 1
    ) l`)
}

/** Of the newest records of all chains the oldest: what the checks of those chains need. */
const oldestNeeded = sql`(
  select coalesce(min(newest), 9223372036854775807) from (
    select max(r.seq) as newest from ledger r
    where r.chain = ${instanceChain} and r.action = any(${[beginAction, anchorAction]}::text[]) group by r.target_id
  ) records)`

export async function prune(db: Db, chain: string, end: Start, signature: string, now: Date): Promise<number> {
  await db.query(sql`
    insert into ledger_checkpoints (chain, seq, hash, signature, created)
    values (${chain}, ${end.seq}, ${end.hash}, ${signature}, ${now})
    on conflict (chain) do update set
      seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, created = excluded.created`)
  const rows = await db.query<{ count: number }>(sql`
    with gone as (delete from ledger where chain = ${chain} and seq <= ${end.seq} returning 1)
    select count(*)::int as count from gone`)
  return rows[0]?.count ?? 0
}
