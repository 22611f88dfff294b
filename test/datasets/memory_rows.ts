// A plain evaluation of conditions and plans over rows in memory: what every engine must answer.
import type { Aggregate, Condition, Field, Plan, Span } from '../../src/areas/datasets/rows/condition.ts'
import type { Json } from '../../src/areas/datasets/rows/row.ts'
import type { HourVolume, RowQuery, StoredRow, Volume } from '../../src/areas/datasets/rows/row_store.ts'
import { hourNs } from '../../src/areas/datasets/rows/row_store.ts'

type Value = Json | bigint

function valueIn(row: StoredRow, field: Field): Value {
  if (field.is === 'at') return row.at
  if (field.is === 'column') return row[field.name] ?? null
  const own = row[field.of] ?? {}
  return Object.hasOwn(own, field.key) ? (own[field.key] as Json) : null
}

const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

const isOrdered = {
  '<': (n: number) => n < 0,
  '<=': (n: number) => n <= 0,
  '>': (n: number) => n > 0,
  '>=': (n: number) => n >= 0,
}

/** Null is neither. */
export function holds(row: StoredRow, condition: Condition): boolean | null {
  switch (condition.is) {
    case 'and':
    case 'or': {
      const parts = condition.parts.map(part => holds(row, part))
      const decisive = condition.is === 'or'
      if (parts.includes(decisive)) return decisive
      return parts.includes(null) ? null : !decisive
    }
    case 'not': {
      const part = holds(row, condition.part)
      return part === null ? null : !part
    }
    case 'constant':
      return condition.value
    case 'isSet':
      return valueIn(row, condition.field) !== null
    case 'equal':
      return valueIn(row, condition.field) === condition.value
    case 'among':
      return condition.values.some(value => valueIn(row, condition.field) === value)
    case 'order': {
      const value = valueIn(row, condition.field)
      if (typeof value !== typeof condition.value) return null
      if (typeof value === 'string') return isOrdered[condition.op](bytes(value, String(condition.value)))
      const [one, other] = [value as number, condition.value as number]
      return isOrdered[condition.op](one < other ? -1 : one > other ? 1 : 0)
    }
    case 'part': {
      const value = valueIn(row, condition.field)
      if (typeof value !== 'string') return null
      if (condition.how === 'contains') return value.includes(condition.value)
      return condition.how === 'startsWith' ? value.startsWith(condition.value) : value.endsWith(condition.value)
    }
  }
}

const within = (rows: readonly StoredRow[], { from, to }: Span, condition: Condition | null) =>
  rows.filter(row => row.at >= from && row.at < to && (condition === null || holds(row, condition) === true))

const byTime = (one: StoredRow, other: StoredRow) =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : one.id - other.id

export function rowsOf(rows: readonly StoredRow[], { condition, order, after, limit, ...span }: RowQuery): StoredRow[] {
  const sign = order === 'asc' ? 1 : -1
  return within(rows, span, condition)
    .filter(row => after === null || sign * byTime(row, after as StoredRow) > 0)
    .sort((one, other) => sign * byTime(one, other))
    .slice(0, limit)
}

export function volumeOf(rows: readonly StoredRow[]): Volume {
  const sorted = [...rows].sort(byTime)
  const size = rows.reduce((sum, row) => sum + row.bytes, 0)
  return { rows: rows.length, bytes: size, first: sorted[0]?.at ?? null, last: sorted.at(-1)?.at ?? null }
}

export function hoursOf(rows: readonly StoredRow[], { from, to }: Span): HourVolume[] {
  const hours = Map.groupBy(rows, ({ at }) => at - (at % hourNs))
  return [...hours]
    .filter(([hour]) => hour > from - hourNs && hour < to)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([hour, some]) => ({ hour, rows: some.length, bytes: volumeOf(some).bytes }))
}

export function removed(rows: readonly StoredRow[], span: Span, condition: Condition | null): StoredRow[] {
  const gone = new Set(within(rows, span, condition))
  return rows.filter(row => !gone.has(row))
}

const keyOf = (value: Value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

export function answer(rows: readonly StoredRow[], plan: Plan): Json[][] {
  const { edges, groups, aggregates, condition, orderBy, limit } = plan
  const keys = (row: StoredRow): Json[] => [
    ...(edges ? [edges.findLastIndex(edge => edge <= row.at)] : []),
    ...groups.map(group => valueIn(row, group) as Json),
  ]
  const found = within(rows, plan, condition)
  const grouped = [...Map.groupBy(found, row => keys(row).map(keyOf).join('\0')).values()]
  if (!edges && groups.length === 0 && grouped.length === 0) grouped.push([])
  const lines = grouped.map(some => [
    ...(some[0] ? keys(some[0]) : []),
    ...aggregates.map(one => aggregated(some, one)),
  ])
  const offset = edges ? 1 : 0
  const count = offset + groups.length
  const isAttribute = (index: number) => index >= offset && groups[index - offset]?.is === 'attribute'
  const indexes = [orderBy.index, ...Array.from({ length: count }, (_, n) => n).filter(n => n !== orderBy.index)]
  lines.sort((one, other) => {
    for (const index of indexes) {
      const sign = index === orderBy.index && orderBy.order === 'desc' ? -1 : 1
      const difference = compared(one[index] as Json, other[index] as Json, isAttribute(index), sign)
      if (difference !== 0) return difference
    }
    return 0
  })
  return lines.slice(0, limit)
}

/** What is not set is last, whichever way round; of attributes, numbers are before the rest. */
function compared(one: Json, other: Json, isAttribute: boolean, sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  const isNumber = [typeof one === 'number', typeof other === 'number']
  if (isNumber[0] && isNumber[1]) return sign * Math.sign((one as number) - (other as number))
  if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -sign : sign
  const text = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))
  const difference = bytes(text(one), text(other))
  if (difference !== 0 || !isAttribute) return sign * difference
  return sign * bytes(typeName(one), typeName(other))
}

const typeName = (value: Json) => (Array.isArray(value) ? 'array' : typeof value)

const levels = { p50: 0.5, p95: 0.95, p99: 0.99 }

function aggregated(rows: readonly StoredRow[], { fn, field }: Aggregate): number | null {
  if (field === null) return fn === 'count' ? rows.length : null
  const values = rows.map(row => valueIn(row, field)).filter(value => value !== null)
  if (fn === 'count') return values.length
  if (fn === 'distinct') return new Set(values.map(keyOf)).size
  const numbers = values.filter(value => typeof value === 'number').sort((one, other) => one - other)
  const sum = numbers.reduce((total, one) => total + one, 0)
  if (numbers.length === 0) return null
  if (fn === 'sum') return sum
  if (fn === 'avg') return sum / numbers.length
  if (fn === 'min') return numbers[0] as number
  if (fn === 'max') return numbers.at(-1) as number
  return numbers[Math.ceil(levels[fn] * numbers.length) - 1] as number
}
