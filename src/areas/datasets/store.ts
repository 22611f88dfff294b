// SQL of datasets: their records and the fields that were seen in their rows. Rows themselves are behind `rows/row_store.ts`.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { isoOf } from '../../kit/nanoseconds.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { ownDatasets } from './contract.ts'
import type { Dataset, DatasetField, IssueDetection } from './fields/contract.ts'
import type { DatasetKind } from './rows/row.ts'
import type { Volume } from './rows/row_store.ts'

export type DatasetRecord = Static<typeof Dataset>

/** As it is stored: how much it holds is known to the engine of its rows. */
export type DatasetRow = Omit<DatasetRecord, 'rows' | 'bytes' | 'firstRowAt' | 'lastRowAt'> & {
  no: number
  kind: DatasetKind
}

const columns = sql`
  d.id, d.no, d.workspace_id, d.owner_id, d.slug, d.description, d.kind, d.retention_days, d.issue_detection, d.status,
  ${labelsOf('dataset', 'd')}, d.created, d.updated, 'dataset' as _object`

type ListQuery = QueryOf<typeof ownDatasets, 'datasets.list'>

export function pageOfDatasets(db: Db, query: ListQuery, workspaceId: string) {
  return listSql<DatasetRow, ListQuery>(db, query, {
    from: sql`datasets d`,
    where: sql`d.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 'd.created', updated: 'd.updated', slug: 'd.slug', id: 'd.id' },
    filter: {
      id: 'd.id',
      slug: 'd.slug',
      kind: 'd.kind',
      status: 'd.status',
      ownerId: 'd.owner_id',
      labels: labelled('dataset', 'd.id', workspaceId),
    },
    words: ['d.slug', 'd.description'],
    time: { column: 'd.created', type: 'timestamptz' },
    id: 'd.id',
    neverNull: ['created', 'updated', 'slug', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<DatasetRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from datasets d
    where d.workspace_id = ${workspaceId} and d.id = ${id} and ${within(reach, 'd.owner_id')}`,
  )
}

/** For a change; whoever changes it as well waits. */
export async function lock(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<void> {
  await db.query(sql`
    select id from datasets where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} for update`)
}

export function shown({ no: _, ...record }: DatasetRow, volume: Volume | undefined): DatasetRecord {
  const { rows = 0, bytes = 0, first: begin = null, last = null } = volume ?? {}
  const time = (at: bigint | null) => (at === null ? null : `${isoOf(at).slice(0, 23)}Z`)
  return { ...record, rows, bytes, firstRowAt: time(begin), lastRowAt: time(last) }
}

/** Whoever makes one as well waits until this one counts. */
export async function countLocked(db: Db, workspaceId: string): Promise<number> {
  await db.query(sql`select pg_advisory_xact_lock(hashtextextended(${`datasets ${workspaceId}`}, 0))`)
  const row = await first<{ n: number }>(
    db,
    sql`select count(*)::int as n from datasets where workspace_id = ${workspaceId}`,
  )
  return row?.n ?? 0
}

type NewDataset = Pick<DatasetRow, 'id' | 'ownerId' | 'slug' | 'description' | 'kind' | 'retentionDays' | 'status'> & {
  issueDetection: Static<typeof IssueDetection>
}

export async function insert(db: Db, workspaceId: string, fields: NewDataset, now: Date): Promise<void> {
  const { id, ownerId, slug, description, kind, retentionDays, status, issueDetection } = fields
  await db.query(sql`
    insert into datasets (id, workspace_id, owner_id, slug, description, kind, retention_days, issue_detection, status,
      created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${slug}, ${description}, ${kind}, ${retentionDays}::int,
      ${JSON.stringify(issueDetection)}::jsonb, ${status}, ${now}, ${now})`)
}

const patchable = ['slug', 'description', 'retentionDays', 'status', 'updated'] as const

export async function update(
  db: Db,
  id: string,
  fields: { [K in (typeof patchable)[number]]?: unknown },
  issueDetection: Static<typeof IssueDetection>,
): Promise<void> {
  await db.query(sql`
    update datasets set ${assignments(patchable, fields)}, issue_detection = ${JSON.stringify(issueDetection)}::jsonb
    where id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from datasets d where d.workspace_id = ${workspaceId} and d.id = ${id} and ${within(reach, 'd.owner_id')}
    returning *`
  await db.query(sql`${goneWith(directory, 'dataset', deletion)} select id from gone`)
}

export function fieldsOf(db: Db, no: number): Promise<Static<typeof DatasetField>[]> {
  return db.query(sql`
    select name, type, seen::float8 as seen from dataset_fields where dataset_no = ${no}::int
    order by seen desc, name collate "C" limit 1001`)
}

/** Of all datasets of the workspace. */
export async function longestRetention(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ days: number }>(
    db,
    sql`select coalesce(max(retention_days), 0)::int as days from datasets where workspace_id = ${workspaceId}`,
  )
  return row?.days ?? 0
}
