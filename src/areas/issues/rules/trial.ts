// Tries one rule on alerts that came in the last days, and sums up what it would have done by itself.
import type { Static } from 'typebox'
import type { rules } from './contract.ts'
import { type Budget, judge, type Rule } from './evaluation.ts'
import type { KeptAlert } from './store.ts'

export type TrialResult = Static<(typeof rules.operations)['issues.rules.test']['result']>

export type Tried = { alert: KeptAlert; fingerprint: string | null; key: string | null }

const mostShown = 20

/** What a rule makes of a piece of the alerts, which come newest first. Throws 409 where it is too much work. */
export function tryOn(rule: Rule, alerts: readonly KeptAlert[], budget: Budget, errors: string[]): Tried[] {
  return alerts.flatMap(alert => {
    const judgement = judge([rule], alert.alert, budget)
    errors.push(...judgement.errors)
    if (judgement.ruleId === null) return []
    return [{ alert, fingerprint: judgement.fingerprint ?? alert.fingerprint, key: judgement.correlationKey }]
  })
}

export function sumUp(
  { actions }: Rule,
  scanned: number,
  matched: readonly Tried[],
  errors: readonly string[],
): Omit<TrialResult, 'from' | 'to' | 'partial'> {
  const going = actions.suppress ? [] : matched
  const { held, issues } = heldAmong(going, actions.threshold)
  const all = (isSet: boolean) => (isSet ? matched.length : 0)
  return {
    scanned,
    matched: matched.length,
    lastMatch: matched[0]?.alert.at ?? null,
    would: {
      suppress: all(actions.suppress),
      hold: held,
      changeSeverity: matched.filter(
        ({ alert }) => actions.severity !== null && alert.alert.severity !== actions.severity,
      ).length,
      changeFingerprint: matched.filter(({ alert, fingerprint }) => fingerprint !== alert.fingerprint).length,
      assign: all(actions.assigneeId !== null),
      label: all(actions.addLabels.length > 0),
      issues,
    },
    fingerprints: tallyOf(matched.flatMap(({ fingerprint }) => fingerprint ?? [])),
    groups: tallyOf(matched.flatMap(({ key }) => key ?? [])),
    errors: tallyOf(errors),
    samples: matched.slice(0, mostShown).map(({ alert, fingerprint }) => ({
      at: alert.at,
      title: alert.alert.title,
      fingerprint,
      action: alert.action,
    })),
  }
}

/** Until so many came within the window, each waits; from then on the issue is there. */
function heldAmong(matched: readonly Tried[], threshold: Rule['actions']['threshold']) {
  let held = 0
  let issues = 0
  for (const [fingerprint, same] of Map.groupBy(matched, one => one.fingerprint)) {
    if (fingerprint === null) continue
    const moments = same.map(({ alert }) => Date.parse(alert.at)).sort((one, other) => one - other)
    const reached = threshold
      ? moments.findIndex((moment, place) => {
          const first = moments[place - threshold.count + 1]
          return first !== undefined && moment - first <= threshold.windowSeconds * 1_000
        })
      : 0
    if (reached === -1) held += moments.length
    else issues++
  }
  return { held, issues }
}

function tallyOf(values: readonly string[]): { value: string; count: number }[] {
  const counts = [...Map.groupBy(values, value => value)].map(([value, same]) => ({ value, count: same.length }))
  return counts.sort((one, other) => other.count - one.count).slice(0, mostShown)
}
