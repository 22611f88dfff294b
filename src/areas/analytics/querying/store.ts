// SQL of questions: from sums of hours where one dimension is asked for, from facts in cut hours and for all else.
import type { Db } from '../../../kit/db.ts'
import type { Reach } from '../../../kit/owned.ts'
import { plannedAnew, type Sql, sql } from '../../../kit/sql.ts'
import { none } from '../following/counting.ts'
import type { Metric } from '../metrics/metric.ts'
import { hourMs, type Span } from './buckets.ts'
import type { Filter } from './planning.ts'

export type Question = {
  workspaceId: string
  metric: Metric
  span: Span
  edges: readonly number[]
  groupBy: readonly string[]
  filters: readonly Filter[]
  keysOf: Reach
  mostGroups: number
  /** Those that are shown whatever their size; beside them the largest, as far as there is room. */
  known: readonly Named[]
}

export type Named = { one: string; two: string }

export type Sum = {
  /** Which of the edges, from 1; 0 is what was before the first. */
  bucket: number
  /** Empty where nothing is grouped by. */
  one: string
  two: string
  /** Not among the largest groups. */
  isOther: boolean
  weight: number
  value: number
  /** Of means and of people. */
  spread: string | null
}

const at = (ms: number) => new Date(ms)
const timesOf = (all: readonly number[]) => all.map(ms => at(ms).toISOString())
const beginOfHour = (ms: number) => Math.floor(ms / hourMs) * hourMs

/**
 * The dimension whose hours answer the question, '' where none is asked for; null where no hours do. An hour knows one
 * dimension at a time, and of a record with several values not which others it has.
 */
function dimensionOf({ metric, groupBy, filters }: Question): string | null {
  if (metric.from !== 'ledger') return null
  const [only = '', ...others] = new Set([...groupBy, ...filters.map(({ name }) => name)])
  if (others.length > 0) return null
  return filters.length > 0 && metric.several?.includes(only) ? null : only
}

/** Hours in the middle of which the span or a bucket begins or ends: there are some where days begin at half an hour. */
function cutHours({ metric, span, edges }: Question): number[] {
  const cuts = metric.kind === 'level' ? [...edges, span.to] : [span.from, ...edges.slice(1), span.to]
  return [...new Set(cuts.filter(cut => cut % hourMs !== 0).map(beginOfHour))]
}

/** What can be added up is, before groups are compared: there are far fewer sums than rows. */
function together(question: Question): Sql {
  const { metric, workspaceId, span, keysOf } = question
  if (metric.from === 'records') {
    const relation = metric.relation(workspaceId, { from: at(span.from), to: at(span.to) }, keysOf)
    return sumOfFacts(question, sql`select c.*, null::text as spread from (${relation}) c`)
  }
  const facts = sql`
    select f.at, f.weight, f.value, f.dims, f.spread from analytics_facts f
    where f.workspace_id = ${workspaceId} and f.metric = ${metric.name} and f.at < ${at(span.to)}
      ${metric.kind === 'level' ? sql`` : sql`and f.at >= ${at(span.from)}`}`
  const dimension = dimensionOf(question)
  if (dimension === null) return sumOfFacts(question, facts)
  const cut = cutHours(question)
  const hours = sumOfHours(question, dimension, cut)
  if (cut.length === 0) return hours
  // Without "offset" it would be a join, for which the planner expects to meet a ninth of all facts in each hour.
  const atCuts = sql`
    select f.* from unnest(${timesOf(cut)}::timestamptz[]) c (hour)
    cross join lateral (${facts} and f.at >= c.hour and f.at < c.hour + interval '1 hour' offset 0) f`
  return sql`${hours} union all ${sumOfFacts(question, atCuts)}`
}

function sumOfHours(question: Question, dimension: string, cut: readonly number[]): Sql {
  const { workspaceId, metric, span, groupBy, filters } = question
  const from = metric.kind === 'level' ? sql`` : sql`and r.at >= ${at(span.from)}`
  // All filters are of this dimension, and of each there is one.
  const { yes, no } = filters[0] ?? { yes: [], no: [] }
  return sql`
    select ${bucketIn(question)} as bucket, ${groupBy.length > 0 ? sql`r.name` : nothing} as one, ${nothing} as two,
      sum(r.weight) as weight, sum(r.value) as value, ${spreadIn(question)} as spread
    from (
      select h.hour as at, h.name, h.weight, h.value, h.spread from analytics_hours h
      where h.workspace_id = ${workspaceId} and h.metric = ${metric.name} and h.dimension = ${dimension}
    ) r
    where r.at < ${at(span.to)} ${from} and r.at <> all(${timesOf(cut)}::timestamptz[])
      and (cardinality(${yes}::text[]) = 0 or r.name = any(${yes}::text[])) and r.name <> all(${no}::text[])
    group by 1, 2, 3`
}

