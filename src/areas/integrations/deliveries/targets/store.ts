// SQL of targets: which may be sent to now, and how each has been doing.
import { type Db, first, type Tx } from '../../../../kit/db.ts'
import { sql } from '../../../../kit/sql.ts'
import type { Shown } from '../../store.ts'

/** Of these targets, those that need not be left alone now. */
export async function awakeAmong(db: Db, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select integration_id as id from integration_health
    where integration_id = any(${ids}::text[]) and (resting_until is null or resting_until <= ${now})`)
  return rows.map(({ id }) => id)
}

export async function release(db: Db, id: string, lease: string): Promise<void> {
  await db.query(sql`
    update integration_health set lease = null, leased_until = null where integration_id = ${id} and lease = ${lease}`)
}

export type Health = { consecutiveFailures: number; failingSince: string | null }

export async function countFailure(
  db: Db,
  id: string,
  {
    error,
    restingUntil,
    countsAsMessage,
    now,
  }: { error: string; restingUntil: Date | null; countsAsMessage: boolean; now: Date },
): Promise<Health | undefined> {
  return await first<Health>(
    db,
    sql`
    update integration_health set misses = misses + 1, resting_until = ${restingUntil},
      consecutive_failures = consecutive_failures + ${countsAsMessage ? 1 : 0}::int,
      failing_since = coalesce(failing_since, ${now}), last_failure_at = ${now}, last_error = ${error}
    where integration_id = ${id} returning consecutive_failures, failing_since`,
  )
}

/** As if it had never failed: whoever resumes it wants it tried at once, and who got something through is well. */
export async function forgive(db: Db, id: string, succeededAt: Date | null = null): Promise<void> {
  await db.query(sql`
    update integration_health set consecutive_failures = 0, misses = 0, resting_until = null, failing_since = null,
      last_success_at = coalesce(${succeededAt}, last_success_at)
    where integration_id = ${id}`)
}

/** False where it is so already, or was changed by somebody meanwhile. */
export async function moveStatus(
  tx: Tx | Db,
  id: string,
  from: readonly Shown['status'][],
  to: Shown['status'],
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update integrations set status = ${to}, updated = ${now} where id = ${id} and status = any(${from}::text[]) returning id`)
  return rows.length > 0
}

/** When there is something to send again; null where nothing waits. */
export async function nextDue(db: Db, id: string): Promise<Date | null> {
  const row = await first<{ at: string | null }>(
    db,
    sql`
    select case when n.at is not null then greatest(n.at, h.resting_until) end as at
    from integration_health h join integrations i on i.id = h.integration_id and i.status in ('active', 'failing')
    cross join lateral (
      select min(d.next_attempt_at) as at from integration_deliveries d
      where d.integration_id = h.integration_id and d.status = 'pending') n
    where h.integration_id = ${id}`,
  )
  return row?.at ? new Date(row.at) : null
}

/** Targets for which something is due that nobody sends now. */
export const dueTargets = (now: Date, most: number) => sql`
    select h.integration_id as id from integration_health h
    join integrations i on i.id = h.integration_id and i.status <> 'disabled'
    where (h.leased_until is null or h.leased_until <= ${now}) and (h.resting_until is null or h.resting_until <= ${now})
      and exists (
        select from integration_deliveries d
        where d.integration_id = h.integration_id and d.status = 'pending' and d.next_attempt_at <= ${now})
    limit ${most}::int`
