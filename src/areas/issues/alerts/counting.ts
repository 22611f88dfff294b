// Counts alerts on issues that are there, and says what that changed: most only count, and their issue is not touched.
import { isWorse } from '../fields/contract.ts'
import { actorOf, insertEntries, type NewEntry } from '../timeline/store.ts'
import { type Call, type Group, isRise, isSnoozed, keyOf, type Moment, resourcesOf, roundReached } from './deciding.ts'
import * as store from './store.ts'

/** As it was and as it is: only what alerts change of an issue without bringing it back. */
export type Raised = { id: string; before: RaisedFields; after: RaisedFields }
type RaisedFields = Pick<store.Target, 'severity'> & { resources: readonly string[] }

/**
 * Issues that were there already: reopened, worse, or with more to say. Most only count, and are not changed. Returns
 * those whose severity or resources changed and that are not reopened, since that tells of them.
 */
export async function changeAll({ db, caller, workspaceId, now }: Call, groups: readonly Group[]): Promise<Raised[]> {
  const raised: Raised[] = []
  const entries: NewEntry[] = []
  const changes = [...Map.groupBy(groups.filter(counts), ({ target }) => target?.id).values()].flatMap(same => {
    const target = same[0]?.target as store.Target
    const change = changeOf(target, same, now)
    entries.push(...entriesOf(target, change))
    if (isRaised(target, change)) raised.push(raisedOf(target, change))
    const isSame =
      change.severity === target.severity &&
      change.alertSeverity === target.alertSeverity &&
      change.correlationKey === target.correlationKey &&
      change.resources.length === target.resources.length &&
      !change.isReopened &&
      !change.isAwake
    return isSame ? [] : [change]
  })
  await store.changeTargets(db, changes, now)
  await insertEntries(db, workspaceId, actorOf(caller), entries, now)
  return raised
}

function isRaised(target: store.Target, { severity, resources, isReopened }: store.TargetChange): boolean {
  return !isReopened && (severity !== target.severity || resources.length !== target.resources.length)
}

function raisedOf({ id, severity, resources }: store.Target, change: store.TargetChange): Raised {
  return { id, before: { severity, resources }, after: { severity: change.severity, resources: change.resources } }
}

function counts({ target, decision }: Group): boolean {
  return target !== undefined && !decision.isCreated && decision.worst !== null
}

/** Several fingerprints may count on one issue, into which others were merged. */
function changeOf(target: store.Target, same: readonly Group[], now: Date): store.TargetChange {
  const severities = same.flatMap(({ decision }) => decision.worst ?? [])
  const worst = severities.reduce((one, other) => (isWorse(other, one) ? other : one))
  const rises = isRise(target, worst)
  const isReopened = same.some(({ decision }) => decision.isReopened)
  const items = same.flatMap(group => group.items)
  return {
    id: target.id,
    severity: rises && isWorse(worst, target.severity) ? worst : target.severity,
    alertSeverity: target.alertSeverity === null || rises ? worst : target.alertSeverity,
    correlationKey: target.correlationKey ?? keyOf(items),
    resources: resourcesOf(target.resources, items),
    isReopened,
    isAwake: target.snoozedUntil !== null && (isReopened || (isSnoozed(target, now) && rises)),
  }
}

function entriesOf(target: store.Target, { severity, isReopened, isAwake }: store.TargetChange): NewEntry[] {
  const { id: issueId } = target
  const entries: NewEntry[] = []
  if (isReopened) {
    entries.push({ issueId, type: 'status', data: { from: target.status, to: 'open', reason: 'alert' } })
  }
  if (severity !== target.severity) {
    entries.push({ issueId, type: 'severity', data: { from: target.severity, to: severity, reason: 'alert' } })
  }
  if (isAwake) entries.push({ issueId, type: 'snoozed', data: { until: null, reason: 'alert' } })
  return entries
}

export async function count({ db, caller, workspaceId, now }: Call, groups: readonly Group[]): Promise<void> {
  const counted = new Map<string, { count: number; isSilent: boolean }>()
  const occurrences = new Map<string, store.Occurrence>()
  for (const { issueId, origin, target, items, decision, released } of groups) {
    const own = decision.isCreated ? undefined : target
    const moments = [...items.filter((_, place) => decision.actions[place] !== 'held'), ...released]
    if (moments.length === 0) continue
    const count = moments.reduce((sum, { times }) => sum + times, counted.get(issueId)?.count ?? 0)
    counted.set(issueId, { count, isSilent: own !== undefined && isSnoozed(own, now) })
    for (const moment of moments) {
      const { at } = moment
      const place = { origin: decision.isCreated ? issueId : (origin ?? issueId), minute: `${at.slice(0, 16)}:00Z` }
      const key = `${place.origin} ${place.minute}`
      const before = occurrences.get(key) ?? { ...place, issue: issueId, count: 0, first: at, last: at }
      occurrences.set(key, grown(before, moment))
    }
  }
  const reached = await store.countOn(db, [...occurrences.values()])
  const rounds = [...counted].flatMap(([issueId, { count, isSilent }]): NewEntry[] => {
    const after = reached.get(issueId) ?? 0
    const round = isSilent ? null : roundReached(after - count, after)
    return round === null ? [] : [{ issueId, type: 'occurrence', data: { count: round } }]
  })
  await insertEntries(db, workspaceId, actorOf(caller), rounds, now)
}

function grown(one: store.Occurrence, { at, last, times }: Moment): store.Occurrence {
  const { count, first, last: until } = one
  return { ...one, count: count + times, first: at < first ? at : first, last: last > until ? last : until }
}
