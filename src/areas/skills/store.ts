// SQL of skills themselves; what they were and their files stand in versions/ and files/.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import type { Caller } from '../../kit/context.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { type Reach, within } from '../../kit/owned.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { sql } from '../../kit/sql.ts'
import { directory } from '../../operations.ts'
import type { ownSkills } from './contract.ts'
import type { Skill, SkillSummary } from './fields/contract.ts'
import { type FileState, filesOf, setFiles } from './files/store.ts'
import type { SkillText } from './format/reading.ts'
import { insertVersions } from './versions/store.ts'

export type SummaryRow = Static<typeof SkillSummary>

/** As it is stored: what is made of the text comes with `shown` (`showing.ts`). */
export type SkillRow = Omit<Static<typeof Skill>, 'body' | 'warnings'>

const columns = sql`
  s.id, s.workspace_id, s.owner_id, s.slug, s.description, s.license, s.compatibility, s.metadata, s.allowed_tools,
  s.parameters_schema, s.source, s.repository_id, s.repository_path, s.repository_ref, s.follow_error, s.enabled,
  s.version,
  (select sum(v.use_count)::int from skill_versions v where v.skill_id = s.id) as use_count,
  (select max(v.last_used_at) from skill_versions v where v.skill_id = s.id) as last_used_at,
  ${labelsOf('skill', 's')}, ${ratingOf('skill', 's')}, s.created, s.updated, 'skill' as _object`

const whole = sql`${columns}, s.markdown, ${filesOf(sql`s.id`, sql`s.version`)}`

type Query = QueryOf<typeof ownSkills, 'skills.list'>

export function pageOfSkills(db: Db, query: Query, workspaceId: string) {
  return listSql<SummaryRow, Query>(db, query, {
    from: sql`skills s`,
    where: sql`s.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 's.created', updated: 's.updated', slug: 's.slug', id: 's.id' },
    filter: {
      id: 's.id',
      slug: 's.slug',
      enabled: { column: 's.enabled', type: 'boolean' },
      source: 's.source',
      ownerId: 's.owner_id',
      labels: labelled('skill', 's.id', workspaceId),
    },
    words: ['s.slug', 's.description'],
    time: { column: 's.created', type: 'timestamptz' },
    id: 's.id',
    neverNull: ['created', 'updated', 'slug', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string, reach: Reach = null) {
  return first<SkillRow>(
    db,
    sql`
    select ${whole} from skills s
    where s.workspace_id = ${workspaceId} and s.id = ${id} and ${within(reach, 's.owner_id')}`,
  )
}

/** For a change; whoever changes it as well waits. */
export async function lock(db: Db, workspaceId: string, id: string, reach: Reach = null): Promise<void> {
  await db.query(sql`
    select id from skills where workspace_id = ${workspaceId} and id = ${id} and ${within(reach)} for update`)
}

/** Those of these slugs that are there, for a change, in one order. */
export async function lockBySlug(db: Db, workspaceId: string, slugs: readonly string[]): Promise<SkillRow[]> {
  const locked = await db.query<{ id: string }>(sql`
    select id from skills where workspace_id = ${workspaceId} and slug = any(${slugs}::text[]) order by id for update`)
  const ids = locked.map(({ id }) => id)
  return await db.query(sql`select ${whole} from skills s where s.id = any(${ids}::text[])`)
}

/** A new state of a skill that is there, or the first of one that is not. */
export type State = Pick<
  SkillRow,
  'id' | 'ownerId' | 'source' | 'enabled' | 'version' | 'markdown' | 'parametersSchema'
> & {
  text: SkillText
  files: readonly FileState[]
}

/** Each is a version of its own; without a caller it comes from the repository that the skill follows. Owner, source and whether it is enabled are set for new skills only. */
export async function write(
  db: Db,
  workspaceId: string,
  states: readonly State[],
  caller: Caller | null,
  now: Date,
): Promise<void> {
  const rows = states.map(({ id, ownerId, source, enabled, version, markdown, parametersSchema, text }) => ({
    ...{ id, owner_id: ownerId, source, enabled, version, markdown, parameters_schema: parametersSchema },
    ...{ slug: text.name, description: text.description, license: text.license, compatibility: text.compatibility },
    ...{ metadata: text.metadata, allowed_tools: text.allowedTools },
  }))
  await db.query(sql`
    insert into skills (id, workspace_id, owner_id, slug, markdown, description, license, compatibility, metadata,
      allowed_tools, parameters_schema, source, enabled, version, created, updated)
    select r.id, ${workspaceId}, r.owner_id, r.slug, r.markdown, r.description, r.license, r.compatibility, r.metadata,
      r.allowed_tools, r.parameters_schema, r.source, r.enabled, r.version, ${now}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      id text, owner_id text, slug text, markdown text, description text, license text, compatibility text,
      metadata json, allowed_tools text[], parameters_schema json, source text, enabled boolean, version int)
    on conflict (id) do update set slug = excluded.slug, markdown = excluded.markdown,
      description = excluded.description, license = excluded.license, compatibility = excluded.compatibility,
      metadata = excluded.metadata, allowed_tools = excluded.allowed_tools,
      parameters_schema = excluded.parameters_schema, version = excluded.version, updated = excluded.updated`)
  const versions = states.map(({ text, ...state }) => ({ ...state, slug: text.name }))
  await insertVersions(db, workspaceId, versions, caller, now)
  await setFiles(db, workspaceId, states, now)
}

export async function setEnabled(db: Db, id: string, enabled: boolean, now: Date): Promise<void> {
  await db.query(sql`update skills set enabled = ${enabled}, updated = ${now} where id = ${id}`)
}

export async function touch(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`update skills set updated = ${now} where id = ${id}`)
}

export async function remove(db: Db, workspaceId: string, id: string, reach: Reach): Promise<void> {
  const deletion = sql`
    delete from skills s where s.workspace_id = ${workspaceId} and s.id = ${id} and ${within(reach, 's.owner_id')}
    returning *`
  await db.query(sql`${goneWith(directory, 'skill', deletion)} select id from gone`)
}
