// SQL of what other systems sent in.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sql } from '../../../kit/sql.ts'
import type { inbound } from './contract.ts'

type Payload = Static<(typeof inbound.operations)['integrations.payloads.list']['result']>['items'][number]
export type Outcome = Payload['outcome']

const columns = sql`
  p.id, p.workspace_id, p.integration_id, p.received, p.outcome, p.reason, p.alerts, p.bytes`

const toPayload = (row: Row): Payload => ({ ...(row as Omit<Payload, '_object'>), _object: 'inbound_payload' })

type Query = QueryOf<typeof inbound, 'integrations.payloads.list'>

export function pageOfPayloads(db: Db, query: Query, integrationId: string) {
  return listSql<Payload, Query>(db, query, {
    from: sql`integration_payloads p`,
    where: sql`p.integration_id = ${integrationId}`,
    select: columns,
    sort: { received: 'p.received' },
    filter: { outcome: 'p.outcome' },
    id: 'p.no',
    neverNull: ['received'],
    cursor: { id: 'bigint', received: 'timestamptz' },
    map: toPayload,
  })
}

export type Kept = { id: string; received: string; outcome: Outcome; headers: Record<string, string>; body: string }

export async function find(db: Db, integrationId: string, id: string, mostCharacters: number) {
  const row = await first<Row>(
    db,
    sql`
    select ${columns}, p.headers, left(p.body, ${mostCharacters}::int) as body from integration_payloads p
    where p.integration_id = ${integrationId} and p.id = ${id}`,
  )
  return row && (toPayload(row) as Payload & { headers: Record<string, string>; body: string })
}

/** The newest ones, as they came. */
export async function latest(db: Db, integrationId: string, most: number): Promise<Kept[]> {
  return await db.query(sql`
    select id, received, outcome, headers, body from integration_payloads
    where integration_id = ${integrationId} and outcome <> 'refused' order by received desc, no desc limit ${most}::int`)
}

export async function keep(
  db: Db,
  payload: {
    id: string
    workspaceId: string
    integrationId: string
    outcome: Outcome
    reason: string | null
    headers: Readonly<Record<string, string>>
    body: string
    bytes: number
  },
  now: Date,
): Promise<void> {
  const { id, workspaceId, integrationId, outcome, reason, headers, body, bytes } = payload
  await db.query(sql`
    insert into integration_payloads (id, workspace_id, integration_id, received, outcome, reason, alerts, bytes, headers, body)
    values (${id}, ${workspaceId}, ${integrationId}, ${now}, ${outcome}, ${reason}, 0, ${bytes},
      ${JSON.stringify(headers)}::jsonb, ${outcome === 'waiting' ? body : body.slice(0, mostKept)})`)
}

export function waiting(db: Db, id: string) {
  return first<Kept & { workspaceId: string; integrationId: string }>(
    db,
    sql`
    select id, workspace_id, integration_id, received, outcome, headers, body from integration_payloads
    where id = ${id} and outcome = 'waiting'`,
  )
}

/** Of a payload that nobody has to look at any more: enough to try a mapping on. */
const mostKept = 256 * 1024

/** What is still to be looked at. */
export async function waitingOf(db: Db, integrationId: string): Promise<{ count: number; bytes: number }> {
  const row = await first<{ count: number; bytes: number }>(
    db,
    sql`
    select count(*)::int as count, coalesce(sum(bytes), 0)::float8 as bytes from integration_payloads
    where integration_id = ${integrationId} and outcome = 'waiting'`,
  )
  return row ?? { count: 0, bytes: 0 }
}

/** False where somebody else has done it: then nothing may be counted. */
export async function settle(
  db: Db,
  id: string,
  { outcome, reason, alerts }: { outcome: Outcome; reason: string | null; alerts: number },
): Promise<boolean> {
  const rows = await db.query(sql`
    update integration_payloads set outcome = ${outcome}, reason = ${reason}, alerts = ${alerts},
      body = left(body, ${mostKept}::int)
    where id = ${id} and outcome = 'waiting' returning id`)
  return rows.length > 0
}

/** Of those that were taken and of the others, the newest stay. */
export async function trim(db: Db, integrationId: string, mostTaken: number, mostOthers: number): Promise<void> {
  await db.query(sql`
    delete from integration_payloads where no in (
      select no from (
        select no, outcome = 'taken' as is_taken,
          row_number() over (partition by outcome = 'taken' order by received desc, no desc) as place
        from integration_payloads where integration_id = ${integrationId} and outcome <> 'waiting') all_of
      where place > case when is_taken then ${mostTaken}::int else ${mostOthers}::int end)`)
}
