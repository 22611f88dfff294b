// SQL of the files of skills; a row belongs to all versions from `since_version` to the one before `until_version`.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import { type SkillFile, SkillFileId } from '../fields/contract.ts'
import type { files } from './contract.ts'

export type FileRow = Static<typeof SkillFile>

/** What a version needs to know of a file; its content is found by its hash. */
export type FileState = Pick<FileRow, 'path' | 'mimeType' | 'size' | 'sha256'>

const columns = sql`
  f.id, f.workspace_id, f.skill_id, f.path, f.mime_type, f.size, f.sha256, f.created, 'skill_file' as _object`

const asJson = sql`
  jsonb_build_object('id', f.id, 'workspaceId', f.workspace_id, 'skillId', f.skill_id, 'path', f.path,
    'mimeType', f.mime_type, 'size', f.size, 'sha256', f.sha256,
    'created', to_char(f.created at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '_object', 'skill_file')`

/** `… as files`, of a skill and a version that stand under these names. */
export function filesOf(skillId: Sql, version: Sql): Sql {
  return sql`
    coalesce((select jsonb_agg(${asJson} order by f.path collate "C") from skill_files f
      where f.skill_id = ${skillId} and f.since_version <= ${version}
        and (f.until_version is null or f.until_version > ${version})), '[]') as files`
}

type Query = QueryOf<typeof files, 'skills.files.list'>

export function pageOfFiles(db: Db, query: Query, skillId: string) {
  return listSql<FileRow, Query>(db, query, {
    from: sql`skill_files f`,
    where: sql`f.skill_id = ${skillId} and f.until_version is null`,
    select: columns,
    sort: { path: 'f.path', size: 'f.size', created: 'f.created' },
    filter: { path: 'f.path', mimeType: 'f.mime_type', sha256: 'f.sha256' },
    id: 'f.id',
    neverNull: ['path', 'size', 'created'],
  })
}

/** Of whichever version; `isCurrent` where the skill has it now. */
export function findFile(db: Db, workspaceId: string, skillId: string, id: string) {
  return first<FileRow & { isCurrent: boolean }>(
    db,
    sql`
    select ${columns}, f.until_version is null as is_current from skill_files f
    where f.workspace_id = ${workspaceId} and f.skill_id = ${skillId} and f.id = ${id}`,
  )
}

export type FilesOfSkill = { id: string; version: number; files: readonly FileState[] }

/** These files and no others from this version on, for many skills at once. */
export async function setFiles(db: Db, workspaceId: string, skills: readonly FilesOfSkill[], now: Date): Promise<void> {
  const all = skills.flatMap(({ id, version, files: ofSkill }) =>
    ofSkill.map(({ path, mimeType, size, sha256 }) => ({
      ...{ id: newId(SkillFileId), skill_id: id, version },
      ...{ path, mime_type: mimeType, size, sha256 },
    })),
  )
  const wanted = sql`
    jsonb_to_recordset(${JSON.stringify(all)}::jsonb) as n (
      id text, skill_id text, version int, path text, mime_type text, size int, sha256 text)`
  const versions = JSON.stringify(skills.map(({ id, version }) => ({ id, version })))
  await db.query(sql`
    update skill_files f set until_version = r.version
    from jsonb_to_recordset(${versions}::jsonb) as r (id text, version int)
    where f.skill_id = r.id and f.until_version is null and not exists (
      select from ${wanted} where n.skill_id = f.skill_id and n.path = f.path and n.sha256 = f.sha256)`)
  if (all.length === 0) return
  await db.query(sql`
    insert into skill_files (id, workspace_id, skill_id, path, mime_type, size, sha256, since_version, created)
    select n.id, ${workspaceId}, n.skill_id, n.path, n.mime_type, n.size, n.sha256, n.version, ${now}
    from ${wanted} where not exists (
      select from skill_files f where f.skill_id = n.skill_id and f.path = n.path and f.until_version is null)`)
}
