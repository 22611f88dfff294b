// SQL of telemetry tokens and of what is counted for them.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { Signal } from '../../contract/operation.ts'
import { type Db, first, type Row } from '../../kit/db.ts'
import { listSql } from '../../kit/list_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { TelemetryToken, telemetryTokens } from './contract.ts'
import { dayMs, dayOf } from './usage/store.ts'

export type Token = Static<typeof TelemetryToken>

/** Tokens with what was counted for them in thirty days, today among them. */
function counted(tokens: Sql, now: Date): Sql {
  const from = new Date(dayOf(now).getTime() - 29 * dayMs)
  return sql`${tokens} t
    left join lateral (
      select coalesce(sum(d.accepted), 0)::float8 as accepted30d, coalesce(sum(d.rejected), 0)::float8 as rejected30d,
        coalesce(sum(d.bytes), 0)::float8 as bytes30d
      from telemetry_token_days d where d.token_id = t.id and d.day >= ${from}) sums on true
    left join lateral (
      select d.last_used_at from telemetry_token_days d where d.token_id = t.id and d.last_used_at is not null
      order by d.day desc limit 1) used on true
    left join lateral (
      select d.error_at, d.error_signal, d.error_message from telemetry_token_days d
      where d.token_id = t.id and d.error_at is not null order by d.day desc limit 1) failed on true`
}

function statusOf(now: Date): Sql {
  return sql`
    case when t.revoked_at is not null then 'revoked' when t.expires_at <= ${now} then 'expired' else 'active' end`
}

function columns(now: Date): Sql {
  return sql`
    t.id, t.workspace_id, t.owner_id, t.name, t.traces_dataset_id, t.logs_dataset_id, t.metrics_dataset_id,
    t.resource_defaults, t.items_per_minute, t.bytes_per_day::float8 as bytes_per_day, t.allowed_origins, t.hint,
    case when t.old_secret_until > ${now} then t.old_secret_until end as old_secret_until, t.expires_at,
    ${statusOf(now)} as status, t.created, t.updated, sums.accepted30d, sums.rejected30d, sums.bytes30d,
    used.last_used_at, failed.error_at, failed.error_signal, failed.error_message`
}

function selected(tokens: Sql, now: Date): Sql {
  return sql`select ${columns(now)} from ${counted(tokens, now)}`
}

type Flat = Omit<Token, 'routes' | 'limits' | 'lastError' | '_object'> & {
  tracesDatasetId: string | null
  logsDatasetId: string | null
  metricsDatasetId: string | null
  itemsPerMinute: number | null
  bytesPerDay: number | null
  errorAt: string | null
  errorSignal: Signal | null
  errorMessage: string | null
}

function toToken(row: Row): Token {
  const { tracesDatasetId, logsDatasetId, metricsDatasetId, itemsPerMinute, bytesPerDay, ...more } = row as Flat
  const { errorAt, errorSignal, errorMessage, ...plain } = more
  return {
    ...plain,
    routes: { traces: tracesDatasetId, logs: logsDatasetId, metrics: metricsDatasetId },
    limits: { itemsPerMinute, bytesPerDay },
    lastError: errorAt && errorSignal ? { at: errorAt, signal: errorSignal, message: errorMessage ?? '' } : null,
    _object: 'telemetry_token',
  }
}

async function one(db: Db, statement: Sql): Promise<Token | undefined> {
  const row = await first<Row>(db, statement)
  return row && toToken(row)
}

type Query = QueryOf<typeof telemetryTokens, 'telemetry_tokens.list'>

export function pageOfTokens(db: Db, query: Query, workspaceId: string, now: Date) {
  return listSql<Token, Query>(db, query, {
    from: counted(sql`telemetry_tokens`, now),
    where: sql`t.workspace_id = ${workspaceId}`,
    select: columns(now),
    sort: { created: 't.created', updated: 't.updated', name: 't.name', id: 't.id' },
    filter: {
      id: 't.id',
      name: 't.name',
      ownerId: 't.owner_id',
      status: { matches: values => sql`${statusOf(now)} = any(${values}::text[])` },
    },
    words: ['t.name'],
    id: 't.id',
    neverNull: ['created', 'updated', 'name', 'id'],
    map: toToken,
  })
}

