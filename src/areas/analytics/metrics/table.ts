// Every metric, by its name. A new one is a declaration in one of the files beside this.
import { agentMetrics } from './agents.ts'
import { autofixMetrics } from './autofixes.ts'
import { issueMetrics } from './issues.ts'
import type { LedgerMetric, Metric, Subject } from './metric.ts'
import { platformMetrics } from './platform.ts'

export const metrics: readonly Metric[] = [...issueMetrics, ...autofixMetrics, ...agentMetrics, ...platformMetrics]

export const metricsByName: ReadonlyMap<string, Metric> = new Map(metrics.map(metric => [metric.name, metric]))

const counted = Map.groupBy(
  metrics.filter(metric => metric.from === 'ledger'),
  ({ subject }) => subject,
)

/** Those that changes of such records feed. */
export function metricsOf(subject: Subject): readonly LedgerMetric[] {
  return counted.get(subject) ?? []
}
