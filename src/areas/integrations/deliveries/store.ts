// SQL of deliveries: what is to be sent, whose turn it is, and what came of each attempt.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import { sql } from '../../../kit/sql.ts'
import type { Connection } from '../store.ts'
import type { Delivery, deliveries } from './contract.ts'

const usualTimeoutSeconds = 15
/** A mail to twenty people, by a mail server that takes its time. */
const mailSeconds = 300

export type DeliveryRow = Static<typeof Delivery>
export type Attempt = {
  at: string
  status: 'succeeded' | 'failed'
  code: number | null
  ms: number | null
  error: string | null
  responseBody: string | null
}

const columns = sql`
  d.id, d.workspace_id, d.integration_id, d.message_id, d.action as event, d.event_seq::float8 as event_seq, d.attempt,
  d.status, d.code, d.ms, d.error, d.next_attempt_at, d.replay_of, d.created, d.updated`

const toDelivery = (row: Row): DeliveryRow => ({ ...(row as Omit<DeliveryRow, '_object'>), _object: 'delivery' })

type Query = QueryOf<typeof deliveries, 'integrations.deliveries.list'>

export function pageOfDeliveries(db: Db, query: Query, integrationId: string) {
  return listSql<DeliveryRow, Query>(db, query, {
    from: sql`integration_deliveries d`,
    where: sql`d.integration_id = ${integrationId}`,
    select: columns,
    sort: { created: 'd.created' },
    filter: { status: 'd.status', event: 'd.action', messageId: 'd.message_id' },
    time: { column: 'd.created', type: 'timestamptz' },
    id: 'd.no',
    neverNull: ['created'],
    cursor: { id: 'bigint', created: 'timestamptz' },
    map: toDelivery,
  })
}

export async function find(db: Db, integrationId: string, id: string) {
  const row = await first<Row>(
    db,
    sql`
    select ${columns}, d.request_headers, d.body as request_body, d.attempts -> -1 ->> 'responseBody' as response_body,
      d.attempts
    from integration_deliveries d where d.integration_id = ${integrationId} and d.id = ${id}`,
  )
  return (
    row &&
    ({ ...toDelivery(row) } as DeliveryRow & {
      requestHeaders: Record<string, string>
      requestBody: string
      responseBody: string | null
      attempts: Attempt[]
    })
  )
}

export type NewDelivery = {
  id: string
  workspaceId: string
  integrationId: string
  messageId: string
  action: string
  eventSeq: number
  body: string
  /** Users whom it names. */
  people: string[]
}

/** One for each event and integration, however often it is asked for. In the order of the list. */
export async function insert(db: Db, made: readonly NewDelivery[], now: Date): Promise<void> {
  if (made.length === 0) return
  await db.query(sql`
    insert into integration_deliveries (id, workspace_id, integration_id, message_id, action, event_seq, body, people,
      request_headers, status, attempt, attempts, next_attempt_at, created, updated)
    select n.id, n."workspaceId", n."integrationId", n."messageId", n.action, n."eventSeq", n.body,
      array(select json_array_elements_text(n.people)), '{}', 'pending', 0,
      '[]', ${now}, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(made)}::json) as n (id text, "workspaceId" text, "integrationId" text, "messageId" text, action text, "eventSeq" bigint, body text, people json)
    join integrations i on i.id = n."integrationId"
    order by n."eventSeq"
    on conflict (integration_id, event_seq) where replay_of is null do nothing`)
}

/** Copies that are tried once, under these ids; gives those that were used. */
export async function replay(
  db: Db,
  integrationId: string,
  which: { ids: readonly string[] } | { status: string },
  newIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const some =
    'ids' in which
      ? sql`and d.id = any(${which.ids}::text[])`
      : sql`and d.status = ${which.status} and d.replay_of is null order by d.no desc limit ${newIds.length}::int`
  const rows = await db.query<{ id: string }>(sql`
    with chosen as (select d.* from integration_deliveries d where d.integration_id = ${integrationId} ${some})
    insert into integration_deliveries (id, workspace_id, integration_id, message_id, action, event_seq, body, people,
      request_headers, status, attempt, attempts, next_attempt_at, replay_of, created, updated)
    select (${newIds}::text[])[row_number() over (order by c.no)], c.workspace_id, c.integration_id, c.message_id, c.action, c.event_seq, c.body, c.people, '{}',
      'pending', 0, '[]', ${now}, coalesce(c.replay_of, c.id), ${now}, ${now}
    from chosen c order by c.no
    returning id`)
  return rows.map(({ id }) => id)
}

/** Whether so many deliveries wait already. */
export async function isFull(db: Db, integrationId: string, most: number): Promise<boolean> {
  const rows = await db.query(sql`
    select from integration_deliveries where integration_id = ${integrationId} and status = 'pending'
    offset ${most - 1}::int limit 1`)
  return rows.length > 0
}

/** Which of these events have a delivery already. */
export async function known(db: Db, integrationId: string, seqs: readonly number[]): Promise<Map<number, string>> {
  const rows = await db.query<{ id: string; eventSeq: number }>(sql`
    select id, event_seq::float8 as event_seq from integration_deliveries
    where integration_id = ${integrationId} and replay_of is null and event_seq = any(${seqs}::bigint[])`)
  return new Map(rows.map(({ id, eventSeq }) => [eventSeq, id]))
}

