// SQL of the inbox.
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { inbox } from './contract.ts'

export type EntryRow = {
  id: string
  userId: string
  workspaceId: string
  type: string
  isOutside: boolean
  object: string | null
  recordId: string | null
  actorId: string | null
  actorName: string | null
  facts: Record<string, string>
  isRead: boolean
  created: string
}

const columns = sql`
  e.id, e.user_id, e.workspace_id, e.type, e.is_outside, e.object, e.record_id, a.id as actor_id,
  concat_ws(' ', a.forename, a.surname) as actor_name, e.facts, e.read_at is not null as is_read, e.created`
const tables = sql`inbox_entries e left join users a on a.id = e.actor_id`

/** Of workspaces that the user is in now, and what is told to people outside. */
function readableIn(userId: string, workspaceIds: readonly string[]): Sql {
  return sql`e.user_id = ${userId} and (e.is_outside or e.workspace_id = any(${workspaceIds}::text[]))`
}

type Query = QueryOf<typeof inbox, 'auth.inbox.list'>

export function pageOfEntries(db: Db, query: Query, userId: string, workspaceIds: readonly string[]) {
  return listSql<EntryRow, Query>(db, query, {
    from: tables,
    where: sql`${readableIn(userId, workspaceIds)} and e.is_shown`,
    select: columns,
    sort: { created: 'e.created' },
    filter: {
      isRead: { column: '(e.read_at is not null)', type: 'boolean' },
      type: 'e.type',
      workspaceId: 'e.workspace_id',
    },
    cursor: { created: 'timestamptz', id: 'text' },
    id: 'e.id',
    neverNull: ['created'],
  })
}

export async function countUnread(db: Db, userId: string, workspaceIds: readonly string[]): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`select count(*)::int as count from inbox_entries e
      where ${readableIn(userId, workspaceIds)} and e.is_shown and e.read_at is null`,
  )
  return row?.count ?? 0
}

/** Those that wait to be mailed in this way, oldest first. */
export function entriesToMail(db: Db, userId: string, workspaceIds: readonly string[], mail: Mailing, id?: string) {
  return db.query<EntryRow>(sql`
    select ${columns} from ${tables}
    where ${readableIn(userId, workspaceIds)} and e.mail = ${mail} and (${id ?? null}::text is null or e.id = ${id ?? null})
    order by e.created, e.id limit ${mostMailed}::int`)
}

/** How many one mail names. */
export const mostMailed = 100

export async function setRead(
  db: Db,
  userId: string,
  workspaceIds: readonly string[],
  id: string,
  readAt: Date | null,
): Promise<EntryRow | undefined> {
  const changed = await db.query(sql`
    update inbox_entries e set read_at = case when ${readAt}::timestamptz is null then null else coalesce(e.read_at, ${readAt}) end
    where ${readableIn(userId, workspaceIds)} and e.is_shown and e.id = ${id} returning e.id`)
  if (changed.length === 0) return undefined
  return await first(db, sql`select ${columns} from ${tables} where e.user_id = ${userId} and e.id = ${id}`)
}

export async function readAll(
  db: Db,
  userId: string,
  workspaceIds: readonly string[],
  until: Date,
  now: Date,
): Promise<number> {
  const rows = await db.query(sql`
    update inbox_entries set read_at = ${now} where id in (
      select e.id from inbox_entries e
      where ${readableIn(userId, workspaceIds)} and e.is_shown and e.read_at is null and e.created <= ${until}
      order by e.id for update)
    returning id`)
  return rows.length
}

/** Everything that was ever told and is still there, for the person's own export. */
export function allEntries(db: Db, userId: string, workspaceIds: readonly string[]): Promise<EntryRow[]> {
  return db.query(sql`
    select ${columns} from ${tables} where ${readableIn(userId, workspaceIds)} order by e.created, e.id`)
}

// Telling

export type Mailing = 'single' | 'digest'

export type NewEntry = {
  workspaceId: string
  type: string
  isOutside: boolean
  object: string | null
  recordId: string | null
  actorId: string | null
  facts: Readonly<Record<string, string>>
  source: string
  /** False where the mail is sent by somebody else. */
  mayMail: boolean
}

