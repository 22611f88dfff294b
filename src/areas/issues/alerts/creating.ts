// Makes the issues of fingerprints that have none, or whose last one ended long ago.
import { insert, type NewIssue } from '../store.ts'
import { actorOf, insertEntries, type NewEntry, peopleOf } from '../timeline/store.ts'
import { type Accepted, type Call, type Decision, type Group, keyOf, resourcesOf } from './deciding.ts'
import * as store from './store.ts'

/** The groups have the ids of their issues already. */
export async function createAll(call: Call, groups: readonly Group[]): Promise<void> {
  const { db, caller, workspaceId, now } = call
  const creating = groups.filter(({ decision }) => decision.isCreated)
  if (creating.length === 0) return
  const ended = creating.flatMap(({ origin }) => origin ?? [])
  const made = creating.flatMap(({ issueId, items, decision }): NewEntry[] => {
    const { assigneeId } = firstOf(items, decision).judgement
    return [
      { issueId, type: 'created', data: { to: 'new', reason: 'alert' } },
      ...(assigneeId ? [{ issueId, type: 'assigned' as const, about: assigneeId, data: { reason: 'rule' } }] : []),
    ]
  })
  const write = (entries: readonly NewEntry[]) => insertEntries(db, workspaceId, actorOf(caller), entries, now)
  // Sent together, and run in this order.
  const [, numbers] = await Promise.all([
    store.supersede(db, ended),
    insert(db, { workspaceId, ownerId: caller.ownerId }, creating.map(newIssue), now),
    write(made),
  ])
  await write(
    creating.flatMap(({ issueId, target }) => (target ? recurrence(target, issueId, numbers.get(issueId)) : [])),
  )
}

function recurrence(old: store.Target, issueId: string, number: number | undefined): NewEntry[] {
  return [
    { issueId, type: 'linked', data: { relation: 'recurrence_of', number: old.number } },
    { issueId: old.id, type: 'linked', data: { relation: 'recurred_as', ...(number !== undefined && { number }) } },
  ]
}

/** The alert that made or reopened the issue. */
export function firstOf(items: readonly Accepted[], { actions }: Decision): Accepted {
  const place = actions.findIndex(action => action === 'created' || action === 'reopened')
  return items[Math.max(place, 0)] as Accepted
}

function newIssue({ fingerprint, issueId, items, target, decision }: Group): NewIssue {
  const { alert, judgement } = firstOf(items, decision)
  const people = peopleOf(judgement.assigneeId)
  const severity = decision.worst ?? 'medium'
  return {
    id: issueId,
    title: alert.title,
    body: alert.body ?? null,
    severity,
    alertSeverity: severity,
    status: 'new',
    sourceType: alert.source?.type ?? 'alert',
    sourceExternalRef: alert.source?.externalId ?? null,
    sourceUrl: alert.source?.url ?? null,
    fingerprint,
    correlationKey: keyOf(items),
    assigneeUserId: people.userId,
    assigneeTeamId: people.teamId,
    teamId: null,
    resources: resourcesOf([], items),
    recurrenceOfId: target?.id ?? null,
    triagedAt: null,
    occurrences: 0,
    firstSeen: null,
    lastSeen: null,
  }
}
