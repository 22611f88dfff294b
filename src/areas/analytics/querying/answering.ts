// Answers a plan: each metric a series, each group its points, with nothing left out and nothing made up.
import type { Db } from '../../../kit/db.ts'
import { dayMs } from '../../../kit/time_zones.ts'
import { none } from '../following/counting.ts'
import { placeOf } from '../following/store.ts'
import type { Metric, RatioMetric } from '../metrics/metric.ts'
import { metricsByName } from '../metrics/table.ts'
import type { Span } from './buckets.ts'
import { mostGroups, type Plan } from './planning.ts'
import { distinct, percentiles } from './spread.ts'
import { type Named, type Sum, sums } from './store.ts'

export type Point = { at: string; value: number | null; p50?: number | null; p95?: number | null; count?: number }
type By = Record<string, string | null>
export type Group = {
  by: By
  isOther: boolean
  points: Point[]
  previous?: Point[]
}
export type Series = {
  metric: string
  unit: Metric['unit']
  definition: string
  asOfSeq: number
  groups: Group[]
}

type Buckets = { span: Span; edges: readonly number[] }
type Asking = { db: Db; workspaceId: string; plan: Plan; now: number }

export async function answer(db: Db, workspaceId: string, plan: Plan, now: Date): Promise<Series[]> {
  const asOfSeq = await placeOf(db, workspaceId)
  const asking = { db, workspaceId, plan, now: now.getTime() }
  const series: Series[] = []
  for (const metric of plan.metrics) {
    const { name, unit, definition } = metric
    series.push({ metric: name, unit, definition, asOfSeq, groups: await groupsOf(asking, metric) })
  }
  return series
}

async function groupsOf(asking: Asking, metric: Metric): Promise<Group[]> {
  const { plan, now } = asking
  const groups = await pointsOf(asking, metric, plan, [])
  if (!plan.previous) return groups.map(({ key: _, ...group }) => group)
  // The same groups as now, so that each is held against itself; and those that are gone since.
  const before = await pointsOf(asking, metric, plan.previous, keysOf(groups))
  const [nowEmpty, wasEmpty] = [emptyPoints(metric, plan, now), emptyPoints(metric, plan.previous, now)]
  const known = new Map(before.map(group => [group.key, group.points]))
  const here = new Set(groups.map(({ key }) => key))
  const gone = before.filter(({ key }) => !here.has(key)).map(group => ({ ...group, points: nowEmpty }))
  return [...groups, ...gone]
    .sort(othersLast)
    .map(({ key, ...group }) => ({ ...group, previous: known.get(key) ?? wasEmpty }))
}

type Keyed = Group & { key: string }

const othersLast = (one: Group, other: Group) => Number(one.isOther) - Number(other.isOther)
const bySize = (one: Group, other: Group) => othersLast(one, other) || sizeOf(other) - sizeOf(one)
const otherKey = ''

/** What groups are told apart by, in order; what is beyond the largest has no key of its own. */
const keysOf = (groups: readonly Keyed[]) => [
  ...new Set(groups.filter(({ isOther }) => !isOther).map(({ key }) => key)),
]

function named(key: string): Named {
  const [one, two] = JSON.parse(key) as [string, string]
  return { one, two }
}

/** `keys` are of groups that are shown in any case. */
async function pointsOf(asking: Asking, metric: Metric, buckets: Buckets, keys: readonly string[]): Promise<Keyed[]> {
  if (metric.from === 'metrics') return await ratios(asking, metric, buckets, keys)
  const { db, workspaceId, plan, now } = asking
  const rows = await sums(db, {
    workspaceId,
    metric,
    ...buckets,
    groupBy: plan.groupBy,
    filters: plan.filters,
    keysOf: plan.keysOf,
    mostGroups,
    known: keys.map(named),
  })
  const byGroup = Map.groupBy(rows, ({ one, two, isOther }) => (isOther ? otherKey : JSON.stringify([one, two])))
  // Without groups there is one, also where nothing was found.
  if (plan.groupBy.length === 0 && byGroup.size === 0) {
    return [{ key: JSON.stringify(['', '']), by: {}, isOther: false, points: emptyPoints(metric, buckets, now) }]
  }
  const groups = [...byGroup].map(([key, own]) => ({
    key,
    by: byOf(plan.groupBy, own[0]),
    isOther: key === otherKey,
    points: pointsFrom(metric, buckets, own, now),
  }))
  return groups.sort(bySize)
}

