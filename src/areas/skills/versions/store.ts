// SQL of the versions of skills: each has its whole text, and is counted for itself.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { ratingOf } from '../../../kit/rating_sql.ts'
import { sql } from '../../../kit/sql.ts'
import { authorIn, authorOf } from '../../../kit/versions.ts'
import { type SkillVersion, SkillVersionId } from '../fields/contract.ts'
import { filesOf } from '../files/store.ts'
import type { versions } from './contract.ts'

export type VersionRow = Static<typeof SkillVersion>

/** A rating is one of the version that counted when it was given, or changed last. */
const during = sql`
  said.updated >= v.created and not exists (
    select from skill_versions later where later.skill_id = v.skill_id and later.version = v.version + 1
      and later.created <= said.updated)`

const columns = sql`
  v.id, v.workspace_id, v.skill_id, v.version, v.slug, v.markdown, v.parameters_schema,
  ${filesOf(sql`v.skill_id`, sql`v.version`)}, v.use_count, v.last_used_at,
  ${ratingOf('skill', 'v', { key: 'skill_id', during })}, ${authorIn('v')}, v.caller_kind, v.created,
  'skill_version' as _object`

type Query = QueryOf<typeof versions, 'skills.versions.list'>

export function pageOfVersions(db: Db, query: Query, skillId: string) {
  return listSql<VersionRow, Query>(db, query, {
    from: sql`skill_versions v`,
    where: sql`v.skill_id = ${skillId}`,
    select: columns,
    sort: { version: 'v.version' },
    filter: { version: 'v.version::text' },
    id: 'v.id',
    neverNull: ['version'],
  })
}

export function findVersion(db: Db, skillId: string, version: number): Promise<VersionRow | undefined> {
  return first(
    db,
    sql`select ${columns} from skill_versions v where v.skill_id = ${skillId} and v.version = ${version}`,
  )
}

export type NewVersion = Pick<VersionRow, 'version' | 'slug' | 'markdown' | 'parametersSchema'> & { id: string }

/** One for each of these skills. */
export async function insertVersions(
  db: Db,
  workspaceId: string,
  skills: readonly NewVersion[],
  caller: Caller | null,
  now: Date,
): Promise<void> {
  const rows = skills.map(({ id, version, slug, markdown, parametersSchema }) => ({
    ...{ id: newId(SkillVersionId), skill_id: id, version, slug, markdown, parameters_schema: parametersSchema },
  }))
  const { authorUserId, authorTeamId, authorClientId, callerKind } = authorOf(caller)
  await db.query(sql`
    insert into skill_versions (id, workspace_id, skill_id, version, slug, markdown, parameters_schema, author_user_id,
      author_team_id, author_client_id, caller_kind, created)
    select r.id, ${workspaceId}, r.skill_id, r.version, r.slug, r.markdown, r.parameters_schema, ${authorUserId},
      ${authorTeamId}, ${authorClientId}, ${callerKind}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (
      id text, skill_id text, version int, slug text, markdown text, parameters_schema json)`)
}

export async function countUse(db: Db, workspaceId: string, id: string, version: number, now: Date): Promise<void> {
  await db.query(sql`
    update skill_versions v set use_count = v.use_count + 1, last_used_at = greatest(v.last_used_at, ${now})
    where v.workspace_id = ${workspaceId} and v.skill_id = ${id} and v.version = ${version}`)
}
