// What nobody decided on in time, and how long calls, their figures and approvals are kept.
import { ApprovalId } from '../../contract/approvals.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { expireApproval } from './approvals/resuming.ts'

export default {
  'agent_tools.expireApproval': job({
    payload: object({ workspaceId: WorkspaceId, approvalId: ApprovalId }),
    run: expireApproval,
  }),
} satisfies Jobs

export const ages: Ages = {
  agent_tool_calls: { column: 'created', afterDays: 30 },
  agent_tool_hours: { column: 'hour', afterDays: 30 },
  agent_tool_run_calls: { column: 'created', afterDays: 90 },
  agent_tool_approvals: { column: 'expires_at', afterDays: 90 },
}
