// A person decides on a call of an agent, whichever way they say so. Whether they may was asked before.
import { conflict } from '../../../contract/errors.ts'
import type { CallerKind } from '../../../contract/scopes.ts'
import type { ArgRule } from '../../../contract/tool_policy.ts'
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { canonical } from '../../../kit/json.ts'
import { found } from '../../../kit/outcomes.ts'
import { type HeldRun, holdRun } from '../../threads/others/store.ts'
import { enter } from '../../workspaces/entering/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import * as policies from '../store.ts'
import { resumeAfter } from './resuming.ts'
import * as store from './store.ts'

type Deciding = Pick<Context, 'db' | 'now' | 'enqueue'> & { feed: Pick<Context['feed'], 'tell'> }

export type Decision = {
  isApproved: boolean
  /** The user. */
  by: string
  note: string | null
  /** The same call goes through from now on. */
  remember: boolean
}

export type Decided = {
  before: store.ApprovalRow
  after: store.ApprovalRow
  /** Where the run that asked goes on, with the run; null where it still waits, or there is none. */
  resumed: { threadId: string; run: HeldRun['run'] } | null
}

/** In one transaction. 404 where there is no such approval, 409 where it is decided or over. */
export async function decideApproval(
  ctx: Deciding,
  workspaceId: string,
  approvalId: string,
  { isApproved, by, note, remember }: Decision,
): Promise<Decided> {
  const { db, now } = ctx
  await enter(db, { ownerId: by }, workspaceId)
  // The policy may change with it: who changes that waits at the workspace too.
  await workspaces.findForUpdate(db, workspaceId)
  const before = await found(store.find(db, workspaceId, approvalId, null, now()), 'approval')
  const held = await holdRun(db, before.threadId, before.runId)
  const status = isApproved ? 'approved' : 'denied'
  if (!(await store.decide(db, workspaceId, approvalId, { status, by, note }, now()))) {
    const detail =
      before.status === 'expired'
        ? 'Nobody decided in time; the agent can ask again.'
        : `This was decided already: it is ${before.status}.`
    throw conflict(detail, { state: before.status })
  }
  const threadId = await resumeAfter(ctx, workspaceId, held)
  if (remember && isApproved) await allow(db, before, now())
  const after = await found(store.find(db, workspaceId, approvalId, null, now()), 'approval')
  return { before, after, resumed: threadId && held ? { threadId, run: held.run } : null }
}

/** The same arguments go through from now on, for agents of the same kind. */
async function allow(db: Db, { id, workspaceId, tool, callerKind }: store.ApprovalRow, now: Date): Promise<void> {
  const { args, hasSecrets } = (await store.argumentsOf(db, id)) as { args: object; hasSecrets: boolean }
  if (hasSecrets) throw conflict('These arguments hold a secret, which cannot be remembered; approve it this once.')
  const before = await policies.policyOf(db, workspaceId, tool)
  const { mode = 'allow', perKind = {}, maxCallsPerRun = null, argRules = [] } = before ?? {}
  const rule: ArgRule = { path: '', op: 'eq', value: args, mode: 'allow', kind: callerKind as CallerKind | null }
  if (argRules.some(one => canonical(one) === canonical(rule))) return
  const all = [...argRules, rule]
  if (policies.isTooMuch(all)) {
    throw conflict('The tool cannot have more argument rules; remove one, or approve it this once.')
  }
  await policies.put(db, workspaceId, tool, { mode, perKind, maxCallsPerRun, argRules: all }, now)
}
