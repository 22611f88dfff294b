// A result on stdout: a table for a person, JSON for a program, or what was asked for.
import type { Entry } from './digest.ts'
import { usage } from './failures.ts'
import { at, columnsFor, drawRecord, drawTable } from './table.ts'
import { painter, type Terminal } from './terminal.ts'

export const formats = ['table', 'json', 'yaml', 'ndjson'] as const

export type Format = (typeof formats)[number]

export type OutputOptions = { output?: Format; columns?: string; jq?: string }

type Row = Readonly<Record<string, unknown>>
type Shape = Pick<Entry, 'columns' | 'fields'>

export function formatOf({ output, jq }: OutputOptions, { stdout }: Pick<Terminal, 'stdout'>): Format {
  return output ?? (stdout.isTTY && !jq ? 'table' : 'json')
}

export async function print(terminal: Terminal, result: unknown, options: OutputOptions, shape?: Shape): Promise<void> {
  const { stdout } = terminal
  if (options.jq !== undefined) return void stdout.write(await filter(result, options.jq))
  const format = formatOf(options, terminal)
  const columns = options.columns?.split(',').filter(Boolean)
  if (format === 'table') return printTable(terminal, result, columns, shape)
  const chosen = columns ? project(result, columns) : result
  if (format === 'yaml') {
    const { stringify } = await import('yaml')
    stdout.write(stringify(chosen))
  } else if (format === 'ndjson') stdout.write(itemsOf(chosen).map(toLine).join(''))
  else stdout.write(`${JSON.stringify(chosen, null, 2)}\n`)
}

export function toLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

export function projectItem(row: unknown, columns: string | undefined): unknown {
  return columns ? project(row, columns.split(',').filter(Boolean)) : row
}

/** A list is its items, anything else is one item. */
function itemsOf(result: unknown): unknown[] {
  const { items } = (result ?? {}) as { items?: unknown }
  return Array.isArray(items) ? items : [result]
}

function project(result: unknown, columns: string[]): unknown {
  const one = (row: unknown) => Object.fromEntries(columns.map(name => [name, at((row ?? {}) as Row, name) ?? null]))
  const { items } = (result ?? {}) as { items?: unknown }
  return Array.isArray(items) ? { ...(result as object), items: items.map(one) } : one(result)
}

/** The result through jq, as it is printed. */
export async function filter(result: unknown, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm')
  try {
    const text = await raw(JSON.stringify(result), expression, ['-r'])
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  } catch (error) {
    const why = (error as Error).message.trim().split('\n', 1)[0]?.replace(/^jq: /, '')
    throw usage(`--jq: ${why}.`, 'Try a plain one first, such as .id')
  }
}

function printTable(
  terminal: Terminal,
  result: unknown,
  columns: string[] | undefined,
  shape: Shape | undefined,
): void {
  const { stdout, stderr, env } = terminal
  const paint = painter(stdout, env)
  const { items, count } = (result ?? {}) as { items?: unknown; count?: number }
  if (!Array.isArray(items)) {
    if (typeof result !== 'object' || result === null) return void stdout.write(`${result ?? ''}\n`)
    const record = (columns ? project(result, columns) : result) as Row
    return void stdout.write(Object.keys(record).length > 0 ? drawRecord(record, paint) : '')
  }
  if (items.length === 0) return void stderr.write('Nothing there.\n')
  const pathFields = (shape?.fields ?? []).filter(field => field.in === 'path').map(({ name }) => name)
  const known = shape?.columns.length ? shape.columns : Object.keys(items[0])
  const names = columns ?? columnsFor(known, items, pathFields)
  const drawn = drawTable(items, names, stdout.columns ?? 80, paint, columns !== undefined)
  stdout.write(drawn.text)
  const notes = [
    count !== undefined && count > items.length ? `${items.length} of ${count}; --all for the rest` : '',
    drawn.hasShortIds ? 'ids are shortened: -o json has them whole' : '',
    drawn.leftOut.length > 0 ? `not shown: ${someOf(drawn.leftOut)} (--columns, -o json)` : '',
  ].filter(Boolean)
  if (notes.length > 0) stderr.write(`${painter(stderr, env)('dim', notes.join(' · '))}\n`)
}

/** As many names as one line holds. */
function someOf(names: string[], most = 50): string {
  const shown = names.filter((_, place) => names.slice(0, place + 1).join(', ').length <= most)
  return shown.length < names.length ? `${shown.join(', ')}, …` : shown.join(', ')
}
