// SQL of the log of calls, and of the figures made of it.
import type { QueryOf } from '../../../contract/list.ts'
import type { Db } from '../../../kit/db.ts'
import type { LoggedCall } from '../../../kit/gate.ts'
import { listSql } from '../../../kit/list_sql.ts'
import { newId } from '../../../kit/random.ts'
import { sql } from '../../../kit/sql.ts'
import * as workspaces from '../../workspaces/store.ts'
import { AgentToolCallId, type calls } from './contract.ts'

const columns = sql`
  c.id, c.workspace_id, c.tool, c.args_digest, c.outcome = 'ok' as ok, c.outcome, c.ms, c.run as run_id,
  c.approval as approval_id, c.caller_kind, c.surface, c.created, 'agent_tool_call' as _object`

type Query = QueryOf<typeof calls, 'agent_tools.calls.list'>

type CallRow = {
  id: string
  workspaceId: string
  tool: string
  argsDigest: string | null
  ok: boolean
  outcome: LoggedCall['outcome']
  ms: number
  runId: string | null
  approvalId: string | null
  callerKind: 'private' | 'hypothesis' | 'investigation' | 'automation' | 'autofix' | null
  surface: 'rest' | 'cli' | 'mcp' | 'console'
  created: string
  _object: 'agent_tool_call'
}

export function pageOfCalls(db: Db, query: Query, workspaceId: string) {
  return listSql<CallRow, Query>(db, query, {
    from: sql`agent_tool_calls c`,
    where: sql`c.workspace_id = ${workspaceId}`,
    select: columns,
    sort: { created: 'c.created', tool: 'c.tool' },
    filter: {
      tool: 'c.tool',
      outcome: 'c.outcome',
      runId: 'c.run',
      approvalId: 'c.approval',
      callerKind: 'c.caller_kind',
      surface: 'c.surface',
    },
    time: { column: 'c.created', type: 'timestamptz' },
    id: 'c.id',
    neverNull: ['created', 'tool'],
  })
}

/** All at once; what was called in a workspace that is gone by now is let go. */
export async function insertAll(db: Db, all: readonly LoggedCall[]): Promise<void> {
  const there = await workspaces.stillThere(db, [...new Set(all.map(({ workspaceId }) => workspaceId))])
  const rows = all.flatMap(call => (there.has(call.workspaceId) ? [{ ...call, id: newId(AgentToolCallId) }] : []))
  if (rows.length === 0) return
  await db.query(sql`
    with said as (
      select n.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id text, "workspaceId" text, tool text,
        "argsDigest" text, outcome text, ms int, run text, approval text, "callerKind" text, surface text, at timestamptz)
    ), hours as (
      insert into agent_tool_hours as h (workspace_id, tool, hour, caller_kind, calls, errors, denied,
        last_called_at)
      select "workspaceId", tool, date_trunc('hour', at, 'UTC'), coalesce("callerKind", 'none'), count(*), count(*) filter (where outcome = 'error'),
        count(*) filter (where outcome = 'denied'), max(at)
      from said group by 1, 2, 3, 4 order by 1, 2, 3, 4
      on conflict (workspace_id, tool, hour, caller_kind) do update set calls = h.calls + excluded.calls,
        errors = h.errors + excluded.errors, denied = h.denied + excluded.denied,
        last_called_at = greatest(h.last_called_at, excluded.last_called_at)
    )
    insert into agent_tool_calls (id, workspace_id, tool, args_digest, outcome, ms, run, approval, caller_kind, surface,
      created)
    select id, "workspaceId", tool, "argsDigest", outcome, ms, run, approval, "callerKind", surface, at from said`)
}

export type Stats = { calls7d: number; errors7d: number; denied7d: number; lastCalledAt: string | null }

const days = 7

/** By the name of the tool; of one tool, or of all. */
export async function statsOf(
  db: Db,
  workspaceId: string,
  now: Date,
  tool: string | null = null,
): Promise<Map<string, Stats>> {
  const since = new Date(now.getTime() - days * 86_400_000)
  const rows = await db.query<Stats & { tool: string }>(sql`
    select tool, coalesce(sum(calls) filter (where hour > ${since}), 0)::int as calls7d,
      coalesce(sum(errors) filter (where hour > ${since}), 0)::int as errors7d,
      coalesce(sum(denied) filter (where hour > ${since}), 0)::int as denied7d, max(last_called_at) as last_called_at
    from agent_tool_hours where workspace_id = ${workspaceId} and (${tool}::text is null or tool = ${tool}::text)
    group by tool`)
  return new Map(rows.map(({ tool: name, ...stats }) => [name, stats]))
}

export const noCalls: Stats = { calls7d: 0, errors7d: 0, denied7d: 0, lastCalledAt: null }

/** For figures over time: a row for each tool, kind of agent, hour and outcome. */
export const callCounts = (workspaceId: string, { from, to }: { from: Date; to: Date }) => sql`
  select h.hour as at, n.weight, 0::numeric as value,
    jsonb_build_object('tool', jsonb_build_array(h.tool), 'status', jsonb_build_array(n.status),
      'kind', jsonb_build_array(h.caller_kind)) as dims
  from agent_tool_hours h, lateral (values
    ('ok', h.calls - h.errors - h.denied), ('error', h.errors), ('denied', h.denied)) n (status, weight)
  where h.workspace_id = ${workspaceId} and h.hour >= ${from} and h.hour < ${to} and n.weight > 0`
