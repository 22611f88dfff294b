// Rows as a file, page by page, so that nothing waits for a long one.
import { type CsvValue, csvLine } from '../../../kit/csv.ts'
import { columnsOf } from './columns.ts'
import type { Condition, Span } from './condition.ts'
import { readPage } from './paging.ts'
import type { Place, RowQuery, RowStore, StoredRow } from './row_store.ts'
import { shownRow } from './showing.ts'

const atOnce = 1_000

export async function* exported(
  store: RowStore,
  place: Place,
  span: Span,
  condition: Condition | null,
  format: 'ndjson' | 'csv',
): AsyncGenerator<string> {
  const columns = columnsOf[place.kind].map(({ name }) => name)
  if (format === 'csv') yield csvLine(['at', ...columns, 'attributes', 'resource', 'detail'])
  const lineOf = (row: StoredRow) => {
    const shown = shownRow(row)
    if (format === 'ndjson') return `${JSON.stringify(shown)}\n`
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
    const own = columns.map(name => row[name] as CsvValue)
    return csvLine([shown.at, ...own, json(shown.attributes), json(shown.resource), json(shown.detail)])
  }
  let after: RowQuery['after'] = null
  for (;;) {
    const query: RowQuery = { ...span, condition, order: 'asc', after, limit: atOnce }
    const { rows, next } = await readPage(store, place, query)
    if (rows.length > 0) yield rows.map(lineOf).join('')
    if (!next) return
    after = next
  }
}
