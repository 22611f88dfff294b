// Makes the issues of fingerprints that have none, or whose last one ended long ago.
import { newId } from '../../../kit/random.ts'
import { IssueId } from '../fields/contract.ts'
import { insert, type NewIssue } from '../store.ts'
import { actorOf, insertEntries, type NewEntry, peopleOf } from '../timeline/store.ts'
import { type Accepted, type Call, type Decision, type Group, keyOf, resourcesOf } from './deciding.ts'
import * as store from './store.ts'

export async function createAll(call: Call, groups: readonly Group[]): Promise<void> {
  const { db, caller, workspaceId, now } = call
  const creating = groups.filter(({ decision }) => decision.isCreated)
  if (creating.length === 0) return
  await store.supersede(
    db,
    creating.flatMap(({ origin }) => origin ?? []),
  )
  for (const group of creating) group.issueId = newId(IssueId)
  const numbers = await insert(db, { workspaceId, ownerId: caller.ownerId }, creating.map(newIssue), now)
  const entries = creating.flatMap(({ issueId, target, items, decision }): NewEntry[] => {
    const { assigneeId } = firstOf(items, decision).judgement
    return [
      { issueId, type: 'created', data: { to: 'new', reason: 'alert' } },
      ...(assigneeId ? [{ issueId, type: 'assigned' as const, about: assigneeId, data: { reason: 'rule' } }] : []),
      ...(target ? recurrence(target, issueId, numbers.get(issueId)) : []),
    ]
  })
  await insertEntries(db, workspaceId, actorOf(caller), entries, now)
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
