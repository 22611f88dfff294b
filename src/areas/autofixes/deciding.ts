// Which state allows what, whose approvals count, and which autofix is an agent's own.
import { conflict, forbidden } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { AutofixSettings } from '../workspaces/autofix/contract.ts'
import type { Target } from './delivering/applying.ts'
import { openStatuses, type Status } from './fields/contract.ts'
import type { AutofixRow, Inner } from './store.ts'

export function isOpen({ status }: Pick<AutofixRow, 'status'>): boolean {
  return (openStatuses as readonly Status[]).includes(status)
}

export function refuseClosed(row: AutofixRow, deed: string): void {
  if (isOpen(row)) return
  throw conflict(`It is ${row.status}; only while it is ${openStatuses.join(', ')} can it be ${deed}.`, {
    state: row.status,
  })
}

/** An agent that works on a fix changes what runs of its own thread made, and nothing else. */
export function refuseForeignRun({ callerKind, run }: Caller, { runThreadId }: Pick<Inner, 'runThreadId'>): void {
  if (callerKind !== 'autofix') return
  if (run?.threadId && run.threadId === runThreadId) return
  throw forbidden('An agent changes the autofixes that its own thread made; this is another.', { reason: 'thread' })
}

/** Whoever started the run that made the patch is one of the approvers at most, not all of them. */
export function isEnough(
  { approvals, requiredApprovals, ownerId }: AutofixRow,
  { runId }: Pick<Inner, 'runId'>,
): boolean {
  if (approvals.length < requiredApprovals) return false
  return requiredApprovals === 0 || runId === null || approvals.some(({ userId }) => userId !== ownerId)
}

export function refuseApproval(row: AutofixRow, patchSha256: string | undefined): void {
  if (row.status === 'draft') throw conflict('It is a draft; propose it first.', { state: row.status })
  refuseClosed(row, 'approved')
  if (row.check.state === 'conflict' || row.check.state === 'invalid') {
    throw conflict('It does not apply to its branch; the conflicts say where. It needs another patch.', {
      state: row.check.state,
    })
  }
  if (patchSha256 !== undefined && patchSha256 !== row.patchSha256) {
    throw conflict('The patch is another one by now; read it again.', { patchSha256: row.patchSha256 })
  }
}

/** 409 where it may not be applied, or is already. */
export function refuseApplying(row: AutofixRow, inner: Inner, { mode }: AutofixSettings, target: Target): void {
  if (row.repositoryId === null) throw conflict('Its repository was deleted.', { state: row.status })
  if (row.status === 'applied') {
    const isDone = target === 'branch' || (target === 'push' ? row.pushedAt !== null : row.pullRequestUrl !== null)
    if (isDone) throw conflict('It is applied already.', { state: row.status })
    return
  }
  if (row.status !== 'approved' && row.status !== 'proposed') {
    throw conflict(`It is ${row.status}; it must be approved to be applied.`, { state: row.status })
  }
  if (row.check.state === 'conflict' || row.check.state === 'invalid') {
    throw conflict('It does not apply to its branch; the conflicts say where.', { state: row.check.state })
  }
  if (isEnough(row, inner) || (mode === 'auto' && row.check.state === 'clean')) return
  throw conflict(whatIsMissing(row, inner), { approvals: row.approvals.length, required: row.requiredApprovals })
}

function whatIsMissing(row: AutofixRow, { runId }: Inner): string {
  const { requiredApprovals: required, approvals } = row
  if (approvals.length < required)
    return `It has ${approvals.length} of the ${required} approvals that it needs; people approve it in the console.`
  const who = runId === null ? '' : ' than the one who started the run that made it'
  return `Somebody else${who} must approve it.`
}
