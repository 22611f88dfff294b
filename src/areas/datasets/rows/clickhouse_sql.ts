// Conditions, buckets, groups and aggregates as SQL of ClickHouse, in words that its servers know since 2018.
import { type Ch, ch, joined, plain } from '../../../kit/clickhouse.ts'
import { valueText } from './clickhouse_values.ts'
import { type Aggregate, type Condition, type Field, longestGroup, longestNested, type Scalar } from './condition.ts'

/**
 * Whether the condition is true, or, where that is wanted, false: never null. Servers do not agree on what `or` of
 * three makes of null, so they are not asked.
 */
export function conditionSql(condition: Condition, wanted = true): Ch {
  switch (condition.is) {
    case 'and':
    case 'or': {
      const parts = condition.parts.map(part => conditionSql(part, wanted))
      return ch`(${joined(parts, (condition.is === 'and') === wanted ? ' and ' : ' or ')})`
    }
    case 'not':
      return conditionSql(condition.part, !wanted)
    case 'constant':
      return truth(condition.value === wanted)
    case 'isSet':
      return settled(setSql(condition.field), wanted)
    case 'equal':
      return settled(equalSql(condition.field, condition.value), wanted)
    case 'among': {
      const parts = condition.values.map(value => equalSql(condition.field, value))
      return parts.length > 0 ? settled(ch`(${joined(parts, ' or ')})`, wanted) : truth(!wanted)
    }
    case 'order':
      return known(orderSql(condition), wanted)
    case 'part':
      return known(partSql(condition), wanted)
  }
}

const truth = (value: boolean): Ch => plain(value ? '(1 = 1)' : '(1 = 0)')

function settled(found: Ch, wanted: boolean): Ch {
  return wanted ? found : ch`(not ${found})`
}

/** Null is neither true nor false; so is what can never be said. */
function known(found: Ch | undefined, wanted: boolean): Ch {
  return found ? ch`ifNull(${settled(found, wanted)}, 0)` : truth(false)
}

type AttributeField = Field & { is: 'attribute' }
type ColumnField = Field & { is: 'column' }

const columnSql = (field: ColumnField): Ch => plain(field.sql)

/** The text of a value; empty where it is not set. */
function valueSql({ of, key }: AttributeField): Ch {
  const list = plain(of === 'attributes' ? 'attribute' : 'resource')
  return ch`${list}_values[indexOf(${list}_names, ${key})]`
}

const typeSql = (value: Ch): Ch => ch`substring(${value}, 1, 1)`
const bitsSql = (value: Ch): Ch => ch`reinterpretAsFloat64(unhex(substring(${value}, 2, 16)))`

function setSql(field: Field): Ch {
  if (field.is === 'at') return truth(true)
  return field.is === 'column' ? ch`isNotNull(${columnSql(field)})` : ch`(${valueSql(field)} != '')`
}

function equalSql(field: Field, value: Scalar | bigint): Ch {
  if (field.is === 'at') return typeof value === 'bigint' ? ch`(at = ${value})` : truth(false)
  if (field.is === 'attribute') return ch`(${valueSql(field)} = ${valueText(value as Scalar)})`
  return ch`ifNull(${columnSql(field)} = ${value as string | number}, 0)`
}

function orderSql({ field, op, value }: Condition & { is: 'order' }): Ch | undefined {
  if (field.is === 'at') return ch`(at ${plain(op)} ${BigInt(value)})`
  const compared = typeof value === 'number' ? numberSql(field) : textSql(field)
  return compared && ch`(${compared} ${plain(op)} ${value})`
}

function partSql({ field, how, value }: Condition & { is: 'part' }): Ch | undefined {
  const text = textSql(field)
  if (!text) return undefined
  // Any text has the empty one in it; null stays null.
  if (value === '') return ch`(${text} >= '')`
  if (how === 'contains') return ch`(position(${text}, ${value}) > 0)`
  return how === 'startsWith' ? ch`startsWith(${text}, ${value})` : ch`endsWith(${text}, ${value})`
}

/** Null where it is no text; undefined where it never is one. */
function textSql(field: Field): Ch | undefined {
  if (field.is === 'attribute') {
    const value = valueSql(field)
    return ch`if(${typeSql(value)} = 's', substring(${value}, 2), NULL)`
  }
  return field.is === 'column' && field.type === 'text' ? columnSql(field) : undefined
}

