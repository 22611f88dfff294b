// SQL of syncs: the lease that lets one process fetch at a time, and what a sync found.
import { type Db, first } from '../../../kit/db.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import { sql } from '../../../kit/sql.ts'
import { isActive } from '../../workspaces/status/store.ts'
import type { RepositoryError } from './faults.ts'

export type Leased = {
  id: string
  workspaceId: string
  provider: string
  url: string
  secrets: SealedValues
  integrationId: string | null
  hostKey: string | null
  headSha: string | null
  refsDigest: string | null
  errorCode: string | null
}

const leasedColumns = sql`
  id, workspace_id, provider, url, secrets, integration_id, host_key, head_sha, refs_digest, error_code`

const leaseSeconds = 60

/** Nothing where another has it (a job that is tried again is not another), or where there is no such repository to be synced. */
export function take(db: Db, workspaceId: string, id: string, lease: string): Promise<Leased | undefined> {
  return first(
    db,
    sql`
    update repositories set lease = ${lease}, leased_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where workspace_id = ${workspaceId} and id = ${id} and enabled
      and (coalesce(leased_until <= now(), true) or lease = ${lease})
    returning ${leasedColumns}`,
  )
}

/** Whether or not somebody syncs it. */
export function findLeased(db: Db, workspaceId: string, id: string): Promise<Leased | undefined> {
  return first(
    db,
    sql`
    select ${leasedColumns} from repositories
    where workspace_id = ${workspaceId} and id = ${id} and enabled`,
  )
}

/** False where the lease was lost meanwhile. */
export async function renew(db: Db, id: string, lease: string): Promise<boolean> {
  const rows = await db.query(sql`
    update repositories set leased_until = now() + make_interval(secs => ${leaseSeconds}::int)
    where id = ${id} and lease = ${lease} returning id`)
  return rows.length > 0
}

export async function release(db: Db, id: string, lease: string): Promise<void> {
  await db.query(sql`
    update repositories set lease = null, leased_until = null where id = ${id} and lease = ${lease}`)
}

export async function keepHostKey(db: Db, id: string, lease: string, hostKey: string): Promise<void> {
  await db.query(sql`
    update repositories set host_key = ${hostKey} where id = ${id} and lease = ${lease} and host_key is null`)
}

/** The remote is as it was. */
export async function foundSame(db: Db, id: string, lease: string, now: Date): Promise<void> {
  await db.query(sql`
    update repositories set state = 'ready', error_code = null, error_text = null, last_sync_at = ${now},
      last_try_at = ${now}, lease = null, leased_until = null
    where id = ${id} and lease = ${lease}`)
}

export type Found = {
  digest: string
  defaultBranch: string | null
  headSha: string | null
  sizeBytes: number
  languages: readonly { name: string; bytes: number }[]
  codeowners: boolean
  refs: readonly { name: string; sha: string }[]
}

/** False where the lease was lost or the repository is gone: then nothing is written. */
export async function foundOther(db: Db, row: Leased, lease: string, found: Found, now: Date): Promise<boolean> {
  const { digest, defaultBranch, headSha, sizeBytes, languages, codeowners, refs } = found
  const rows = await db.query(sql`
    update repositories set state = 'ready', error_code = null, error_text = null, refs_digest = ${digest},
      default_branch = ${defaultBranch}, head_sha = ${headSha}, size_bytes = ${sizeBytes}::bigint,
      languages = ${JSON.stringify(languages)}::jsonb, codeowners = ${codeowners}, last_sync_at = ${now},
      last_try_at = ${now}, updated = ${now}, lease = null, leased_until = null
    where id = ${row.id} and lease = ${lease} returning id`)
  if (rows.length === 0) return false
  const text = JSON.stringify(refs)
  await db.query(sql`
    delete from repository_refs r where r.repository_id = ${row.id} and not exists (
      select 1 from json_to_recordset(${text}::json) as n (name text) where n.name = r.name)`)
  await db.query(sql`
    insert into repository_refs as r (workspace_id, repository_id, name, sha)
    select ${row.workspaceId}, ${row.id}, n.name, n.sha from json_to_recordset(${text}::json) as n (name text, sha text)
    on conflict (repository_id, name) do update set sha = excluded.sha where r.sha <> excluded.sha`)
  return true
}

export async function failed(db: Db, id: string, lease: string, error: RepositoryError, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update repositories set state = 'error', error_code = ${error.code}, error_text = ${error.text},
      last_try_at = ${now}, updated = case when error_code = ${error.code} then updated else ${now} end,
      lease = null, leased_until = null
    where id = ${id} and lease = ${lease} returning id`)
  return rows.length > 0
}

/** Those whose time has come, of each workspace in turn: one with many that wait long must not hide the others. */
export const due = (now: Date, most: number) => sql`
    select id, workspace_id from (
      select r.id, r.workspace_id, r.last_try_at,
        row_number() over (partition by r.workspace_id order by r.last_try_at nulls first, r.id) as turn
      from repositories r
      where r.enabled and r.sync_interval_minutes is not null and coalesce(r.leased_until <= now(), true)
        and coalesce(r.last_try_at, '-infinity') <= ${now}::timestamptz - make_interval(mins => r.sync_interval_minutes)
        and ${isActive('r.workspace_id')}) due
    order by turn, last_try_at nulls first limit ${most}::int`

/** Enabled ones under one of these addresses, however it was written: a sync too many is harmless. */
export function knownBy(db: Db, workspaceId: string, urls: readonly string[]): Promise<{ id: string }[]> {
  const written = urls.map(url => url.replace(/\/+$/, '').toLowerCase())
  return db.query(sql`
    select r.id from repositories r
    where r.workspace_id = ${workspaceId} and r.enabled and lower(rtrim(r.url, '/')) = any(${written}::text[])
      and ${isActive('r.workspace_id')}
    order by r.id`)
}

/** Of these ids, those that are repositories still. */
export async function present(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`select id from repositories where id = any(${ids}::text[])`)
  return new Set(rows.map(({ id }) => id))
}
