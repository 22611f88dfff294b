// SQL of requests: counted by the hour as they are answered, for figures about keys and operations.
import type { Database } from '../../../kit/db.ts'
import type { Reach } from '../../../kit/owned.ts'
import type { RequestCount } from '../../../kit/requests.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { isKeyWithin } from '../../api_keys/store.ts'
import { keepAllAlive } from '../../workspaces/store.ts'

/** Adds them to what is there; those of a workspace that is gone by now are let go. */
export async function keepRequests(database: Database, counts: readonly RequestCount[]): Promise<void> {
  await database.transaction(async tx => {
    const there = await keepAllAlive(tx, [...new Set(counts.map(({ workspaceId }) => workspaceId))])
    const rows = counts.filter(({ workspaceId }) => there.has(workspaceId))
    // In one order, since several processes may count the same ones at once.
    const sorted = rows.map(row => ({ key: keyOf(row), row })).sort((one, other) => (one.key < other.key ? -1 : 1))
    for (let from = 0; from < sorted.length; from += mostAtOnce) {
      const piece = sorted.slice(from, from + mostAtOnce).map(({ row }) => row)
      await tx.query(sql`
      insert into analytics_requests as r (workspace_id, hour, credential, operation, status, requests, timed, ms)
      select n."workspaceId", n.hour, n.credential, n.operation, n.status, n.requests, n.timed, n.ms
      from jsonb_to_recordset(${JSON.stringify(piece)}::jsonb) n ("workspaceId" text, hour timestamptz, credential text,
        operation text, status smallint, requests bigint, timed bigint, ms numeric)
      on conflict (workspace_id, hour, credential, operation, status) do update set
        requests = r.requests + excluded.requests, timed = r.timed + excluded.timed, ms = r.ms + excluded.ms`)
    }
  })
}

/** Rows of one statement: on the embedded engine everybody else waits meanwhile. */
const mostAtOnce = 1_000

function keyOf({ workspaceId, hour, credential, operation, status }: RequestCount): string {
  return `${workspaceId} ${hour} ${credential} ${operation} ${status}`
}

type Span = { from: Date; to: Date }

/** Of somebody else's key no more than that it is one. */
function credentialFor(keysOf: Reach): Sql {
  if (keysOf === null) return sql`r.credential`
  const isOwn = isKeyWithin({ workspaceId: sql`r.workspace_id`, id: sql`r.credential` }, keysOf)
  return sql`case when r.credential ~ '^(key|apikey)_' and not ${isOwn} then 'key' else r.credential end`
}

const countsOf =
  (weight: Sql, value: Sql) =>
  (workspaceId: string, { from, to }: Span, keysOf: Reach) =>
    sql`
  select r.hour as at, ${weight} as weight, ${value} as value, jsonb_build_object(
    'credential', jsonb_build_array(${credentialFor(keysOf)}), 'operation', jsonb_build_array(r.operation),
    'status', jsonb_build_array(r.status::text)) as dims
  from analytics_requests r
  where r.workspace_id = ${workspaceId} and r.hour >= ${from} and r.hour < ${to}`

export const requestCounts = countsOf(sql`r.requests`, sql`0::numeric`)
export const requestTimes = countsOf(sql`r.timed`, sql`r.ms / 1000`)
