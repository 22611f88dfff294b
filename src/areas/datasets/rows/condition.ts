// What is asked of rows, in the words of no engine: each makes its own SQL of it.
import type { ColumnName, ColumnType } from './columns.ts'

/** `at`, a column of the kind, or one of the attributes; those hold whatever the sender put there. */
export type Field =
  | { readonly is: 'at' }
  | { readonly is: 'column'; readonly name: ColumnName; readonly sql: string; readonly type: ColumnType }
  | { readonly is: 'attribute'; readonly of: 'attributes' | 'resource'; readonly key: string }

export type Scalar = string | number | boolean

/**
 * `equal`, `among` and `isSet` are true or false. `order` and `part` are neither where the field is not set or of
 * another type, and then `not` is neither too: such a row does not match. A bigint is a time.
 */
export type Condition =
  | { readonly is: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly is: 'not'; readonly part: Condition }
  | { readonly is: 'equal'; readonly field: Field; readonly value: Scalar | bigint }
  | { readonly is: 'isSet'; readonly field: Field }
  | { readonly is: 'among'; readonly field: Field; readonly values: readonly Scalar[] }
  | { readonly is: 'order'; readonly op: Order; readonly field: Field; readonly value: string | number | bigint }
  | { readonly is: 'part'; readonly how: Part; readonly field: Field; readonly value: string }
  | { readonly is: 'constant'; readonly value: boolean }

export type Order = '<' | '<=' | '>' | '>='

export type Part = 'contains' | 'startsWith' | 'endsWith'

export const aggregates = ['count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99', 'distinct'] as const

export type AggregateName = (typeof aggregates)[number]

/** Of a field that is no number only `count` and `distinct` say anything. */
export type Aggregate = { readonly fn: AggregateName; readonly field: Field | null }

/** Of one dataset, `from` included and `to` not; `ids` narrows it to rows that came in then (`row_ids.ts`). */
export type Span = {
  readonly from: bigint
  readonly to: bigint
  readonly ids?: { readonly from: number; readonly to: number }
}

export type Plan = Span & {
  readonly condition: Condition | null
  /** The beginning of each bucket, in order; the last one ends with the span. Null: no buckets. */
  readonly edges: readonly bigint[] | null
  readonly groups: readonly Field[]
  readonly aggregates: readonly Aggregate[]
  /** A column of the answer: the bucket, then the groups, then the aggregates. The others follow, ascending. */
  readonly orderBy: { readonly index: number; readonly order: 'asc' | 'desc' }
  readonly limit: number
}

/** Characters of a group's value that are shown; bytes of a nested one, of which beyond that the text is shown. */
export const longestGroup = 256
export const longestNested = 1_024
