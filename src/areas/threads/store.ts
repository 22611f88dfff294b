// SQL of threads themselves; messages and runs have stores of their own.
import type { Static } from 'typebox'
import type { QueryOf } from '../../contract/list.ts'
import { type Db, first } from '../../kit/db.ts'
import { labelled, labelsOf } from '../../kit/label_sql.ts'
import { listSql } from '../../kit/list_sql.ts'
import { ratingOf } from '../../kit/rating_sql.ts'
import { goneWith } from '../../kit/removal.ts'
import { assignments, type Sql, sql } from '../../kit/sql.ts'
import { type Looking, visibleTo } from '../../kit/visibility.ts'
import { directory } from '../../operations.ts'
import type { Thread, threads } from './contract.ts'

export type ThreadRow = Static<typeof Thread>

/** Of the table `threads t`. */
export const columns = sql`
  t.id, t.workspace_id, t.owner_id, t.name, t.type, t.visibility, t.team_id, t.parent_thread_id,
  coalesce((select jsonb_agg(jsonb_build_object('type', c.object, 'id', c.record_id) order by c.place)
    from thread_context c where c.thread_id = t.id), '[]') as context,
  t.status, case when t.type = 'hypothesis' then jsonb_build_object('statement', t.statement, 'verdict', t.verdict,
    'confidence', t.confidence, 'evidence', to_jsonb(t.evidence)) end as hypothesis,
  case when t.outcome_kind is not null then jsonb_build_object('kind', t.outcome_kind, 'summary', t.outcome_summary,
    'causeClass', t.outcome_cause) end as outcome,
  t.issue_id, t.summary, ${labelsOf('thread', 't')}, ${ratingOf('thread', 't')}, t.last_seq as message_count, t.last_message_at, t.tokens_in,
  t.tokens_out, t.created, t.updated, 'thread' as _object`

/** Of the workspace, and shown to the caller. */
export function seen(workspaceId: string, viewer: Looking): Sql {
  return sql`t.workspace_id = ${workspaceId} and ${visibleTo(viewer, 't')}`
}

type Query = QueryOf<typeof threads, 'threads.list'>

export function pageOfThreads(db: Db, query: Query, workspaceId: string, viewer: Looking) {
  return listSql<ThreadRow, Query>(db, query, {
    from: sql`threads t`,
    where: seen(workspaceId, viewer),
    select: columns,
    sort: {
      created: 't.created',
      updated: 't.updated',
      lastMessageAt: 't.last_message_at',
      name: 't.name',
      status: 't.status',
      id: 't.id',
    },
    filter: {
      id: 't.id',
      name: 't.name',
      type: 't.type',
      status: 't.status',
      visibility: 't.visibility',
      teamId: 't.team_id',
      ownerId: 't.owner_id',
      parentThreadId: 't.parent_thread_id',
      issueId: 't.issue_id',
      labels: labelled('thread', 't.id', workspaceId),
    },
    words: ['t.name'],
    time: { column: 't.created', type: 'timestamptz' },
    id: 't.id',
    neverNull: ['created', 'updated', 'name', 'status', 'id'],
  })
}

export function find(db: Db, workspaceId: string, id: string, viewer: Looking): Promise<ThreadRow | undefined> {
  return first(db, sql`select ${columns} from threads t where ${seen(workspaceId, viewer)} and t.id = ${id}`)
}

/** Whoever may see it: for what the platform itself tells of it. */
export function findAny(db: Db, workspaceId: string, id: string): Promise<ThreadRow | undefined> {
  return first(db, sql`select ${columns} from threads t where t.workspace_id = ${workspaceId} and t.id = ${id}`)
}

export async function findAll(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  viewer: Looking,
): Promise<Map<string, ThreadRow>> {
  const rows = await db.query<ThreadRow>(sql`
    select ${columns} from threads t where ${seen(workspaceId, viewer)} and t.id = any(${ids}::text[])`)
  return new Map(rows.map(row => [row.id, row]))
}

/** What is needed of a thread that something is done in; its row is held. */
export type Held = {
  id: string
  ownerId: string
  type: ThreadRow['type']
  visibility: ThreadRow['visibility']
  status: ThreadRow['status']
  parentThreadId: string | null
  depth: number
  lastSeq: number
  isNamed: boolean
  /** The number of the message that named it. */
  namingSeq: number | null
  issueId: string | null
}

const held = sql`
  t.id, t.owner_id, t.type, t.visibility, t.status, t.parent_thread_id, t.depth, t.last_seq, t.is_named, t.naming_seq,
  t.issue_id`

