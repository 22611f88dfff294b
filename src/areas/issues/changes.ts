// What a change of an issue means: which columns it sets, and what the timeline says of it.
import { badRequest } from '../../contract/errors.ts'
import { isClosed, type Status, statusMoves } from './fields/contract.ts'
import type { IssueChanges, IssueRow } from './store.ts'
import { type NewEntry, peopleOf } from './timeline/store.ts'

export type Fields = Partial<
  Pick<
    IssueRow,
    'title' | 'body' | 'severity' | 'status' | 'dismissReason' | 'assigneeId' | 'teamId' | 'resources' | 'snoozedUntil'
  >
>

export type Change = { columns: IssueChanges; entries: NewEntry[] }

/** Throws 409 where the status cannot follow. */
export function changeOf(before: IssueRow, fields: Fields, now: Date): Change {
  const { id: issueId } = before
  const { title, body, severity, status, dismissReason, assigneeId, teamId, snoozedUntil } = fields
  const change: Change = { columns: {}, entries: [] }
  const { columns, entries } = change
  const edited: string[] = (['title', 'body', 'teamId'] as const).filter(
    name => fields[name] !== undefined && fields[name] !== before[name],
  )
  if (isOther(fields.resources, before.resources)) {
    columns.resources = [...new Set(fields.resources)]
    edited.push('resources')
  }
  if (edited.length > 0) entries.push({ issueId, type: 'edited', data: { fields: edited } })
  Object.assign(columns, { title, body, teamId })
  if (severity !== undefined && severity !== before.severity) {
    columns.severity = severity
    entries.push({ issueId, type: 'severity', data: { from: before.severity, to: severity } })
  }
  if (assigneeId !== undefined && assigneeId !== before.assigneeId) {
    const { userId, teamId: assigneeTeamId } = peopleOf(assigneeId)
    Object.assign(columns, { assigneeUserId: userId, assigneeTeamId })
    entries.push({ issueId, type: 'assigned', about: assigneeId })
  }
  if (snoozedUntil !== undefined) snooze(change, before, snoozedUntil, now)
  if (status !== undefined && status !== before.status) move(change, before, status, dismissReason ?? null, now)
  else if (dismissReason !== undefined) dismissAnew(change, before, dismissReason)
  return change
}

function isOther(given: readonly string[] | undefined, before: readonly string[]): boolean {
  return given !== undefined && JSON.stringify([...new Set(given)]) !== JSON.stringify(before)
}

function snooze({ columns, entries }: Change, before: IssueRow, until: string | null, now: Date): void {
  if (until !== null && Date.parse(until) <= now.getTime()) {
    throw badRequest('"snoozedUntil" must be later than now.', [
      { path: 'snoozedUntil', rule: 'future', expected: 'a time later than now' },
    ])
  }
  const moment = until === null ? null : new Date(until).toISOString()
  if (moment === before.snoozedUntil) return
  columns.snoozedUntil = moment
  entries.push({ issueId: before.id, type: 'snoozed', data: { until: moment } })
}

/** A move is legal or 409; what it ends and begins is written with it. */
export function move(change: Change, before: IssueRow, to: Status, reason: string | null, now: Date): void {
  const { status: from, id: issueId } = before
  statusMoves.check('issue', from, to)
  if (reason !== null && to !== 'dismissed') throw refusedReason()
  const { columns, entries } = change
  columns.status = to
  if (isClosed(from)) Object.assign(columns, { openedAt: now, mitigatedAt: null })
  Object.assign(columns, {
    dismissReason: to === 'dismissed' ? reason : null,
    closedAt: isClosed(to) ? now : null,
    resolvedAt: to === 'resolved' ? now : null,
    // Once it was looked at, it stays so.
    ...(before.triagedAt === null && { triagedAt: now }),
    ...(to === 'mitigated' && { mitigatedAt: now }),
    ...(from === 'mitigated' && to === 'open' && { mitigatedAt: null }),
    ...(isClosed(to) && { snoozedUntil: null }),
  })
  entries.push({ issueId, type: 'status', data: { from, to, ...(reason !== null && { reason }) } })
}

function dismissAnew({ columns, entries }: Change, before: IssueRow, reason: string | null): void {
  if (before.status !== 'dismissed') {
    if (reason !== null) throw refusedReason()
    return
  }
  if (reason === before.dismissReason) return
  columns.dismissReason = reason
  entries.push({ issueId: before.id, type: 'edited', data: { fields: ['dismissReason'] } })
}

function refusedReason() {
  const expected = 'given with the status dismissed'
  return badRequest(`"dismissReason" must be ${expected}.`, [{ path: 'dismissReason', rule: 'status', expected }])
}
