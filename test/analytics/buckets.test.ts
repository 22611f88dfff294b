// Buckets by the clocks of a time zone: days without midnight, hours that are cut, and no bucket that never ends.
import { describe, expect, it } from 'vitest'
import type { Granularity } from '../../src/areas/analytics/metrics/metric.ts'
import {
  beginOf,
  type Calendar,
  edgesOf,
  mostBuckets,
  nextOf,
  spanBefore,
} from '../../src/areas/analytics/querying/buckets.ts'
import { midnight, offsetAt } from '../../src/kit/time_zones.ts'

const dayMs = 86_400_000
const dayOf = (date: string) => Date.parse(`${date}T00:00:00.000Z`) / dayMs
const iso = (at: number) => new Date(at).toISOString()
const calendar = (granularity: Granularity, timezone: string): Calendar => ({
  granularity,
  timezone,
  weekStart: 'monday',
})
const span = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) })

describe('midnight', () => {
  it.each([
    ['where clocks leave it out', 'America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
    ['where clocks leave it out, west of Greenwich', 'America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
    ['where clocks leave it out, east of Greenwich', 'Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00.000Z'],
    ['where clocks show it twice', 'America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
    ['where clocks go back at it', 'Africa/Cairo', '2026-10-30', '2026-10-29T22:00:00.000Z'],
    ['of a day that was left out', 'Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['of a day after one that was left out', 'Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
    ['before there were time zones', 'Europe/Berlin', '0050-06-01', '0050-05-31T23:06:32.000Z'],
  ])('is the first moment of the day %s', (_, timezone, day, at) => {
    expect(iso(midnight(dayOf(day), timezone))).toBe(at)
  })
})

describe('buckets', () => {
  it('have 23 hours where midnight is left out', () => {
    const edges = edgesOf(
      span('2026-09-05T04:00:00.000Z', '2026-09-08T03:00:00.000Z'),
      calendar('day', 'America/Santiago'),
    )
    expect(edges.map(iso)).toEqual(['2026-09-05T04:00:00.000Z', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'])
  })

  it('of an hour are cut where clocks change by half of one', () => {
    const edges = edgesOf(
      span('2026-10-03T13:30:00.000Z', '2026-10-03T18:00:00.000Z'),
      calendar('hour', 'Australia/Lord_Howe'),
    )
    expect(edges.map(at => iso(at).slice(11, 16))).toEqual(['13:30', '14:30', '15:30', '16:00', '17:00'])
  })

  it('follow each other without a gap, and every moment in one leads to it, in every time zone', () => {
    const spans = {
      hour: span('2026-03-01T00:00:00.000Z', '2026-03-03T00:00:00.000Z'),
      day: span('2026-01-01T00:00:00.000Z', '2027-01-05T00:00:00.000Z'),
      week: span('2026-01-01T00:00:00.000Z', '2027-01-05T00:00:00.000Z'),
      month: span('2011-01-01T00:00:00.000Z', '2027-01-05T00:00:00.000Z'),
    }
    const astray: string[] = []
    const zones = Intl.supportedValuesOf('timeZone').filter((_, index) => index % 20 === 0)
    const clocks = ['America/Santiago', 'America/Havana', 'Africa/Cairo', 'Asia/Beirut', 'Australia/Lord_Howe']
    for (const timezone of [...zones, ...clocks, 'Asia/Kathmandu', 'Pacific/Apia', 'Antarctica/Troll']) {
      for (const granularity of ['hour', 'day', 'week', 'month'] as const) {
        const own = calendar(granularity, timezone)
        const edges = edgesOf(spans[granularity], own)
        for (const [index, at] of edges.entries()) {
          const next = edges[index + 1] ?? nextOf(at, own)
          const places = [at, at + 1, Math.floor((at + next) / 2), next - 1].map(moment => beginOf(moment, own))
          if (places.some(place => place !== at)) astray.push(`${timezone} ${granularity} ${iso(at)}`)
        }
        const month = edges.map(at => new Date(at + offsetAt(at, timezone)).getUTCDate())
        if (granularity === 'month') expect(new Set(month)).toEqual(new Set([1]))
      }
    }
    expect(astray).toEqual([])
  })

  it('are as many as there may be, and not one more', () => {
    const hours = (from: string) => edgesOf({ from: Date.parse(from), to: Date.parse(from) + 1_000 * 3_600_000 }, hour)
    const hour = calendar('hour', 'UTC')
    expect(hours('2026-11-01T00:00:00.000Z')).toHaveLength(mostBuckets)
    expect(() => hours('2026-11-01T00:30:00.000Z')).toThrow(/more than 1000 buckets of a hour; ask by day or longer/)
    // A thousand days by the clocks, and an hour more.
    const days = span('2024-04-01T22:00:00.000Z', '2026-12-27T23:00:00.000Z')
    expect(edgesOf(days, calendar('day', 'Europe/Berlin'))).toHaveLength(mostBuckets)
  })

  it('of a week begin on its first day again after one that was left out', () => {
    const edges = edgesOf(span('2011-12-20T00:00:00.000Z', '2012-01-20T00:00:00.000Z'), {
      ...calendar('week', 'Pacific/Apia'),
      weekStart: 'sunday',
    })
    const days = edges.map(at => new Date(at + offsetAt(at, 'Pacific/Apia')).getUTCDay())
    expect(new Set(days)).toEqual(new Set([0]))
  })
})

describe('the span before', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kolkata']
  const moments = Array.from({ length: 366 }, (_, day) => Date.parse('2026-01-01T10:37:00.000Z') + day * 86_400_000)

  it('is as many days long as the span, whatever clocks do in between', () => {
    const astray: string[] = []
    for (const timezone of zones) {
      const day = calendar('day', timezone)
      const local = (at: number) => at + offsetAt(at, timezone)
      for (const days of [1, 7, 30]) {
        for (const to of moments) {
          const end = beginOf(to, day)
          const spans = [
            { from: to - days * dayMs, to },
            { from: midnight(Math.floor(local(end) / dayMs) - days, timezone), to: end },
          ]
          for (const one of spans) {
            const { from, to: until } = spanBefore(one, day)
            const isRight = until === one.from && Math.round((local(until) - local(from)) / dayMs) === days
            if (!isRight) astray.push(`${timezone} ${days} ${iso(one.from)}`)
          }
        }
      }
    }
    expect(astray).toEqual([])
  })

  it('is longer by a day where the span is longer by hours', () => {
    const { from } = spanBefore(span('2026-06-01T00:00:00.000Z', '2026-06-02T01:00:00.000Z'), calendar('day', 'UTC'))
    expect(iso(from)).toBe('2026-05-30T00:00:00.000Z')
  })
})
