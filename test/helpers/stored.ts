// All that a database holds, as text: every column of every table, JSON and bytes included.
import type { TestPlatform } from './platform.ts'

export type Stored = { table: string; column: string; value: string }

/** Everything that is stored, but for what the filter leaves out. */
export async function storedIn(p: TestPlatform, leftOut: (table: string) => boolean = () => false): Promise<Stored[]> {
  const { rows: columns } = await p.database.plain(`
    select c.table_schema || '.' || quote_ident(c.table_name) as name, c.column_name as field, c.data_type as type
    from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')`)
  const stored: Stored[] = []
  for (const { name, field, type } of columns as { name: string; field: string; type: string }[]) {
    if (leftOut(name)) continue
    const text = type === 'bytea' ? `encode("${field}", 'escape')` : `"${field}"::text`
    const { rows } = await p.database.plain(
      `select distinct ${text} as value from only ${name} where "${field}" is not null`,
    )
    for (const { value } of rows) stored.push({ table: name, column: field, value: String(value) })
  }
  return stored
}

/** Where any of these words stands, whatever its case. */
export function placesOf(stored: readonly Stored[], words: readonly string[]): string[] {
  const wanted = words.map(word => word.toLowerCase())
  const found = stored.filter(({ value }) => wanted.some(word => value.toLowerCase().includes(word)))
  return [...new Set(found.map(({ table, column, value }) => `${table}.${column}: ${value.slice(0, 200)}`))]
}

/** The values themselves: of lists and JSON each part. */
export function partsOf(stored: readonly Stored[]): string[] {
  const parts = new Set<string>()
  for (const { value } of stored) {
    for (const part of value.startsWith('{') || value.startsWith('[') ? value.split(/[\s"',{}[\]:]+/) : [value]) {
      if (part.length >= 6 && part.length <= 512 && /^[\x21-\x7e]+$/.test(part)) parts.add(part)
    }
  }
  return [...parts]
}
