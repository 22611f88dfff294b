// The tag of a record's state, for If-Match.
import { hash } from 'node:crypto'
import { memoize } from './memoize.ts'

/** Keys are sorted, so that the same record has the same tag however it was put together. */
export const etagOf = memoize(
  (record: object) => `"${hash('sha256', JSON.stringify(sorted(record)), 'base64url').slice(0, 27)}"`,
)

/** Whether the record is still what If-Match says; where nothing is said, it is. */
export function isUnchanged(ifMatch: string | null, record: object): boolean {
  if (ifMatch === null || ifMatch.trim() === '*') return true
  return ifMatch.split(',').some(tag => tag.trim() === etagOf(record))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, part]) => [name, sorted(part)]))
}
