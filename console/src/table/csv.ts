// Rows as a file for a spreadsheet.
import type { Row } from '../named.ts'

export function csvOf(
  columns: readonly string[],
  labelOf: (name: string) => string,
  items: readonly Row[],
  names: ReadonlyMap<string, string>,
): string {
  const lines = [columns.map(labelOf), ...items.map(item => columns.map(name => textOf(item[name], names)))]
  return lines.map(cells => `${cells.map(quoted).join(',')}\r\n`).join('')
}

function textOf(value: unknown, names: ReadonlyMap<string, string>): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return names.get(value) ?? value
  return Array.isArray(value) ? value.join(' ') : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A cell that begins like a formula would be carried out by a spreadsheet. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
