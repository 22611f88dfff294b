// SQL of repositories: their records, and what their branches and tags point at.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first, type Row } from '../../kit/db.ts'
import { fingerprintOf } from '../../kit/git.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { goneWith } from '../../kit/removal.ts'
import type { SealedValues } from '../../kit/sealed.ts'
import { assignments, cachedUntil, raw, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { ownRepositories } from './contract.ts'
import type { Repository } from './fields/contract.ts'

export type RepositoryRow = Static<typeof Repository>

const statusColumn =
  "(case when not r.enabled then 'disabled' when r.leased_until > now() then 'syncing' else r.state end)"

const columns = sql`
  r.id, r.workspace_id, r.owner_id, r.name, r.description, r.provider, r.url, r.enabled,
  ${raw(statusColumn)} as status,
  case when r.error_code is not null then jsonb_build_object('code', r.error_code, 'text', r.error_text) end as error,
  r.default_branch, r.head_sha, r.size_bytes::float8 as size_bytes, r.languages, r.codeowners, r.autofix_enabled,
  r.sync_interval_minutes,
  r.last_sync_at, r.host_key, array(select jsonb_object_keys(r.secrets) order by 1) as secrets_set, r.integration_id,
  ${labelsOf('repository', 'r')}, r.created, r.updated, 'repository' as _object`

/** People compare fingerprints, not keys. */
const shown = (row: Row): RepositoryRow => {
  const { hostKey } = row as { hostKey: string | null }
  return { ...(row as RepositoryRow), hostKey: hostKey === null ? null : fingerprintOf(hostKey) }
}

type ListQuery = QueryOf<typeof ownRepositories, 'repositories.list'>

export function pageOfRepositories(db: Db, query: ListQuery, workspaceId: string) {
  return listSql<RepositoryRow, ListQuery>(db, query, {
    from: sql`repositories r`,
    where: sql`r.workspace_id = ${workspaceId}`,
    select: columns,
    sort: {
      created: 'r.created',
      updated: 'r.updated',
      name: 'r.name',
      lastSyncAt: 'r.last_sync_at',
      sizeBytes: 'r.size_bytes',
      id: 'r.id',
    },
    filter: {
      id: 'r.id',
      name: 'r.name',
      provider: 'r.provider',
      status: statusColumn,
      ownerId: 'r.owner_id',
      labels: labelled('repository', 'r.id', workspaceId),
    },
    words: ['r.name', 'r.description', 'r.url'],
    time: { column: 'r.created', type: 'timestamptz' },
    id: 'r.id',
    neverNull: ['created', 'updated', 'name', 'id'],
    map: shown,
  })
}

export async function find(db: Db, workspaceId: string, id: string, reach: Reach = null) {
  const row = await first<Row>(
    db,
    sql`
    select ${columns} from repositories r
    where r.workspace_id = ${workspaceId} and r.id = ${id} and ${within(reach, 'r.owner_id')}`,
  )
  return row && shown(row)
}

/** For a change; whoever changes it as well waits. */
export async function lock(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<void> {
  await db.query(sql`
    select id from repositories where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} for update`)
}

/** What a reading needs to know. Says nothing of now, so that it can be kept. */
export type ReadingRow = {
  id: string
  workspaceId: string
  name: string
  enabled: boolean
  state: string
  headSha: string | null
  defaultBranch: string | null
  isSynced: boolean
  autofixEnabled: boolean
}

const readingColumns = sql`
  r.id, r.workspace_id, r.name, r.enabled, r.state, r.head_sha, r.default_branch, r.refs_digest is not null as is_synced,
  r.autofix_enabled`

export function findForReading(db: Db, workspaceId: string, id: string): Promise<ReadingRow | undefined> {
  return first(
    db,
    cachedUntil(
      ['repositories'],
      sql`select ${readingColumns} from repositories r where r.workspace_id = ${workspaceId} and r.id = ${id}`,
    ),
  )
}

/** Those that can be searched, the most lately changed first. */
export function allForReading(db: Db, workspaceId: string, most: number): Promise<ReadingRow[]> {
  return db.query(sql`
    select ${readingColumns} from repositories r
    where r.workspace_id = ${workspaceId} and r.enabled and r.head_sha is not null
    order by r.updated desc, r.id limit ${most}::int`)
}

/** Whoever adds one as well waits until this one counts; held to the end of the transaction. */
export async function lockCount(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`repositories ${workspaceId}`}, 0))`)
}

export async function count(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`select count(*)::int as n from repositories where workspace_id = ${workspaceId}`,
  )
  return row?.n ?? 0
}

export type NewRepository = Pick<
  RepositoryRow,
  | 'id'
  | 'ownerId'
  | 'name'
  | 'description'
  | 'provider'
  | 'url'
  | 'enabled'
  | 'autofixEnabled'
  | 'syncIntervalMinutes'
  | 'integrationId'
> & { secrets: SealedValues }

export async function insert(db: Db, workspaceId: string, fields: NewRepository, now: Date): Promise<void> {
  const { id, ownerId, name, description, provider, url, enabled, autofixEnabled, syncIntervalMinutes, secrets } =
    fields
  const { integrationId } = fields
  await db.query(sql`
    insert into repositories (id, workspace_id, owner_id, name, description, provider, url, secrets, integration_id, enabled,
      state, autofix_enabled, sync_interval_minutes, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${description}, ${provider}, ${url},
      ${JSON.stringify(secrets)}::jsonb, ${integrationId}, ${enabled}, 'pending', ${autofixEnabled},
      ${syncIntervalMinutes}::int, ${now}, ${now})`)
}

const patchable = [
  'name',
  'description',
  'url',
  'enabled',
  'autofixEnabled',
  'syncIntervalMinutes',
  'integrationId',
  'updated',
] as const

export async function update(
  db: Db,
  id: string,
  fields: { [K in (typeof patchable)[number]]?: unknown },
  beside: { secrets?: SealedValues | undefined; isMoved: boolean; forgetsKey: boolean },
): Promise<void> {
  const { secrets, isMoved, forgetsKey } = beside
  await db.query(sql`
    update repositories set ${assignments(patchable, fields)},
      secrets = case when ${secrets !== undefined}::boolean then ${JSON.stringify(secrets ?? {})}::jsonb else secrets end,
      host_key = case when ${isMoved || forgetsKey}::boolean then null else host_key end,
      state = case when ${isMoved}::boolean then 'pending' else state end,
      refs_digest = case when ${isMoved}::boolean then null else refs_digest end,
      head_sha = case when ${isMoved}::boolean then null else head_sha end,
      lease = case when ${isMoved}::boolean then null else lease end,
      leased_until = case when ${isMoved}::boolean then null else leased_until end,
      error_code = case when ${isMoved}::boolean then null else error_code end
    where id = ${id}`)
  if (isMoved) await db.query(sql`delete from repository_refs where repository_id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from repositories r where r.workspace_id = ${workspaceId} and r.id = ${id} and ${within(reach, 'r.owner_id')}
    returning *`
  await db.query(sql`${goneWith(directory, 'repository', deletion)} select id from gone`)
}

/** The commit of the first of these full names that there is. */
export function shaOf(db: Db, repositoryId: string, names: readonly string[]): Promise<{ sha: string } | undefined> {
  return first(
    db,
    cachedUntil(
      ['repository_refs', '+repository_refs'],
      sql`
      select r.sha from repository_refs r where r.repository_id = ${repositoryId} and r.name = any(${names}::text[])
      order by array_position(${names}::text[], r.name) limit 1`,
    ),
  )
}

export type Ref = { name: string; sha: string }

export function refsAfter(
  db: Db,
  repositoryId: string,
  asked: { prefix: string; part: string; after: string; limit: number },
): Promise<Ref[]> {
  const { prefix, part, after, limit } = asked
  return db.query(sql`
    select r.name, r.sha from repository_refs r
    where r.repository_id = ${repositoryId} and starts_with(r.name, ${prefix}) and strpos(lower(r.name), lower(${part})) > 0
      and r.name collate "C" > ${after}
    order by r.name collate "C" limit ${limit}::int`)
}
