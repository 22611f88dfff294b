// SQL of the states that automations have had.
import type { Static } from 'typebox'
import { id as idOf } from '../../../contract/ids.ts'
import type { QueryOf } from '../../../contract/list.ts'
import type { Scope } from '../../../contract/scopes.ts'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { sql } from '../../../kit/sql.ts'
import { authorIn, authorOf } from '../../../kit/versions.ts'
import type { AutomationVersion } from '../records/contract.ts'
import type { KeptDefinition } from '../store.ts'
import type { versions } from './contract.ts'

export type VersionRow = Static<typeof AutomationVersion>

const VersionId = idOf('autv', 24)

const columns = sql`
  v.id, v.workspace_id, v.automation_id, v.version, v.name, v.definition, v.grants, ${authorIn('v')}, v.created`

const toVersion = (row: Row) => {
  const { definition, id: _, ...plain } = row as Record<string, unknown> & { definition: KeptDefinition }
  return { ...plain, ...definition, _object: 'automation_version' } as unknown as VersionRow
}

type Query = QueryOf<typeof versions, 'automations.versions.list'>

export function pageOfVersions(db: Db, query: Query, automationId: string) {
  return listSql<VersionRow, Query>(db, query, {
    from: sql`automation_versions v`,
    where: sql`v.automation_id = ${automationId}`,
    select: columns,
    sort: { version: 'v.version' },
    filter: { version: 'v.version::text' },
    id: 'v.id',
    neverNull: ['version'],
    map: toVersion,
  })
}

export async function findVersion(db: Db, automationId: string, version: number): Promise<VersionRow | undefined> {
  const row = await first<Row>(
    db,
    sql`select ${columns} from automation_versions v where v.automation_id = ${automationId} and v.version = ${version}`,
  )
  return row && toVersion(row)
}

export type NewVersion = {
  workspaceId: string
  automationId: string
  version: number
  name: string
  definition: KeptDefinition
  grants: readonly Scope[]
  people: readonly string[]
}

export async function insertVersion(db: Db, made: NewVersion, caller: Caller, now: Date): Promise<void> {
  const { authorUserId, authorTeamId, authorClientId, callerKind } = authorOf(caller)
  await db.query(sql`
    insert into automation_versions (id, workspace_id, automation_id, version, name, definition, grants, people,
      author_user_id, author_team_id, author_client_id, caller_kind, created)
    values (${newId(VersionId)}, ${made.workspaceId}, ${made.automationId}, ${made.version}, ${made.name},
      ${JSON.stringify(made.definition)}::json, ${made.grants}, ${made.people}, ${authorUserId}, ${authorTeamId},
      ${authorClientId}, ${callerKind}, ${now})`)
}
