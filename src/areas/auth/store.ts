// SQL of accounts: users, sessions, codes and settings.
import type { Static } from 'typebox'
import { type Db, first } from '../../kit/db.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import type { User } from './contract.ts'

/** A user with what only the platform may know. */
export type Account = Static<typeof User> & {
  provenEmail: string | null
  verifiedAt: string | null
  passwordHash: string | null
  /** Null while it is the one of the sign-up. */
  passwordChanged: string | null
  inviteHash: string | null
}

const columns = sql`
  id, forename, surname, email, username, created, updated, proven_email, verified_at, password_hash,
  password_changed, invite_hash,
  coalesce(lower(email) = lower(proven_email), false) as email_verified`

export function findUser(db: Db, id: string): Promise<Account | undefined> {
  return first(db, sql`select ${columns} from users where id = ${id}`)
}

/** Nobody else changes or ends these accounts until the transaction ends, nor adds anything that is theirs. */
export async function lockUsers(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`select id from users where id = any(${ids}::text[]) order by id for update`)
}

/** Nobody else changes the account until the transaction ends. */
export function findUserForUpdate(db: Db, id: string): Promise<Account | undefined> {
  return first(db, sql`select ${columns} from users where id = ${id} for update`)
}

export function findVerified(db: Db, email: string): Promise<Account | undefined> {
  return first(db, sql`select ${columns} from users where lower(proven_email) = lower(${email})`)
}

export function findVerifiedForUpdate(db: Db, email: string): Promise<Account | undefined> {
  return first(db, sql`select ${columns} from users where lower(proven_email) = lower(${email}) for update`)
}

export function findByUsername(db: Db, username: string): Promise<Account | undefined> {
  return first(db, sql`select ${columns} from users where lower(username) = lower(${username})`)
}

/** Whoever may log in with this address: its proven holder, else its pending accounts. One query for either. */
export async function findByAddress(db: Db, email: string): Promise<Account[]> {
  const found = await db.query<Account>(sql`
    select ${columns} from users where lower(proven_email) = lower(${email})
    union all ${pendingSql(email)}`)
  const holder = found.find(account => account.verifiedAt !== null)
  return holder ? [holder] : found
}

function pendingSql(email: string): Sql {
  return sql`select ${columns} from users where lower(email) = lower(${email}) and verified_at is null`
}

/** Oldest first. */
export function findPending(db: Db, email: string): Promise<Account[]> {
  return db.query(sql`${pendingSql(email)} order by created, id`)
}

/** Held until the transaction ends: whoever else signs up with, proves or gives up these addresses waits. */
export async function lockAddresses(db: Db, emails: readonly string[]): Promise<void> {
  await db.query(sql`
    select pg_advisory_xact_lock(number) is null as locked from (
      select distinct hashtextextended(lower(a), 1) as number from unnest(${emails}::text[]) a order by 1) sorted`)
}

export type NewUser = {
  id: string
  email: string
  forename: string
  passwordHash: string | null
  ref: string | null
  inviteHash: string | null
}

export async function insertUser(db: Db, user: NewUser, now: Date): Promise<void> {
  const { id, email, forename, passwordHash, ref, inviteHash } = user
  await db.query(sql`
    insert into users (id, email, forename, password_hash, ref, invite_hash, created, updated)
    values (${id}, ${email}, ${forename}, ${passwordHash}, ${ref}, ${inviteHash}, ${now}, ${now})`)
}

const changeable = [
  'forename',
  'surname',
  'username',
  'email',
  'provenEmail',
  'verifiedAt',
  'passwordHash',
  'passwordChanged',
  'inviteHash',
] as const

type Changes = Partial<Pick<Account, (typeof changeable)[number]>>

export async function updateUser(db: Db, id: string, fields: Changes, now: Date): Promise<Account | undefined> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  return await first(db, sql`update users set ${set} where id = ${id} returning ${columns}`)
}

/** Everything that refers to the user goes along: tables declare it by `on delete cascade`. */
export async function deleteUsers(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql`delete from users where id = any(${ids}::text[])`)
}

/** Pending accounts that were not used for this long. */
export const stalePending = (before: Date) => sql`
  select u.id from users u where u.verified_at is null and u.created < ${before}
    and not exists (select from sessions s where s.user_id = u.id and s.last_used >= ${before}) limit 500`

// Codes

type Code = { id: string; digest: string }

