// Any question has the answer that its facts have when they are added up one by one, whichever hours it is read from.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { world } from '../../../test/calls.ts'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import type { Fact } from './following/counting.ts'
import { keepFacts, sumAgain } from './following/store.ts'
import { metricsByName } from './metrics/table.ts'
import { answer } from './querying/answering.ts'
import { type Plan, planOf } from './querying/planning.ts'

let p: TestPlatform
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  workspaceId = (await world(p)).workspaceId
})
afterAll(() => p.close())

const begin = Date.parse('2026-03-27T00:00:00.000Z')
const minutes = 5 * 24 * 60
const at = (minute: number) => new Date(begin + minute * 60_000).toISOString()

const severities = ['high', 'low', 'none']
const labels = ['a', 'b', 'none']
const surfaces = ['cli', 'console', 'rest']
const ofIssues = ['issues.opened', 'issues.open', 'issues.time_to_resolve']

const said = fc.record({
  metric: fc.constantFrom(...ofIssues, 'members.active'),
  minute: fc.integer({ min: 0, max: minutes - 1 }),
  value: fc.integer({ min: 0, max: 9 }),
  isLess: fc.boolean(),
  severity: fc.constantFrom(...severities),
  label: fc.uniqueArray(fc.constantFrom(...labels), { minLength: 1, maxLength: 2 }),
  surface: fc.constantFrom(...surfaces),
})

const facts = fc.array(
  said.map(({ metric, minute, value, isLess, severity, label, surface }): Omit<Fact, 'seq'> => {
    const [isMean, isPeople] = [metric === 'issues.time_to_resolve', metric === 'members.active']
    return {
      ...{ metric, at: at(minute), place: 0 },
      weight: metric === 'issues.open' && isLess ? -1 : 1,
      value: isMean ? value : 0,
      spread: isMean ? String(value) : isPeople ? `uperson${value}` : null,
      dims: isPeople ? { surface: [surface] } : { severity: [severity], label },
    }
  }),
  { minLength: 150, maxLength: 150 },
)

const wordsOf = (values: readonly string[]) =>
  fc.option(
    fc.subarray(
      values.flatMap(value => [value, `!${value}`]),
      { minLength: 1, maxLength: 2 },
    ),
    { nil: undefined, freq: 2 },
  )

const question = fc
  .record({
    metric: fc.constantFrom(...ofIssues, 'members.active'),
    span: fc.tuple(fc.integer({ min: 0, max: minutes - 1 }), fc.integer({ min: 1, max: minutes })),
    isByTheHour: fc.boolean(),
    granularity: fc.constantFrom('hour' as const, 'day' as const, 'day' as const),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'),
    groups: fc.subarray(['severity', 'label']),
    severity: wordsOf(severities),
    label: wordsOf(labels),
    surface: wordsOf(surfaces),
    isBySurface: fc.boolean(),
  })
  .map(({ metric, span, isByTheHour, granularity, timezone, groups, severity, label, surface, isBySurface }) => {
    const [one, other] = span.map(minute => (isByTheHour ? minute - (minute % 60) : minute)) as [number, number]
    const isPeople = metric === 'members.active'
    const filters = Object.entries(isPeople ? { surface } : { severity, label }).filter(([, words]) => words)
    return {
      metrics: [metric],
      from: at(Math.min(one, other)),
      to: at(Math.max(one, other) + (one === other ? 60 : 0)),
      granularity,
      timezone,
      groupBy: isPeople ? (isBySurface ? ['surface'] : []) : groups,
      filters: Object.fromEntries(filters) as Record<string, string[]>,
    }
  })

type Cell = { values: number[]; people: Set<string> }

/** Group and bucket → what is in it, fact by fact. */
function addedUp(plan: Plan, all: readonly Omit<Fact, 'seq'>[]): Map<string, Cell> {
  const cells = new Map<string, Cell>()
  const [metric] = plan.metrics
  for (const { metric: name, at, weight, value, spread, dims } of all) {
    const moment = Date.parse(at)
    const isIn = moment < plan.span.to && (metric?.kind === 'level' || moment >= plan.span.from)
    const passes = plan.filters.every(
      ({ name, yes, no }) =>
        (yes.length === 0 || yes.some(one => dims[name]?.includes(one))) && !no.some(one => dims[name]?.includes(one)),
    )
    if (name !== metric?.name || !isIn || !passes) continue
    const groups = plan.groupBy.reduce<string[][]>(
      (some, name) => some.flatMap(group => (dims[name] ?? []).map(one => [...group, one])),
      [[]],
    )
    const first = plan.edges.findLastIndex(edge => edge <= moment)
    const buckets = metric.kind === 'level' ? [...plan.edges.keys()].filter(bucket => bucket >= first) : [first]
    for (const bucket of buckets) {
      for (const group of groups) {
        const key = JSON.stringify([...group, bucket])
        const cell = cells.get(key) ?? { values: [], people: new Set() }
        cells.set(key, cell)
        cell.values.push(metric.kind === 'mean' ? value : weight)
        cell.people.add(String(spread))
      }
    }
  }
  return cells
}

function figureOf(kind: string, { values, people } = { values: [] as number[], people: new Set<string>() }) {
  const sum = values.reduce((all, one) => all + one, 0)
  if (kind === 'distinct') return people.size
  if (kind !== 'mean') return sum
  return values.length === 0 ? null : sum / values.length
}

it('a question has the answer that its facts have when they are added up one by one', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(facts, fc.array(question, { minLength: 8, maxLength: 8 }), async (all, questions) => {
      await p.database.plain(`delete from analytics_facts where workspace_id = '${workspaceId}'`)
      await keepFacts(
        p.database,
        workspaceId,
        all.map((one, seq) => ({ ...one, seq: 1_000_000 + seq })),
      )
      await sumAgain(p.database, workspaceId)
      for (const asked of questions) {
        const plan = planOf(asked)
        const [series] = await answer(p.database, workspaceId, plan, new Date(begin + minutes * 60_000))
        const expected = addedUp(plan, all)
        const kind = metricsByName.get(asked.metrics[0] ?? '')?.kind ?? ''
        let cells = 0
        for (const { by, points } of series?.groups ?? []) {
          const group = plan.groupBy.map(name => by[name] ?? 'none')
          for (const [bucket, { at, value }] of points.entries()) {
            const cell = expected.get(JSON.stringify([...group, bucket]))
            cells += cell ? 1 : 0
            expect({ asked, group, at, value }).toEqual({ asked, group, at, value: figureOf(kind, cell) })
          }
        }
        // Nothing that was counted is in no group.
        expect({ asked, cells }).toEqual({ asked, cells: expected.size })
        seen.set(kind, (seen.get(kind) ?? 0) + cells)
      }
    }),
    { numRuns: Number(process.env.QUESTIONS ?? 10) },
  )
  for (const kind of ['count', 'level', 'mean', 'distinct']) expect(seen.get(kind)).toBeGreaterThan(0)
})
