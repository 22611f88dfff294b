// What a query asks → the plan that engines carry out, and the columns of its answer.
import { badRequest } from '../../../contract/errors.ts'
import { parseIso } from '../../../kit/nanoseconds.ts'
import { refuseTimezone } from '../../../kit/time_zones.ts'
import type { Aggregate, AggregateName, Field, Plan, Span } from '../rows/condition.ts'
import type { DatasetKind } from '../rows/row.ts'
import { edgesOf } from './buckets.ts'
import { conditionOf, namedField } from './filter.ts'

export type Asked = {
  filter?: string
  from: string
  to: string
  interval?: string
  timezone?: string
  groupBy?: string[]
  aggregates?: { fn: AggregateName; field?: string; as?: string }[]
  orderBy?: string
  order?: 'asc' | 'desc'
  limit?: number
}

export type AnswerColumn = { name: string; type: 'time' | 'string' | 'number' | 'json' }

export type Planned = { plan: Plan; columns: AnswerColumn[] }

const usualLimit = 1_000

export function spanOf({ from, to }: { from: string; to: string }): Span {
  const span = { from: momentOf(from, 'from'), to: momentOf(to, 'to') }
  if (span.from >= span.to) {
    throw badRequest('"from" must be before "to".', [{ path: 'from', rule: 'order', expected: 'a time before "to"' }])
  }
  return span
}

/** 400 where the text of this field is no moment. */
export function momentOf(text: string, path: string): bigint {
  const at = parseIso(text)
  if (at !== undefined) return at
  const expected = 'a time such as 2026-01-31T12:00:00Z'
  throw badRequest(`"${path}" must be ${expected}.`, [{ path, rule: 'format', expected }])
}

/** The span may be shorter than what was asked for: what is beyond the retention is not looked for. */
export function planOf(kind: DatasetKind, asked: Asked, span: Span): Planned {
  const {
    groupBy = [],
    aggregates = [{ fn: 'count' as const }],
    interval,
    timezone = 'UTC',
    limit = usualLimit,
  } = asked
  refuseTimezone(timezone)
  const groups = groupBy.map((name, index) => groupField(kind, name, index))
  const made = aggregates.map((one, index) => aggregateOf(kind, one, index))
  const columns: AnswerColumn[] = [
    ...(interval ? [{ name: 'at', type: 'time' as const }] : []),
    ...groups.map((field, index) => ({ name: groupBy[index] as string, type: typeOf(field) })),
    ...made.map(({ name }) => ({ name, type: 'number' as const })),
  ]
  refuseTwice(columns)
  const edges = interval ? edgesOf(span, interval, timezone) : null
  const plan: Plan = {
    ...span,
    condition: conditionOf(kind, asked.filter),
    edges,
    groups,
    aggregates: made.map(({ aggregate }) => aggregate),
    orderBy: orderOf(asked, columns, interval !== undefined, groups.length),
    limit,
  }
  return { plan, columns }
}

function groupField(kind: DatasetKind, name: string, index: number): Field {
  const field = namedField(kind, name)
  if (field && field.is !== 'at') return field
  throw badRequest(`"groupBy.${index}": "${name}" is no field of ${kind}; attributes are written attributes.${name}.`, [
    { path: `groupBy.${index}`, rule: 'field', expected: 'a column, attributes.… or resource.…' },
  ])
}

function aggregateOf(kind: DatasetKind, asked: NonNullable<Asked['aggregates']>[number], index: number) {
  const { fn, field: name, as } = asked
  const path = `aggregates.${index}.field`
  if (name === undefined && fn !== 'count') {
    throw badRequest(`"${path}": ${fn} needs a field.`, [{ path, rule: 'required', expected: 'a field' }])
  }
  const field = name === undefined ? null : namedField(kind, name)
  if (field === undefined || field?.is === 'at') {
    throw badRequest(`"${path}": "${name}" is no field of ${kind} that can be aggregated.`, [
      { path, rule: 'field', expected: 'a column, attributes.… or resource.…' },
    ])
  }
  const isText = field?.is === 'column' && field.type === 'text'
  if (isText && fn !== 'count' && fn !== 'distinct') {
    throw badRequest(`"${path}": ${fn} takes numbers, and "${name}" is a text.`, [
      { path, rule: 'field', expected: 'a field that holds numbers' },
    ])
  }
  const aggregate: Aggregate = { fn, field }
  return { aggregate, name: as ?? (name === undefined ? fn : `${fn}(${name})`) }
}

function typeOf(field: Field): AnswerColumn['type'] {
  if (field.is === 'column') return field.type === 'number' ? 'number' : 'string'
  return 'json'
}

function refuseTwice(columns: readonly AnswerColumn[]): void {
  const names = columns.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw badRequest(`Two columns of the answer would be called "${twice}"; name one of them with "as".`, [
    { path: 'aggregates', rule: 'unique', expected: 'different names' },
  ])
}

/** Time goes forward; of groups the largest come first. */
function orderOf(
  { orderBy, order }: Asked,
  columns: readonly AnswerColumn[],
  hasBuckets: boolean,
  groupCount: number,
): Plan['orderBy'] {
  if (orderBy === undefined) {
    if (hasBuckets) return { index: 0, order: order ?? 'asc' }
    return { index: groupCount, order: order ?? 'desc' }
  }
  const index = columns.findIndex(({ name }) => name === orderBy)
  if (index >= 0) return { index, order: order ?? 'desc' }
  const names = columns.map(({ name }) => name).join(', ')
  throw badRequest(`"orderBy" must be a column of the answer: ${names}.`, [
    { path: 'orderBy', rule: 'enum', expected: names },
  ])
}
