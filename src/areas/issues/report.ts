// What a page about an issue says: how it stands, what it is, and what happened, oldest first.
import type { Db } from '../../kit/db.ts'
import type { Report } from '../../kit/report.ts'
import type { IssueRow } from './store.ts'
import { type EntryRow, pageOfEntries } from './timeline/store.ts'

const mostEntries = 100

export async function reportOf(db: Db, issue: IssueRow): Promise<Report> {
  const entries: EntryRow[] = []
  let after: string | null = null
  do {
    const page: { items: EntryRow[]; next: string | null } = await pageOfEntries(
      db,
      { order: 'asc', perPage: 100, ...(after !== null && { after }) },
      issue.id,
    )
    entries.push(...page.items)
    after = page.next
  } while (after !== null && entries.length < mostEntries * 5)
  const story = entries.map(entry => ({ heading: deedOf(entry), at: entry.at, markdown: entry.text ?? '' }))
  return {
    title: issue.title,
    source: `Issue #${issue.number}`,
    facts: factsOf(issue),
    sections: [
      ...(issue.body ? [{ title: 'Description', entries: [{ markdown: issue.body }] }] : []),
      { title: 'What happened', entries: story },
    ],
  }
}

function factsOf(issue: IssueRow): Report['facts'] {
  const facts: [string, string | null][] = [
    ['Status', issue.status],
    ['Severity', issue.severity],
    ['Created', day(issue.created)],
    ['First seen', day(issue.firstSeen)],
    ['Last seen', day(issue.lastSeen)],
    ['Occurrences', issue.occurrences > 0 ? String(issue.occurrences) : null],
    ['Resolved', day(issue.resolvedAt)],
    ['Time to resolve', issue.mttrSeconds === null ? null : duration(issue.mttrSeconds)],
    ['Resources', issue.resources.join(', ') || null],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
}

function day(at: string | null): string | null {
  return at === null ? null : `${at.slice(0, 16).replace('T', ' ')} UTC`
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  return hours > 0 ? `${hours} h ${minutes} min` : `${Math.max(minutes, 1)} min`
}

/** Nobody is named: a page is read outside. */
function deedOf({ type, data, milestone }: EntryRow): string {
  const { from, to, added = [], removed = [], count, relation, number } = data
  switch (type) {
    case 'created':
      return 'Created'
    case 'status':
      return `Status: ${from} → ${to}`
    case 'severity':
      return `Severity: ${from} → ${to}`
    case 'assigned':
      return data.assigneeId ? 'Assigned' : 'Nobody is assigned any more'
    case 'labels':
      return ['Labels', ...added.map(name => `+ ${name}`), ...removed.map(name => `− ${name}`)].join(' ')
    case 'edited':
      return `Edited: ${(data.fields ?? []).join(', ')}`
    case 'snoozed':
      return data.until ? `Snoozed until ${day(data.until)}` : 'No longer snoozed'
    case 'milestone':
      return `Note: ${milestone}`
    case 'occurrence':
      return `Occurred ${count} times`
    case 'linked':
      return `${(relation ?? 'linked').replaceAll('_', ' ')} #${number}`
    case 'agent':
      return 'Note of an agent'
    default:
      return 'Note'
  }
}
