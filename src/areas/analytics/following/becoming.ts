// What an entry makes of an issue or an autofix: what it says itself, and what its action means.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { Fields } from '../metrics/metric.ts'
import type { Reading } from './reading.ts'

/** The first of a record says all of it; the last says that it is gone. */
export const firsts: ReadonlySet<string> = new Set(['issues.post', 'autofixes.post'])
const lasts: ReadonlySet<string> = new Set(['issues.del', 'autofixes.del'])

/** Their entries say themselves what the record has become. */
export const changing: ReadonlySet<string> = new Set([
  'issues.patch',
  'issues.merge',
  'issues.split',
  'autofixes.patch',
  'autofixes.check',
  'autofixes.approve',
  'autofixes.reject',
  'autofixes.apply',
])

/**
 * Of these nothing is said but what happened. The record is read when the entry is heard, and that may be much later: what
 * it has become since is told by later entries.
 */
const became: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['issues.opened', { status: 'new', duplicateOfId: null, mttrSeconds: null, timeToTriageSeconds: null }],
  ['issues.reopened', { status: 'open', duplicateOfId: null, mttrSeconds: null }],
  ['autofixes.merged', { status: 'merged' }],
])

export function becameBy({ action }: FollowedEntry): Fields | undefined {
  return became.get(action)
}

/** Null: it is gone. Undefined: the entry says nothing that is counted. */
export function becomes(
  object: 'issue' | 'autofix',
  before: Fields | null,
  entry: FollowedEntry,
  reading: Reading | undefined,
): Fields | null | undefined {
  const { action } = entry
  if (lasts.has(action)) return null
  // Of a record that was gone when it was looked for, what was known before; another entry tells that it went.
  const known = reading?.fields ?? before
  const made = becameBy(entry)
  if (made) return { ...known, ...made }
  // The times of a milestone are told by the entry behind it, as of any other change of a status.
  const isMilestone = action === 'issues.notes.post' && before !== null && entry.changes.some(isOfMilestone)
  return isMilestone || firsts.has(action) || changing.has(action) ? withChanges(object, known, entry) : undefined
}

const isOfMilestone = ({ path }: { path: string }) => path === 'milestone'

/** Path in an entry → field of a state. */
const tracked: Record<'issue' | 'autofix', Readonly<Record<string, string>>> = {
  issue: {
    status: 'status',
    milestone: 'status',
    severity: 'severity',
    'source.type': 'source',
    teamId: 'teamId',
    labels: 'labels',
    resources: 'resources',
    mttrSeconds: 'mttrSeconds',
    duplicateOfId: 'duplicateOfId',
    timeToTriageSeconds: 'timeToTriageSeconds',
  },
  autofix: { status: 'status', repositoryId: 'repositoryId', origin: 'origin', closeReason: 'closeReason' },
}

function withChanges(object: 'issue' | 'autofix', before: Fields | null, { changes }: FollowedEntry): Fields {
  const after: Record<string, unknown> = { ...before }
  for (const { path, after: value } of changes) {
    const field = tracked[object][path]
    if (field !== undefined) after[field] = value ?? null
  }
  return after
}
