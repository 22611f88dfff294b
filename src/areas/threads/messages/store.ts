// SQL of messages.
import type { Static } from 'typebox'
import type { Caller } from '../../../kit/context.ts'
import { type Db, first } from '../../../kit/db.ts'
import { raterOf, ratingOf } from '../../../kit/rating_sql.ts'
import { goneWith } from '../../../kit/removal.ts'
import { sql } from '../../../kit/sql.ts'
import type { Looking } from '../../../kit/visibility.ts'
import { directory } from '../../../operations.ts'
import { seen } from '../store.ts'
import type { Message, Part } from './contract.ts'

export type MessageRow = Static<typeof Message>

type Viewer = Looking & Partial<Pick<Caller, 'credential' | 'userId' | 'credentialId'>>

/** Of the table `messages m`, with what this one rated them. */
export const columnsFor = (viewer: Viewer | null) => sql`
  m.id, m.workspace_id, m.thread_id, m.seq, m.role, m.parts, m.text,
  jsonb_build_object('type', case when m.author_team_id is not null then 'team' when m.author_client_id is not null
      then 'client' when m.author_credential = 'system' then 'system' else 'user' end,
    'id', coalesce(m.author_user_id, m.author_team_id, m.author_client_id), 'credentialId', m.author_credential) as author,
  m.caller_kind, m.status, m.usage, ${ratingOf('message', 'm', { rater: raterIn(viewer) })}, m.edited as edited_at, m.created, m.updated,
  'message' as _object`

/** Where nobody in particular looks, nothing is theirs. */
function raterIn(viewer: Viewer | null): string | null {
  const { credential, credentialId, userId = null } = viewer ?? {}
  return credential && credentialId ? raterOf({ credential, userId, credentialId }) : null
}

/** Messages of threads that the caller sees. */
export const tables = sql`messages m join threads t on t.id = m.thread_id`

export function find(db: Db, workspaceId: string, id: string, viewer: Viewer): Promise<MessageRow | undefined> {
  return first(db, sql`select ${columnsFor(viewer)} from ${tables} where ${seen(workspaceId, viewer)} and m.id = ${id}`)
}

export async function findAll(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  viewer: Viewer,
): Promise<Map<string, MessageRow>> {
  const rows = await db.query<MessageRow>(sql`
    select ${columnsFor(viewer)} from ${tables} where ${seen(workspaceId, viewer)} and m.id = any(${ids}::text[])`)
  return new Map(rows.map(row => [row.id, row]))
}

type NewMessage = {
  id: string
  workspaceId: string
  threadId: string
  role: string
  status: string
  parts: readonly Part[]
  title: string
  text: string
  usage: object | null
  author: Author
}

type Author = {
  userId: string | null
  teamId: string | null
  clientId: string | null
  credential: string | null
  callerKind: string | null
}

/** Whose words they are: of a person who is signed in, the person’s; otherwise also the key’s or run’s. */
export function authorOf({ ownerId, credential, credentialId, callerKind }: Caller): Author {
  const isNamed = credential === 'key' || credential === 'run'
  return {
    userId: ownerId.startsWith('usr_') ? ownerId : null,
    teamId: ownerId.startsWith('team_') ? ownerId : null,
    clientId: ownerId.startsWith('oauth_client_') ? ownerId : null,
    credential: isNamed ? credentialId : null,
    callerKind,
  }
}

/** At the end of the thread, whose row is held; `name` where the thread is still to get one. */
export async function append(db: Db, message: NewMessage, name: string | null, now: Date): Promise<MessageRow> {
  const { id, workspaceId, threadId, role, status, parts, title, text, usage, author } = message
  const row = await first<MessageRow>(
    db,
    sql`
    with counted as (
      update threads t set last_seq = t.last_seq + 1, last_message_at = ${now}, updated = ${now},
        name = coalesce(${name}::text, t.name), is_named = t.is_named or ${name}::text is not null,
        naming_seq = case when ${name}::text is null then t.naming_seq else t.last_seq + 1 end
      where t.id = ${threadId} returning t.last_seq),
    m as (
      insert into messages (id, workspace_id, thread_id, seq, role, status, parts, title, text, author_user_id,
        author_team_id, author_client_id, author_credential, caller_kind, usage, created, updated)
      select ${id}, ${workspaceId}, ${threadId}, last_seq, ${role}, ${status}, ${JSON.stringify(parts)}::jsonb, ${title},
        ${text}, ${author.userId}::text, ${author.teamId}::text, ${author.clientId}::text, ${author.credential}::text,
        ${author.callerKind}::text, ${usage && JSON.stringify(usage)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
      from counted returning *)
    select ${columnsFor(null)} from m`,
  )
  return row as MessageRow
}

