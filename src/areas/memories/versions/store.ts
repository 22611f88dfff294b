// SQL of the texts that memories have had.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { sql } from '../../../kit/sql.ts'
import { authorIn, authorOf } from '../../../kit/versions.ts'
import { visibleTo } from '../../../kit/visibility.ts'
import { type MemoryVersion, MemoryVersionId } from '../fields/contract.ts'
import type { MemoryRow } from '../store.ts'
import type { versions } from './contract.ts'

type VersionRow = Static<typeof MemoryVersion>
type Version = Pick<MemoryRow, 'id' | 'workspaceId' | 'title' | 'markdown' | 'version'>

export async function insertVersion(db: Db, memory: Version, caller: Caller, now: Date): Promise<void> {
  const { authorUserId, authorTeamId, authorClientId, callerKind } = authorOf(caller)
  await db.query(sql`
    insert into memory_versions (id, workspace_id, memory_id, version, title, markdown, author_user_id, author_team_id,
      author_client_id, caller_kind, created)
    values (${newId(MemoryVersionId)}, ${memory.workspaceId}, ${memory.id}, ${memory.version}, ${memory.title},
      ${memory.markdown}, ${authorUserId}, ${authorTeamId}, ${authorClientId}, ${callerKind}, ${now})`)
}

/** Of a memory that the caller sees. */
export function findText(db: Db, caller: Caller, workspaceId: string, memoryId: string, version: number) {
  return first<Pick<VersionRow, 'title' | 'markdown'> & { isCurrent: boolean }>(
    db,
    sql`
    select v.title, v.markdown, v.title = m.title and v.markdown = m.markdown as is_current
    from memories m join memory_versions v on v.memory_id = m.id
    where m.workspace_id = ${workspaceId} and m.id = ${memoryId} and v.version = ${version} and ${visibleTo(caller, 'm')}`,
  )
}

type Query = QueryOf<typeof versions, 'memories.versions.list'>

export function pageOfVersions(db: Db, query: Query, memoryId: string) {
  return listSql<VersionRow, Query>(db, query, {
    from: sql`memory_versions v`,
    where: sql`v.memory_id = ${memoryId}`,
    select: sql`
      v.id, v.workspace_id, v.memory_id, v.version, v.title, v.markdown, ${authorIn('v')}, v.caller_kind, v.created,
      'memory_version' as _object`,
    sort: { version: 'v.version' },
    filter: { version: 'v.version::text' },
    id: 'v.id',
    neverNull: ['version'],
  })
}
