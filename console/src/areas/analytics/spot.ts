// A number on the page: of which metric, group and bucket, and which filters lead to what is behind it.
import { copyOf, type Filters, type Group, type Metric, type Query } from './question.ts'

/** `at` is where its bucket begins; null for the whole time. `points` are those of its group. */
export type Spot = { metric: Metric; by: Group['by']; at: string | null; points: Group['points'] }

/** The filters of the question, and the values of the group. */
export function filtersAt({ filters = {} }: Query, by: Group['by']): Record<string, string[]> {
  const all: Filters = Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, [values].flat()]))
  const own = Object.fromEntries(Object.entries(by).map(([name, value]) => [name, [value ?? 'none']]))
  return copyOf({ ...all, ...own })
}

/** A number of people or of records is 0 where there is nothing; others may be 0 with something behind them. */
export function isMadeOfSomething(value: number | null | undefined, kind: Metric['kind']): boolean {
  if (value === null || value === undefined) return false
  return value !== 0 || !(kind === 'count' || kind === 'distinct')
}
