// What a metric is: one declaration, from which catalogue, counting, questions and documents are made.
import type { FollowedEntry } from '../../../kit/follow.ts'
import type { Reach } from '../../../kit/owned.ts'
import type { Sql } from '../../../kit/sql.ts'
import type { granularities, kinds, units } from '../fields/contract.ts'

export type Granularity = (typeof granularities)[number]

/** The kinds of record whose changes are counted. */
export type Subject = 'issue' | 'autofix' | 'thread' | 'run' | 'approval' | 'rating' | 'member'

export type Fields = Readonly<Record<string, unknown>>

/** What became of one record by one entry of the ledger; `before` is how it was counted last. */
export type Change = { subject: Subject; before: Fields | null; after: Fields | null; entry: FollowedEntry }

/**
 * Whether the entry itself tells that a field became this. A record whose beginning was pruned is met in the middle: what
 * it is then, it may have been for long.
 */
export function isTold({ before, entry }: Change, path: string, firsts: readonly string[]): boolean {
  return before !== null || firsts.includes(entry.action) || entry.changes.some(change => change.path === path)
}

/** Values of dimensions; several where a record has several, such as labels. */
export type Dims = Readonly<Record<string, string | readonly string[] | null | undefined>>

/** What a change adds to a metric: once where no weight is said. */
export type Measured = { by: Dims; value?: number; weight?: number }

type Declared = {
  name: string
  unit: (typeof units)[number]
  kind: (typeof kinds)[number]
  /** In words, for who reads the number. */
  definition: string
  /** Name → what its values are. */
  dimensions: Readonly<Record<string, string>>
  /** Of these a record may have several: it counts in each of their groups. */
  several?: readonly string[]
}

/** Counted as the ledger grows. */
export type LedgerMetric = Declared & {
  from: 'ledger'
  /** The actions that feed it. */
  events: readonly string[]
  subject: Subject
  measure: (change: Change) => readonly Measured[]
}

/**
 * Rows of `at`, `dims`, `weight` and `value` in a span of time, as the area that has the records gives them. API keys are
 * told apart as far as `keysOf` reaches.
 */
export type Relation = (workspaceId: string, span: { from: Date; to: Date }, keysOf: Reach) => Sql

/** An operation, and by dimension the field of its input that takes the same values. */
export type ListOf = { operation: string; fields: Readonly<Record<string, string>> }

/** Counted when it is asked for, from records that say themselves when they were made. */
export type RecordMetric = Declared & {
  from: 'records'
  records: string
  /** The list that has as many records as is counted. */
  list?: ListOf
  relation: Relation
  /** Older records are removed: of a time before that nobody knows how many there were. */
  keptDays?: number
  /** What is kept by the day cannot be asked for by the hour. */
  smallest: Granularity
  /** Rows are sums of many: their mean is known, the middle one is not. */
  isSummed?: true
}

/** Of two others: the part, and the parts that make up the whole. */
export type RatioMetric = Declared & { from: 'metrics'; part: string; whole: readonly string[] }

export type Metric = LedgerMetric | RecordMetric | RatioMetric
