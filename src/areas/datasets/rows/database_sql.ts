// Conditions, groups and aggregates as SQL of the platform's own database.
import { join, raw, type Sql, sql } from '../../../kit/sql.ts'
import { type Aggregate, type Condition, type Field, longestGroup, longestNested } from './condition.ts'

/** Null counts as false at the top, so a plain `=`, which an index serves, is enough there; below `not` it is not. */
export function conditionSql(condition: Condition, isNegated = false): Sql {
  switch (condition.is) {
    case 'and':
    case 'or': {
      const parts = condition.parts.map(part => conditionSql(part, isNegated))
      return sql`(${join(parts, condition.is === 'and' ? ' and ' : ' or ')})`
    }
    case 'not':
      return sql`(not ${conditionSql(condition.part, true)})`
    case 'constant':
      return condition.value ? sql`true` : sql`false`
    case 'isSet':
      return setSql(condition.field)
    case 'equal':
      return settled(equalSql(condition.field, condition.value), isNegated)
    case 'among':
      return settled(amongSql(condition.field, condition.values), isNegated)
    case 'order':
      return orderSql(condition)
    case 'part':
      return partSql(condition)
  }
}

function settled(found: Sql, isNegated: boolean): Sql {
  return isNegated ? sql`coalesce(${found}, false)` : found
}

const columnSql = (field: Field & { is: 'column' }): unknown => raw(`"${field.sql}"`)

/** An attribute is told apart from one that is not set by its JSON; null is as good as not set. */
function jsonSql({ of, key }: Field & { is: 'attribute' }): Sql {
  return sql`nullif(${raw(of)} -> ${key}::text, 'null'::jsonb)`
}

function attributeText({ of, key }: Field & { is: 'attribute' }): Sql {
  return sql`case when jsonb_typeof(${raw(of)} -> ${key}::text) = 'string' then ${raw(of)} ->> ${key}::text end`
}

function attributeNumber({ of, key }: Field & { is: 'attribute' }): Sql {
  return sql`case when jsonb_typeof(${raw(of)} -> ${key}::text) = 'number'
    then (${raw(of)} ->> ${key}::text)::float8 end`
}

function setSql(field: Field): Sql {
  if (field.is === 'at') return sql`true`
  if (field.is === 'column') return sql`(${columnSql(field)} is not null)`
  return sql`(${jsonSql(field)} is not null)`
}

function equalSql(field: Field, value: string | number | boolean | bigint): Sql {
  if (field.is === 'at') return sql`(at = ${String(value)}::bigint)`
  if (field.is === 'attribute') return sql`(${jsonSql(field)} = ${JSON.stringify(value)}::jsonb)`
  if (field.type === 'number') return sql`(${columnSql(field)} = ${value}::float8)`
  return sql`(${columnSql(field)} = ${value}::text)`
}

function amongSql(field: Field, values: readonly (string | number | boolean)[]): Sql {
  if (field.is === 'attribute') return sql`(${jsonSql(field)} = any(${values.map(toJson)}::jsonb[]))`
  if (field.is === 'at') return sql`false`
  return field.type === 'number'
    ? sql`(${columnSql(field)} = any(${values}::float8[]))`
    : sql`(${columnSql(field)} = any(${values}::text[]))`
}

const toJson = (value: unknown) => JSON.stringify(value)

function orderSql({ field, op, value }: Condition & { is: 'order' }): Sql {
  if (field.is === 'at') return sql`(at ${raw(op)} ${String(value)}::bigint)`
  if (typeof value === 'number') return sql`(${numberSql(field)} ${raw(op)} ${value}::float8)`
  return sql`(${textSql(field)} collate "C" ${raw(op)} ${String(value)}::text)`
}

function partSql({ field, how, value }: Condition & { is: 'part' }): Sql {
  const text = textSql(field)
  if (how === 'startsWith') return sql`starts_with(${text}, ${value}::text)`
  if (how === 'contains') return sql`(strpos(${text}, ${value}::text) > 0)`
  return sql`(right(${text}, length(${value}::text)) = ${value}::text)`
}

