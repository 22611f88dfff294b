// What a query asks, checked against the metrics: unknown names are answered with those that were meant.
import { ApiError, badRequest, refused } from '../../../contract/errors.ts'
import { near } from '../../../contract/near.ts'
import type { Reach } from '../../../kit/owned.ts'
import { refuseTimezone } from '../../../kit/time_zones.ts'
import { granularities } from '../fields/contract.ts'
import type { Granularity, Metric } from '../metrics/metric.ts'
import { metricsByName } from '../metrics/table.ts'
import { type Calendar, edgesOf, momentOf, mostBuckets, refuseTooEarly, type Span, spanBefore } from './buckets.ts'

export const mostGroups = 50
/** One metric with all its buckets and groups, and what is beyond them; more is asked for in several queries. */
const mostPoints = mostBuckets * (mostGroups + 1)

export type AskedFilters = Readonly<Record<string, string | readonly string[]>>

export type Asked = {
  metrics: readonly string[]
  from: string
  to: string
  granularity?: Granularity
  timezone?: string
  weekStart?: Calendar['weekStart']
  groupBy?: readonly string[]
  filters?: AskedFilters
  compare?: 'previous'
  whole?: boolean
}

/** Any of `yes`, where there are some, and none of `no`. */
export type Filter = { name: string; yes: readonly string[]; no: readonly string[] }

export type Plan = {
  metrics: readonly Metric[]
  span: Span
  calendar: Calendar
  edges: readonly number[]
  groupBy: readonly string[]
  filters: readonly Filter[]
  previous: { span: Span; edges: readonly number[] } | null
  /** Whose API keys are told apart; the others are one. */
  keysOf: Reach
}

export function planOf(asked: Asked): Plan {
  const { granularity = 'day', timezone = 'UTC', weekStart = 'monday', compare, whole = false } = asked
  refuseTimezone(timezone)
  const calendar = { granularity, timezone, weekStart }
  const span = { from: momentOf(asked.from, 'from'), to: momentOf(asked.to, 'to') }
  if (span.from >= span.to) throw refused('from', 'order', 'before "to"')
  const metrics = [...new Set(asked.metrics)].map(name => metricNamed(name, 'metrics'))
  for (const metric of metrics) refuseTooFine(metric, granularity)
  const groupBy = [...new Set(asked.groupBy ?? [])]
  const filters = filtersOf(asked.filters ?? {})
  for (const metric of metrics) {
    for (const name of groupBy) refuseDimension(metric, name, 'groupBy')
    for (const { name } of filters) refuseDimension(metric, name, 'filters')
  }
  const edgesIn = (one: Span) => (whole ? [one.from] : edgesOf(one, calendar))
  const edges = edgesIn(span)
  const before = compare === 'previous' ? spanBefore(span, calendar) : null
  if (before) refuseTooEarly(before)
  const previous = before && { span: before, edges: edgesIn(before) }
  const plan = { metrics, span, calendar, edges, groupBy, filters, previous, keysOf: null }
  refuseTooMuch(plan)
  return plan
}

/** Of all that it could answer, the whole of which stands in memory. */
function refuseTooMuch({ metrics, groupBy, edges, previous }: Plan): void {
  const groups = groupBy.length > 0 ? mostGroups + 1 : 1
  const points = metrics.length * groups * (edges.length + (previous?.edges.length ?? 0))
  if (points <= mostPoints) return
  const less = [
    ...(metrics.length > 1 ? ['fewer metrics'] : []),
    ...(groupBy.length > 0 ? ['no groups'] : []),
    ...(previous ? ['no comparison'] : []),
    'longer buckets or a shorter span',
  ]
  throw badRequest(
    `The answer could have ${points.toLocaleString('en')} points, and at most ${mostPoints.toLocaleString('en')} are given; ask for ${less.join(', ')}.`,
    [{ path: 'metrics', rule: 'maximum', expected: `at most ${mostPoints} points: metrics × groups × buckets` }],
  )
}

/** 400 with those that may have been meant. */
export function metricNamed(name: string, path: string): Metric {
  const metric = metricsByName.get(name)
  if (metric) return metric
  const meant = near(name, [...metricsByName.keys()])
  const instead = meant.length > 0 ? ` Did you mean ${meant.join(' or ')}?` : ' analytics.metrics lists them.'
  throw new ApiError('bad_request', `There is no metric "${name}".${instead}`, {
    issues: [{ path, rule: 'metric', expected: 'the name of a metric' }],
    near: meant,
  })
}

export function refuseDimension({ name, dimensions }: Metric, dimension: string, path: string): void {
  if (Object.hasOwn(dimensions, dimension)) return
  const expected = `one of ${Object.keys(dimensions).join(', ')}`
  throw badRequest(`${name} has no dimension "${dimension}"; it has ${Object.keys(dimensions).join(', ')}.`, [
    { path, rule: 'dimension', expected },
  ])
}

export function refuseTooFine(metric: Metric, granularity: Granularity): void {
  if (metric.from !== 'records') return
  if (granularities.indexOf(granularity) >= granularities.indexOf(metric.smallest)) return
  throw new ApiError(
    'bad_request',
    `${metric.name} is kept by the ${metric.smallest}; ask by ${metric.smallest} or longer.`,
    {
      issues: [{ path: 'granularity', rule: 'minimum', expected: `${metric.smallest} or longer` }],
      smallest: metric.smallest,
    },
  )
}

/** As in lists: values or together, and each that begins with `!` is taken away. */
export function filtersOf(asked: AskedFilters): Filter[] {
  return Object.entries(asked).map(([name, given]) => {
    const values = typeof given === 'string' ? [given] : given
    const no = values.filter(value => value.startsWith('!')).map(value => value.slice(1))
    return { name, yes: values.filter(value => !value.startsWith('!')), no }
  })
}
