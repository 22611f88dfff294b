// Takes in the alerts of one call: each step is one statement for all of them.
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { Outdated } from '../../../kit/implement.ts'
import { newId } from '../../../kit/random.ts'
import { IssueId } from '../fields/contract.ts'
import { keptPeople } from '../people.ts'
import { budget, judge, pause } from '../rules/evaluation.ts'
import * as rules from '../rules/store.ts'
import { lockCounter } from '../store.ts'
import type { AlertAction, AlertOutcome } from './contract.ts'
import { changeAll, count, type Raised } from './counting.ts'
import { createAll, firstOf } from './creating.ts'
import { type Accepted, type Call, decide, type Group, isOver, type Moment, type Sender } from './deciding.ts'
import { labelMade } from './labelling.ts'
import { readAlert } from './reading.ts'
import * as store from './store.ts'

export type Received = {
  items: AlertOutcome[]
  raised: Raised[]
  assigned: { issueId: string; assigneeId: string }[]
}

type News = { action: string; target: { object: string; id: string }; before?: object; after?: object }

/** What happened to issues by these alerts, as the ledger tells it: each that was made, brought back, or says more now. */
export function newsOf({ items, raised }: Pick<Received, 'items' | 'raised'>): News[] {
  const actions: Partial<Record<AlertOutcome['action'], string>> = {
    created: 'issues.opened',
    reopened: 'issues.reopened',
  }
  const told = new Map<string, string>()
  for (const { action, issueId } of items) {
    const news = actions[action]
    if (news && issueId && !told.has(issueId)) told.set(issueId, news)
  }
  const of = (id: string) => ({ object: 'issue', id })
  return [
    ...[...told].map(([id, action]) => ({ action, target: of(id) })),
    ...raised.map(({ id, before, after }) => ({ action: 'issues.patch', target: of(id), before, after })),
  ]
}

/** In the transaction, with what `judgeAll` made of the alerts outside of it. */
export async function receive(
  { db, caller }: Pick<Context, 'db'> & { caller: Sender },
  workspaceId: string,
  { outcomes, accepted, version, now }: Judged,
): Promise<Received> {
  const call = { db, caller, workspaceId, now }
  if ((await rules.versionOf(db, workspaceId)) !== version) throw new Outdated()
  const groups = await decideAll(call, accepted)
  for (const group of groups) if (group.decision.isCreated) group.issueId = newId(IssueId)
  for (const { items, decision, issueId } of groups) {
    for (const [place, { index, judgement }] of items.entries()) {
      const action = decision.actions[place] as AlertAction
      outcomes[index] = { index, issueId: action === 'held' ? null : issueId, action, ruleId: judgement.ruleId }
    }
  }
  // None waits for another's answer: they are sent together and run in this order.
  const [, raised] = await Promise.all([
    createAll(call, groups),
    changeAll(call, groups),
    count(call, groups),
    keep(call, outcomes, accepted),
  ])
  const unknown = await labelMade(call, groups.filter(({ decision }) => decision.isCreated).map(labelsOf))
  for (const outcome of outcomes) {
    const missing = outcome.action === 'created' && unknown.get(outcome.issueId ?? '')
    if (missing) outcome.unknownLabels = missing
  }
  const assigned = groups.flatMap(({ decision, items, issueId }) => {
    const { assigneeId } = firstOf(items, decision).judgement
    return decision.isCreated && assigneeId !== null ? [{ issueId, assigneeId }] : []
  })
  return { items: outcomes, raised, assigned }
}

export type Judged = { outcomes: AlertOutcome[]; accepted: Accepted[]; version: string; now: Date }

/** How often the alert of the same place happened, until when, which is not later than now; once where nothing is said. */
export type Counted = Pick<Moment, 'last' | 'times'>

/** Outside any transaction, since rules may work long. Refused and suppressed alerts have their outcome then. */
export async function judgeAll(
  db: Db,
  workspaceId: string,
  given: readonly unknown[],
  now: Date,
  counted: readonly Counted[] = [],
): Promise<Judged> {
  const version = await rules.versionOf(db, workspaceId)
  const active = await rules.active(db, workspaceId)
  const time = budget()
  const outcomes: AlertOutcome[] = []
  const accepted: Accepted[] = []
  for (const [index, item] of given.entries()) {
    const reading = readAlert(item, now)
    if ('reason' in reading) {
      outcomes[index] = { index, issueId: null, action: 'refused', ruleId: null, reason: reading.reason }
      continue
    }
    const { alert } = reading
    const judgement = judge(active, alert, time)
    if (active.length > 0 && index % 10 === 9) await pause()
    const fingerprint = judgement.fingerprint ?? alert.fingerprint
    if (fingerprint === undefined && !judgement.isSuppressed) {
      const reason = '"fingerprint" must be present, or a rule must make one.'
      outcomes[index] = { index, issueId: null, action: 'refused', ruleId: judgement.ruleId, reason }
      continue
    }
    const severity = judgement.severity ?? alert.severity
    if (judgement.isSuppressed) {
      outcomes[index] = { index, issueId: null, action: 'suppressed', ruleId: judgement.ruleId }
    }
    const moment = { at: alert.at, last: alert.at, times: 1, ...counted[index] }
    accepted.push({ index, alert, ...moment, severity, fingerprint: fingerprint ?? '', judgement })
  }
  return { outcomes, accepted, version, now }
}

