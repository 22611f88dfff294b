// Analytics: metrics, questions by time and what they are refused for, and every metric in one number.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asking, dayMs, type Points, total } from '../../../test/analytics/asking.ts'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { operation } from '../../operations.ts'
import { ages as calls } from '../agent_tools/jobs.ts'
import { ages as executions } from '../automations/jobs.ts'
import { ages as deliveries } from '../integrations/jobs.ts'
import { ages as memories } from '../memories/jobs.ts'
import { ages as tokens } from '../telemetry_tokens/jobs.ts'
import { ages as requests } from './jobs.ts'

const [ago0, ago90] = ['2026-11-10T00:00:00.000Z', '2026-10-01T00:00:00.000Z']
const all = ['issues.opened', 'issues.resolved', 'issues.open', 'issues.time_to_resolve', 'issues.time_to_triage']

let p: TestPlatform
let q: ReturnType<typeof asking>
let here: World
beforeAll(async () => {
  p = await platform()
  q = asking(p)
  here = await world(p)
})
afterAll(() => p.close())

describe('analytics.metrics', () => {
  it('lists every metric with its definition, unit, events and dimensions', async () => {
    const { status, result } = await q.call(here, 'metrics', {}, here.viewer)
    expect(status).toBe(200)
    const opened = result.items.find(({ name }: { name: string }) => name === 'issues.opened')
    expect(opened).toMatchObject({ unit: 'count', kind: 'count', source: 'ledger', smallest: 'minute' })
    expect(opened.dimensions.map(({ name }: { name: string }) => name)).toEqual([
      'severity',
      'source',
      'team',
      'label',
      'node',
    ])
    expect(new Set(result.items.map(({ name }: { name: string }) => name)).size).toBe(result.items.length)
  })

  it('says which list has as many records, and which of its fields take the same values', async () => {
    const { result } = await q.call(here, 'metrics', {}, here.viewer)
    const told = (result.items as Told[]).filter(({ list }) => list !== null)
    expect(told.length).toBeGreaterThan(2)
    for (const { dimensions, list } of told) {
      const { path, query } = operation(list?.operation ?? '') ?? {}
      const inputs = { ...path?.properties, ...query?.properties }
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining([...Object.values(list?.fields ?? {}), 'from', 'to']))
      expect(dimensions.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(list?.fields ?? {})))
    }
    const ratio = result.items.find(({ name }: Told) => name === 'autofixes.merge_rate')
    expect(ratio.parts).toEqual(['autofixes.merged', 'autofixes.rejected'])
  })
})

describe('a metric of records that are removed', () => {
  const kept = {
    'automations.executions': executions.automation_executions,
    'integrations.deliveries': deliveries.integration_deliveries,
    'tools.calls': calls.agent_tool_hours,
    'memories.hits': memories.memory_use_hours,
    'telemetry.items': tokens.telemetry_token_hours,
    'telemetry.bytes': tokens.telemetry_token_hours,
    'telemetry.rejected': tokens.telemetry_token_hours,
    'api.requests': requests.analytics_requests,
    'api.latency': requests.analytics_requests,
  }

  it.each(Object.entries(kept))('%s says nothing of a time for which nothing is kept', async (name, age) => {
    const keptDays = age?.afterDays ?? 0
    const span = { from: q.ago((keptDays + 3) * dayMs), to: q.ago((keptDays - 3) * dayMs) }
    const { groups } = await q.series(here, name, span)
    const points: { at: string; value: number | null }[] = groups[0].points
    const after = name === 'api.latency' ? null : 0
    const isGone = (at: string) => Date.parse(at) < p.now().getTime() - keptDays * dayMs
    expect(points.filter(({ at }) => isGone(at)).length).toBeGreaterThan(1)
    expect(points.map(({ value }) => value)).toEqual(points.map(({ at }) => (isGone(at) ? null : after)))
  })
})

type Told = {
  name: string
  dimensions: { name: string }[]
  list: { operation: string; fields: Record<string, string> } | null
}

