// What a call is answered with that a person must approve first.
import { id } from './ids.ts'
import { choice, record, timestamp } from './records.ts'

export const ApprovalId = id('apr', 24)

/** Answered with 202: the same call goes through, once, with `Approval-Id` when somebody has approved it. */
export const ApprovalPending = record('ApprovalPending', {
  approvalId: ApprovalId,
  status: choice(['pending']),
  expiresAt: timestamp,
})
