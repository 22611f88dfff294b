// Metrics of issues: how many come, go and are open, and how long it takes.
import { type Change, type Dims, type Fields, isTold, type LedgerMetric, type Measured } from './metric.ts'

const dimensions = {
  severity: 'critical, high, medium, low or info',
  source: 'manual, alert, telemetry, agent or automation',
  team: 'id of a team',
  label: 'id of a label; an issue with several counts in each',
  node: 'what the issue is about, as its resources say; an issue with several counts in each',
}
const several = ['label', 'node']
const opening = ['issues.post', 'issues.opened']
const moving = ['issues.patch', 'issues.merge', 'issues.split', 'issues.notes.post', 'issues.reopened', 'issues.del']
/** They only move issues from one group to the other. */
const grouping = ['labels.apply', 'labels.merge', 'labels.del', 'teams.del']

function by({ severity, source, teamId, labels, resources }: Fields): Dims {
  return { severity, source, team: teamId, label: labels, node: resources } as Dims
}

const isOpen = (fields: Fields | null) =>
  fields !== null && fields.status !== 'resolved' && fields.status !== 'dismissed'

const isNow = (change: Change, status: string) =>
  change.after?.status === status && change.before?.status !== status && isTold(change, 'status', opening)

/** A number of seconds that was not there before. */
function duration(change: Change, field: string): Measured[] {
  const { before, after } = change
  const seconds = after?.[field]
  return after && typeof seconds === 'number' && typeof before?.[field] !== 'number' && isTold(change, field, opening)
    ? [{ by: by(after), value: seconds }]
    : []
}

const shared = { from: 'ledger', subject: 'issue', dimensions, several } as const

export const issueMetrics: readonly LedgerMetric[] = [
  {
    ...shared,
    name: 'issues.opened',
    unit: 'count',
    kind: 'count',
    definition:
      'Issues that were made, by people, alerts, agents and automations. An issue that comes back is not made again.',
    events: opening,
    // An issue of before its ledger was pruned is met by another entry: it was not made then.
    measure: ({ before, after, entry }) =>
      before === null && after && opening.includes(entry.action) ? [{ by: by(after) }] : [],
  },
  {
    ...shared,
    name: 'issues.resolved',
    unit: 'count',
    kind: 'count',
    definition: 'Issues that became resolved. One that is reopened and resolved again counts again.',
    events: [...opening, ...moving],
    measure: change => (change.after && isNow(change, 'resolved') ? [{ by: by(change.after) }] : []),
  },
  {
    ...shared,
    name: 'issues.open',
    unit: 'count',
    kind: 'level',
    definition: 'Issues that are neither resolved nor dismissed, as they stand at the end of each bucket.',
    events: [...opening, ...moving, ...grouping, 'workspaces.import'],
    measure: ({ before, after }) => {
      const was = isOpen(before) && before ? [{ by: by(before), weight: -1 }] : []
      const is = isOpen(after) && after ? [{ by: by(after), weight: 1 }] : []
      return JSON.stringify(was[0]?.by) === JSON.stringify(is[0]?.by) ? [] : [...was, ...is]
    },
  },
  {
    ...shared,
    name: 'issues.time_to_resolve',
    unit: 'seconds',
    kind: 'mean',
    definition:
      'Seconds from when an issue was made or reopened to when it was resolved, counted when it was resolved.',
    events: [...opening, ...moving],
    measure: change => duration(change, 'mttrSeconds'),
  },
  {
    ...shared,
    name: 'issues.time_to_triage',
    unit: 'seconds',
    kind: 'mean',
    definition: 'Seconds from when an issue was made to when somebody first looked at it, counted when they did.',
    events: [...opening, ...moving],
    measure: change => duration(change, 'timeToTriageSeconds'),
  },
]
