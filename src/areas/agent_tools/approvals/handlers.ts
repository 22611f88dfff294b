// Shows approvals and takes what people decide.
import { conflict } from '../../../contract/errors.ts'
import type { CallerKind } from '../../../contract/scopes.ts'
import type { ArgRule } from '../../../contract/tool_policy.ts'
import type { Db } from '../../../kit/db.ts'
import type { Handler } from '../../../kit/implement.ts'
import { canonical } from '../../../kit/json.ts'
import { found } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { holdRun } from '../../threads/others/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import * as policies from '../store.ts'
import type { approvals } from './contract.ts'
import { resumeAfter } from './resuming.ts'
import * as store from './store.ts'

type Handlers = { [K in keyof typeof approvals.operations]: Handler<(typeof approvals.operations)[K]> }

export const handlers: Handlers = {
  'agent_tools.approvals.list': ({ db, access, caller, now }, { workspaceId, ...query }) =>
    store.pageOfApprovals(db, query, workspaceId, reachOf(access, caller), now()),

  'agent_tools.approvals.get': ({ db, access, caller, now }, { workspaceId, approvalId }) =>
    found(store.find(db, workspaceId, approvalId, reachOf(access, caller), now()), 'approval'),

  'agent_tools.approvals.decide': async (ctx, { workspaceId, approvalId, ...decision }) => {
    const { db, caller, now, note } = ctx
    // The policy may change with it: who changes that waits at the workspace too.
    await workspaces.findForUpdate(db, workspaceId)
    const before = await found(store.find(db, workspaceId, approvalId, null, now()), 'approval')
    const held = await holdRun(db, before.threadId, before.runId)
    const status = decision.decision.startsWith('approve') ? 'approved' : 'denied'
    // Who decides is whose session it is; nothing that is sent can say otherwise.
    const by = caller.userId ?? ''
    if (!(await store.decide(db, workspaceId, approvalId, { status, by, note: decision.note ?? null }, now()))) {
      const detail =
        before.status === 'expired'
          ? 'Nobody decided in time; the agent can ask again.'
          : `This was decided already: it is ${before.status}.`
      throw conflict(detail, { state: before.status })
    }
    const threadId = await resumeAfter(ctx, workspaceId, held)
    if (decision.remember && status === 'approved') await remember(db, before, now())
    const after = await found(store.find(db, workspaceId, approvalId, null, now()), 'approval')
    const isRemembered = Boolean(decision.remember) && status === 'approved'
    note({
      target: { object: 'agent_tool_approval', id: approvalId },
      before: { status: before.status },
      after: { ...after, remember: isRemembered, args: undefined },
      ...(threadId && {
        also: [{ workspaceId, action: 'threads.runs.moved', target: { object: 'thread', id: threadId } }],
      }),
    })
    return after
  },
}

/** The same arguments go through from now on, for agents of the same kind. */
async function remember(db: Db, { id, workspaceId, tool, callerKind }: store.ApprovalRow, now: Date): Promise<void> {
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
