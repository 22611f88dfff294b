// Which records carry which labels: changed for many records at once, within what a record takes.
import { badRequest } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { folded } from '../../kit/label_sql.ts'
import { sql } from '../../kit/sql.ts'
import { mostLabels } from './contract.ts'

/** What happens to the labels of one record: some come and go, or these are all that it carries. */
export type LabelChange = { object: string; id: string } & (
  | { add?: readonly string[]; remove?: readonly string[] }
  | { only: readonly string[] }
)

export type Assignment = { object: string; id: string; labelId: string }

export type LabelChanges = {
  added: Assignment[]
  removed: Assignment[]
  /** Taken off because another label of their group was added. */
  replaced: Assignment[]
}

type Current = Assignment & { group: string | null }
/** Of each label that is spoken of: its group, folded, or null. */
type Groups = ReadonlyMap<string, string | null>

/**
 * Four statements, however many records. Their rows are locked by the caller, or made in this transaction, and
 * `keepAlive` of their workspace comes before that. A label that the workspace does not have, a 21st and two of one
 * group are 400; `field` is what callers call the labels.
 */
export async function changeLabels(
  db: Db,
  workspaceId: string,
  changes: readonly LabelChange[],
  field = 'labels',
): Promise<LabelChanges> {
  if (changes.length === 0) return { added: [], removed: [], replaced: [] }
  const groups = await lockLabels(db, workspaceId, [...new Set(changes.flatMap(spokenOf))], field)
  const carried = Map.groupBy(await currentOf(db, workspaceId, changes), textOf)
  const parts = changes.map(change => changeOf(change, carried.get(textOf(change)) ?? [], groups, field))
  const all = {
    added: parts.flatMap(({ added }) => added),
    removed: parts.flatMap(({ removed }) => removed),
    replaced: parts.flatMap(({ replaced }) => replaced),
  }
  await detach(db, workspaceId, [...all.removed, ...all.replaced])
  await attach(db, workspaceId, all.added)
  return all
}

/** They are not deleted meanwhile. */
async function lockLabels(db: Db, workspaceId: string, ids: readonly string[], field: string): Promise<Groups> {
  const rows = await db.query<{ id: string; group: string | null }>(sql`
    select id, "group" from labels where workspace_id = ${workspaceId} and id = any(${ids}::text[])
    order by id for key share`)
  const groups = new Map(rows.map(({ id, group }) => [id, group === null ? null : folded(group)]))
  const unknown = ids.find(id => !groups.has(id))
  if (unknown === undefined) return groups
  const expected = 'labels of this workspace'
  throw badRequest(`"${field}" takes ${expected}; "${unknown}" is none.`, [{ path: field, rule: 'label', expected }])
}

/** With the labels locked, so that none of them is deleted while another statement takes it off. */
async function currentOf(db: Db, workspaceId: string, records: readonly LabelChange[]): Promise<Current[]> {
  const objects = records.map(({ object }) => object)
  const ids = records.map(({ id }) => id)
  const rows = await db.query<Current>(sql`
    select a.object, a.record_id as id, a.label_id, l."group"
    from unnest(${objects}::text[], ${ids}::text[]) as r (object, id)
    join label_assignments a on a.workspace_id = ${workspaceId} and a.object = r.object and a.record_id = r.id
    join labels l on l.id = a.label_id
    order by a.object, a.record_id, a.label_id for key share of l`)
  return rows.map(row => ({ ...row, group: row.group === null ? null : folded(row.group) }))
}

function changeOf(change: LabelChange, current: readonly Current[], groups: Groups, field: string): LabelChanges {
  const { object, id } = change
  const carried = new Set(current.map(({ labelId }) => labelId))
  const wanted = [...new Set('only' in change ? change.only : (change.add ?? []))]
  const unwanted = new Set('only' in change ? [...carried].filter(one => !wanted.includes(one)) : change.remove)
  refuseSiblings(wanted, groups, field)
  const added = wanted.filter(labelId => !carried.has(labelId))
  const taken = new Set(added.map(labelId => groups.get(labelId)))
  const removed = current.filter(({ labelId }) => unwanted.has(labelId))
  const replaced = current.filter(({ labelId, group }) => group !== null && taken.has(group) && !unwanted.has(labelId))
  if (carried.size + added.length - removed.length - replaced.length > mostLabels) {
    const expected = `at most ${mostLabels} labels`
    throw badRequest(`A record carries ${expected}; ${object} ${id} would carry more.`, [
      { path: field, rule: 'maxItems', expected },
    ])
  }
  const plain = ({ labelId }: { labelId: string }): Assignment => ({ object, id, labelId })
  return {
    added: added.map(labelId => ({ object, id, labelId })),
    removed: removed.map(plain),
    replaced: replaced.map(plain),
  }
}

function refuseSiblings(ids: readonly string[], groups: Groups, field: string): void {
  const of = new Map<string, string>()
  for (const id of ids) {
    const group = groups.get(id)
    if (group == null) continue
    const other = of.get(group)
    if (other !== undefined) {
      const expected = 'one label of a group'
      throw badRequest(`"${other}" and "${id}" are of one group; a record carries ${expected}.`, [
        { path: field, rule: 'group', expected },
      ])
    }
    of.set(group, id)
  }
}

async function detach(db: Db, workspaceId: string, gone: readonly Assignment[]): Promise<void> {
  if (gone.length === 0) return
  const { objects, ids, labelIds } = columnsOf(gone)
  await db.query(sql`
    delete from label_assignments a using unnest(${objects}::text[], ${ids}::text[], ${labelIds}::text[])
      as g (object, id, label_id)
    where a.workspace_id = ${workspaceId} and a.object = g.object and a.record_id = g.id and a.label_id = g.label_id`)
}

async function attach(db: Db, workspaceId: string, added: readonly Assignment[]): Promise<void> {
  if (added.length === 0) return
  const { objects, ids, labelIds } = columnsOf(added)
  await db.query(sql`
    insert into label_assignments (workspace_id, object, record_id, label_id)
    select ${workspaceId}, n.object, n.id, n.label_id
    from unnest(${objects}::text[], ${ids}::text[], ${labelIds}::text[]) as n (object, id, label_id)`)
}

function columnsOf(rows: readonly Assignment[]) {
  return {
    objects: rows.map(({ object }) => object),
    ids: rows.map(({ id }) => id),
    labelIds: rows.map(({ labelId }) => labelId),
  }
}

function spokenOf(change: LabelChange): readonly string[] {
  return 'only' in change ? change.only : [...(change.add ?? []), ...(change.remove ?? [])]
}

function textOf({ object, id }: { object: string; id: string }): string {
  return `${object} ${id}`
}
