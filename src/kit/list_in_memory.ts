// The list grammar over records that are in memory: filters, order, page and count, as a list in the database has them.
import type { FilterOf } from '../contract/list.ts'

type Paging = { order?: 'asc' | 'desc'; perPage?: number; page?: number }

/** A name to sort or filter by that is no field of the records does not compile. */
type Fields<T, Q> = { orderBy?: keyof T & string } & { [K in FilterOf<Q>]?: K extends keyof T ? unknown : never }

/** `id` is the field that breaks ties; every filter is a field of the records. */
export function listOf<T extends object, Q extends Paging & Fields<T, Q>>(
  records: readonly T[],
  query: Q,
  id: keyof T & string,
): { items: T[]; count: number } {
  const { orderBy = id, order = 'desc', perPage = 20, page = 1 } = query
  const found = records.filter(record => matches(record as Record<string, unknown>, query as Record<string, unknown>))
  const direction = order === 'asc' ? 1 : -1
  const key = (record: T, name: string) => String((record as Record<string, unknown>)[name] ?? '')
  const compare = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)
  found.sort((one, other) => {
    const byField = compare(key(one, orderBy), key(other, orderBy))
    return direction * (byField || compare(key(one, id), key(other, id)))
  })
  return { items: found.slice((page - 1) * perPage, page * perPage), count: found.length }
}

/** Values OR together, then every `!` value is taken away. */
function matches(record: Record<string, unknown>, query: Record<string, unknown>): boolean {
  return Object.entries(query).every(([name, value]) => {
    if (value === undefined || !Object.hasOwn(record, name)) return true
    const values = [value].flat().map(String)
    const wanted = values.filter(text => !text.startsWith('!'))
    const actual = String(record[name])
    return (wanted.length === 0 || wanted.includes(actual)) && !values.includes(`!${actual}`)
  })
}