/** For a change; whoever locks one holds the workspace already. Parents before children, since ids say nothing of that. */
export function lock(db: Db, workspaceId: string, id: string, viewer: Looking): Promise<Held | undefined> {
  return first(db, sql`select ${held} from threads t where ${seen(workspaceId, viewer)} and t.id = ${id} for update`)
}

/** The thread and the one above it, that one first. */
export function lockFamily(db: Db, id: string): Promise<Held[]> {
  return db.query(sql`
    select ${held} from threads t
    where t.id = ${id} or t.id = (select c.parent_thread_id from threads c where c.id = ${id})
    order by t.depth, t.id for update`)
}

export type NewThread = {
  id: string
  workspaceId: string
  ownerId: string
  name: string
  isNamed: boolean
  type: string
  visibility: string
  teamId: string | null
  parentThreadId: string | null
  depth: number
  statement: string | null
  issueId: string | null
  summary: string | null
}

export async function insert(db: Db, thread: NewThread, now: Date): Promise<void> {
  const { id, workspaceId, ownerId, name, isNamed, type, visibility, teamId, parentThreadId, depth } = thread
  const { statement, issueId, summary } = thread
  await db.query(sql`
    insert into threads (id, workspace_id, owner_id, name, is_named, type, visibility, team_id, parent_thread_id, depth,
      status, statement, issue_id, summary, created, updated)
    values (${id}, ${workspaceId}, ${ownerId}, ${name}, ${isNamed}, ${type}, ${visibility}, ${teamId}, ${parentThreadId},
      ${depth}, 'idle', ${statement}, ${issueId}, ${summary}, ${now}, ${now})`)
}

const changeable = [
  'name',
  'isNamed',
  'namingSeq',
  'type',
  'visibility',
  'teamId',
  'status',
  'statement',
  'verdict',
  'confidence',
  'evidence',
  'outcomeKind',
  'outcomeSummary',
  'outcomeCause',
  'issueId',
  'summary',
] as const

export type ThreadChanges = {
  [K in (typeof changeable)[number]]?: string | number | boolean | readonly string[] | null
}

export async function update(db: Db, id: string, fields: ThreadChanges, now: Date): Promise<void> {
  const set = assignments([...changeable, 'updated'], { ...fields, updated: now })
  await db.query(sql`update threads set ${set} where id = ${id}`)
}

export async function setStatus(db: Db, id: string, status: ThreadRow['status'], now: Date): Promise<void> {
  await db.query(sql`update threads set status = ${status}, updated = ${now} where id = ${id} and status <> ${status}`)
}

export async function addUsage(db: Db, id: string, tokensIn: number, tokensOut: number): Promise<void> {
  await db.query(sql`
    update threads set tokens_in = tokens_in + ${tokensIn}::bigint, tokens_out = tokens_out + ${tokensOut}::bigint
    where id = ${id}`)
}

/** Named by a message, which has changed; or by none any more, so that the next one names it. */
export async function rename(db: Db, id: string, name: string, namingSeq: number | null): Promise<void> {
  await db.query(sql`
    update threads set name = ${name}, is_named = ${namingSeq !== null}, naming_seq = ${namingSeq}::int where id = ${id}`)
}

/** What it is about, whole. */
export async function putContext(
  db: Db,
  workspaceId: string,
  id: string,
  items: readonly { type: string; id: string }[],
): Promise<void> {
  await db.query(sql`delete from thread_context where thread_id = ${id}`)
  if (items.length === 0) return
  await db.query(sql`
    insert into thread_context (workspace_id, thread_id, object, record_id, place)
    select ${workspaceId}, ${id}, g.type, g.id, g.place
    from unnest(${items.map(({ type }) => type)}::text[], ${items.map(one => one.id)}::text[])
      with ordinality as g (type, id, place)
    on conflict do nothing`)
}

/** The thread and all below it, in the order in which they are locked. */
export async function lockTree(db: Db, workspaceId: string, id: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with recursive below as (
      select t.id from threads t where t.workspace_id = ${workspaceId} and t.id = ${id}
      union select t.id from threads t join below b on t.parent_thread_id = b.id)
    select t.id from threads t where t.id in (select id from below) order by t.depth, t.id for update`)
  return rows.map(row => row.id)
}

export async function remove(db: Db, ids: readonly string[]): Promise<void> {
  const written = sql`delete from messages m where m.thread_id = any(${ids}::text[]) returning *`
  await db.query(sql`${goneWith(directory, 'message', written)} select count(*) from gone`)
  const deletion = sql`delete from threads t where t.id = any(${ids}::text[]) returning *`
  await db.query(sql`${goneWith(directory, 'thread', deletion)} select count(*) from gone`)
}