export function find(db: Db, workspaceId: string, id: string, now: Date): Promise<Token | undefined> {
  return one(db, sql`${selected(sql`telemetry_tokens`, now)} where t.workspace_id = ${workspaceId} and t.id = ${id}`)
}

/** Nobody else changes it meanwhile; what is sent with it is counted all the same. */
export async function findForUpdate(db: Db, workspaceId: string, id: string, now: Date): Promise<Token | undefined> {
  return await one(
    db,
    sql`
    ${selected(sql`telemetry_tokens`, now)} where t.workspace_id = ${workspaceId} and t.id = ${id} for no key update of t`,
  )
}

type Routes = Token['routes']
type Limits = Token['limits']

type NewToken = Pick<
  Token,
  'id' | 'workspaceId' | 'ownerId' | 'name' | 'routes' | 'resourceDefaults' | 'limits' | 'allowedOrigins' | 'expiresAt'
> & { hint: string }

export async function insert(db: Db, token: NewToken, hash: string, now: Date): Promise<Token> {
  const { id, workspaceId, ownerId, name, routes, resourceDefaults, limits, allowedOrigins, expiresAt, hint } = token
  const row = await one(
    db,
    sql`
    with made as (
      insert into telemetry_tokens (id, workspace_id, owner_id, name, traces_dataset_id, logs_dataset_id,
        metrics_dataset_id, resource_defaults, items_per_minute, bytes_per_day, allowed_origins, hint, expires_at,
        created, updated)
      values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${routes.traces}, ${routes.logs}, ${routes.metrics},
        ${JSON.stringify(resourceDefaults)}::jsonb, ${limits.itemsPerMinute}, ${limits.bytesPerDay}, ${allowedOrigins},
        ${hint}, ${expiresAt}, ${now}, ${now})
      returning *
    ), s as (
      insert into telemetry_token_secrets (hash, token_id, created) select ${hash}, made.id, ${now} from made
    )
    ${selected(sql`made`, now)}`,
  )
  return row as Token
}

export type Changes = Partial<
  Pick<Token, 'name' | 'resourceDefaults' | 'allowedOrigins' | 'expiresAt' | 'hint' | 'oldSecretUntil'>
> & { routes?: Partial<Routes>; limits?: Partial<Limits>; revokedAt?: Date }

const changeable = [
  'name',
  'tracesDatasetId',
  'logsDatasetId',
  'metricsDatasetId',
  'resourceDefaults',
  'itemsPerMinute',
  'bytesPerDay',
  'allowedOrigins',
  'expiresAt',
  'hint',
  'oldSecretUntil',
  'revokedAt',
  'updated',
] as const

export async function update(db: Db, id: string, changes: Changes, now: Date): Promise<Token> {
  const { routes = {}, limits = {}, resourceDefaults, ...plain } = changes
  const set = assignments(changeable, {
    ...plain,
    tracesDatasetId: routes.traces,
    logsDatasetId: routes.logs,
    metricsDatasetId: routes.metrics,
    ...limits,
    resourceDefaults: resourceDefaults && JSON.stringify(resourceDefaults),
    updated: now,
  })
  const changed = sql`with changed as (update telemetry_tokens set ${set} where id = ${id} returning *)`
  return (await one(db, sql`${changed} ${selected(sql`changed`, now)}`)) as Token
}

/** As for API keys: without an overlap the old secrets are gone, not timed, since clocks of processes may differ. */
export async function replaceSecret(db: Db, tokenId: string, hash: string, oldUntil: Date | null, now: Date) {
  await db.query(sql`
    delete from telemetry_token_secrets
    where token_id = ${tokenId} and (until <= ${now} or ${oldUntil}::timestamptz is null)`)
  await db.query(sql`
    update telemetry_token_secrets set until = ${oldUntil}
    where token_id = ${tokenId} and (until is null or until > ${oldUntil})`)
  await db.query(sql`
    insert into telemetry_token_secrets (hash, token_id, created) values (${hash}, ${tokenId}, ${now})`)
}

export async function remove(db: Db, workspaceId: string, id: string): Promise<void> {
  const deletion = sql`delete from telemetry_tokens t where t.workspace_id = ${workspaceId} and t.id = ${id} returning *`
  await db.query(sql`${goneWith(directory, 'telemetry_token', deletion)} select id from gone`)
}