async function decideAll(call: Call, accepted: readonly Accepted[]): Promise<Group[]> {
  const { db, workspaceId, now } = call
  const going = accepted.filter(({ judgement }) => !judgement.isSuppressed)
  const byFingerprint = Map.groupBy(going, ({ fingerprint }) => fingerprint)
  if (byFingerprint.size === 0) return []
  const assignees = going.map(({ judgement }) => judgement.assigneeId)
  const here = await keptPeople(db, workspaceId, assignees)
  for (const { judgement } of going) if (!here.has(judgement.assigneeId ?? '')) judgement.assigneeId = null
  const { steps, isCounterLocked } = await settledSteps(call, [...byFingerprint.keys()])
  const locked = await store.lockTargets(
    db,
    workspaceId,
    steps.map(({ id }) => id),
  )
  const byId = new Map(locked.map(target => [target.id, target]))
  if (steps.some(({ id, duplicateOfId }) => byId.get(id)?.duplicateOfId !== duplicateOfId)) throw new Outdated()
  const ways = Map.groupBy(steps, ({ fingerprint }) => fingerprint)
  const asked = heldAsked(byFingerprint, now)
  const held = await store.heldOf(db, workspaceId, asked)
  const groups = [...byFingerprint].map(([fingerprint, items]): Group => {
    const way = ways.get(fingerprint) ?? []
    const origin = way[0]?.id
    if (origin !== undefined && !byId.get(origin)?.isCurrent) throw new Outdated()
    const target = byId.get(way.at(-1)?.id ?? '')
    const decision = decide(items, target, held.get(fingerprint)?.count ?? 0, now)
    if (decision.isCreated && !isCounterLocked) throw new Outdated()
    return { fingerprint, items, origin, target, decision, released: [], issueId: target?.id ?? '' }
  })
  const releasing = new Set(groups.filter(({ decision }) => decision.isReleased).map(({ fingerprint }) => fingerprint))
  if (releasing.size > 0) {
    const chosen = asked.filter(({ fingerprint }) => releasing.has(fingerprint))
    const released = Map.groupBy(await store.releaseHeld(db, workspaceId, chosen), ({ fingerprint }) => fingerprint)
    for (const group of groups) group.released = released.get(group.fingerprint) ?? []
  }
  return groups
}

/**
 * Whoever may have to make an issue locks the counter first and looks again for those that have none: somebody else may
 * just have made it. Whether the others are still as they were is seen when they are locked.
 */
async function settledSteps({ db, workspaceId, now }: Call, fingerprints: readonly string[]) {
  const steps = await store.stepsOf(db, workspaceId, fingerprints)
  const isLive = (step: store.Step) => step.duplicateOfId !== null || !isOver(step.closedAt, now)
  const ways = Map.groupBy(steps, ({ fingerprint }) => fingerprint)
  const missing = fingerprints.filter(fingerprint => !ways.get(fingerprint)?.every(isLive))
  if (missing.length === 0) return { steps, isCounterLocked: false }
  // Sent together: the second looks once the first holds the lock.
  const [, again] = await Promise.all([lockCounter(db, workspaceId), store.stepsOf(db, workspaceId, missing)])
  const lookedAgain = new Set(missing)
  return { steps: [...steps.filter(step => !lookedAgain.has(step.fingerprint)), ...again], isCounterLocked: true }
}

function heldAsked(groups: ReadonlyMap<string, readonly Accepted[]>, now: Date): store.HeldAsked[] {
  return [...groups].flatMap(([fingerprint, items]) => {
    const threshold = items.find(({ judgement }) => judgement.threshold)?.judgement.threshold
    return threshold ? [{ fingerprint, since: new Date(now.getTime() - threshold.windowSeconds * 1_000) }] : []
  })
}

function labelsOf({ issueId, items, decision }: Group) {
  const { alert, judgement } = firstOf(items, decision)
  return { issueId, words: alert.labels ?? [], ids: judgement.labels }
}

/** For a week, so that rules can be tried on them, and what each rule matched. */
async function keep(
  { db, workspaceId, now }: Call,
  outcomes: readonly AlertOutcome[],
  accepted: readonly Accepted[],
): Promise<void> {
  const kept = accepted.map(({ index, at, last, times, fingerprint, alert }) => ({
    at,
    last,
    times,
    fingerprint: fingerprint || null,
    action: (outcomes[index] as AlertOutcome).action,
    alert,
  }))
  await store.keepAlerts(db, workspaceId, kept, now)
  const matches = new Map<string, number>()
  for (const id of accepted.flatMap(({ judgement }) => judgement.ruleIds)) matches.set(id, (matches.get(id) ?? 0) + 1)
  await rules.countMatches(db, matches, now)
}
