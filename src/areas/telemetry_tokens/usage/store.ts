// What is counted for a token: bytes against its limit, items that were taken and refused, the last error.
import type { Signal } from '../../../contract/operation.ts'
import type { Db } from '../../../kit/db.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { deletedSince } from '../../workspaces/limits/store.ts'

export const dayMs = 86_400_000

/** Midnight in UTC. */
export function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / dayMs) * dayMs)
}

/** True where the bytes fit into what the token may still send today; they are counted then. Exact: the row decides. */
export async function reserveBytes(db: Db, tokenId: string, bytes: number, limit: number, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into telemetry_token_days as d (token_id, day, bytes) values (${tokenId}, ${dayOf(now)}, ${bytes})
    on conflict (token_id, day) do update set bytes = d.bytes + excluded.bytes
    where d.bytes + excluded.bytes <= ${limit}
    returning 1 as one`)
  return rows.length > 0
}

/** `bytes` below zero give back what was reserved; `taken` are those of a batch that was written. */
type Use = {
  signal: Signal
  datasetId: string | null
  bytes: number
  taken: number
  accepted: number
  rejected: number
  error: string | null
}

/** By the day, for the token's limit and its list, and by the hour, for figures over time: they add up to the same. */
export async function count(db: Db, tokenId: string, use: Use, now: Date) {
  const { signal, datasetId, bytes, taken, accepted, rejected, error } = use
  await db.query(sql`
    with hours as (
      insert into telemetry_token_hours as h (token_id, hour, signal, dataset, bytes, accepted, rejected)
      values (${tokenId}, date_trunc('hour', ${now}::timestamptz, 'UTC'), ${signal}, ${datasetId ?? ''}, ${taken},
        ${accepted}, ${rejected})
      on conflict (token_id, hour, signal, dataset) do update set bytes = h.bytes + excluded.bytes,
        accepted = h.accepted + excluded.accepted, rejected = h.rejected + excluded.rejected
    )
    insert into telemetry_token_days as d
      (token_id, day, bytes, accepted, rejected, last_used_at, error_at, error_signal, error_message)
    values (${tokenId}, ${dayOf(now)}, greatest(${bytes}::bigint, 0), ${accepted}, ${rejected}, ${now},
      ${error === null ? null : now}, ${error === null ? null : signal}, ${error})
    on conflict (token_id, day) do update set
      bytes = greatest(d.bytes + ${bytes}::bigint, 0), accepted = d.accepted + excluded.accepted,
      rejected = d.rejected + excluded.rejected, last_used_at = greatest(d.last_used_at, excluded.last_used_at),
      error_at = coalesce(excluded.error_at, d.error_at), error_signal = coalesce(excluded.error_signal, d.error_signal),
      error_message = coalesce(excluded.error_message, d.error_message)`)
}

type Span = { from: Date; to: Date }

/** For figures over time: a row for each token, hour, signal and dataset. */
const countsOf =
  (column: Sql) =>
  (workspaceId: string, { from, to }: Span) =>
    sql`
  select h.hour as at, 1 as weight, ${column}::numeric as value, jsonb_build_object(
    'token', jsonb_build_array(h.token_id), 'signal', jsonb_build_array(coalesce(nullif(h.signal, ''), 'none')),
    'dataset', jsonb_build_array(coalesce(nullif(h.dataset, ''), 'none'))) as dims
  from telemetry_tokens t join telemetry_token_hours h on h.token_id = t.id
  where t.workspace_id = ${workspaceId} and h.hour >= ${from} and h.hour < ${to}`

export const itemCounts = countsOf(sql`h.accepted`)
export const byteCounts = countsOf(sql`h.bytes`)
export const rejectedCounts = countsOf(sql`h.rejected`)

/** Of all workspaces on one day, for who meters it. */
export function bytesOn(db: Db, day: Date) {
  return db.query<{ workspaceId: string; bytes: number }>(sql`
    select t.workspace_id, sum(d.bytes)::float8 as bytes
    from telemetry_token_days d join telemetry_tokens t on t.id = d.token_id
    where d.day = ${day} group by t.workspace_id having sum(d.bytes) > 0`)
}

/** Of one workspace since a day, by tokens that are deleted now too. */
export async function bytesSince(db: Db, workspaceId: string, day: Date): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(sql`
    select coalesce(sum(d.bytes), 0)::float8 as bytes
    from telemetry_tokens t join telemetry_token_days d on d.token_id = t.id
    where t.workspace_id = ${workspaceId} and d.day >= ${day}`)
  const gone = await deletedSince(db, workspaceId, day)
  return (row?.bytes ?? 0) + (gone.get('telemetry_bytes') ?? 0)
}
