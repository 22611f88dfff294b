// What is asked, as the address has it: an address that is kept or shared asks the same again.
import { useMemo } from 'react'
import type { InputOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { useLook } from '../../table/look.ts'

export type Metric = ResultOf<'analytics.metrics'>['items'][number]
export type Series = ResultOf<'analytics.query'>['series'][number]
export type Group = Series['groups'][number]
export type Granularity = NonNullable<InputOf<'analytics.query'>['granularity']>
export type Query = InputOf<'analytics.query'>

const dayMs = 86_400_000

/** Spans that end now, with the buckets that suit them. */
export const lasts: Readonly<Record<string, { title: string; days: number; granularity: Granularity }>> = {
  '1d': { title: 'Last 24 hours', days: 1, granularity: 'hour' },
  '7d': { title: 'Last 7 days', days: 7, granularity: 'day' },
  '30d': { title: 'Last 30 days', days: 30, granularity: 'day' },
  '90d': { title: 'Last 90 days', days: 90, granularity: 'day' },
  '365d': { title: 'Last year', days: 365, granularity: 'week' },
}

export const granularities: readonly Granularity[] = ['minute', 'hour', 'day', 'week', 'month']

export const usualMetric = 'issues.opened'
const usualLast = '30d'

/** What a person typed into the address may be anything. */
export type Look = {
  metric?: string | undefined
  last?: string | undefined
  by?: string | undefined
  step?: string | undefined
  compare?: string | undefined
  zone?: string | undefined
}

/** An address without a question. */
export const nothingAsked: Look = {
  metric: undefined,
  last: undefined,
  by: undefined,
  step: undefined,
  compare: undefined,
  zone: undefined,
}

export type Question = {
  /** Without a metric in the address there is the dashboard. */
  isExplored: boolean
  metric: string
  last: string
  by: string | null
  granularity: Granularity
  isCompared: boolean
  timezone: string
}

export const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone

function questionOf({ metric, last, by, step, compare, zone }: Look): Question {
  const span = last !== undefined && last in lasts ? last : usualLast
  return {
    isExplored: Boolean(metric),
    metric: metric ? String(metric) : usualMetric,
    last: span,
    by: by ? String(by) : null,
    granularity: granularities.find(one => one === step) ?? lasts[span]?.granularity ?? 'day',
    isCompared: compare !== undefined,
    timezone: zone === 'UTC' ? 'UTC' : ownTimezone,
  }
}

export function useQuestion(): [Question, (changed: Look) => void] {
  const [look, change] = useLook<Look>()
  return [questionOf(look), change]
}

/** As the service is asked. A span that ends now is reckoned when the question changes, not with each drawing. */
export function useQuery(workspaceId: string, question: Question): Query {
  const { metric, last, by, granularity, isCompared, timezone } = question
  return useMemo(() => {
    const to = Date.now()
    const from = to - (lasts[last]?.days ?? 30) * dayMs
    return {
      workspaceId,
      metrics: [metric],
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      granularity,
      timezone,
      ...(by !== null && { groupBy: [by] }),
      ...(isCompared && { compare: 'previous' as const }),
    }
  }, [workspaceId, metric, last, by, granularity, isCompared, timezone])
}
