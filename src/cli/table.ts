// Records as a table that fits the terminal: names are kept, ids are shortened where there is no room for both.
import { stripVTControlCharacters } from 'node:util'

type Row = Readonly<Record<string, unknown>>

export type Drawn = { text: string; leftOut: string[]; hasShortIds: boolean }

const gap = 2
const leastText = 12
const mostText = 48
const shortId = 14

type Paint = (style: 'bold' | 'dim', text: string) => string

/** `wanted` is the user's own choice of columns: nothing of it is left out. */
export function drawTable(rows: readonly Row[], names: string[], width: number, paint: Paint, wanted: boolean): Drawn {
  const cells = rows.map(row => names.map(name => cellOf(at(row, name))))
  const columns = names.map((name, index) => {
    const texts = cells.map(row => row[index] ?? '')
    const isFixed = texts.some(text => isId(text) || isTime(text)) || texts.every(text => text.length <= leastText)
    const natural = Math.max(name.length, ...texts.map(text => text.length))
    const isIds = texts.some(isId)
    return { name, index, isFixed, isIds, width: isFixed ? natural : Math.min(natural, mostText) }
  })
  const hasShortIds = !wanted && isTellingLost(columns, width)
  if (hasShortIds) for (const column of columns) if (column.isIds) column.width = Math.min(column.width, shortId)
  const kept = wanted ? columns : fitting(columns, width)
  if (!wanted) shrink(kept, width)
  const line = (texts: string[]) =>
    kept
      .map(({ index, isIds, width }, place) => {
        const text = isIds ? cutId(texts[index] ?? '', width) : cut(texts[index] ?? '', width)
        return place === kept.length - 1 ? text : text.padEnd(width + gap)
      })
      .join('')
      .trimEnd()
  const head = paint('bold', line(names))
  const leftOut = columns.filter(column => !kept.includes(column)).map(({ name }) => name)
  return { text: [head, ...cells.map(line)].map(text => `${text}\n`).join(''), leftOut, hasShortIds }
}

type Column = { name: string; index: number; isFixed: boolean; isIds: boolean; width: number }

/** Whether what a person knows a record by would not fit beside whole ids. */
function isTellingLost(columns: Column[], width: number): boolean {
  const kept = fitting(columns, width)
  return columns.some(column => telling.slice(0, 3).includes(column.name) && !kept.includes(column))
}

function needed(columns: Column[], size: (column: Column) => number): number {
  return columns.reduce((sum, column) => sum + size(column) + gap, -gap)
}

/** As many columns, from the first, as fit when text is cut short. */
function fitting(columns: Column[], width: number): Column[] {
  const least = ({ isFixed, width }: Column) => (isFixed ? width : Math.min(width, leastText))
  const kept: Column[] = []
  for (const column of columns) {
    if (kept.length === 0 || needed([...kept, column], least) <= width) kept.push(column)
  }
  return kept
}

function shrink(columns: Column[], width: number): void {
  for (;;) {
    const over = needed(columns, column => column.width) - width
    const widest = columns.filter(({ isFixed, width }) => !isFixed && width > leastText)
    widest.sort((one, other) => other.width - one.width)
    if (over <= 0 || !widest[0]) return
    widest[0].width -= 1
  }
}

/** One record, a line per field. */
export function drawRecord(record: Row, paint: Paint): string {
  const names = Object.keys(record).filter(name => name !== '_object')
  const width = Math.max(0, ...names.map(name => name.length)) + gap
  return names.map(name => `${paint('dim', name.padEnd(width))}${cellOf(record[name], true)}\n`).join('')
}

/** `owner.name` reaches inside. */
export function at(row: Row, path: string): unknown {
  if (path in row) return row[path]
  let found: unknown = row
  for (const name of path.split('.')) found = (found as Row | null | undefined)?.[name]
  return found
}

/** What says most comes first; what is the same in every row, or no single value, is not a column. */
export function columnsFor(names: readonly string[], rows: readonly Row[], pathFields: readonly string[]): string[] {
  const isPlain = (name: string) =>
    rows.every(row => typeof row[name] !== 'object' || row[name] === null || isWords(row[name]))
  const shown = names.filter(
    name => name !== '_object' && !(pathFields.includes(name) && name !== 'id') && isPlain(name),
  )
  const isEmpty = (name: string) => rows.every(row => row[name] === null || row[name] === undefined)
  return shown
    .map((name, place) => ({ name, rank: rankOf(name, place) + (isEmpty(name) ? 1000 : 0) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ name }) => name)
}

const telling = ['name', 'title', 'email', 'forename', 'surname', 'username', 'slug', 'status', 'position', 'device']

function rankOf(name: string, place: number): number {
  if (place === 0) return -100
  const told = telling.indexOf(name)
  if (told >= 0) return told - 50
  if (name === 'created') return 100
  if (name === 'updated') return 200
  return /Id$/.test(name) ? 150 + place : place
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}

function isId(text: string): boolean {
  return /^[a-z_]+_[0-9a-z]{20,}$/.test(text)
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d \d\d:\d\dZ$/.test(text)
}

/** The prefix, and the end, which differs most. */
function cutId(text: string, width: number): string {
  return text.length <= width || !isId(text) ? cut(text, width) : `${text.slice(0, width - 5)}…${text.slice(-4)}`
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}

const timestamp = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/

function cellOf(value: unknown, isWhole = false): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'string') return plain(isWhole ? value : value.replace(timestamp, '$1 $2Z'))
  if (isWords(value)) return plain((value as string[]).join(', ')) || '–'
  return plain(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A record may hold anything; it must not steer the terminal or break its row. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
}