function numberSql(field: Field): Ch | undefined {
  const found = numbersOf(field)
  return found && (field.is === 'column' ? columnSql(field) : ch`if(${found.isThere}, ${found.number}, NULL)`)
}

/** The number, and whether it is one; undefined where it never is. */
function numbersOf(field: Field): { number: Ch; isThere: Ch } | undefined {
  if (field.is === 'attribute') {
    const value = valueSql(field)
    return { number: bitsSql(value), isThere: ch`(${typeSql(value)} = 'n')` }
  }
  if (field.is === 'at' || field.type !== 'number') return undefined
  return { number: ch`assumeNotNull(${columnSql(field)})`, isThere: setSql(field) }
}

/** Rows with equal values are one group. */
export function groupSql(field: Field): Ch {
  if (field.is === 'attribute') return valueSql(field)
  return field.is === 'at' ? plain('at') : columnSql(field)
}

/** The value of a group as it is shown: long ones are cut, since thousands of them are one answer. */
export function shortened(field: Field, column: string): Ch {
  const c = plain(column)
  if (field.is === 'column') return field.type === 'text' ? ch`substring(${c}, 1, ${longest})` : c
  if (field.is === 'at') return c
  const cut = ch`concat('s', substring(${c}, 2, ${longest}))`
  const isLong = ch`(${typeSql(c)} = 's' or length(${c}) - 1 > ${BigInt(longestNested)})`
  return ch`if(${isLong}, ${cut}, ${c})`
}

/** In bytes: old servers count characters of four of them wrongly. Whoever reads it cuts the rest. */
const longest = BigInt(4 * longestGroup)

/** What groups are sorted by: numbers before texts and the rest, and what is not set last. */
export function groupOrder(field: Field, column: string, direction: 'asc' | 'desc'): Ch {
  const [c, d] = [plain(column), plain(direction)]
  if (field.is !== 'attribute') return ch`${c} ${d} nulls last`
  const isNumber = ch`(${typeSql(c)} = 'n')`
  const turned = plain(direction === 'asc' ? 'desc' : 'asc')
  return ch`(${c} = '') asc, ${isNumber} ${turned}, if(${isNumber}, ${bitsSql(c)}, NULL) ${d} nulls last,
    substring(${c}, 2) ${d}, ${typeSql(c)} ${d}`
}

/** A hair less than the share: the server takes the value at the whole part of share × count, counted from 0. */
const levels = { p50: '0.4999999999', p95: '0.9499999999', p99: '0.9899999999' } as const

export function aggregateSql({ fn, field }: Aggregate): Ch {
  if (fn === 'count') return field === null ? ch`toFloat64(count())` : ch`toFloat64(countIf(${setSql(field)}))`
  if (field === null) return plain('NULL')
  if (fn === 'distinct') {
    const value = field.is === 'column' ? ch`assumeNotNull(${groupSql(field)})` : groupSql(field)
    return ch`toFloat64(uniqExactIf(${value}, ${setSql(field)}))`
  }
  const found = numbersOf(field)
  if (!found) return plain('NULL')
  const { number, isThere } = found
  const name = fn === 'p50' || fn === 'p95' || fn === 'p99' ? `quantileExactIf(${levels[fn]})` : `${fn}If`
  return ch`if(countIf(${isThere}) = 0, NULL, ${plain(name)}(${number}, ${isThere}))`
}

/** The index of the bucket: days of a time zone are even but for a few, so runs of even steps are asked for. */
export function bucketSql(edges: readonly bigint[]): Ch {
  const runs = runsOf(edges)
  const parts = runs.map(({ index, from, step }, n) => {
    const found = ch`${plain(String(index))} + intDiv(at - ${from}, ${step})`
    const next = runs[n + 1]
    return next ? ch`at < ${next.from}, ${found}` : found
  })
  const last = plain(String(edges.length - 1))
  return ch`least(${parts.length > 1 ? ch`multiIf(${joined(parts, ', ')})` : (parts[0] ?? last)}, ${last})`
}

type Run = { index: number; from: bigint; step: bigint }

function runsOf(edges: readonly bigint[]): Run[] {
  const runs: Run[] = []
  edges.forEach((from, index) => {
    const next = edges[index + 1]
    const last = runs.at(-1)
    // The last one has no end of its own: whatever comes after it belongs to it.
    if (last && (next === undefined || next - from === last.step)) return
    runs.push({ index, from, step: next === undefined ? 1n << 62n : next - from })
  })
  return runs
}
