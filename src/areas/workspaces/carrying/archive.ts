// The form of an archive: which files it has, and the manifest that names and signs them.
import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { object } from '../../../contract/records.ts'

export const archiveType = 'atrium.workspace'
/** Of the form itself; each area says besides which tables and columns it has. */
export const archiveVersion = 1

export const paths = {
  manifest: 'manifest.json',
  workspace: 'workspace.json',
  people: 'people.ndjson',
  ledger: 'ledger.ndjson',
  table: (area: string, table: string) => `areas/${area}/${table}.ndjson`,
  file: (sha256: string) => `files/${sha256}`,
  history: (place: number) => `history/${place}.ndjson`,
} as const

const text = Type.String({ maxLength: 1024 })
/** Of a person, as long as one can give themselves. */
const shownName = Type.String({ maxLength: 256 })
const moment = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$' })
const isOfForm = Compile(moment)

/** A moment as exports write them, which there is: the database also takes words such as `infinity`. */
export function isMoment(value: unknown): boolean {
  return isOfForm.Check(value) && !Number.isNaN(Date.parse(value))
}

const count = Type.Integer({ minimum: 0 })

const CarriedRows = object({ area: text, table: text, columns: Type.Array(text, { maxItems: 200 }), rows: count })

export const Manifest = object({
  type: Type.Literal(archiveType),
  version: count,
  made: moment,
  workspaceId: text,
  /** The last migration of each area: what its rows look like. */
  schemas: Type.Record(text, text),
  tables: Type.Array(CarriedRows, { maxItems: 1000 }),
  secrets: Type.Array(object({ table: text, id: text, names: Type.Array(text, { maxItems: 100 }) })),
  left: Type.Record(text, text),
  files: Type.Array(object({ path: text, size: count, sha256: text }), { maxItems: 65_001 }),
  publicKey: text,
})

export type Manifest = Static<typeof Manifest>

export const Person = object({
  id: text,
  forename: shownName,
  surname: Type.Union([shownName, Type.Null()]),
  /** Of members, verified; of a place that nobody has claimed yet, as an archive said it. */
  address: Type.Union([text, Type.Null()]),
})

export type Person = Static<typeof Person>

export const CarriedWorkspace = object({
  id: text,
  name: Type.String({ minLength: 2, maxLength: 64 }),
  slug: Type.String({ minLength: 3, maxLength: 48, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
  description: Type.Union([Type.String({ maxLength: 500 }), Type.Null()]),
  ownerId: text,
  settings: Type.Record(Type.String(), Type.Unknown()),
  created: moment,
  updated: moment,
})

export type CarriedWorkspace = Static<typeof CarriedWorkspace>

/** What is signed: the manifest as it stands in the archive. */
export function sealOf(manifest: string): string {
  return `atrium.workspace:${createHash('sha256').update(manifest).digest('hex')}`
}

/** Two lines: the manifest, and the signature over exactly these bytes. */
export function manifestFile(manifest: Manifest, sign: (text: string) => string): string {
  const line = JSON.stringify(manifest)
  return `${line}\n${JSON.stringify({ signature: sign(sealOf(line)) })}\n`
}

/** Ids of records and people, wherever they stand in a line of JSON; behind an escape a word begins, too. */
const idsInText = /(\\[bfnrt]|(?<![0-9A-Za-z_\\]))([a-z][a-z_]{0,40}_[0-9a-z]{20,64})(?![0-9A-Za-z_])/g

/** The ids that a line names. */
export function* idsIn(line: string): Generator<string> {
  for (const [, , id = ''] of plainLetters(line).matchAll(idsInText)) yield id
}

/** The line with other ids in place of those that it names. */
export function renamed(line: string, here: (id: string) => string): string {
  return plainLetters(line).replace(idsInText, (_, before, id) => `${before}${here(id)}`)
}

/** Behind `\\u00` what means a letter, a digit or `_`. */
const letterEscapes = /\\u00(3\d|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])/g
/** The same, where the backslash is none that another one escapes. */
const plainEscapes = /\\u00(3\d|[46][1-9a-fA-F]|[57][0-9aA]|5[fF])(?<=(?<!\\)(?:\\\\)*\\u00..)/g

/** How many letters may be written as escapes: the database writes none. */
export function countLetterEscapes(line: string): number {
  let count = 0
  for (const _ of line.matchAll(letterEscapes)) count++
  return count
}

/** Letters that are written as escapes would hide an id from who looks for it, and not from the database. */
function plainLetters(line: string): string {
  if (!line.includes('\\u00')) return line
  return line.replace(plainEscapes, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

const pieceLength = 128 * 1024

/** A long line in pieces between which no word and no escape is cut, so that who reads it can step aside. */
export function* piecesOf(line: string): Generator<string> {
  let start = 0
  while (line.length - start > pieceLength) {
    let end = start + pieceLength
    while (end < line.length && (/[\w\\]/.test(line.charAt(end)) || line.charAt(end - 1) === '\\')) end++
    yield line.slice(start, end)
    start = end
  }
  yield line.slice(start)
}