function sumOfFacts(question: Question, rows: Sql): Sql {
  const { select, from } = grouped(question)
  return sql`
    select ${bucketIn(question)} as bucket, ${select}, sum(r.weight) as weight, sum(r.value) as value,
      ${spreadIn(question)} as spread
    from (${rows}) r ${from} where ${filtered(question.filters)} group by 1, 2, 3`
}

const nothing = sql`''::text`

/** Of a dimension that came after the fact was counted. */
const noneOnly = sql`jsonb_build_array(${none}::text)`

/** The values that a row has in a dimension: mostly one, and then it is not unfolded. */
function grouped({ metric, groupBy }: Question): { select: Sql; from: Sql } {
  const isSeveral = (name: string) => metric.several?.includes(name) ?? false
  const valueIn = (name: string | undefined, table: Sql) =>
    name === undefined
      ? nothing
      : isSeveral(name)
        ? sql`${table}`
        : sql`coalesce(r.dims -> ${name}::text ->> 0, ${none})`
  const unfolded = (name: string | undefined, table: Sql) =>
    name !== undefined && isSeveral(name)
      ? sql`cross join lateral jsonb_array_elements_text(coalesce(r.dims -> ${name}::text, ${noneOnly})) ${table}`
      : sql``
  const [one, two] = groupBy
  return {
    select: sql`${valueIn(one, sql`g1.v`)} as one, ${valueIn(two, sql`g2.v`)} as two`,
    from: sql`${unfolded(one, sql`g1 (v)`)} ${unfolded(two, sql`g2 (v)`)}`,
  }
}

function filtered(filters: readonly Filter[]): Sql {
  if (filters.length === 0) return sql`true`
  return sql`not exists (
    select 1 from jsonb_to_recordset(${JSON.stringify(filters)}::jsonb) f (name text, yes text[], no text[])
    where cardinality(f.yes) > 0 and not jsonb_exists_any(coalesce(r.dims -> f.name, ${noneOnly}), f.yes)
      or jsonb_exists_any(coalesce(r.dims -> f.name, ${noneOnly}), f.no))`
}

/** By bucket and group; groups beyond the largest are one. */
export function sums(db: Db, question: Question): Promise<Sum[]> {
  const { metric, mostGroups, known } = question
  const { kind } = metric
  const size = kind === 'sum' ? sql`sum(r.value)` : sql`sum(r.weight)`
  const spread = spreadIn(question)
  return db.query<Sum>(
    plannedAnew(sql`
    with rows as materialized (${together(question)}),
    known as (
      select k.one, k.two
      from unnest(${known.map(({ one }) => one)}::text[], ${known.map(({ two }) => two)}::text[]) k (one, two)
    ),
    largest as (
      select k.one, k.two from known k
      union all (
        select r.one, r.two from rows r where (r.one, r.two) not in (select k.one, k.two from known k)
        group by 1, 2 order by ${size} desc, 1, 2 limit ${Math.max(0, mostGroups - known.length)}::int)
    )
    select r.bucket, coalesce(l.one, '') as one, coalesce(l.two, '') as two, l.one is null as is_other,
      sum(r.weight)::float8 as weight, sum(r.value)::float8 as value, ${spread} as spread
    from rows r left join largest l on l.one = r.one and l.two = r.two
    group by 1, 2, 3, 4 order by 1`),
  )
}

function bucketIn({ edges }: Question): Sql {
  return sql`width_bucket(r.at, ${timesOf(edges)}::timestamptz[])`
}

function spreadIn({ metric: { kind } }: Question): Sql {
  return kind === 'mean' || kind === 'distinct' ? sql`string_agg(r.spread, ' ')` : sql`null::text`
}

/** The facts of one bucket, oldest first. */
export function factsBetween(
  db: Db,
  workspaceId: string,
  metric: string,
  { span, filters, after, limit }: { span: Span; filters: readonly Filter[]; after: number; limit: number },
) {
  return db.query<{ seq: number; weight: number; value: number }>(
    plannedAnew(sql`
    select r.seq, sum(r.weight)::float8 as weight, sum(r.value)::float8 as value from analytics_facts r
    where r.workspace_id = ${workspaceId} and r.metric = ${metric} and r.at >= ${at(span.from)} and r.at < ${at(span.to)}
      and r.seq > ${after} and ${filtered(filters)}
    group by r.seq order by r.seq limit ${limit}::int`),
  )
}
