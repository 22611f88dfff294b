// What is asked: the same question in the address, in a tile and in a call. An address that is kept asks the same again.
import { useMemo } from 'react'
import type { InputOf, ResultOf } from '../../../../src/client/catalogue.ts'
import { useLook } from '../../table/look.ts'

export type Metric = ResultOf<'analytics.metrics'>['items'][number]
export type Answer = ResultOf<'analytics.query'>
export type Series = Answer['series'][number]
export type Group = Series['groups'][number]
export type Granularity = NonNullable<InputOf<'analytics.query'>['granularity']>
export type Query = InputOf<'analytics.query'>
export type Tile = ResultOf<'analytics.dashboards.mine'>['tiles'][number]
/** By dimension: any of the values, and none of those that begin with `!`. */
export type Filters = Readonly<Record<string, readonly string[]>>

const dayMs = 86_400_000
const minuteMs = 60_000

/** As the contract bounds them. */
export const mostMetrics = 10
export const mostDimensions = 2

/** Spans that end now, with the buckets that suit them. */
export const lasts: Readonly<Record<Tile['last'], { title: string; days: number; granularity: Granularity }>> = {
  '1d': { title: 'Last 24 hours', days: 1, granularity: 'hour' },
  '7d': { title: 'Last 7 days', days: 7, granularity: 'day' },
  '30d': { title: 'Last 30 days', days: 30, granularity: 'day' },
  '90d': { title: 'Last 90 days', days: 90, granularity: 'day' },
  '365d': { title: 'Last year', days: 365, granularity: 'week' },
}
export const lastChoices = Object.entries(lasts).map(([value, { title }]) => ({ value, label: title }))

export const granularities: readonly Granularity[] = ['minute', 'hour', 'day', 'week', 'month']

const usualMetric = 'issues.opened'
const usualLast = '30d'

type Some = string | readonly string[] | undefined

/** What a person typed into the address may be anything. */
export type Look = {
  metric?: Some
  last?: string | undefined
  by?: Some
  step?: string | undefined
  compare?: string | undefined
  zone?: string | undefined
  week?: string | undefined
  /** A dimension and a value, with a colon between them. */
  where?: Some
}

/** An address without a question. */
export const nothingAsked: Look = {
  metric: undefined,
  last: undefined,
  by: undefined,
  step: undefined,
  compare: undefined,
  zone: undefined,
  week: undefined,
  where: undefined,
}

export type Question = {
  metrics: readonly string[]
  last: Tile['last']
  by: readonly string[]
  granularity: Granularity
  isCompared: boolean
  timezone: string
  weekStart: 'monday' | 'sunday'
  filters: Filters
}

export const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone

function isTimezone(name: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const listOf = (some: Some) => [some ?? []].flat().map(String).filter(Boolean)
/** One of them stands in the address as it is. */
const someOf = (list: readonly string[]): Some => (list.length > 1 ? list : list[0])

function filtersOf(where: readonly string[]): Filters {
  const pairs = where.filter(text => text.indexOf(':') > 0).map(text => text.split(/:(.*)/s))
  const byName = Map.groupBy(pairs, ([name]) => name ?? '')
  return Object.fromEntries([...byName].map(([name, own]) => [name, own.map(([, value]) => value ?? '')]))
}

export function whereOf(filters: Filters): string[] {
  return Object.entries(filters).flatMap(([name, values]) => values.map(value => `${name}:${value}`))
}

function questionOf({ metric, last, by, step, compare, zone, week, where }: Look): Question {
  const span = last !== undefined && Object.hasOwn(lasts, last) ? (last as Tile['last']) : usualLast
  const metrics = listOf(metric).slice(0, mostMetrics)
  return {
    metrics: metrics.length > 0 ? metrics : [usualMetric],
    last: span,
    by: listOf(by).slice(0, mostDimensions),
    granularity: granularities.find(one => one === step) ?? lasts[span].granularity,
    isCompared: compare !== undefined,
    timezone: zone !== undefined && isTimezone(zone) ? zone : ownTimezone,
    weekStart: week === 'sunday' ? 'sunday' : 'monday',
    filters: filtersOf(listOf(where)),
  }
}

/** The other way: what the usual choices say is left out. */
export function lookOf({ metrics, last, by, granularity, isCompared, timezone, weekStart, filters }: Question): Look {
  return {
    metric: someOf(metrics),
    last,
    by: someOf(by),
    step: granularity === lasts[last].granularity ? undefined : granularity,
    compare: isCompared ? 'previous' : undefined,
    zone: timezone === ownTimezone ? undefined : timezone,
    week: weekStart === 'sunday' ? weekStart : undefined,
    where: someOf(whereOf(filters)),
  }
}

export function questionOfTile(tile: Tile): Question {
  const { metrics, last, groupBy = [], granularity, compare, timezone, weekStart, filters = {} } = tile
  return {
    metrics,
    last,
    by: groupBy,
    granularity: granularity ?? lasts[last].granularity,
    isCompared: compare !== undefined,
    timezone: timezone ?? ownTimezone,
    weekStart: weekStart ?? 'monday',
    filters: Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, [values].flat()])),
  }
}

/** Whoever looks at a tile has their own clocks, unless it was asked by others. */
export function tileOf(question: Question, show: Tile['show']): Tile {
  const { metrics, last, by, granularity, isCompared, timezone, weekStart, filters } = question
  return {
    show,
    last,
    metrics: [...metrics],
    ...(granularity !== lasts[last].granularity && { granularity }),
    ...(timezone !== ownTimezone && { timezone }),
    ...(weekStart !== 'monday' && { weekStart }),
    ...(by.length > 0 && { groupBy: [...by] }),
    ...(Object.keys(filters).length > 0 && { filters: copyOf(filters) }),
    ...(isCompared && { compare: 'previous' as const }),
  }
}

/** Inputs of calls can be written to. */
export function copyOf(filters: Filters): Record<string, string[]> {
  return Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, [...values]]))
}

/** What the address asks, and whether it asks anything. */
export function useQuestion(): [Question, (changed: Look) => void, isAsked: boolean] {
  const [look, change] = useLook<Look>()
  return [questionOf(look), change, listOf(look.metric).length > 0]
}

function queryOf(workspaceId: string, question: Question, isWhole: boolean): Query {
  const { metrics, last, by, granularity, isCompared, timezone, weekStart, filters } = question
  // To the minute: who comes back to a page is shown at once what was read a moment ago.
  const to = Math.ceil(Date.now() / minuteMs) * minuteMs
  return {
    workspaceId,
    metrics: [...metrics],
    from: new Date(to - lasts[last].days * dayMs).toISOString(),
    to: new Date(to).toISOString(),
    granularity,
    timezone,
    weekStart,
    ...(by.length > 0 && { groupBy: [...by] }),
    ...(Object.keys(filters).length > 0 && { filters: copyOf(filters) }),
    ...(isCompared && { compare: 'previous' as const }),
    ...(isWhole && { whole: true }),
  }
}

/**
 * As the service is asked; as one bucket where only the figure is wanted. A span that ends now is reckoned when the
 * question changes, not with each drawing.
 */
export function useQuery(workspaceId: string, question: Question, isWhole = false): Query {
  const text = JSON.stringify(question)
  return useMemo(() => queryOf(workspaceId, JSON.parse(text) as Question, isWhole), [workspaceId, text, isWhole])
}
