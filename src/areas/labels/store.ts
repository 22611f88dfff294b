// SQL of labels. Other areas change the labels of their records through `changeLabels`.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { folded } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { goneWith, pointElsewhere } from '../../kit/removal.ts'
import { assignments, sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { Label, labels } from './contract.ts'

export { type Assignment, changeLabels } from './assignments.ts'

export type LabelRow = Static<typeof Label>

const columns = sql`
  l.id, l.workspace_id, l.owner_id, l.name, l.color, l.description, l."group",
  (select coalesce(jsonb_object_agg(u.object, u.count), '{}') from (
    select a.object, count(*)::int as count from label_assignments a where a.label_id = l.id group by a.object) u) as usage,
  l.created, l.updated, 'label' as _object`

type Query = QueryOf<typeof labels, 'labels.list'>

export function pageOfLabels(db: Db, query: Query, workspaceId: string) {
  return listSql<LabelRow, Query>(db, query, {
    from: sql`labels l`,
    where: sql`l.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { id: 'l.id', name: 'l.name', group: 'l."group"', created: 'l.created', updated: 'l.updated' },
    filter: { id: 'l.id', name: 'l.name', group: 'l."group"', color: 'l.color', ownerId: 'l.owner_id' },
    words: ['l.name', 'l.description'],
    id: 'l.id',
    neverNull: ['id', 'name', 'created', 'updated'],
  })
}

export function find(db: Db, workspaceId: string, id: string): Promise<LabelRow | undefined> {
  return first(db, sql`select ${columns} from labels l where l.workspace_id = ${workspaceId} and l.id = ${id}`)
}

/** For a change: it is not changed or deleted meanwhile. */
export async function lock(db: Db, workspaceId: string, ids: readonly string[]): Promise<void> {
  await db.query(sql`
    select id from labels where workspace_id = ${workspaceId} and id = any(${ids}::text[]) order by id for update`)
}

export type NewLabel = Pick<LabelRow, 'id' | 'workspaceId' | 'ownerId' | 'name' | 'color' | 'description' | 'group'>

export async function insert(db: Db, label: NewLabel, now: Date): Promise<LabelRow> {
  const { id, workspaceId, ownerId, name, color, description, group } = label
  await db.query(sql`
    insert into labels (id, workspace_id, owner_id, name, folded, color, description, "group", created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${folded(name)}, ${color}, ${description}, ${group}, ${now}, ${now})`)
  await endRedirect(db, workspaceId, name)
  return (await find(db, workspaceId, id)) as LabelRow
}

type Changes = Partial<Pick<LabelRow, 'name' | 'color' | 'description' | 'group'>>

export async function update(db: Db, { workspaceId, id }: LabelRow, fields: Changes, now: Date): Promise<LabelRow> {
  const set = assignments(['name', 'folded', 'color', 'description', 'group', 'updated'], {
    ...fields,
    folded: fields.name && folded(fields.name),
    updated: now,
  })
  await db.query(sql`update labels set ${set} where workspace_id = ${workspaceId} and id = ${id}`)
  if (fields.name !== undefined) await endRedirect(db, workspaceId, fields.name)
  return (await find(db, workspaceId, id)) as LabelRow
}

/** Rows that point at it, and those that hang on it, go by their foreign keys. */
export function remove(db: Db, workspaceId: string, id: string, reach: Reach) {
  const deletion = sql`
    delete from labels l where l.workspace_id = ${workspaceId} and l.id = ${id} and ${within(reach, 'l.owner_id')}
    returning *`
  return first<{ id: string }>(db, sql`${goneWith(directory, 'label', deletion)} select id from gone`)
}

/** Other labels of a group. */
export async function siblingsIn(db: Db, workspaceId: string, group: string, but: string): Promise<string[]> {
  const rows = await db.query<{ id: string; group: string }>(sql`
    select id, "group" from labels where workspace_id = ${workspaceId} and "group" is not null and id <> ${but}`)
  return rows.filter(row => folded(row.group) === folded(group)).map(({ id }) => id)
}

/** Records that carry this label and one of the others. */
export async function countCarryingBoth(db: Db, id: string, others: readonly string[]): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from label_assignments a where a.label_id = ${id} and exists (
      select from label_assignments o where o.workspace_id = a.workspace_id and o.object = a.object
        and o.record_id = a.record_id and o.label_id = any(${others}::text[]))`,
  )
  return row?.count ?? 0
}

/** Takes labels off the records that carry this one. */
export async function detachBeside(db: Db, id: string, others: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ labelId: string }>(sql`
    delete from label_assignments o using label_assignments a
    where a.label_id = ${id} and o.workspace_id = a.workspace_id and o.object = a.object
      and o.record_id = a.record_id and o.label_id = any(${others}::text[]) returning o.label_id`)
  return rows.map(({ labelId }) => labelId)
}

/** What carries the one carries the other too; returns how many records are new to it. */
export async function copyAssignments(db: Db, fromId: string, toId: string): Promise<number> {
  const rows = await db.query(sql`
    insert into label_assignments (workspace_id, object, record_id, label_id)
    select a.workspace_id, a.object, a.record_id, ${toId} from label_assignments a where a.label_id = ${fromId}
    on conflict do nothing returning 1 as one`)
  return rows.length
}

/** Everything that points at the one, whichever area keeps it, points at the other. */
export async function movePointers(db: Db, workspaceId: string, fromId: string, toId: string): Promise<void> {
  for (const statement of pointElsewhere(directory, 'label', workspaceId, fromId, toId)) await db.query(statement)
}

/** From now on these words mean that label; so do words that meant the one which is merged. */
export async function redirect(
  db: Db,
  { workspaceId, id }: Pick<LabelRow, 'workspaceId' | 'id'>,
  words: readonly string[],
  until: Date,
  mergedId: string | null = null,
): Promise<void> {
  if (mergedId) await db.query(sql`update label_redirects set label_id = ${id} where label_id = ${mergedId}`)
  await db.query(sql`
    insert into label_redirects (workspace_id, word, label_id, expires_at)
    select ${workspaceId}, word, ${id}, ${until} from unnest(${words}::text[]) word
    on conflict (workspace_id, word) do update set label_id = excluded.label_id, expires_at = excluded.expires_at`)
}

async function endRedirect(db: Db, workspaceId: string, name: string): Promise<void> {
  await db.query(sql`delete from label_redirects where workspace_id = ${workspaceId} and word = ${folded(name)}`)
}

/** Which labels these words mean: names in any case, ids, and what a label was called before. */
export async function labelsMeant(
  db: Db,
  workspaceId: string,
  words: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const said = words.map(folded)
  const rows = await db.query<{ word: string; id: string }>(sql`
    select w.word, coalesce(l.id, r.label_id) as id from unnest(${said}::text[]) as w (word)
    left join labels l on l.workspace_id = ${workspaceId} and (l.folded = w.word or l.id = w.word)
    left join label_redirects r on r.workspace_id = ${workspaceId} and r.word = w.word
    where l.id is not null or r.label_id is not null`)
  const meant = new Map(rows.map(({ word, id }) => [word, id]))
  return new Map(words.flatMap(word => (meant.has(folded(word)) ? [[word, meant.get(folded(word)) as string]] : [])))
}

/** What these labels are called, by id. */
export async function namesOf(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id, name from labels where workspace_id = ${workspaceId} and id = any(${ids}::text[])`)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
