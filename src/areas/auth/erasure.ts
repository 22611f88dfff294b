// What is left of a person where no foreign key leads, and how it is erased.
import type { Db } from '../../kit/db.ts'
import { unlinked } from '../../kit/mail_text.ts'
import { raw, type Sql, sql } from '../../kit/sql.ts'

/** All by which somebody can be recognised, in lower case. */
export type Person = { ids: readonly string[]; addresses: readonly string[]; usernames: readonly string[] }

/** Every address and username that these users have or had. */
export async function personsOf(db: Db, ids: readonly string[]): Promise<Person> {
  const rows = await db.query<{ address: string | null; username: string | null }>(sql`
    select lower(email) as address, lower(username) as username from users where id = any(${ids}::text[])
    union select lower(proven_email), null from users where id = any(${ids}::text[])
    union select lower(old_email), null from email_changes where user_id = any(${ids}::text[])
    union select lower(new_email), null from email_changes where user_id = any(${ids}::text[])`)
  const named = (pick: 'address' | 'username') => [
    ...new Set(rows.map(row => row[pick]).filter(value => value !== null)),
  ]
  return { ids, addresses: named('address'), usernames: named('username') }
}

/** An address that others have too keeps what is theirs. Right only once the users are gone. */
function unused({ addresses }: Person): Sql {
  return sql`
    select a from unnest(${addresses}::text[]) a
    where not exists (select from users u where lower(u.email) = a or lower(u.proven_email) = a)`
}

/**
 * What the ledger knew of the person, as the one who acted or was acted on, or named by address in what others did;
 * the entries stay under the id, which now leads nowhere.
 */
export async function erasePersonal(db: Db, person: Person): Promise<void> {
  const { ids } = person
  await db.query(sql`
    with named as materialized (select array(${unused(person)}) as addresses)
    update ledger l set personal = null from (
      select chain, seq from ledger
      where personal is not null and (actor_id = any(${ids}::text[]) or target_id = any(${ids}::text[])
        or (json_array_length(personal -> 'changes') > 0
          and ledger_personal_values(personal) && (select addresses from named)))
      order by chain, seq for update) held
    where l.chain = held.chain and l.seq = held.seq`)
}

/**
 * Codes, invites, kept mails, jobs, pages that were being looked at, addresses that applications give, and what others
 * were told a workspace was called.
 */
export async function eraseTraces(db: Db, person: Person, workspaceNames: readonly string[]): Promise<void> {
  const { ids, addresses, usernames } = person
  const changes = ids.map(id => `change:${id}`)
  await db.query(sql`
    delete from codes where id in (
      select id from codes where purpose = any(${changes}::text[]) or address in (${unused(person)})
      order by id for update)`)
  const invites = await db.query<{ id: string }>(sql`
    delete from invites where id in (
      select id from invites where lower(email) in (${unused(person)}) order by id for update)
    returning id`)
  const inviteIds = invites.map(({ id }) => id)
  await db.query(sql`
    update oauth_clients set contact_email = null where id in (
      select id from oauth_clients where lower(contact_email) in (${unused(person)}) order by id for update)`)
  await db.query(sql`
    delete from oauth_objects where kind = 'Interaction'
      and lower(payload -> 'params' ->> 'login_hint') = any(${[...addresses, ...usernames]}::text[])`)
  await db.query(sql`
    delete from jobs.job where id in (
      select id from jobs.job where data ->> 'userId' = any(${ids}::text[])
        or data ->> 'inviteId' = any(${inviteIds}::text[]) or lower(data ->> 'email') in (${unused(person)})
        or (data -> 'userIds' <> '[]' and data -> 'userIds' <@ to_jsonb(${ids}::text[]))
      order by id for update)`)
  const lowered = workspaceNames.map(name => name.toLowerCase())
  await db.query(sql`
    update inbox_entries set facts = facts - 'workspace' where id in (
      select id from inbox_entries where is_outside and lower(facts ->> 'workspace') = any(${lowered}::text[])
      order by id for update)`)
  const words = workspaceNames.map(unlinked)
  await db.query(sql`
    delete from mailbox where lower(recipient) in (${unused(person)}) or names && ${ids}::text[]
      or exists (select from unnest(${words}::text[]) word where strpos(lower(text), lower(word)) > 0)`)
  await db.query(sql`
    delete from integration_deliveries where no in (
      select no from integration_deliveries where people && ${ids}::text[] order by no for update)`)
  await eraseFromAutomations(db, ids)
  // A page carries the name of its workspace, and cannot be changed: it is over.
  await db.query(sql`
    delete from page_contents where page_id in (
      select c.page_id from page_contents c, unnest(${lowered}::text[]) name
      where strpos(lower(c.html), name) > 0 or strpos(lower(c.markdown), name) > 0 order by 1)`)
}

/** Definitions and history name people by id alone; the rest of what they say is the workspace's. */
async function eraseFromAutomations(db: Db, ids: readonly string[]): Promise<void> {
  const pattern = ids.join('|')
  const without = (column: string) => sql`regexp_replace(${raw(column)}::text, ${pattern}, 'usr_gone', 'g')::json`
  await db.query(sql`
    update automations set definition = ${without('definition')}, people = '{}' where id in (
      select id from automations where people && ${ids}::text[] order by id for update)`)
  await db.query(sql`
    update automation_versions set definition = ${without('definition')}, people = '{}' where id in (
      select id from automation_versions where people && ${ids}::text[] order by id for update)`)
  await db.query(sql`
    update automation_executions set data = ${without('data')}, people = '{}' where id in (
      select id from automation_executions where people && ${ids}::text[] order by id for update)`)
  await db.query(sql`
    update automation_steps set input = ${without('input')}, output = ${without('output')}, people = '{}'
    where (execution_id, path) in (
      select execution_id, path from automation_steps where people && ${ids}::text[] order by 1, 2 for update)`)
}
