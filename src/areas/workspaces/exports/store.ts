// SQL of exports: their records, and what an archive says of the workspace itself and of people.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { assignments, sql } from '../../../kit/sql.ts'
import type { CarriedWorkspace, Person } from '../carrying/archive.ts'
import type { exports, WorkspaceExport } from './contract.ts'

export type ExportRow = Static<typeof WorkspaceExport>

const columns = sql`
  e.id, e.workspace_id, e.user_id, e.status, e.part, e.done, e.total, e.size::float8 as size, e.sha256, e.error,
  e.expires_at, e.created, e.updated, 'workspace_export' as _object`

type NewExport = { id: string; workspaceId: string; userId: string; expiresAt: Date }

export async function insertExport(db: Db, { id, workspaceId, userId, expiresAt }: NewExport, now: Date) {
  await db.query(sql`
    insert into workspace_exports (id, workspace_id, user_id, status, expires_at, created, updated)
    values (${id}, ${workspaceId}, ${userId}, 'waiting', ${expiresAt}, ${now}, ${now})`)
  return (await findExport(db, workspaceId, id, userId)) as ExportRow
}

/** An export is for who asked for it: it holds what is theirs alone. */
export function findExport(db: Db, workspaceId: string, id: string, userId: string): Promise<ExportRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from workspace_exports e
    where e.id = ${id} and e.workspace_id = ${workspaceId} and e.user_id = ${userId}`,
  )
}

type Query = QueryOf<typeof exports, 'workspaces.exports.list'>

export function pageOfExports(db: Db, query: Query, of: { workspaceId: string; userId: string; now: Date }) {
  return listSql<ExportRow, Query>(db, query, {
    from: sql`workspace_exports e`,
    where: sql`e.workspace_id = ${of.workspaceId} and e.user_id = ${of.userId} and e.expires_at > ${of.now}`,
    select: columns,
    sort: { created: 'e.created', id: 'e.id' },
    filter: { id: 'e.id', status: 'e.status' },
    id: 'e.id',
    neverNull: ['created', 'id'],
  })
}

/** Those that this one takes the place of: their time is over. */
export async function expireOthers(db: Db, id: string, now: Date): Promise<void> {
  await db.query(sql`
    update workspace_exports o set expires_at = ${now} from workspace_exports e
    where e.id = ${id} and o.workspace_id = e.workspace_id and o.user_id = e.user_id and o.id <> e.id
      and o.status in ('ready', 'failed') and o.expires_at > ${now}`)
}

export function findUnfinished(db: Db, workspaceId: string, userId: string): Promise<ExportRow | undefined> {
  return first(
    db,
    sql`
    select ${columns} from workspace_exports e
    where e.workspace_id = ${workspaceId} and e.user_id = ${userId} and e.status in ('waiting', 'running')
    order by e.created limit 1`,
  )
}

export type Wanted = { workspaceId: string; userId: string; status: string }

export function findWanted(db: Db, id: string): Promise<Wanted | undefined> {
  return first(db, sql`select workspace_id, user_id, status from workspace_exports where id = ${id}`)
}

const changeable = ['status', 'part', 'done', 'total', 'size', 'sha256', 'error', 'updated'] as const

export async function updateExport(
  db: Db,
  id: string,
  fields: { [K in (typeof changeable)[number]]?: unknown },
): Promise<void> {
  await db.query(sql`update workspace_exports set ${assignments(changeable, fields)} where id = ${id}`)
}

/** Exports whose time is over. */
export const dueExports = (now: Date, most: number) => sql`
  select id from workspace_exports where expires_at <= ${now} order by expires_at limit ${most}::int`

export async function removeExport(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from workspace_exports where id = ${id}`)
}

type CarriedRow = CarriedWorkspace & { secretsSet: string[] }

export async function findCarried(db: Db, id: string): Promise<{ record: CarriedWorkspace; secretsSet: string[] }> {
  const row = await first<CarriedRow>(
    db,
    sql`
    select w.id, w.name, w.slug, w.description, w.owner_id, w.settings, w.created, w.updated,
      array(select k from jsonb_object_keys(w.secrets) k order by k) as secrets_set
    from workspaces w where w.id = ${id}`,
  )
  if (!row) throw new Error('the workspace is gone')
  const { secretsSet, ...record } = row
  return { record, secretsSet }
}

/**
 * With the address where it is verified and they are members, and of a placeholder that is still offered to somebody who
 * is no member. Whoever writes an id into a text learns nothing of that person by it: only people whom this workspace has
 * to do with are told of, `known` among them.
 */
export function findPeople(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  known: readonly string[],
): Promise<Person[]> {
  return db.query(sql`
    select u.id, u.forename, u.surname, coalesce(
      case when p.claimed_by is null and p.declined is null and not exists (
        select from workspace_members o join users w on w.id = o.user_id
        where o.workspace_id = p.workspace_id and lower(w.proven_email) = p.address) then p.address end,
      case when m.user_id is not null and u.verified_at is not null then u.proven_email end) as address
    from users u
    left join workspace_members m on m.workspace_id = ${workspaceId} and m.user_id = u.id
    left join placeholders p on p.user_id = u.id and p.workspace_id = ${workspaceId}
    where u.id = any(${ids}::text[]) and (u.id = any(${known}::text[]) or m.user_id is not null or p.user_id is not null
      or exists (select from ledger l where l.chain = ${workspaceId} and l.actor_id = u.id)
      or exists (select from ledger l where l.chain = ${workspaceId} and l.target_id = u.id))
    order by u.id`)
}