/** False where the code was used before: its mail is being sent again, and it must not come back to life. */
export async function putCode(
  db: Db,
  code: { purpose: string; address: string; id: string; digest: string; expires: Date },
  now: Date,
): Promise<boolean> {
  const { purpose, address, id, digest, expires } = code
  const rows = await db.query(sql`
    insert into codes (purpose, address, id, digest, created, expires)
    select ${purpose}, lower(${address}), ${id}, ${digest}, ${now}::timestamptz, ${expires}::timestamptz
    where not exists (select from tries where key = ${`used code:${id}`})
    on conflict (purpose, address) do update set
      id = excluded.id, digest = excluded.digest, created = excluded.created, expires = excluded.expires
    returning id`)
  return rows.length > 0
}

export function liveCode(db: Db, purpose: string, address: string, now: Date): Promise<Code | undefined> {
  return first(
    db,
    sql`
    select id, digest from codes where purpose = ${purpose} and address = lower(${address}) and expires > ${now}`,
  )
}

/** A code that was guessed at too often is gone for everyone. */
export async function burnCode(db: Db, id: string): Promise<void> {
  await db.query(sql`delete from codes where id = ${id}`)
}

/** As long as a mail may be tried again. */
const usedCodeDays = 7

/** One winner, however many try at once. */
export async function spendCode(db: Db, purpose: string, address: string, digest: string, now: Date): Promise<boolean> {
  const until = new Date(now.getTime() + usedCodeDays * 86_400_000)
  const rows = await db.query(sql`
    with used as (
      delete from codes where purpose = ${purpose} and address = lower(${address}) and digest = ${digest} returning id
    )
    insert into tries (key, count, until) select 'used code:' || id, 1, ${until}::timestamptz from used returning key`)
  return rows.length > 0
}

export async function dropCodes(db: Db, purpose: string, address: string): Promise<void> {
  await db.query(sql`delete from codes where purpose = ${purpose} and address = lower(${address})`)
}

// Changes of address

type EmailChange = { id: string; userId: string; oldEmail: string; newEmail: string | null; created: string }

const undoDays = 7

export async function insertEmailChange(db: Db, change: Omit<EmailChange, 'created'>, now: Date): Promise<void> {
  const expires = new Date(now.getTime() + undoDays * 86_400_000)
  await db.query(sql`
    insert into email_changes (id, user_id, old_email, new_email, created, expires)
    values (${change.id}, ${change.userId}, ${change.oldEmail}, ${change.newEmail}, ${now}, ${expires})`)
}

/** Whose change this link takes back, as far as that must be known before anything is locked. */
export function peekEmailChange(db: Db, undoHash: string) {
  return first<{ userId: string; oldEmail: string }>(
    db,
    sql`select user_id, old_email from email_changes where undo_hash = ${undoHash}`,
  )
}

export function findEmailChange(db: Db, id: string): Promise<EmailChange | undefined> {
  return first(db, sql`select id, user_id, old_email, new_email, created from email_changes where id = ${id}`)
}

export async function setUndoHash(db: Db, id: string, hash: string): Promise<void> {
  await db.query(sql`update email_changes set undo_hash = ${hash} where id = ${id}`)
}

/**
 * Taken once, and the later changes with it: whoever made them could otherwise take this one back.
 * An earlier one stays, so that the address held longest wins.
 */
export async function takeEmailChange(db: Db, undoHash: string, now: Date): Promise<EmailChange | undefined> {
  const change = await first<EmailChange>(
    db,
    sql`
    delete from email_changes where undo_hash = ${undoHash} and expires > ${now}
    returning id, user_id, old_email, new_email, created`,
  )
  if (change) {
    await db.query(sql`delete from email_changes where user_id = ${change.userId} and created >= ${change.created}`)
  }
  return change
}

// Export

export function emailChangesOf(db: Db, userId: string) {
  return db.query<{ oldEmail: string; newEmail: string | null; created: string }>(sql`
    select old_email, new_email, created from email_changes where user_id = ${userId} order by created`)
}

type Activity = {
  at: string
  action: string
  outcome: string
  workspaceId: string | null
  address: string | null
  userAgent: string | null
}

const mostActivity = 10_000

export function activityOf(db: Db, userId: string) {
  return db.query<Activity>(sql`
    select at, action, outcome, nullif(chain, 'instance') as workspace_id,
      personal ->> 'address' as address, personal ->> 'userAgent' as user_agent
    from ledger where actor_id = ${userId} order by at desc limit ${mostActivity}::int`)
}
