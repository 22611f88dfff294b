// SQL of examples.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../../src/contract/list.ts'
import type { Caller } from '../../../../src/kit/context.ts'
import { type Db, first } from '../../../../src/kit/db.ts'
import { labelled, labelsOf } from '../../../../src/kit/label_sql.ts'
import { listSql } from '../../../../src/kit/list_sql.ts'
import { type Reach, within } from '../../../../src/kit/owned.ts'
import type { Reference } from '../../../../src/kit/references.ts'
import { goneWith } from '../../../../src/kit/removal.ts'
import { assignments, sql } from '../../../../src/kit/sql.ts'
import { visibleTo } from '../../../../src/kit/visibility.ts'
import { directory } from '../../../../src/operations.ts'
import type { Example, ExampleLink, examples } from './contract.ts'

export type ExampleRow = Static<typeof Example>
export type LinkRow = Static<typeof ExampleLink>

const columns = sql`
  e.id, e.workspace_id, e.owner_id, e.name, e.text, e."group", e.visibility, e.team_id, ${labelsOf('example', 'e')}, e.created, e.updated,
  'example' as _object`

type Query = QueryOf<typeof examples, 'examples.list'>

export function pageOfExamples(db: Db, query: Query, caller: Caller, workspaceId: string) {
  return listSql<ExampleRow, Query>(db, query, {
    from: sql`examples e`,
    where: sql`e.workspace_id = ${workspaceId} and ${visibleTo(caller, 'e')}`,
    select: columns,
    sort: { created: 'e.created', id: 'e.id', name: 'e.name', group: 'e."group"' },
    filter: {
      id: 'e.id',
      name: 'e.name',
      ownerId: 'e.owner_id',
      group: 'e."group"',
      labels: labelled('example', 'e.id', workspaceId),
    },
    id: 'e.id',
    neverNull: ['id', 'name', 'created'],
  })
}

export function find(db: Db, caller: Caller, workspaceId: string, id: string, reach: Reach = null) {
  return first<ExampleRow>(
    db,
    sql`
    select ${columns} from examples e where e.workspace_id = ${workspaceId} and e.id = ${id}
      and ${visibleTo(caller, 'e')} and ${within(reach, 'e.owner_id')}`,
  )
}

export async function insert(
  db: Db,
  example: Omit<ExampleRow, 'labels' | 'created' | 'updated' | '_object'>,
  now: Date,
) {
  const { id, workspaceId, ownerId, name, text, visibility, teamId } = example
  const row = await first<ExampleRow>(
    db,
    sql`
    insert into examples as e (id, workspace_id, owner_id, name, text, visibility, team_id, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${text}, ${visibility}, ${teamId}, ${now}, ${now})
    returning ${columns}`,
  )
  return row as ExampleRow
}

export async function insertAll(
  db: Db,
  rows: readonly { id: string; name: string }[],
  workspaceId: string,
  ownerId: string,
  group: string | null,
  now: Date,
): Promise<number> {
  const [ids, names] = [rows.map(({ id }) => id), rows.map(({ name }) => name)]
  const made = await db.query(sql`
    insert into examples (id, workspace_id, owner_id, name, "group", visibility, created, updated)
    select r.id, ${workspaceId}, ${ownerId}, r.name, ${group}, 'workspace', ${now}, ${now}
    from unnest(${ids}::text[], ${names}::text[]) as r(id, name)
    returning id`)
  return made.length
}

const changeable = ['name', 'text', 'group', 'visibility', 'teamId'] as const

type Changes = Partial<Pick<ExampleRow, (typeof changeable)[number]>>

export async function update(db: Db, id: string, fields: Changes, now: Date): Promise<ExampleRow> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  const row = await first<ExampleRow>(db, sql`update examples e set ${set} where e.id = ${id} returning ${columns}`)
  return row as ExampleRow
}

/** For a change of its labels too: nobody else changes it meanwhile. */
export async function lock(db: Db, workspaceId: string, id: string): Promise<void> {
  await db.query(sql`select id from examples where workspace_id = ${workspaceId} and id = ${id} for update`)
}

export function remove(db: Db, workspaceId: string, id: string, reach: Reach) {
  const deletion = sql`
    delete from examples e where e.workspace_id = ${workspaceId} and e.id = ${id} and ${within(reach, 'e.owner_id')}
    returning *`
  return first<ExampleRow>(db, sql`${goneWith(directory, 'example', deletion)} select ${columns} from gone e`)
}

const linkColumns = sql`
  l.example_id, jsonb_build_object('object', l.object, 'id', l.record_id) as about, l.created, 'example_link' as _object`

type LinksQuery = QueryOf<typeof examples, 'examples.links.list'>

export function pageOfLinks(db: Db, query: LinksQuery, id: string) {
  return listSql<LinkRow, LinksQuery>(db, query, {
    from: sql`example_links l`,
    where: sql`l.example_id = ${id}`,
    select: linkColumns,
    sort: { created: 'l.created' },
    filter: {},
    id: 'l.record_id',
    neverNull: ['created'],
  })
}

export async function insertLink(db: Db, { id, workspaceId }: ExampleRow, about: Reference, now: Date) {
  const row = await first<LinkRow>(
    db,
    sql`
    insert into example_links as l (example_id, workspace_id, object, record_id, created)
    values (${id}, ${workspaceId}, ${about.object}, ${about.id}, ${now}) returning ${linkColumns}`,
  )
  return row as LinkRow
}
