// What is counted for a token: bytes against its limit, items that were taken and refused, the last error.
import type { Signal } from '../../../contract/operation.ts'
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

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

/** `bytes` below zero give back what was reserved. */
type Use = {
  bytes: number
  accepted: number
  rejected: number
  error: { signal: Signal; message: string } | null
}

export async function count(db: Db, tokenId: string, { bytes, accepted, rejected, error }: Use, now: Date) {
  const errorAt = error && now
  await db.query(sql`
    insert into telemetry_token_days as d
      (token_id, day, bytes, accepted, rejected, last_used_at, error_at, error_signal, error_message)
    values (${tokenId}, ${dayOf(now)}, greatest(${bytes}::bigint, 0), ${accepted}, ${rejected}, ${now}, ${errorAt},
      ${error?.signal ?? null}, ${error?.message ?? null})
    on conflict (token_id, day) do update set
      bytes = greatest(d.bytes + ${bytes}::bigint, 0), accepted = d.accepted + excluded.accepted,
      rejected = d.rejected + excluded.rejected, last_used_at = greatest(d.last_used_at, excluded.last_used_at),
      error_at = coalesce(excluded.error_at, d.error_at), error_signal = coalesce(excluded.error_signal, d.error_signal),
      error_message = coalesce(excluded.error_message, d.error_message)`)
}
