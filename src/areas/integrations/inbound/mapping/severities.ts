// The words that senders have for how bad something is.
import type { Severity } from '../../../issues/fields/contract.ts'
import type { Json } from '../payloads.ts'
import { textOf } from '../values.ts'

const words: ReadonlyMap<string, Severity> = new Map(
  Object.entries({
    critical: 'critical crit page fatal emergency emerg panic disaster blocker p0 p1 sev0 sev1',
    high: 'high error err major severe p2 sev2',
    medium: 'medium moderate warning warn average p3 sev3',
    low: 'low minor p4 sev4',
    info: 'info information informational notice none debug p5 sev5',
  }).flatMap(([severity, list]) => list.split(' ').map(word => [word, severity as Severity] as const)),
)

/** Of the first value that is such a word, or begins with a rank: `P1`, `SEV-2`, `P3 - Warning`; undefined where none is. */
export function severityOf(...values: readonly (Json | undefined)[]): Severity | undefined {
  for (const value of values) {
    const text = textOf(value)
      .slice(0, 100)
      .trim()
      .toLowerCase()
      .replace(/^(p|sev)[- ]?(?=\d)/, '$1')
    const known = words.get(text) ?? words.get(/^(p|sev)\d\b/.exec(text)?.[0] ?? '')
    if (known) return known
  }
  return undefined
}