function textSql(field: Field): Sql {
  if (field.is === 'attribute') return sql`(${attributeText(field)})`
  return field.is === 'column' && field.type === 'text' ? sql`${columnSql(field)}` : sql`null::text`
}

/** Null where it is no number. */
export function numberSql(field: Field): Sql {
  if (field.is === 'attribute') return sql`(${attributeNumber(field)})`
  return field.is === 'column' && field.type === 'number' ? sql`${columnSql(field)}` : sql`null::float8`
}

/** Rows with equal values are one group. Text is compared by its bytes, which is faster than by a locale. */
export function groupSql(field: Field): Sql {
  if (field.is === 'attribute') return jsonSql(field)
  if (field.is === 'at') return sql`at`
  return field.type === 'text' ? sql`(${columnSql(field)} collate "C")` : sql`${columnSql(field)}`
}

/** `group` is what rows of one bucket share; `place` turns that into the index of the bucket. */
type Bucket = { group: Sql; place: (column: string) => Sql }

/**
 * No row is before the first edge. Buckets of equal length need a division, which is faster than a search; what can be
 * subtracted once for each bucket is not subtracted for each row.
 */
export function bucketSql(edges: readonly bigint[]): Bucket {
  const [first = 0n, second = 0n] = edges
  const step = second - first
  const isEven = edges.length > 1 && edges.every((edge, index) => edge === first + BigInt(index) * step)
  if (!isEven || first < 0n) {
    return { group: sql`width_bucket(at, ${edges.map(String)}::bigint[])`, place: column => sql`${raw(column)} - 1` }
  }
  const ahead = first % step
  const at = ahead === 0n ? sql`at` : sql`(at - ${String(ahead)}::bigint)`
  return {
    group: sql`${at} / ${String(step)}::bigint`,
    place: column => sql`(${raw(column)} - ${String(first / step)}::bigint)::int`,
  }
}

/** The value of a group as it is shown: long ones are cut, since thousands of them are one answer. */
export function shortened(field: Field, column: string): Sql {
  const c = raw(column)
  if (field.is === 'column') return field.type === 'text' ? sql`left(${c}, ${longestGroup}::int)` : sql`${c}`
  if (field.is === 'at') return sql`${c}`
  return sql`case when jsonb_typeof(${c}) = 'string' then to_jsonb(left(${c} #>> '{}', ${longestGroup}::int))
    when octet_length(${c}::text) > ${longestNested}::int then to_jsonb(left(${c}::text, ${longestGroup}::int)) else ${c} end`
}

/** What groups are sorted by: numbers before texts and the rest, and what is not set last. */
export function groupOrder(field: Field, column: string, direction: 'asc' | 'desc'): Sql {
  const [c, d] = [raw(column), raw(direction)]
  if (field.is === 'column') {
    return field.type === 'number' ? sql`${c} ${d} nulls last` : sql`${c} collate "C" ${d} nulls last`
  }
  if (field.is === 'at') return sql`${c} ${d}`
  return sql`(${c} is null) asc, (jsonb_typeof(${c}) = 'number') ${raw(direction === 'asc' ? 'desc' : 'asc')},
    (case when jsonb_typeof(${c}) = 'number' then (${c} #>> '{}')::float8 end) ${d}, (${c} #>> '{}') collate "C" ${d},
    jsonb_typeof(${c}) ${d}`
}

const levels = { p50: 0.5, p95: 0.95, p99: 0.99 } as const

export function aggregateSql({ fn, field }: Aggregate): Sql {
  if (fn === 'count')
    return field === null ? sql`count(*)::float8` : sql`(count(*) filter (where ${setSql(field)}))::float8`
  if (field === null) return sql`null::float8`
  if (fn === 'distinct') return sql`count(distinct ${groupSql(field)})::float8`
  const number = numberSql(field)
  if (fn === 'p50' || fn === 'p95' || fn === 'p99') {
    return sql`percentile_disc(${levels[fn]}::float8) within group (order by ${number})`
  }
  // The same number with less work: `avg` keeps what a variance needs, too. An attribute would be read twice instead.
  if (fn === 'avg' && field.is === 'column') return sql`sum(${number}) / count(${number})`
  return sql`${raw(fn)}(${number})`
}