/** One for each of the users whose settings want it, in the inbox or by mail; whoever was told already is left out. */
export async function insertEntries(
  db: Db,
  entry: NewEntry,
  to: readonly { id: string; userId: string }[],
  now: Date,
): Promise<void> {
  const ids = to.map(({ id }) => id)
  const userIds = to.map(({ userId }) => userId)
  const { workspaceId, type, isOutside, object, recordId, actorId, facts, source, mayMail } = entry
  // Users before the workspace, as everywhere. Whose account has ended is told nothing, and named nowhere.
  await db.query(sql`
    select id from users where id = any(${[...userIds, actorId ?? '']}::text[]) order by id for key share`)
  await db.query(sql`
    insert into inbox_entries (id, user_id, workspace_id, type, is_outside, object, record_id, actor_id, facts, source,
      is_shown, mail, created)
    select t.id, t.user_id, ${workspaceId}, ${type}, ${isOutside}, ${object}, ${recordId},
      (select id from users where id = ${actorId}),      ${JSON.stringify(facts)}::jsonb, ${source}, wants.web,
      case when wants.email and ${mayMail}::boolean then case when wants.digest then 'digest' else 'single' end end, ${now}
    from unnest(${ids}::text[], ${userIds}::text[]) t (id, user_id) join users u on u.id = t.user_id
    left join notification_settings n on n.user_id = u.id
    cross join lateral (select ${wants('web', type)} as web, ${wants('email', type)} as email,
      coalesce((n.settings -> 'updates' ->> 'digest')::boolean, false) as digest) wants
    where wants.web or (wants.email and ${mayMail}::boolean)
    on conflict (source, user_id) do nothing`)
}

/** What is set for the type, else for all types. */
function wants(channel: 'web' | 'email', type: string): Sql {
  return sql`coalesce((n.settings -> 'preferences' -> ${type} ->> ${channel})::boolean,
    (n.settings -> 'globalChannels' ->> ${channel})::boolean, true)`
}

/** The newest stay. */
export async function trim(db: Db, userIds: readonly string[], most: number): Promise<void> {
  await db.query(sql`
    delete from inbox_entries where id in (
      select e.id from inbox_entries e where e.id in (
        select old.id from unnest(${userIds}::text[]) u (id) cross join lateral (
          select o.id from inbox_entries o where o.user_id = u.id
          order by o.created desc, o.id desc offset ${most}::int) old)
      order by e.id for update skip locked)`)
}

/** Of this source: whose bell rings, and whose mail is still to be sent. */
export function told(db: Db, source: string) {
  return db.query<{ id: string; userId: string; isShown: boolean; mail: Mailing | null }>(sql`
    select id, user_id, is_shown, mail from inbox_entries where source = ${source} order by id`)
}

/** Undefined where the account has ended or has no proven address. */
export async function mailAddressOf(db: Db, userId: string): Promise<string | undefined> {
  const row = await first<{ email: string | null }>(
    db,
    sql`select proven_email as email from users where id = ${userId}`,
  )
  return row?.email ?? undefined
}

/** Those of these types that the user wants by mail as the settings are now. */
export async function typesWanted(db: Db, userId: string, types: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ type: string }>(sql`
    select t.type from unnest(${types}::text[]) t (type) left join notification_settings n on n.user_id = ${userId}
    where coalesce((n.settings -> 'preferences' -> t.type ->> 'email')::boolean,
      (n.settings -> 'globalChannels' ->> 'email')::boolean, true)`)
  return new Set(rows.map(({ type }) => type))
}

/** From waiting in one way to waiting in another, or to not waiting: it was mailed, or is not to be. */
export async function setMail(db: Db, ids: readonly string[], from: Mailing, to: Mailing | null): Promise<void> {
  await db.query(sql`
    update inbox_entries set mail = ${to} where id in (
      select id from inbox_entries where id = any(${ids}::text[]) and mail = ${from} order by id for update)`)
}

export async function idsToMail(db: Db, userId: string, mail: Mailing): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from inbox_entries where user_id = ${userId} and mail = ${mail} order by created, id`)
  return rows.map(({ id }) => id)
}

/** Users for whom something waits, a piece at a time. */
export const usersWithDigest = (after: string, most: number) => sql`
  select distinct user_id from inbox_entries where mail = 'digest' and user_id > ${after} order by user_id limit ${most}::int`
