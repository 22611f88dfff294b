// SQL of the audit log: reads of the ledger, and its pruning.
import type { Static } from 'typebox'
import type { ChainRow, Start } from '../../contract/ledger_verifier.ts'
import { type Db, first } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { join, type Sql, sql } from '../../kit/sql.ts'
import type { AuditLog } from './contract.ts'

export type AuditLogRow = Static<typeof AuditLog>

type LedgerRow = ChainRow & { id: string; chain: string; actorName: string | null }

const columns = sql`
  l.id, l.chain, l.seq, l.entry, l.personal, l.previous_hash, l.hash,
  (select coalesce(u.username, u.forename) from users u where u.id = l.actor_id) as actor_name`

export type Span = { from?: string; to?: string }

/** Half-open; times are compared as text, in the one form in which they are stored. */
function within({ from, to }: Span): Sql[] {
  return [
    ...(from === undefined ? [] : [sql`l.at >= ${new Date(from).toISOString()}`]),
    ...(to === undefined ? [] : [sql`l.at < ${new Date(to).toISOString()}`]),
  ]
}

export async function pageOfLogs(db: Db, query: Span & object, workspaceId: string) {
  return await listSql<AuditLogRow>(
    db,
    { orderBy: 'seq', ...query },
    {
      from: sql`ledger l`,
      where: join([sql`l.chain = ${workspaceId}`, ...within(query)], ' and '),
      select: columns,
      columns: {
        seq: 'l.seq',
        at: 'l.at',
        action: 'l.action',
        actorId: 'l.actor_id',
        object: 'l.target_object',
        targetId: 'l.target_id',
        outcome: 'l.outcome',
      },
      id: 'l.seq',
      neverNull: ['seq', 'at', 'action'],
      map: row => shown(row as unknown as LedgerRow),
    },
  )
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
  const isErased = actor.id?.startsWith('usr_') && actorName === null
  const name = isErased ? `deleted-${actor.id?.slice(-6)}` : actorName
  const known = new Map(((personal?.changes ?? []) as AuditLogRow['changes']).map(change => [change.path, change]))
  const changes = told.changes.map(change => known.get(change.path) ?? change)
  const who = { ip: personal?.address ?? null, userAgent: personal?.userAgent ?? null }
  const rest = { reason, missing, omitted, actor: { ...actor, name }, target, changes, requestId, cause, ...who }
  return { id, workspaceId: chain, seq, at, action, outcome, ...rest, previousHash, hash, _object: 'audit_log' }
}

const batch = 1_000

const chained = sql`seq, entry, personal, previous_hash, hash`

/** What an entry is found by, beside what it says. */
export type Filed = Pick<AuditLogRow, 'id' | 'at' | 'action' | 'outcome'> & {
  actorId: string | null
  targetObject: string | null
  targetId: string | null
}

const filed = sql`${chained}, id, at, action, outcome, actor_id, target_object, target_id`

export function rowsAfter(db: Db, chain: string, after: number, upTo: number): AsyncGenerator<ChainRow[]> {
  return inBatches<ChainRow>(db, chained, chain, after, upTo)
}

export function filedAfter(db: Db, chain: string, after: number, upTo: number): AsyncGenerator<(ChainRow & Filed)[]> {
  return inBatches<ChainRow & Filed>(db, filed, chain, after, upTo)
}

/** Rows in order, a batch at a time: as many as there are, in the memory of one batch. */
async function* inBatches<T extends ChainRow>(db: Db, select: Sql, chain: string, after: number, upTo: number) {
  for (let seq = after; seq < upTo; ) {
    const rows = await db.query<T>(sql`
      select ${select} from ledger l
      where l.chain = ${chain} and l.seq > ${seq} and l.seq <= ${upTo} order by l.seq limit ${batch}::int`)
    if (rows.length > 0) yield rows
    if (rows.length < batch) return
    seq = rows.at(-1)?.seq ?? upTo
  }
}

/** As people see them, for the CSV file and the live stream. */
export async function shownAfter(db: Db, chain: string, after: number, limit: number): Promise<AuditLogRow[]> {
  const rows = await db.query<LedgerRow>(sql`
    select ${columns} from ledger l where l.chain = ${chain} and l.seq > ${after} order by l.seq limit ${limit}::int`)
  return rows.map(shown)
}

export type Head = Start & { signature: string }

export function findHead(db: Db, chain: string): Promise<Head | undefined> {
  return first(db, sql`select seq, hash, signature from ledger_heads where chain = ${chain}`)
}

export function findCheckpoint(db: Db, chain: string): Promise<Head | undefined> {
  return first(db, sql`select seq, hash, signature from ledger_checkpoints where chain = ${chain}`)
}

/** The row before the first of a span, so that the span can be checked by itself. */
export async function startBefore(db: Db, chain: string, seq: number): Promise<Start | undefined> {
  return await first(db, sql`select seq, hash from ledger where chain = ${chain} and seq = ${seq - 1}`)
}

/** Sequence numbers of the first and last entry in a span of time. */
export async function seqSpan(
  db: Db,
  chain: string,
  span: Span,
): Promise<{ least: number | null; most: number | null }> {
  const row = await first<{ least: number | null; most: number | null }>(
    db,
    sql`
    select min(l.seq) as least, max(l.seq) as most from ledger l
    where ${join([sql`l.chain = ${chain}`, ...within(span)], ' and ')}`,
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

/** Chains whose oldest entry is past its time, by what it says itself, with the last such entry. */
export function overdue(db: Db, now: Date, defaultDays: number) {
  return db.query<{ chain: string; seq: number; hash: string }>(sql`
    select h.chain, l.seq, l.hash from ledger_heads h
    left join workspaces w on w.id = h.chain
    cross join lateral (
      select seq, hash from ledger l
      where l.chain = h.chain and l.seq < h.seq and position('"at":"' || l.at || '"' in l.entry) > 0 and l.at < to_char(
        (${now}::timestamptz - make_interval(days => coalesce((w.settings -> 'retention' ->> 'auditDays')::int, ${defaultDays}::int)))
          at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      order by l.seq desc limit 1
    ) l`)
}

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
