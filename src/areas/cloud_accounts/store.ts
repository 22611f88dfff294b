// SQL of cloud accounts: their records.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import type { SealedValues } from '../../kit/sealed.ts'
import { assignments, raw, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { cloudAccounts } from './contract.ts'
import type { CloudAccount } from './fields/contract.ts'

export type AccountRow = Static<typeof CloudAccount>
export type Config = AccountRow['config']
export type Rights = NonNullable<AccountRow['rights']>

const statusColumn = `(case
    when c.state <> 'disconnected' and (c.leased_until > now() or exists (select from cloud_account_syncs s
      where s.account_id = c.id and s.status in ('waiting', 'running'))) then 'syncing' else c.state end)`

const columns = sql`
  c.id, c.workspace_id, c.owner_id, c.name, c.provider, c.external_id, c.regions, c.mode,
  c.config || jsonb_strip_nulls(jsonb_build_object('repositoryId', c.repository_id, 'datasetId', c.dataset_id)) as config,
  array(select jsonb_object_keys(c.secrets) order by 1) as secrets_set, c.trust_external_id,
  ${raw(statusColumn)} as status, c.last_sync_at,
  case when c.error_code is not null then jsonb_build_object('code', c.error_code, 'text', c.error_text) end as last_error,
  c.node_count, c.rights, c.sync_interval_minutes, ${labelsOf('cloud_account', 'c')}, c.created, c.updated,
  'cloud_account' as _object`

type ListQuery = QueryOf<typeof cloudAccounts, 'cloud_accounts.list'>

export function pageOfAccounts(db: Db, query: ListQuery, workspaceId: string) {
  return listSql<AccountRow, ListQuery>(db, query, {
    from: sql`cloud_accounts c`,
    where: sql`c.workspace_id = ${workspaceId}`,
    select: columns,
    sort: {
      created: 'c.created',
      updated: 'c.updated',
      name: 'c.name',
      lastSyncAt: 'c.last_sync_at',
      nodeCount: 'c.node_count',
      id: 'c.id',
    },
    filter: {
      id: 'c.id',
      name: 'c.name',
      provider: 'c.provider',
      externalId: 'c.external_id',
      mode: 'c.mode',
      status: statusColumn,
      ownerId: 'c.owner_id',
      labels: labelled('cloud_account', 'c.id', workspaceId),
    },
    words: ['c.name', 'c.external_id'],
    time: { column: 'c.created', type: 'timestamptz' },
    id: 'c.id',
    neverNull: ['created', 'updated', 'name', 'nodeCount', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string): Promise<AccountRow | undefined> {
  return first(db, sql`select ${columns} from cloud_accounts c where c.workspace_id = ${workspaceId} and c.id = ${id}`)
}

/** For a change; whoever changes it as well waits. */
export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`select id from cloud_accounts where workspace_id = ${workspaceId} and id = ${id} for update`)
}

/** Whoever adds one as well waits until this one counts; held to the end of the transaction. */
export async function lockCount(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`cloud_accounts ${workspaceId}`}, 0))`)
}

export async function count(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    sql`select count(*)::int as n from cloud_accounts where workspace_id = ${workspaceId}`,
  )
  return row?.n ?? 0
}

export type NewAccount = Pick<
  AccountRow,
  | 'id'
  | 'ownerId'
  | 'name'
  | 'provider'
  | 'externalId'
  | 'regions'
  | 'mode'
  | 'config'
  | 'trustExternalId'
  | 'syncIntervalMinutes'
> & { secrets: SealedValues }

export async function insert(db: Db, workspaceId: string, fields: NewAccount, now: Date): Promise<void> {
  const { id, ownerId, name, provider, externalId, regions, mode, trustExternalId, syncIntervalMinutes } = fields
  const { config, repositoryId, datasetId } = apart(fields.config)
  await db.query(sql`
    insert into cloud_accounts (id, workspace_id, owner_id, name, provider, external_id, regions, mode, config,
      repository_id, dataset_id, secrets, trust_external_id, state, sync_interval_minutes, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${provider}, ${externalId}, ${regions}::text[], ${mode},
      ${JSON.stringify(config)}::jsonb, ${repositoryId}, ${datasetId}, ${JSON.stringify(fields.secrets)}::jsonb,
      ${trustExternalId}, 'pending', ${syncIntervalMinutes}::int, ${now}, ${now})`)
}

/** Ids of other records have columns of their own, which are emptied when the records go. */
function apart({ repositoryId = undefined, datasetId = undefined, ...config }: Config) {
  return { config, repositoryId: repositoryId ?? null, datasetId: datasetId ?? null }
}

const patchable = ['name', 'externalId', 'regions', 'mode', 'syncIntervalMinutes', 'updated'] as const

export type Beside = {
  config?: Config | undefined
  secrets?: SealedValues | undefined
  /** Something else is read from now on: what was known of rights and faults is of the old. */
  isMoved: boolean
  state?: 'disconnected' | 'pending' | undefined
}

export async function update(
  db: Db,
  id: string,
  fields: { [K in (typeof patchable)[number]]?: unknown },
  beside: Beside,
): Promise<void> {
  const { secrets, isMoved } = beside
  const { config, repositoryId, datasetId } = apart(beside.config ?? {})
  const isSet = beside.config !== undefined
  const state = beside.state ?? (isMoved ? 'pending' : null)
  const isStopped = isMoved || beside.state !== undefined
  await db.query(sql`
    update cloud_accounts set ${assignments(patchable, fields)},
      config = case when ${isSet}::boolean then ${JSON.stringify(config)}::jsonb else config end,
      repository_id = case when ${isSet}::boolean then ${repositoryId} else repository_id end,
      dataset_id = case when ${isSet}::boolean then ${datasetId} else dataset_id end,
      secrets = case when ${secrets !== undefined}::boolean then ${JSON.stringify(secrets ?? {})}::jsonb else secrets end,
      state = coalesce(${state}::text, state),
      error_code = case when ${isStopped}::boolean then null else error_code end,
      rights = case when ${isMoved}::boolean then null else rights end,
      last_try_at = case when ${isMoved}::boolean then null else last_try_at end,
      lease = case when ${isStopped}::boolean then null else lease end,
      leased_until = case when ${isStopped}::boolean then null else leased_until end
    where id = ${id}`)
}

export type Checked = {
  rights: Rights | null
  externalId: string | null
  error: { code: string; text: string } | null
}

/**
 * What the provider said when it was asked; a state that was an error is no longer one where it answers. What a sync
 * could not see stays so until the next one: a provider that answers says nothing about that.
 */
export async function writeCheck(db: Db, id: string, { rights, externalId, error }: Checked, now: Date): Promise<void> {
  const isKept = error === null
  await db.query(sql`
    update cloud_accounts set
      rights = coalesce(${rights === null ? null : JSON.stringify(rights)}::jsonb, rights),
      external_id = coalesce(external_id, ${externalId}),
      state = case when state = 'disconnected' then state when ${error !== null}::boolean then 'error'
        when state = 'error' then 'pending' else state end,
      error_code = case when ${isKept}::boolean and state = 'degraded' then error_code else ${error?.code ?? null} end,
      error_text = case when ${isKept}::boolean and state = 'degraded' then error_text else ${error?.text ?? null} end,
      updated = ${now}
    where id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string): Promise<void> {
  const deletion = sql`delete from cloud_accounts c where c.workspace_id = ${workspaceId} and c.id = ${id} returning *`
  await db.query(sql`${goneWith(directory, 'cloud_account', deletion)} select id from gone`)
}