type MessageChange = {
  parts: readonly Part[]
  title: string
  text: string
  status: string
  usage: object | null
  /** Where a person changed it; while it is streamed it is being written. */
  editedAt: Date | null
}

export async function update(
  db: Db,
  id: string,
  change: MessageChange,
  now: Date,
  viewer: Viewer | null = null,
): Promise<MessageRow> {
  const { parts, title, text, status, usage, editedAt } = change
  const row = await first<MessageRow>(
    db,
    sql`
    update messages m set parts = ${JSON.stringify(parts)}::jsonb, title = ${title}, text = ${text}, status = ${status},
      usage = ${usage && JSON.stringify(usage)}::jsonb, edited = coalesce(${editedAt}::timestamptz, m.edited),
      updated = ${now}
    where m.id = ${id} returning ${columnsFor(viewer)}`,
  )
  return row as MessageRow
}

/** The content is gone for good, with what hangs on the message; its number stays taken. */
export async function redact(db: Db, id: string, now: Date): Promise<void> {
  const erasure = sql`
    update messages m set parts = '[]', title = 'Deleted message', text = '', usage = null, status = 'redacted',
      edited = null, updated = ${now}
    where m.id = ${id} returning *`
  await db.query(sql`${goneWith(directory, 'message', erasure)} select count(*) from gone`)
}

/** What a runner was writing when it was lost. */
export async function failStreamed(db: Db, runId: string, now: Date): Promise<void> {
  await db.query(sql`
    update messages set status = 'failed', updated = ${now}
    where author_credential = ${runId} and status = 'streaming'`)
}

/** Which of these calls were made in the thread. */
export async function callsIn(db: Db, threadId: string, callIds: readonly string[]): Promise<Set<string>> {
  if (callIds.length === 0) return new Set()
  const rows = await db.query<{ callId: string }>(sql`
    select distinct p ->> 'callId' as call_id from messages m, jsonb_array_elements(m.parts) p
    where m.thread_id = ${threadId} and p ->> 'type' = 'tool_call' and p ->> 'callId' = any(${callIds}::text[])`)
  return new Set(rows.map(row => row.callId))
}

/** Which of these are messages of one of the threads. */
export async function among(db: Db, threadIds: readonly string[], ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select m.id from messages m where m.thread_id = any(${threadIds}::text[]) and m.id = any(${ids}::text[])
      and m.status <> 'redacted'`)
  return new Set(rows.map(row => row.id))
}

/** Which of these messages, of whatever thread, are of this one. */
export async function isOf(db: Db, threadId: string, id: string): Promise<boolean> {
  return (await db.query(sql`select 1 as one from messages where thread_id = ${threadId} and id = ${id}`)).length > 0
}

/** Behind a number, oldest first. */
export function after(
  db: Db,
  threadId: string,
  seq: number,
  most: number,
  viewer: Viewer | null = null,
): Promise<MessageRow[]> {
  return db.query(sql`
    select ${columnsFor(viewer)} from messages m where m.thread_id = ${threadId} and m.seq > ${seq}::int
    order by m.seq limit ${most}::int`)
}

/** The newest, oldest first. */
export async function newest(
  db: Db,
  threadId: string,
  most: number,
  viewer: Viewer | null = null,
): Promise<MessageRow[]> {
  const rows = await db.query<MessageRow>(sql`
    select ${columnsFor(viewer)} from messages m where m.thread_id = ${threadId}
    order by m.seq desc limit ${most}::int`)
  return rows.reverse()
}

/** For figures over time: one row for each message. */
export const messageCounts = (workspaceId: string, { from, to }: { from: Date; to: Date }) => sql`
  select m.created as at, 1 as weight, 0::numeric as value,
    jsonb_build_object('role', jsonb_build_array(m.role), 'kind', jsonb_build_array(coalesce(m.caller_kind, 'none')),
      'type', jsonb_build_array(t.type)) as dims
  from messages m join threads t on t.id = m.thread_id where m.workspace_id = ${workspaceId} and m.created >= ${from} and m.created < ${to}`
