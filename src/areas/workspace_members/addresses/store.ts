// SQL of the verified addresses of members.
import type { Db } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'

export async function isMemberAddress(db: Db, workspaceId: string, email: string): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 as one from workspace_members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and lower(u.proven_email) = lower(${email})`)
  return rows.length > 0
}

/** Those of these addresses that are verified ones of members who are active, as the members write them. */
export async function verifiedAmong(db: Db, workspaceId: string, emails: readonly string[]): Promise<string[]> {
  const lower = emails.map(email => email.toLowerCase())
  const rows = await db.query<{ email: string }>(sql`
    select u.proven_email as email from workspace_members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.status = 'active' and lower(u.proven_email) = any(${lower}::text[])
    order by 1`)
  return rows.map(({ email }) => email)
}

/** The verified addresses of those members who are named by id or by such an address, in one order. */
export async function verifiedOf(db: Db, workspaceId: string, named: readonly string[]): Promise<string[]> {
  const ids = named.filter(one => one.startsWith('usr_'))
  const lower = named.map(one => one.toLowerCase())
  const rows = await db.query<{ email: string }>(sql`
    select u.proven_email as email from workspace_members m join users u on u.id = m.user_id
    where m.workspace_id = ${workspaceId} and m.status = 'active' and u.proven_email is not null
      and (u.id = any(${ids}::text[]) or lower(u.proven_email) = any(${lower}::text[]))
    order by 1`)
  return rows.map(({ email }) => email)
}
