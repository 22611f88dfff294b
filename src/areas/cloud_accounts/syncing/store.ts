// SQL of reading accounts: the lease that lets one process work on an account at a time, and how it went.
import { type Db, first } from '../../../kit/db.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import { sql } from '../../../kit/sql.ts'
import { isActive } from '../../workspaces/status/store.ts'
import type { Provider } from '../fields/contract.ts'
import type { Config } from '../store.ts'

export type Leased = {
  id: string
  workspaceId: string
  ownerId: string
  name: string
  provider: Provider
  externalId: string | null
  regions: string[]
  config: Config
  secrets: SealedValues
  trustExternalId: string | null
  state: string
  errorCode: string | null
  lastSyncAt: string | null
}

const leasedColumns = sql`
  id, workspace_id, owner_id, name, provider, external_id, regions,
  config || jsonb_strip_nulls(jsonb_build_object('repositoryId', repository_id, 'datasetId', dataset_id)) as config,
  secrets, trust_external_id, state, error_code, last_sync_at`

const leaseSeconds = 60

/** Nothing where another has it (a job that is tried again is not another), or where there is no such account. */
export function take(db: Db, workspaceId: string, id: string, lease: string): Promise<Leased | undefined> {
  return first(
    db,
    sql`
    update cloud_accounts set lease = ${lease}, leased_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where workspace_id = ${workspaceId} and id = ${id} and (coalesce(leased_until <= now(), true) or lease = ${lease})
    returning ${leasedColumns}`,
  )
}

/** Whether or not somebody works on it. */
export function findLeased(db: Db, workspaceId: string, id: string): Promise<Leased | undefined> {
  return first(db, sql`select ${leasedColumns} from cloud_accounts where workspace_id = ${workspaceId} and id = ${id}`)
}

/** False where the lease was lost meanwhile. */
export async function renew(db: Db, id: string, lease: string): Promise<boolean> {
  const rows = await db.query(sql`
    update cloud_accounts set leased_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where id = ${id} and lease = ${lease} returning id`)
  return rows.length > 0
}

export async function release(db: Db, id: string, lease: string): Promise<void> {
  await db.query(sql`
    update cloud_accounts set lease = null, leased_until = null where id = ${id} and lease = ${lease}`)
}

/** False where the lease was lost, because it is read from elsewhere now: what was found is of the old place. */
export async function holds(db: Db, id: string, lease: string): Promise<boolean> {
  const rows = await db.query(sql`select id from cloud_accounts where id = ${id} and lease = ${lease} for update`)
  return rows.length > 0
}

export type Fault = { code: string; text: string }

export async function failed(db: Db, id: string, error: Fault, now: Date): Promise<void> {
  await db.query(sql`
    update cloud_accounts set state = 'error', error_code = ${error.code}, error_text = ${error.text},
      last_try_at = ${now}, updated = case when error_code = ${error.code} then updated else ${now} end
    where id = ${id} and state <> 'disconnected'`)
}

export async function tried(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`update cloud_accounts set last_try_at = ${now} where id = ${id}`)
}

export type Told = { externalId: string | null; error: Fault | null; nodes: number }

/** What a sync has put into the graph. `nodes` is how many it has now. */
export async function told(db: Db, id: string, { externalId, error, nodes }: Told, now: Date): Promise<void> {
  await db.query(sql`
    update cloud_accounts set
      state = case when state = 'disconnected' then state when ${error !== null}::boolean then 'degraded'
        else 'connected' end,
      error_code = ${error?.code ?? null}, error_text = ${error?.text ?? null},
      external_id = coalesce(${externalId}, external_id), node_count = ${nodes}::int,
      last_sync_at = ${now}, last_try_at = ${now},
      updated = case when state is distinct from ${error === null ? 'connected' : 'degraded'} then ${now} else updated end
    where id = ${id}`)
}

/** Another account of the workspace that its provider calls the same. */
export async function isTaken(db: Db, account: Leased, externalId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select id from cloud_accounts where workspace_id = ${account.workspaceId} and provider = ${account.provider}
      and external_id = ${externalId} and id <> ${account.id}`)
  return rows.length > 0
}

/** Those whose time has come, of each workspace in turn: one with many that wait long must not hide the others. */
export const due = (now: Date, most: number) => sql`
    select id, workspace_id from (
      select a.id, a.workspace_id, a.last_try_at,
        row_number() over (partition by a.workspace_id order by a.last_try_at nulls first, a.id) as turn
      from cloud_accounts a
      where a.state <> 'disconnected' and a.sync_interval_minutes is not null and coalesce(a.leased_until <= now(), true)
        and coalesce(a.last_try_at, '-infinity') <= ${now}::timestamptz - make_interval(mins => a.sync_interval_minutes)
        and ${isActive('a.workspace_id')}) due
    order by turn, last_try_at nulls first limit ${most}::int`

/** An account that is only to be read when it can be: unread syncs of it that nobody works on any more. */
export const unread = (before: Date, most: number) => sql`
    select distinct a.id, a.workspace_id from cloud_account_syncs s join cloud_accounts a on a.id = s.account_id
    where s.status in ('waiting', 'running') and s.payload is null and s.created < ${before}
      and coalesce(a.leased_until <= now(), true)
    order by a.id limit ${most}::int`
