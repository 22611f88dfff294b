// SQL of who is linked to which account elsewhere.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first, type Row } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sql } from '../../../kit/sql.ts'
import type { IntegrationPerson, people } from './contract.ts'

export type Person = Static<typeof IntegrationPerson>

const columns = sql`p.workspace_id, p.integration_id, p.user_id, p.external_id, p.created`

const toPerson = (row: Row): Person => ({ ...(row as Omit<Person, '_object'>), _object: 'integration_person' })

type Query = QueryOf<typeof people, 'integrations.people.list'>

export function pageOfPeople(db: Db, query: Query, integrationId: string) {
  return listSql<Person, Query>(db, query, {
    from: sql`integration_people p`,
    where: sql`p.integration_id = ${integrationId}`,
    select: columns,
    sort: { created: 'p.created' },
    filter: { userId: 'p.user_id', externalId: 'p.external_id' },
    id: 'p.user_id',
    neverNull: ['created'],
    map: toPerson,
  })
}

export async function find(db: Db, integrationId: string, userId: string): Promise<Person | undefined> {
  const row = await first<Row>(
    db,
    sql`select ${columns} from integration_people p where p.integration_id = ${integrationId} and p.user_id = ${userId}`,
  )
  return row && toPerson(row)
}

/** The member behind an account, if one has said so. */
export async function behind(db: Db, integrationId: string, externalId: string): Promise<string | undefined> {
  const row = await first<{ userId: string }>(
    db,
    sql`
    select p.user_id from integration_people p
    where p.integration_id = ${integrationId} and p.external_id = ${externalId}`,
  )
  return row?.userId
}

/** In place of what they had. Undefined where the account is linked to somebody else. */
export async function put(db: Db, person: Omit<Person, 'created' | '_object'>, now: Date): Promise<Person | undefined> {
  const { workspaceId, integrationId, userId, externalId } = person
  await db.query(sql`
    delete from integration_people
    where integration_id = ${integrationId} and user_id = ${userId} and external_id <> ${externalId}`)
  await db.query(sql`
    insert into integration_people (workspace_id, integration_id, user_id, external_id, created)
    values (${workspaceId}, ${integrationId}, ${userId}, ${externalId}, ${now}) on conflict do nothing`)
  const kept = await find(db, integrationId, userId)
  return kept?.externalId === externalId ? kept : undefined
}

export async function remove(db: Db, integrationId: string, userId: string): Promise<void> {
  await db.query(sql`delete from integration_people where integration_id = ${integrationId} and user_id = ${userId}`)
}
