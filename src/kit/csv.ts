// Tables as CSV (RFC 4180), in which no cell can be made to run.

export type CsvValue = string | number | boolean | null | undefined

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

/** A leading =, +, -, @, tab or line break would be taken for a formula: an apostrophe makes it text. */
function cell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  const text = String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
