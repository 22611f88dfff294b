// SQL of sessions.
import type { QueryOf } from '../../../contract/list.ts'
import type { Db } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { sessionDays, sessionIdleDays } from '../../../kit/session_life.ts'
import { sql } from '../../../kit/sql.ts'
import type { sessions } from './contract.ts'

type NewSession = { id: string; userId: string; hash: string; address: string; userAgent: string | null }

const mostSessions = 20

/** False where the account has ended meanwhile. Log-ins of one user go one after the other, so that the number holds. */
export async function lockUser(db: Db, userId: string): Promise<boolean> {
  return (await db.query(sql`select id from users where id = ${userId} for no key update`)).length > 0
}

/** The newest stays; of the others the longest unused goes. */
export async function insertSession(db: Db, session: NewSession, now: Date): Promise<void> {
  const { id, userId, hash, address, userAgent } = session
  const expires = new Date(now.getTime() + sessionDays * 86_400_000)
  await db.query(sql`
    insert into sessions (id, user_id, hash, address, user_agent, created, last_used, expires)
    values (${id}, ${userId}, ${hash}, ${address}, ${userAgent}, ${now}, ${now}, ${expires})`)
  await db.query(sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} and id <> ${id}
      order by last_used desc, created desc, id offset ${mostSessions - 1}::int)`)
}

export type SessionRow = {
  id: string
  address: string | null
  userAgent: string | null
  created: string
  lastUsed: string
  expires: string
}

const sessionColumns = sql`id, address, user_agent, created, last_used, expires`

type Query = QueryOf<typeof sessions, 'auth.sessions.list'>

export function pageOfSessions(db: Db, query: Query, userId: string, now: Date) {
  return listSql<SessionRow, Query>(db, query, {
    from: sql`sessions`,
    where: sql`user_id = ${userId} and expires > ${now} and last_used > ${idleSince(now)}`,
    select: sessionColumns,
    sort: { created: 'created', lastUsed: 'last_used', id: 'id' },
    filter: { id: 'id' },
    id: 'id',
  })
}

/** A session that was last used before this has ended. */
function idleSince(now: Date): Date {
  return new Date(now.getTime() - sessionIdleDays * 86_400_000)
}

export async function deleteSession(db: Db, userId: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from sessions where user_id = ${userId} and id = ${id} returning id`)
  return rows.length > 0
}

/** All sessions of the user but one, or all. */
export async function deleteSessions(db: Db, userId: string, except: string | null): Promise<number> {
  const rows = await db.query(sql`
    delete from sessions where user_id = ${userId} and id <> coalesce(${except}, '') returning id`)
  return rows.length
}

/** Those of pending accounts stay with them: they show whether the account is still used. */
export const overSessions = (now: Date) => sql`
  select s.id from sessions s join users u on u.id = s.user_id
  where u.verified_at is not null and (s.expires < ${now} or s.last_used < ${idleSince(now)})`

export async function sweepSessions(db: Db, now: Date): Promise<void> {
  await db.query(sql`delete from sessions where id in (${overSessions(now)} for update of s skip locked)`)
}
