// What becomes of the alerts of one fingerprint, given the issue that they belong to. Nothing here touches the database.
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { isClosed, isWorse, type Severity } from '../fields/contract.ts'
import type { Judgement } from '../rules/evaluation.ts'
import type { Alert, AlertAction } from './contract.ts'
import type { Target } from './store.ts'

/** When it happened, and how often until when: what the platform finds by itself is counted before it comes. */
export type Moment = { at: string; last: string; times: number }

/** An alert that is neither refused nor suppressed. */
export type Accepted = Moment & {
  index: number
  alert: Alert
  severity: Severity
  fingerprint: string
  judgement: Judgement
}

/** Who sends alerts: a caller, or the platform itself. */
export type Sender = Pick<Caller, 'ownerId' | 'credential'>

export type Call = { db: Db; caller: Sender; workspaceId: string; now: Date }

/** The alerts of one fingerprint. */
export type Group = {
  fingerprint: string
  items: Accepted[]
  /** The issue that holds the fingerprint; `target` is the one that it is merged into, mostly the same. */
  origin: string | undefined
  target: Target | undefined
  decision: Decision
  /** When those that waited for a threshold happened. */
  released: Moment[]
  /** The issue that counts them in the end. */
  issueId: string
}

/** How long after its end a problem that comes back is the same. */
export const recurrenceMs = 24 * 3_600_000

export function isOver(closedAt: string | null, now: Date): boolean {
  return closedAt !== null && now.getTime() - Date.parse(closedAt) > recurrenceMs
}

export type Decision = {
  /** By place in the group. */
  actions: AlertAction[]
  isCreated: boolean
  isReopened: boolean
  /** Those that waited for the threshold count too. */
  isReleased: boolean
  /** The worst that was said by those that count; null where none does. */
  worst: Severity | null
}

export function decide(group: readonly Accepted[], target: Target | undefined, held: number, now: Date): Decision {
  const isAbsent = target === undefined || isOver(target.closedAt, now)
  let isOpen = !isAbsent && !isClosed(target.status)
  const actions: AlertAction[] = []
  const waiting: number[] = []
  let waitingTimes = held
  let turned: AlertAction | null = null
  for (const [place, { at, severity, judgement, times }] of group.entries()) {
    if (isOpen || (!isAbsent && isQuiet(target, at, severity, now))) {
      actions.push('counted')
      continue
    }
    const { threshold } = judgement
    if (threshold && waitingTimes + times < threshold.count) {
      waitingTimes += times
      waiting.push(actions.push('held') - 1)
      continue
    }
    isOpen = true
    turned = isAbsent ? 'created' : 'reopened'
    actions[place] = turned
    for (const one of waiting) actions[one] = 'counted'
  }
  const worst = group.filter((_, place) => actions[place] !== 'held').map(({ severity }) => severity)
  return {
    actions,
    isCreated: turned === 'created',
    isReopened: turned === 'reopened',
    isReleased: turned !== null && held > 0,
    worst: worst.reduce<Severity | null>((one, other) => (one && !isWorse(other, one) ? one : other), null),
  }
}

/** A closed issue stays closed for what happened before its end, and while it is snoozed unless it gets worse. */
function isQuiet(target: Target, at: string, severity: Severity, now: Date): boolean {
  if (target.closedAt !== null && Date.parse(at) <= Date.parse(target.closedAt)) return true
  return isSnoozed(target, now) && !isRise(target, severity)
}

export function isSnoozed({ snoozedUntil }: Pick<Target, 'snoozedUntil'>, now: Date): boolean {
  return snoozedUntil !== null && Date.parse(snoozedUntil) > now.getTime()
}

/** Worse than any alert before it: what people made of the severity since stays theirs. */
export function isRise({ alertSeverity, severity }: Pick<Target, 'alertSeverity' | 'severity'>, to: Severity): boolean {
  return isWorse(to, alertSeverity ?? severity)
}

/** The power of ten that a count has reached or passed, if it has: each is told once. */
export function roundReached(before: number, after: number): number | null {
  const round = 10 ** Math.floor(Math.log10(Math.max(after, 1)))
  return round >= 10 && before < round && after >= round ? round : null
}

export function keyOf(items: readonly Accepted[]): string | null {
  return items.find(({ judgement }) => judgement.correlationKey)?.judgement.correlationKey ?? null
}

const mostResources = 20

export function resourcesOf(known: readonly string[], items: readonly Accepted[]): string[] {
  return [...new Set([...known, ...items.flatMap(({ alert }) => alert.resources ?? [])])].slice(0, mostResources)
}
