// SQL of approvals, and of how often a run has called a tool.
import type { Static } from 'typebox'
import type { QueryOf } from '../../../contract/list.ts'
import { type Db, first } from '../../../kit/db.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { type Reach, within } from '../../../kit/owned.ts'
import { type Sql, sql } from '../../../kit/sql.ts'
import type { AgentToolApproval, approvals } from './contract.ts'

export type ApprovalRow = Static<typeof AgentToolApproval>

/** What nobody decided or used in time has expired, whether or not that was written down. */
const statusAt = (now: Date): Sql => sql`
  case when a.status in ('pending', 'approved') and a.expires_at <= ${now}::timestamptz then 'expired' else a.status end`

const columns = (now: Date): Sql => sql`
  a.id, a.workspace_id, a.owner_id, a.tool, a.operation as operation_id, a.args, a.run as run_id, a.thread as thread_id,
  a.caller_kind, a.reason, ${statusAt(now)} as status, a.decided_by, a.note, a.decided_at, a.used_at, a.expires_at,
  a.created, a.updated, 'agent_tool_approval' as _object`

type Query = QueryOf<typeof approvals, 'agent_tools.approvals.list'>

export function pageOfApprovals(db: Db, query: Query, workspaceId: string, reach: Reach, now: Date) {
  return listSql<ApprovalRow, Query>(db, query, {
    from: sql`agent_tool_approvals a`,
    where: sql`a.workspace_id = ${workspaceId} and ${within(reach, 'a.owner_id')}`,
    select: columns(now),
    sort: { created: 'a.created', expiresAt: 'a.expires_at', id: 'a.id' },
    filter: {
      id: 'a.id',
      status: { matches: words => sql`${statusAt(now)} = any(${words}::text[])` },
      tool: 'a.tool',
      runId: 'a.run',
      threadId: 'a.thread',
      callerKind: 'a.caller_kind',
      ownerId: 'a.owner_id',
    },
    id: 'a.id',
    neverNull: ['created', 'expiresAt', 'id'],
  })
}

export function find(
  db: Db,
  workspaceId: string,
  id: string,
  reach: Reach,
  now: Date,
): Promise<ApprovalRow | undefined> {
  return first(
    db,
    sql`
    select ${columns(now)} from agent_tool_approvals a
    where a.workspace_id = ${workspaceId} and a.id = ${id} and ${within(reach, 'a.owner_id')}`,
  )
}

/** What an argument rule is made of; secrets cannot be remembered. */
export function argumentsOf(db: Db, id: string) {
  return first<{ args: Record<string, unknown>; hasSecrets: boolean }>(
    db,
    sql`select args, has_secrets from agent_tool_approvals where id = ${id}`,
  )
}

/** Only what is open and in time; of two who decide at once, one does. */
export async function decide(
  db: Db,
  workspaceId: string,
  id: string,
  decision: { status: 'approved' | 'denied'; by: string; note: string | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_tool_approvals set status = ${decision.status}, decided_by = ${decision.by}, note = ${decision.note},
      decided_at = ${now}, updated = ${now}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'pending' and expires_at > ${now} returning id`)
  return rows.length > 0
}

/** Written down that nobody decided in time; false where that was known. */
export async function expire(db: Db, workspaceId: string, id: string, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_tool_approvals set status = 'expired', updated = ${now}
    where workspace_id = ${workspaceId} and id = ${id} and status = 'pending' and expires_at <= ${now} returning id`)
  return rows.length > 0
}

export type Wanted = {
  id: string
  workspaceId: string
  ownerId: string
  requester: string
  tool: string
  operationId: string
  args: Readonly<Record<string, unknown>>
  digest: string
  hasSecrets: boolean
  runId: string | null
  threadId: string | null
  callerKind: string | null
  reason: string | null
  expiresAt: Date
}

/** The open approval for the same call, or a new one. */
export async function want(db: Db, one: Wanted, now: Date): Promise<{ id: string; expiresAt: string }> {
  const { workspaceId, requester, tool, digest } = one
  await db.query(sql`
    update agent_tool_approvals set status = 'expired', updated = ${now}
    where workspace_id = ${workspaceId} and requester = ${requester} and tool = ${tool} and args_digest = ${digest}
      and status = 'pending' and expires_at <= ${now}`)
  const [row] = await db.query<{ id: string; expiresAt: string }>(sql`
    insert into agent_tool_approvals (id, workspace_id, owner_id, requester, tool, operation, args, args_digest,
      has_secrets, run, thread, caller_kind, reason, status, expires_at, created, updated)
    values (${one.id}, ${workspaceId}, ${one.ownerId}, ${requester}, ${tool}, ${one.operationId},
      ${JSON.stringify(one.args)}::jsonb, ${digest}, ${one.hasSecrets}, ${one.runId}, ${one.threadId},
      ${one.callerKind}, ${one.reason}, 'pending', ${one.expiresAt}, ${now}, ${now})
    on conflict (workspace_id, requester, tool, args_digest) where status = 'pending'
      do update set updated = agent_tool_approvals.updated
    returning id, expires_at`)
  return row as { id: string; expiresAt: string }
}

/** How many calls of a requester wait for somebody. */
export async function countOpen(db: Db, workspaceId: string, requester: string, now: Date): Promise<number> {
  const row = await first<{ count: number }>(
    db,
    sql`
    select count(*)::int as count from agent_tool_approvals
    where workspace_id = ${workspaceId} and requester = ${requester} and status = 'pending' and expires_at > ${now}`,
  )
  return row?.count ?? 0
}

type Use = { id: string; workspaceId: string; requester: string; tool: string; digest: string }

/** By one conditional statement, so that no two calls can use the same one. */
export async function use(db: Db, { id, workspaceId, requester, tool, digest }: Use, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    update agent_tool_approvals set status = 'used', used_at = ${now}, updated = ${now}
    where id = ${id} and workspace_id = ${workspaceId} and requester = ${requester} and tool = ${tool}
      and args_digest = ${digest} and status = 'approved' and expires_at > ${now} returning id`)
  return rows.length > 0
}

/** Of the same caller and for exactly this call; anything else is none. */
export function standingOf(db: Db, { id, workspaceId, requester, tool, digest }: Use, now: Date) {
  return first<{ status: ApprovalRow['status']; expiresAt: string }>(
    db,
    sql`
    select ${statusAt(now)} as status, a.expires_at from agent_tool_approvals a
    where a.id = ${id} and a.workspace_id = ${workspaceId} and a.requester = ${requester} and a.tool = ${tool}
      and a.args_digest = ${digest}`,
  )
}

/** False where there were as many before; counted and judged by one statement. */
export async function countCall(
  db: Db,
  { workspaceId, requester, tool }: Omit<Use, 'id' | 'digest'>,
  most: number,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into agent_tool_run_calls as c (workspace_id, requester, tool, calls, created)
    values (${workspaceId}, ${requester}, ${tool}, 1, ${now})
    on conflict (workspace_id, requester, tool) do update set calls = c.calls + 1 where c.calls < ${most} returning calls`)
  return rows.length > 0
}

/** What figures are made of: how these were decided, and when. */
export function decidedAmong(db: Db, workspaceId: string, ids: readonly string[]) {
  return db.query<{ id: string; tool: string; callerKind: string | null; status: string; seconds: number | null }>(sql`
    select a.id, a.tool, a.caller_kind, a.status, extract(epoch from a.decided_at - a.created)::float8 as seconds
    from agent_tool_approvals a where a.workspace_id = ${workspaceId} and a.id = any(${ids}::text[])`)
}
