// Shows approvals and takes what people decide.
import type { Handler } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import type { approvals } from './contract.ts'
import { decideApproval } from './deciding.ts'
import * as store from './store.ts'

type Handlers = { [K in keyof typeof approvals.operations]: Handler<(typeof approvals.operations)[K]> }

export const handlers: Handlers = {
  'agent_tools.approvals.list': ({ db, access, caller, now }, { workspaceId, ...query }) =>
    store.pageOfApprovals(db, query, workspaceId, reachOf(access, caller), now()),

  'agent_tools.approvals.get': ({ db, access, caller, now }, { workspaceId, approvalId }) =>
    found(store.find(db, workspaceId, approvalId, reachOf(access, caller), now()), 'approval'),

  'agent_tools.approvals.decide': async (ctx, { workspaceId, approvalId, decision, note = null, remember = false }) => {
    const isApproved = decision.startsWith('approve')
    // Who decides is whose session it is; nothing that is sent can say otherwise.
    const said = { isApproved, by: ctx.caller.userId ?? '', note, remember }
    const { before, after, resumed } = await decideApproval(ctx, workspaceId, approvalId, said)
    ctx.note({
      target: { object: 'agent_tool_approval', id: approvalId },
      before: { status: before.status },
      // What the agent wrote may be of a private thread, of which the ledger has no word.
      after: { ...after, remember: remember && isApproved, args: undefined, reason: undefined },
      ...(resumed && {
        also: [{ workspaceId, action: 'threads.runs.moved', target: { object: 'thread', id: resumed.threadId } }],
      }),
    })
    return after
  },
}