export type Due = {
  id: string
  messageId: string
  action: string
  body: string
  attempt: number
  replayOf: string | null
}

/** What is sent next, by whom it may be sent, and how the target is doing. */
export type Turn = Connection & { secrets: SealedValues; isHeld: boolean; misses: number; due: Due | null }

/** What came of the message before: written down, and counted for the target where it says something about it. */
export type Done = { deliveryId: string; attempt: Attempt; requestHeaders: Outcome['requestHeaders']; counts: boolean }

/**
 * In one statement: the message before is written down as sent, the lease is taken or renewed, whether the target may be
 * sent to is looked at, and the oldest delivery that is due is read. Undefined where the integration is gone.
 * Without `isSynced` nobody waits for the disk: what a crash takes is sent again.
 */
export async function takeTurn(
  db: Db,
  id: string,
  { lease, now, done, isSynced }: { lease: string; now: Date; done: Done | null; isSynced: boolean },
): Promise<Turn | undefined> {
  const [sent, counts] = [done?.attempt ?? null, done?.counts ?? false]
  return await first<Turn>(
    db,
    sql`
    with recorded as (
      update integration_deliveries set status = 'succeeded', attempt = attempt + 1,
        attempts = attempts || ${JSON.stringify(sent === null ? [] : [sent])}::jsonb, code = ${sent?.code ?? null},
        ms = ${sent?.ms ?? null}, error = null, next_attempt_at = null,
        request_headers = ${JSON.stringify(done?.requestHeaders ?? {})}::jsonb, updated = ${now}
      where id = ${done?.deliveryId ?? null}
    ), held as (
      -- Longer than a message can take, so that nobody else sends meanwhile.
      update integration_health h set lease = ${lease},
        leased_until = ${now}::timestamptz + make_interval(secs => coalesce((c.config ->> 'timeoutSeconds')::int,
          case c.type when 'email' then ${mailSeconds}::int else ${usualTimeoutSeconds}::int end) + 3),
        consecutive_failures = case when ${counts}::bool then 0 else h.consecutive_failures end,
        misses = case when ${counts}::bool then 0 else h.misses end,
        resting_until = case when ${counts}::bool then null else h.resting_until end,
        failing_since = case when ${counts}::bool then null else h.failing_since end,
        last_success_at = case when ${counts}::bool then ${now} else h.last_success_at end
      from integrations c
      where c.id = ${id} and h.integration_id = c.id and (h.lease is null or h.leased_until <= ${now} or h.lease = ${lease})
      returning h.misses, h.resting_until
    )
    select i.id, i.workspace_id, i.owner_id, i.slug, i.name, i.type, i.config, i.status, i.secrets, i.old_secret_until,
      held.misses is not null as is_held, coalesce(held.misses, 0) as misses, n.due
    from integrations i left join held on true left join lateral (
      select jsonb_build_object('id', d.id, 'messageId', d.message_id, 'action', d.action, 'body', d.body,
        'attempt', d.attempt, 'replayOf', d.replay_of) as due
      from integration_deliveries d
      where d.integration_id = i.id and d.status = 'pending' and d.next_attempt_at <= ${now} and held.misses is not null
        -- Here it is still as it was before this statement.
        and d.id is distinct from ${done?.deliveryId ?? null}
        and case when d.replay_of is null
          then i.status in ('active', 'failing') and (held.resting_until is null or held.resting_until <= ${now})
          else i.status <> 'disabled' end
      order by d.no limit 1) n on true
    where i.id = ${id} and set_config('synchronous_commit', ${isSynced ? 'on' : 'off'}, true) is not null`,
  )
}

export type Outcome = {
  attempt: Attempt
  status: DeliveryRow['status']
  nextAttemptAt: Date | null
  requestHeaders: Readonly<Record<string, string>>
}

export async function recordAttempt(db: Db, deliveryId: string, outcome: Outcome, now: Date): Promise<void> {
  const { attempt, status, nextAttemptAt, requestHeaders } = outcome
  await db.query(sql`
    update integration_deliveries set status = ${status}, attempt = attempt + 1,
      attempts = attempts || ${JSON.stringify([attempt])}::jsonb, code = ${attempt.code}, ms = ${attempt.ms},
      error = ${attempt.error}, next_attempt_at = ${nextAttemptAt}, request_headers = ${JSON.stringify(requestHeaders)}::jsonb,
      updated = ${now}
    where id = ${deliveryId}`)
}

export async function cancelPending(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`
    update integration_deliveries set status = 'cancelled', next_attempt_at = null, updated = ${now}
    where integration_id = ${id} and status = 'pending'`)
}

/** For figures over time: one row for each message to a target. */
export const deliveryCounts = (workspaceId: string, { from, to }: { from: Date; to: Date }) => sql`
  select d.created as at, 1 as weight, 0::numeric as value,
    jsonb_build_object('status', jsonb_build_array(d.status), 'integration', jsonb_build_array(d.integration_id)) as dims
  from integration_deliveries d
  where d.integration_id in (select i.id from integrations i where i.workspace_id = ${workspaceId})
    and d.created >= ${from} and d.created < ${to}`