describe('analytics.query', () => {
  let w: World
  beforeAll(async () => {
    w = await world(p)
    const ids = [
      await q.issue(w, { severity: 'high' }),
      await q.issue(w, { severity: 'high' }),
      await q.issue(w, { severity: 'low' }),
    ]
    await q.patch(w, ids[0], { status: 'resolved' })
    await q.patch(w, ids[1], { severity: 'critical' })
    await q.counted(w)
  })

  it('counts what was opened and resolved, and says what it counts and up to where', async () => {
    const opened = await q.series(w, 'issues.opened', {})
    expect(opened).toMatchObject({ metric: 'issues.opened', unit: 'count' })
    expect(opened.definition).toContain('Issues that were made')
    expect(opened.asOfSeq).toBeGreaterThan(0)
    expect(total(opened.groups[0].points)).toBe(3)
    expect(await q.totals(w, 'issues.resolved', 'severity', {})).toEqual({ high: 1 })
  })

  it('counts an issue where it belongs now, as the list does', async () => {
    const open = await q.series(w, 'issues.open', { groupBy: ['severity'] })
    const last = open.groups.map(({ by, points }: { by: { severity: string }; points: Points }) => [
      by.severity,
      points.findLast(({ value }) => value !== null)?.value,
    ])
    expect(Object.fromEntries(last)).toEqual({ high: 0, critical: 1, low: 1 })
    const { result } = await p.call(
      'issues.list',
      { workspaceId: w.workspaceId, status: ['!resolved', '!dismissed'] },
      w.owner,
    )
    expect(last.reduce((sum: number, [, value]: [string, number]) => sum + value, 0)).toBe(result.count)
  })

  it('gives a mean with its middle and count, and null where there is nothing', async () => {
    const { groups } = await q.series(w, 'issues.time_to_resolve', {})
    const points = groups[0].points as (Points[number] & { count: number; p95: number | null })[]
    expect(points.filter(({ count }) => count > 0)).toHaveLength(1)
    expect(points.find(({ count }) => count === 0)).toMatchObject({ value: null, p95: null })
  })

  it('has one group and zeros where nothing was found', async () => {
    const { groups } = await q.series(w, 'issues.opened', { from: q.ago(40 * dayMs), to: q.ago(30 * dayMs) })
    expect(groups).toHaveLength(1)
    expect(groups[0].points.every(({ value }: Points[number]) => value === 0)).toBe(true)
  })

  it('filters by values, without those that begin with !', async () => {
    const values = async (severity: string[]) =>
      total((await q.series(w, 'issues.opened', { filters: { severity } })).groups[0].points)
    expect(await values(['high'])).toBe(2)
    expect(await values(['high', 'low'])).toBe(3)
    expect(await values(['!high'])).toBe(1)
    expect(await values(['none'])).toBe(0)
  })

  it('gives the same by the minute, hour, day, week and month', async () => {
    for (const granularity of ['minute', 'hour', 'day', 'week', 'month']) {
      const span = { from: q.ago(6 * 3_600_000), to: q.ago(-3_600_000) }
      const { groups } = await q.series(w, 'issues.opened', { granularity, ...span })
      expect([granularity, total(groups[0].points)]).toEqual([granularity, 3])
    }
  })

  it('begins days by the clocks of the time zone, also where they are not whole hours away', async () => {
    for (const timezone of ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns']) {
      const { groups } = await q.series(w, 'issues.opened', { timezone })
      expect([timezone, total(groups[0].points)]).toEqual([timezone, 3])
      for (const { at } of groups[0].points as { at: string }[]) {
        const time = new Intl.DateTimeFormat('en-GB', {
          timeZone: timezone,
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        })
        expect(time.format(new Date(at))).toBe('00:00')
      }
    }
  })

  it('has a day of 23 hours where clocks go forward, and weeks that begin when they are asked to', async () => {
    const span = { from: '2026-03-27T23:00:00.000Z', to: '2026-03-30T22:00:00.000Z' }
    const days = (await q.series(w, 'issues.opened', { ...span, timezone: 'Europe/Berlin' })).groups[0].points
    expect(days.map(({ at }: { at: string }) => at)).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    const weeks = { from: '2026-11-04T00:00:00.000Z', to: '2026-11-12T00:00:00.000Z', granularity: 'week' }
    const begins = async (weekStart: string) =>
      (await q.series(w, 'issues.opened', { ...weeks, weekStart })).groups[0].points.map(({ at }: { at: string }) =>
        at.slice(0, 10),
      )
    expect(await begins('monday')).toEqual(['2026-11-02', '2026-11-09'])
    expect(await begins('sunday')).toEqual(['2026-11-01', '2026-11-08'])
  })

  it.each([
    ['an unknown metric', { metrics: ['issues.opend'] }, /Did you mean issues\.opened/],
    ['a dimension of another metric', { groupBy: ['model'] }, /has no dimension "model"/],
    ['a filter by a dimension of another metric', { filters: { model: ['x'] } }, /has no dimension "model"/],
    ['a span that ends before it begins', { from: ago0, to: ago0 }, /before "to"/],
    ['the year 1', { from: '0001-01-01T00:00:00.000Z', granularity: 'month' }, /between the years 2 and 9999/],
    [
      'more points than there is room for',
      { from: ago90, groupBy: ['severity'], metrics: all.slice(0, 5), granularity: 'hour', to: ago0 },
      /could have 2\d\d,\d{3} points, and at most 51,000 are given; ask for fewer metrics, no groups, longer/,
    ],
    ['too many buckets', { from: '2020-01-01T00:00:00.000Z', granularity: 'minute' }, /ask by week or longer/],
    [
      'a metric that is kept by the hour, by the minute',
      { metrics: ['telemetry.items'], granularity: 'minute' },
      /by hour or longer/,
    ],
    ['a time zone that is none', { timezone: 'Mars/Olympus' }, /time zone/],
  ])('refuses %s', async (_, fields, detail) => {
    const { status, error } = await q.call(here, 'query', { metrics: ['issues.opened'], ...q.lately(), ...fields })
    expect([status, error.detail]).toEqual([400, expect.stringMatching(detail)])
  })

  it('refuses more than ten metrics and more than two dimensions', async () => {
    const eleven = Array.from({ length: 11 }, () => 'issues.opened')
    expect((await q.call(here, 'query', { metrics: eleven, ...q.lately() })).status).toBe(400)
    const three = ['severity', 'source', 'team']
    expect((await q.call(here, 'query', { metrics: ['issues.opened'], groupBy: three, ...q.lately() })).status).toBe(
      400,
    )
  })
})

