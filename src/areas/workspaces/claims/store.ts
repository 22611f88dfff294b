// SQL of people whom an import brought: members who have no account here, until somebody claims them.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { raw, type Sql, sql } from '../../../kit/sql.ts'
import type { Person } from '../carrying/archive.ts'
import type { claims, WorkspaceClaim } from './contract.ts'

export type ClaimRow = Static<typeof WorkspaceClaim>

/** Of rows of members under this name: only people who can act. Nobody can log in as a placeholder. */
export function canAct(members: 'm' | 'o'): Sql {
  return sql`not exists (select from placeholders p where p.user_id = ${raw(`${members}.user_id`)})`
}

/** Verified at once, so that they are not taken for accounts that nobody finished. */
export async function insertPlaceholders(db: Db, workspaceId: string, people: readonly Person[], now: Date) {
  const rows = JSON.stringify(people.map(one => ({ ...one, address: one.address?.toLowerCase() ?? null })))
  // One statement: a user without its placeholder would be nobody's, and never removed.
  await db.query(sql`
    with people as (
      select * from json_to_recordset(${rows}::json) as p (id text, forename text, surname text, address text)
    ), made as (
      insert into users (id, forename, surname, verified_at, created, updated)
      select p.id, p.forename, p.surname, ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz from people p)
    insert into placeholders (user_id, workspace_id, address, created)
    select p.id, ${workspaceId}, p.address, ${now}::timestamptz from people p`)
}

/** Of people who end their accounts: nobody is asked for any more by what somebody else knew of them. */
export async function forgetAddressesOf(db: Db, userIds: readonly string[]): Promise<void> {
  await db.query(sql`
    update placeholders set address = null where address in (
      select lower(proven_email) from users where id = any(${userIds}::text[]) and proven_email is not null)`)
}

/** Of workspaces that are gone: nobody else names them. */
export const orphans = (most: number) => sql`
  select p.user_id from placeholders p
  where not exists (select from workspaces w where w.id = p.workspace_id) order by p.user_id limit ${most}::int`

export async function removeOrphans(db: Db, most: number): Promise<number> {
  const gone = await db.query(sql`delete from users where id in (${orphans(most)}) returning id`)
  return gone.length
}

/** Those that nobody has answered yet, with whoever has proven their address (`u`). */
const claimable = sql`placeholders p
  join users n on n.id = p.user_id
  join users u on lower(u.proven_email) = p.address and u.verified_at is not null and u.id <> p.user_id
  join workspaces w on w.id = p.workspace_id and w.status = 'active'
  join workspace_members m on m.workspace_id = p.workspace_id and m.user_id = p.user_id`
const isOpen = sql`p.claimed_by is null and p.declined is null`
const columns = sql`
  p.user_id as id, n.forename, n.surname, p.workspace_id, w.name as workspace_name, m.position, p.created,
  'workspace_claim' as _object`

type Query = QueryOf<typeof claims, 'workspaces.claims.list'>

export function pageOfClaims(db: Db, query: Query, userId: string) {
  return listSql<ClaimRow, Query>(db, query, {
    from: claimable,
    where: sql`u.id = ${userId} and ${isOpen}`,
    select: columns,
    sort: { created: 'p.created', id: 'p.user_id' },
    filter: { id: 'p.user_id', workspaceId: 'p.workspace_id' },
    id: 'p.user_id',
    neverNull: ['created', 'id'],
  })
}

export function findClaim(db: Db, userId: string, id: string): Promise<ClaimRow | undefined> {
  return first(db, sql`select ${columns} from ${claimable} where p.user_id = ${id} and u.id = ${userId} and ${isOpen}`)
}

/** People who may claim somebody in this workspace, page by page. */
export async function peopleWhoMayClaim(db: Db, workspaceId: string, after: string, most: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct u.id from ${claimable} where p.workspace_id = ${workspaceId} and ${isOpen} and u.id > ${after}
    order by u.id limit ${most}::int`)
  return rows.map(({ id }) => id)
}

/** The workspaces in which this person may claim somebody: one is enough to tell them. */
export async function findAnyClaim(db: Db, userId: string): Promise<string | undefined> {
  const row = await first<{ id: string }>(
    db,
    sql`select p.workspace_id as id from ${claimable} where u.id = ${userId} and ${isOpen} order by p.created limit 1`,
  )
  return row?.id
}

/** One who claims, under the lock of the row. False where somebody was quicker. */
export async function putClaim(db: Db, id: string, userId: string): Promise<boolean> {
  const rows = await db.query(sql`
    update placeholders p set claimed_by = ${userId} where p.user_id = ${id} and ${isOpen} returning p.user_id`)
  return rows.length > 0
}

export async function putDeclined(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update placeholders p set declined = ${now} where p.user_id = ${id} and ${isOpen} returning p.user_id`)
  return rows.length > 0
}

/** As what the other was, where they are no member yet. Says whether that takes a seat. */
export async function takePlace(db: Db, workspaceId: string, from: string, userId: string, now: Date) {
  const made = await db.query<{ takesSeat: boolean }>(sql`
    insert into workspace_members (workspace_id, user_id, position, scopes, status, invited_by, created, updated)
    select workspace_id, ${userId}, position, scopes, status, invited_by, created, ${now} from workspace_members
    where workspace_id = ${workspaceId} and user_id = ${from} on conflict do nothing
    returning position <> 'viewer' and status = 'active' as takes_seat`)
  // Nobody gives the other anything any more.
  await db.query(sql`
    update workspace_members set status = 'suspended' where workspace_id = ${workspaceId} and user_id = ${from}`)
  return made[0]?.takesSeat ?? false
}

export type Claimed = { id: string; workspaceId: string; claimedBy: string; claimTable: string | null }

/** Somebody who is claimed and not written everywhere yet, after this one. */
export const claimed = (after: string) => sql`
    select p.user_id as id, p.workspace_id, p.claimed_by, p.claim_table from placeholders p
    join workspaces w on w.id = p.workspace_id
    where p.claimed_by is not null and p.user_id > ${after} order by p.user_id limit 1`

export function nextClaimed(db: Db, after: string): Promise<Claimed | undefined> {
  return first(db, claimed(after))
}

export async function putClaimTable(db: Db, id: string, table: string): Promise<void> {
  await db.query(sql`update placeholders set claim_table = ${table} where user_id = ${id}`)
}

export async function renameInviter(db: Db, workspaceId: string, from: string, to: string): Promise<void> {
  await db.query(sql`
    update workspace_members set invited_by = ${to} where workspace_id = ${workspaceId} and invited_by = ${from}`)
}

/** What is still theirs goes along: it stands twice, and the claimant's own stays. */
export async function removePlaceholder(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from users where id in (select user_id from placeholders where user_id = ${id})`)
}
