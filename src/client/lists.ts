// Walks a list page by page, and misses nothing when records are deleted on the way.
import type { ListPage } from './answers.ts'

type Item = Readonly<Record<string, unknown>>
export type ReadPage = (page: number, perPage: number) => Promise<ListPage<unknown>>

export const mostPerPage = 100

/**
 * Pages are counted from the front, so a record deleted there moves all others up, past the next page. Where something
 * may have been deleted, the walk goes back to a page that begins with an item it has seen, and passes over those.
 */
export async function* walk(read: ReadPage, perPage: number, writes: () => number): AsyncGenerator<unknown, void> {
  const seen = new Set<string>()
  let known = { count: 0, writes: writes() }
  for (let page = 1, isSure = true; ; ) {
    const { items, count } = await read(page, perPage)
    if (count < known.count || writes() !== known.writes) isSure = false
    known = { count, writes: writes() }
    if (!isSure && page > 1 && !seen.has(keyOf(items[0]))) {
      page -= 1
      continue
    }
    isSure = true
    for (const item of items) {
      const key = keyOf(item)
      if (seen.has(key)) continue
      seen.add(key)
      yield item
    }
    const isChanged = writes() !== known.writes
    if (!isChanged && items.length < perPage) return
    // What this client changed meanwhile may have moved the rest up to this page.
    if (!isChanged) page += 1
  }
}

/** Lists name their records by `id`, by the user or by a name; the rest is compared whole. */
function keyOf(item: unknown): string {
  const { id, userId, name } = (item ?? {}) as Item
  return JSON.stringify(id ?? userId ?? name ?? item ?? null)
}
