// Rows and questions from a seeded generator: every type, odd names, nulls, and times on the edges of hours and days.
import { edgesOf } from '../../src/areas/datasets/querying/buckets.ts'
import { columnsOf } from '../../src/areas/datasets/rows/columns.ts'
import {
  type Aggregate,
  aggregates as allAggregates,
  type Condition,
  type Field,
  type Plan,
  type Scalar,
  type Span,
} from '../../src/areas/datasets/rows/condition.ts'
import { type Attributes, type DatasetKind, type Json, severities } from '../../src/areas/datasets/rows/row.ts'
import { dayNs, hourNs, type RowQuery, type StoredRow } from '../../src/areas/datasets/rows/row_store.ts'

export type Random = {
  (): number
  whole(below: number): number
  of<T>(list: readonly T[]): T
  chance(share: number): boolean
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number) => Math.floor(next() * below)
  return Object.assign(next, {
    whole,
    of: <T>(list: readonly T[]) => list[whole(list.length)] as T,
    chance: (share: number) => next() < share,
  })
}

/** Around the day on which clocks in Berlin go back. */
export const began = BigInt(Date.UTC(2026, 9, 24)) * 1_000_000n
export const ended = began + 4n * dayNs

const texts = [
  '',
  'a',
  'A',
  'ab',
  'web',
  'api',
  "it's",
  'a\\b',
  '"q"',
  'ü',
  'Ünï',
  '€uro',
  '日本',
  '😀',
  '😀a',
  ' ',
  'a b',
  '%',
  '_',
  'true',
  '1',
  '-1',
  'null',
  '[1]',
  '\t',
  'a\nb',
  '\u0001',
  '\u007f',
  '\u2028',
  '\\x00',
  "\\'",
  '{p}',
  '$1',
  '?',
  'ﬁ',
]
/** Sums of these are exact, in whichever order. */
const numbers = [0, 1, -1, 2, 3, 0.25, 0.5, -0.75, 10, 100, 1000.25, 4096, 123456]
/** Never summed up: no two engines add in the same order. */
const oddNumbers = [0.1, 0.2, 0.3, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, 12.345678, -0.1, 1 / 3]
const deep: readonly Json[] = [[], [1], [1, 'a'], { a: 1 }, { b: [true, null] }, {}]
const keys = [
  'n',
  'odd',
  'text',
  'flag',
  'mixed',
  'deep',
  'http.route',
  '__proto__',
  'constructor',
  'k\'\\"',
  'ключ',
  '',
]
const traceIds = ['0', '1', '2'].map(digit => digit.repeat(32))

function attributeValue(random: Random, key: string): Json {
  if (random.chance(0.08)) return null
  if (key === 'n') return random.of(numbers)
  if (key === 'odd') return random.of(oddNumbers)
  if (key === 'flag') return random.chance(0.5)
  if (key === 'deep') return random.of(deep)
  if (key === 'mixed') return random.of([...numbers.slice(0, 5), ...texts.slice(0, 6), 'true', true, false, ...deep])
  return random.of(texts)
}

function attributes(random: Random): Attributes {
  return Object.fromEntries(keys.filter(() => random.chance(0.5)).map(key => [key, attributeValue(random, key)]))
}

function moment(random: Random): bigint {
  const hour = began + BigInt(1 + random.whole(94)) * hourNs
  return random.chance(0.3) ? hour + BigInt(random.whole(3) - 1) : hour + BigInt(random.whole(3_600)) * 1_000_000_001n
}

const choices: Record<string, readonly (string | number)[]> = {
  severity: severities,
  traceId: traceIds,
  value: numbers,
  durationMs: numbers,
}

export function generatedRows(random: Random, kind: DatasetKind, count: number): StoredRow[] {
  return Array.from({ length: count }, (_, index) => {
    const columns = columnsOf[kind].map(({ name }) => [
      name,
      random.chance(0.2) ? null : random.of(choices[name] ?? texts),
    ])
    return {
      at: moment(random),
      // Rows of one moment are told apart, beyond 32 bits too.
      id: index * 8_388_608 + random.whole(1_000),
      bytes: 10 + random.whole(1_000),
      ...Object.fromEntries(columns),
      attributes: attributes(random),
      ...(random.chance(0.6) && { resource: attributes(random) }),
      ...(random.chance(0.2) && { detail: { events: [{ name: random.of(texts), at: 1.5 }] } }),
    } as StoredRow
  })
}

