// One line of an archive against the table that it is for: only what the database would take, and what an export would hold.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isUnstilled } from '../../../contract/carrying.ts'
import { badRequest } from '../../../contract/errors.ts'
import { refuseUnstorable } from '../../../kit/json.ts'
import { snake } from '../../../kit/sql.ts'
import { directory } from '../../../operations.ts'
import { countLetterEscapes, isMoment, piecesOf } from '../carrying/archive.ts'
import type { Column, Shape } from '../carrying/catalogue.ts'

/** What is longer takes long enough that others must come in between. */
const largeText = 512 * 1024

/** More than a body of 1 MiB can have. */
const mostTokens = 600_000
/** Longer than any word that somebody wrote. */
const longestPiece = 1024 * 1024
const mostEscapes = 10_000

/** A long line piece by piece, with others in between. */
export async function* slowly(text: string): AsyncGenerator<string> {
  for (const piece of piecesOf(text)) {
    yield piece
    await aside(text)
  }
}

/** What no export holds, and what would keep others waiting where it is looked through. */
async function isEndless(text: string): Promise<boolean> {
  if (text.length <= largeText) return false
  for await (const piece of slowly(text)) {
    if (piece.length > longestPiece || countLetterEscapes(piece) > mostEscapes) return true
  }
  return false
}

const othersFirst = () => new Promise<void>(resolve => setImmediate(resolve))

/** Between two things that are done with a line. */
export async function aside(text: string): Promise<void> {
  if (text.length > largeText) await othersFirst()
}

export type Line = Readonly<Record<string, unknown>>

/** What a line of a table is refused for, with its number. */
export function lineReader(shape: Shape, columns: readonly string[]): (line: string, number: number) => Promise<Line> {
  const known = new Map(shape.columns.map(column => [column.name, column]))
  const told = toldValues(shape)
  return async (text, number) => {
    const refuse = (why: string) =>
      badRequest(`Line ${number} of ${shape.table} in the archive ${why}. Export the workspace again.`)
    if (await isEndless(text)) throw refuse('is of one endless word')
    const row = await parsed(text)
    if (!row) throw refuse('is no record, names a field twice, or is too deep or too long')
    await aside(text)
    refuseUnstorable(row)
    await aside(text)
    const names = Object.keys(row)
    if (names.length !== columns.length || !columns.every(name => Object.hasOwn(row, name))) {
      throw refuse('has other fields than the archive says')
    }
    for (const [name, column] of known) {
      if (!Object.hasOwn(row, name)) continue
      const value = row[name]
      if (!fits(column, value)) throw refuse(`has no good value in "${name}"`)
      const stilled = shape.stilled?.[name]
      if (stilled && isUnstilled(stilled, value)) throw refuse(`would act by itself: "${name}" is ${String(value)}`)
      if (isBelowZero(value) && !told.has(name)) throw refuse(`has less than nothing in "${name}"`)
      if (value !== null && told.get(name)?.(value) === false)
        throw refuse(`has a value in "${name}" that it cannot have`)
    }
    if (shape.needs && (row[shape.needs] ?? null) === null) throw refuse(`has no "${shape.needs}"`)
    return row
  }
}

/** What no field tells is counted by the server, and only ever grows. */
function isBelowZero(value: unknown): boolean {
  return typeof value === 'number' && value < 0
}

async function parsed(text: string): Promise<Line | null> {
  try {
    // First, so that what would take long to be parsed is not.
    const names = await namesIn(text)
    if (names < 0) return null
    await aside(text)
    const row = JSON.parse(text)
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return null
    return names === Object.keys(row).length ? row : null
  } catch {
    return null
  }
}

/** What walks over a value may call itself: nothing that is sent to us is deeper, and a row is one level more. */
const deepest = 65

/** How many names the outermost object has: of one that stands there twice, readers see different values. −1: too deep or too long. */
async function namesIn(text: string): Promise<number> {
  let [depth, names, tokens, pause] = [0, 0, 0, largeText]
  for (let at = 0; at < text.length; at++) {
    const token = text[at]
    if (token === '"') at = endOfText(text, at)
    else if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (token === ':' && depth === 1) names++
    if (token === ',' || token === '{' || token === '[') tokens++
    if (depth > deepest || tokens > mostTokens) return -1
    if (at > pause) {
      await othersFirst()
      pause = at + largeText
    }
  }
  return names
}

/** By characters: a pattern that goes back and forth has no room for a text of many megabytes. */
function endOfText(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

const ranges: Readonly<Record<string, number>> = { smallint: 2 ** 15, integer: 2 ** 31, bigint: 2 ** 63 }

function fits({ type, isNullable }: Column, value: unknown): boolean {
  if (value === null) return isNullable || type.startsWith('json')
  const range = ranges[type]
  if (range !== undefined) return Number.isInteger(value) && Math.abs(value as number) < range
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'double precision' || type === 'real') return typeof value === 'number'
  if (type === 'timestamp with time zone') return isMoment(value)
  if (type === 'text[]') return Array.isArray(value) && value.every(one => typeof one === 'string')
  if (type === 'text') return typeof value === 'string'
  return type === 'json' || type === 'jsonb'
}

/** What a column holds under the name of a field must be what that field may hold: nothing else was ever taken or told. */
function toldValues({ table, columns }: Shape): ReadonlyMap<string, (value: unknown) => boolean> {
  const kind = [...directory.kinds.values()].find(one => one.table === table)
  const fields = (kind?.read.result as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}
  const schemas = new Map(Object.entries(fields).map(([name, schema]) => [snake(name), schema]))
  return new Map(
    columns.flatMap(({ name, type }) => {
      const schema = schemas.get(name)
      // A moment is written in another form than it is told in.
      if (!schema || type === 'timestamp with time zone') return []
      const check = Compile(schema)
      return [[name, (value: unknown) => check.Check(value)] as const]
    }),
  )
}
