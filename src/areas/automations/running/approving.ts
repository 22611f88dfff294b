// Asks people: an approval like those for calls of agents, decided in the console, by mail's link or in Slack.
import { hash } from 'node:crypto'
import { ApprovalId } from '../../../contract/approvals.ts'
import { notify } from '../../../kit/notify.ts'
import { newId } from '../../../kit/random.ts'
import * as approvals from '../../agent_tools/approvals/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import type { Step } from '../fields/contract.ts'
import type { Place } from './deeds.ts'
import type { Result } from './outcomes.ts'
import type { Work } from './work.ts'

export const approvalTool = 'automations_approve'

export async function asked(work: Work, step: Step, place: Place): Promise<Result> {
  const { row } = place
  return row?.status === 'waiting' && row.waitsFor ? await decided(work, step, row.waitsFor) : await ask(work, place)
}

async function ask({ ctx, execution }: Work, { path, attempt, input }: Place): Promise<Result> {
  const { workspaceId, grantedBy, automationName } = execution
  const {
    question = '',
    details = null,
    expiresSeconds = 3_600,
  } = input as {
    question?: string
    details?: unknown
    expiresSeconds?: number
  }
  const now = ctx.now()
  const expiresAt = new Date(now.getTime() + expiresSeconds * 1000)
  const wanted = {
    ...{ id: newId(ApprovalId), workspaceId, ownerId: grantedBy ?? 'system', requester: execution.id },
    ...{ tool: approvalTool, operationId: 'automations.approve', hasSecrets: false, runId: null, threadId: null },
    args: { automation: automationName, question, ...(details === null ? {} : { details }) },
    // The same step asks once, however often it is tried.
    digest: hash('sha256', `${path} ${attempt}`, 'base64url'),
    ...{ callerKind: 'automation', reason: question.slice(0, 1_000), expiresAt },
  }
  const open = await ctx.transaction(async tx => {
    await workspaces.keepAlive(tx, workspaceId)
    const open = await approvals.want(tx, wanted, now)
    const isNew = open.id === wanted.id
    const to = isNew ? await workspaces.holdersOf(tx, workspaceId, 'agent_tools:write') : []
    const target = { object: 'agent_tool_approval', id: open.id }
    if (isNew) await ctx.record(tx, { chain: workspaceId, action: 'agent_tools.approvals.wanted', target })
    return { ...open, to }
  })
  const { to } = open
  const facts = { tool: automationName }
  await notify({ enqueue: ctx.enqueue, id: open.id }, { type: 'agent_tools.approvalWanted', to, workspaceId, facts })
  return { is: 'waiting', until: new Date(open.expiresAt), waitsFor: open.id }
}

async function decided({ ctx, execution }: Work, step: Step, approvalId: string): Promise<Result> {
  const known = await approvals.find(ctx.db, execution.workspaceId, approvalId, null, ctx.now())
  if (known?.status === 'pending') return { is: 'waiting', until: new Date(known.expiresAt), waitsFor: approvalId }
  const isApproved = known?.status === 'approved' || known?.status === 'used'
  const { decidedBy = null, note = null } = known ?? {}
  const decision = isApproved ? 'approved' : known?.status === 'denied' ? 'denied' : 'expired'
  const output = { went: isApproved ? 'on' : 'else', decision, decidedBy, note }
  if (isApproved || step.else) return { is: 'succeeded', output }
  const error = decision === 'denied' ? `It was denied${note ? `: ${note}` : '.'}` : 'Nobody decided in time.'
  return { is: 'failed', error, output, isRetried: false }
}