describe('analytics.summary', () => {
  it('shows every metric with its change', async () => {
    const w = await world(p)
    await q.issue(w, {})
    await q.counted(w)
    const { result } = await q.call(w, 'summary', { period: '30d' }, w.viewer)
    const figure = (name: string) => result.figures.find(({ metric }: { metric: string }) => metric === name)
    expect(figure('issues.opened')).toMatchObject({ value: 1, previous: 0, change: null })
    expect(figure('issues.open')).toMatchObject({ value: 1, previous: 0 })
    expect(figure('members.active').value).toBeGreaterThanOrEqual(1)
    expect(Date.parse(result.to) - Date.parse(result.from)).toBe(30 * dayMs)
    // A query of one bucket says the same, and of whom is active today twice it counts one.
    const names = result.figures.map(({ metric }: { metric: string }) => metric).slice(0, 10)
    const asked = { metrics: [...names.slice(1), 'members.active'], from: result.from, to: result.to, whole: true }
    const { series } = (await q.call(w, 'query', { ...asked, compare: 'previous' }, w.viewer)).result
    for (const { metric, groups } of series) {
      expect(groups[0].points).toHaveLength(1)
      const { value, previous } = figure(metric)
      expect([metric, groups[0].points[0].value, groups[0].previous[0].value]).toEqual([metric, value, previous])
    }
  })
})