function field(random: Random, kind: DatasetKind): Field {
  const columns = columnsOf[kind]
  if (columns.length > 0 && random.chance(0.45)) return { is: 'column', ...random.of(columns) }
  return { is: 'attribute', of: random.of(['attributes', 'attributes', 'resource'] as const), key: random.of(keys) }
}

/** One that the field can hold, more often than not. */
function scalar(random: Random, of: Field): Scalar {
  if (of.is === 'column') return random.of(choices[of.name] ?? texts)
  const value = of.is === 'attribute' ? attributeValue(random, of.key) : null
  return value === null || typeof value === 'object' ? random.of([...texts, ...numbers, true, false]) : value
}

export function condition(random: Random, kind: DatasetKind, depth = 3): Condition {
  const is = random.of(
    depth > 0
      ? (['and', 'or', 'not', 'not', 'equal', 'among', 'order', 'part', 'isSet', 'at'] as const)
      : (['equal', 'among', 'order', 'part', 'isSet', 'constant'] as const),
  )
  const one = field(random, kind)
  switch (is) {
    case 'and':
    case 'or':
      return { is, parts: Array.from({ length: 1 + random.whole(3) }, () => condition(random, kind, depth - 1)) }
    case 'not':
      return { is, part: condition(random, kind, depth - 1) }
    case 'equal':
      return { is, field: one, value: scalar(random, one) }
    case 'among':
      return { is, field: one, values: Array.from({ length: random.whole(4) }, () => scalar(random, one)) }
    case 'order': {
      const value = random.chance(0.5) ? random.of([...numbers, ...oddNumbers]) : random.of(texts)
      return { is, op: random.of(['<', '<=', '>', '>='] as const), field: one, value }
    }
    case 'part':
      return {
        is,
        how: random.of(['contains', 'startsWith', 'endsWith'] as const),
        field: one,
        value: random.of(texts).slice(0, 2).toWellFormed(),
      }
    case 'isSet':
      return { is, field: one }
    case 'at':
      return random.chance(0.8)
        ? { is: 'order', op: random.of(['<', '>='] as const), field: { is: 'at' }, value: moment(random) }
        : { is: 'equal', field: { is: 'at' }, value: moment(random) }
    default:
      return { is: 'constant', value: random.chance(0.5) }
  }
}

export function span(random: Random): Span {
  if (random.chance(0.4)) return { from: began, to: ended }
  const [one, other] = [moment(random), moment(random)]
  return one < other ? { from: one, to: other } : { from: other, to: one + 1n }
}

function aggregate(random: Random, kind: DatasetKind): Aggregate {
  if (random.chance(0.2)) return { fn: 'count', field: null }
  const of = field(random, kind)
  const fn = random.of(allAggregates)
  const isText = of.is === 'column' && of.type === 'text'
  if (isText) return { fn: random.of(['count', 'distinct'] as const), field: of }
  const isSummed = fn === 'sum' || fn === 'avg'
  return { fn: isSummed && of.is === 'attribute' && of.key === 'odd' ? 'max' : fn, field: of }
}

export function plan(random: Random, kind: DatasetKind): Plan {
  const asked = span(random)
  const zone = random.of(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu'])
  const edges = random.chance(0.4) ? edgesOf(asked, random.of(['10m', '1h', '7h', '1d', '2d']), zone) : null
  const groups = Array.from({ length: random.whole(4) }, () => field(random, kind))
  const aggregates = Array.from({ length: 1 + random.whole(5) }, () => aggregate(random, kind))
  return {
    ...asked,
    condition: random.chance(0.7) ? condition(random, kind) : null,
    edges,
    groups,
    aggregates,
    orderBy: {
      index: random.whole((edges ? 1 : 0) + groups.length + aggregates.length),
      order: random.of(['asc', 'desc'] as const),
    },
    limit: random.of([1, 5, 50, 10_000]),
  }
}

export function rowQuery(random: Random, kind: DatasetKind, rows: readonly StoredRow[]): RowQuery {
  return {
    ...span(random),
    condition: random.chance(0.7) ? condition(random, kind) : null,
    order: random.of(['asc', 'desc'] as const),
    after: random.chance(0.4) ? random.of(rows) : null,
    limit: random.of([1, 7, 100, 1_000]),
  }
}