const sizeOf = ({ points }: Group) => points.reduce((sum, { value, count }) => sum + (count ?? value ?? 0), 0)

function byOf(groupBy: readonly string[], row: Sum | undefined): By {
  const values = row?.isOther ? ['other', 'other'] : [row?.one, row?.two]
  return Object.fromEntries(
    groupBy.map((name, index) => [name, values[index] === none ? null : (values[index] ?? null)]),
  )
}

function emptyPoints(metric: Metric, buckets: Buckets, now: number): Point[] {
  return pointsFrom(metric, buckets, [], now)
}

function goneBefore(metric: Metric, now: number): number {
  if (metric.from !== 'records' || metric.keptDays === undefined) return Number.NEGATIVE_INFINITY
  return now - metric.keptDays * dayMs
}

function pointsFrom(metric: Metric, { span, edges }: Buckets, rows: readonly Sum[], now: number): Point[] {
  const byBucket = new Map(rows.map(row => [row.bucket, row]))
  const gone = goneBefore(metric, now)
  let level = byBucket.get(0)?.weight ?? 0
  return edges.map((edge, index) => {
    const row = byBucket.get(index + 1)
    const at = new Date(edge).toISOString()
    if (Math.max(edge, span.from) < gone) return { at, value: null }
    if (metric.kind === 'level') {
      level += row?.weight ?? 0
      // Nobody knows yet how many there will be.
      return { at, value: edge > now ? null : level }
    }
    if (metric.kind === 'mean') {
      const { weight = 0, value = 0, spread = null } = row ?? {}
      const [p50 = null, p95 = null] = percentiles(spread, [0.5, 0.95])
      return { at, value: weight > 0 ? value / weight : null, p50, p95, count: weight }
    }
    if (metric.kind === 'distinct') return { at, value: distinct(row?.spread ?? null) }
    return { at, value: (metric.kind === 'sum' ? row?.value : row?.weight) ?? 0 }
  })
}

async function ratios(
  asking: Asking,
  metric: RatioMetric,
  buckets: Buckets,
  keys: readonly string[],
): Promise<Keyed[]> {
  const names = [...new Set([metric.part, ...metric.whole])]
  const read = async (among: readonly string[]) => {
    const found = new Map<string, Keyed[]>()
    for (const name of names) {
      found.set(name, await pointsOf(asking, metricsByName.get(name) as Metric, buckets, among))
    }
    return found
  }
  let found = await read(keys)
  const all = [...found.values()].flat().sort(bySize)
  const shown = [...new Set([...keys, ...keysOf(all)])]
  // Each has largest groups of its own: what is divided must be of the same ones.
  const isCut = shown.length > mostGroups || (keys.length < mostGroups && all.some(({ isOther }) => isOther))
  if (isCut) found = await read(shown.slice(0, mostGroups))
  const points = new Map([...found].map(([name, groups]) => [name, new Map(groups.map(one => [one.key, one.points]))]))
  const amountOf = (name: string, key: string, index: number) => points.get(name)?.get(key)?.[index]?.value ?? 0
  const groups = new Map([...found.values()].flat().map(group => [group.key, group]))
  return [...groups]
    .map(([key, group]) => ({
      ...group,
      points: group.points.map(({ at }, index) => {
        const count = metric.whole.reduce((sum, name) => sum + amountOf(name, key, index), 0)
        return { at, value: count === 0 ? null : amountOf(metric.part, key, index) / count, count }
      }),
    }))
    .sort(bySize)
}
