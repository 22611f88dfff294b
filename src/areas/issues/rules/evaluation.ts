// What rules make of an alert. All that match apply, in their order: what an earlier one set, a later one leaves alone.
import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { badRequest, conflict } from '../../../contract/errors.ts'
import { object } from '../../../contract/records.ts'
import { check, checkedField, evaluate, test } from '../../../kit/cel.ts'
import { Alert } from '../alerts/contract.ts'
import type { Severity, SourceGiven } from '../fields/contract.ts'
import type { RuleActions } from './contract.ts'

/** What an expression may speak of. */
const roots = object({ alert: Alert })

export type Rule = { id: string; when: string; actions: RuleActions }

export type Judgement = {
  /** All that matched, in their order. */
  ruleIds: string[]
  /** The one that decided: it suppressed or holds the alert, or was the first to match. */
  ruleId: string | null
  fingerprint: string | null
  correlationKey: string | null
  severity: Severity | null
  assigneeId: string | null
  labels: string[]
  isSuppressed: boolean
  threshold: RuleActions['threshold']
  /** Why an expression had no value. */
  errors: string[]
}

const longestKey = 128

/** How long rules may work on one call, and what is left of it: a rule that is too much work is found out. */
export type Budget = { leftMs: number }

export function budget(): Budget {
  return { leftMs: 2_000 }
}

/** Everybody else's requests go on meanwhile. */
export function pause(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Throws 409 where the rules are too much work, and names the one that it ended with. */
export function judge(rules: readonly Rule[], alert: Alert, budget: Budget): Judgement {
  const judgement: Judgement = {
    ruleIds: [],
    ruleId: null,
    fingerprint: null,
    correlationKey: null,
    severity: null,
    assigneeId: null,
    labels: [],
    isSuppressed: false,
    threshold: null,
    errors: [],
  }
  for (const rule of rules) {
    const began = performance.now()
    if (doesMatch(rule.when, alert, judgement.errors)) apply(rule, alert, judgement)
    budget.leftMs -= performance.now() - began
    if (budget.leftMs < 0) {
      throw conflict(
        'The rules of the workspace are too much work for one call; simplify them, or send fewer alerts.',
        {
          ruleId: rule.id,
        },
      )
    }
    if (judgement.isSuppressed) break
  }
  return judgement
}

/** Where it cannot be told, it does not: `errors` says why. */
function doesMatch(when: string, alert: Alert, errors: string[]): boolean {
  const checked = check(when, roots)
  // Saved rules were checked; one that an upgrade made wrong matches nothing, and the dry run says why.
  if (!checked.ok) {
    errors.push(checked.problem.message)
    return false
  }
  const { matches, reason } = test(checked.expression, { alert })
  if (reason !== undefined) errors.push(reason)
  return matches
}

function apply({ id, actions }: Rule, alert: Alert, judgement: Judgement): void {
  judgement.ruleIds.push(id)
  judgement.ruleId ??= id
  judgement.fingerprint ??= actions.fingerprint && fingerprintOf(actions.fingerprint, alert)
  judgement.correlationKey ??= actions.correlate === null ? null : keyOf(actions.correlate, alert, judgement.errors)
  judgement.severity ??= actions.severity
  judgement.assigneeId ??= actions.assigneeId
  judgement.labels.push(...actions.addLabels.filter(label => !judgement.labels.includes(label)))
  if (actions.threshold && !judgement.threshold) {
    judgement.threshold = actions.threshold
    judgement.ruleId = id
  }
  if (actions.suppress) {
    judgement.isSuppressed = true
    judgement.ruleId = id
  }
}

/** The named fields in one text; null where the alert has none of them. */
function fingerprintOf(paths: readonly string[], alert: Alert): string | null {
  const values = paths.map(path => valueAt(alert, path))
  if (values.every(value => value === undefined || value === null)) return null
  return shortened(values.map(value => textOf(value).replace(/[\\|]/g, '\\$&')).join('|'))
}

function keyOf(correlate: string, alert: Alert, errors: string[]): string | null {
  const checked = check(correlate, roots, 'string')
  if (!checked.ok) {
    errors.push(checked.problem.message)
    return null
  }
  const outcome = evaluate(checked.expression, { alert })
  if ('value' in outcome) return outcome.value === '' ? null : shortened(String(outcome.value))
  errors.push(outcome.reason)
  return null
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Longer than it may be, it is recognised by its digest. */
function shortened(text: string): string {
  return [...text].length <= longestKey ? text : hash('sha256', text, 'base64url')
}

function valueAt(alert: Alert, path: string): unknown {
  const [first = '', ...rest] = partsOf(path)
  const value = (alert as Readonly<Record<string, unknown>>)[first]
  if (rest.length === 0) return value
  const inside = value as Readonly<Record<string, unknown>> | undefined
  const name = rest.join('.')
  return inside && Object.hasOwn(inside, name) ? inside[name] : undefined
}

/** `fields.service` and `alert.fields.service` are the same. */
function partsOf(path: string): string[] {
  return path.replace(/^alert\./, '').split('.')
}

const ofSource: readonly (keyof Static<typeof SourceGiven>)[] = ['type', 'externalId', 'url']

function isPath(path: string): boolean {
  const [first = '', ...rest] = partsOf(path)
  if (first === 'fields') return rest.length > 0
  if (first === 'source') return rest.length === 1 && ofSource.some(name => name === rest[0])
  return rest.length === 0 && Object.hasOwn(Alert.properties, first)
}

type Given = { when?: string; actions?: { fingerprint?: readonly string[] | null; correlate?: string | null } }

/** 400 with the place where an expression or a path asks for something that no alert has. */
export function refuseImpossible({ when, actions }: Given): void {
  if (when !== undefined) checkedField('when', when, roots)
  if (actions?.correlate) checkedField('actions.correlate', actions.correlate, roots, 'string')
  const place = actions?.fingerprint?.findIndex(path => !isPath(path)) ?? -1
  if (place === -1) return
  const path = `actions.fingerprint.${place}`
  const expected = 'a field of alerts, such as title, source.externalId or fields.service'
  throw badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'path', expected }])
}
