// Flags, positional words and JSON → what an operation takes: path, query and body.
import { readFileSync } from 'node:fs'
import { Option } from 'commander'
import type { Parts } from '../client/request.ts'
import { near } from '../contract/near.ts'
import type { Entry, Field } from './digest.ts'
import { usage } from './failures.ts'

export type Values = Readonly<Record<string, unknown>>

/** Words that mean the same on every operation; a field of such a name is spelled `--field.<name>`. */
export const reserved = new Set(
  'query body body-file body-template dry-run curl all limit output columns jq profile base-url offline yes retries web verbose help version'.split(
    ' ',
  ),
)

/** It can be tried at the service, which then changes nothing: there `--dry-run` asks for that. */
export function hasDryRun({ fields }: Entry): boolean {
  return fields.some(({ name }) => name === 'dryRun')
}

export function flagName({ name }: Field): string {
  return reserved.has(name) ? `field.${name}` : name
}

export function flagsOf(field: Field): Option[] {
  const name = flagName(field)
  const group = field.in === 'path' ? 'Path:' : field.in === 'query' ? 'Query:' : 'Body:'
  if (field.kind === 'boolean') {
    const spellings = bothSpellings(name)
    const yes = spellings.map(one => new Option(`--${one}`, describe(field)).hideHelp(one !== name))
    const no = spellings.map(one => new Option(`--no-${one}`, `${name}: false`).hideHelp())
    return [...yes, ...no].map(option => option.helpGroup(group))
  }
  return bothSpellings(name).map(one => {
    const option = new Option(`--${one} <${placeholder(field)}>`, describe(field)).helpGroup(group)
    if (field.kind === 'list') option.argParser((value, earlier: string[] = []) => [...earlier, value])
    return option.hideHelp(one !== name)
  })
}

/** `perPage`, and `per-page` as other programs have it; both set the same value. */
function bothSpellings(name: string): string[] {
  const kebab = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  const isTaken = reserved.has(kebab) && name !== 'dryRun'
  return kebab === name || isTaken || name.includes('_') ? [name] : [name, kebab]
}

function isShort(values: string[] | undefined): values is string[] {
  return values !== undefined && values.join('|').length <= 20
}

function shortened(values: string[]): string {
  if (values.length <= 8) return values.join(', ')
  return `${values.slice(0, 3).join(', ')}, … (${values.length}; see atrium describe)`
}

function placeholder({ kind, values, name }: Field): string {
  if (isShort(values) && kind === 'text') return values.join('|')
  if (kind === 'text' || kind === 'list') return /id$/i.test(name) ? 'id' : 'text'
  return kind
}

function describe(field: Field): string {
  const { required, description, kind, values, default: preset, nullable } = field
  return [
    required ? (field.name === 'workspaceId' ? 'required, or the profile’s' : 'required') : '',
    description?.replace(/\.$/, ''),
    values && !(isShort(values) && kind === 'text') ? `one of ${shortened(values)}` : '',
    kind === 'list' ? (field.commas ? 'repeat it, or use commas' : 'repeat it for several') : '',
    kind === 'boolean' ? `--no-${flagName(field)} for false` : '',
    nullable ? 'the word null clears it' : '',
    preset !== undefined ? `default ${JSON.stringify(preset)}` : '',
  ]
    .filter(Boolean)
    .join('; ')
}

export type Given = {
  positionals: readonly string[]
  flags: Values
  /** The profile's workspace. */
  workspaceId: string | undefined
  query: unknown
  body: unknown
}

export function partsOf(entry: Entry, given: Given): Parts {
  const flags = flagValues(entry, given.flags)
  const of = (place: Field['in']) => entry.fields.filter(field => field.in === place)
  const path = pathOf(entry, of('path'), given, flags)
  const query = { ...objectOf('--query', given.query), ...pick(of('query'), flags) }
  refuseUnknown(entry, query, of('query'))
  if (!entry.hasBody && given.body !== undefined) {
    throw usage(`${entry.id} takes no body.`, `See: atrium ${spelled(entry)} --help`)
  }
  const body = entry.hasBody ? { ...objectOf('--body', given.body), ...pick(of('body'), flags) } : undefined
  fillWorkspace(of('body'), body, given.workspaceId)
  refuseMissing(entry, of('query'), query)
  refuseMissing(entry, of('body'), body)
  return { path, query, body }
}

export function spelled({ id }: Pick<Entry, 'id'>): string {
  return id.replaceAll('.', ' ')
}

function pick(fields: Field[], values: Values): Record<string, unknown> {
  const present = fields.filter(({ name }) => values[name] !== undefined)
  return Object.fromEntries(present.map(({ name }) => [name, values[name]]))
}

function objectOf(flag: string, value: unknown): object {
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw usage(`${flag} must be a JSON object.`, `Give one such as '{"name": "value"}'.`)
}

/** Words fill the path fields that no flag fills, in the order of the route; the workspace may be the profile's. */
function pathOf(entry: Entry, fields: Field[], given: Given, flags: Values): Values {
  const open = fields.filter(({ name }) => flags[name] === undefined)
  const words = given.positionals
  const isShort = words.length < open.length && open.some(({ name }) => name === 'workspaceId')
  const isPreset = isShort && given.workspaceId !== undefined
  const taken = isPreset ? open.filter(({ name }) => name !== 'workspaceId') : open
  if (words.length > taken.length) {
    throw usage(
      `${entry.id} takes ${fields.length === 0 ? 'no words' : fields.map(({ name }) => `<${name}>`).join(' ')}, got ${words.length}.`,
      `See: atrium ${spelled(entry)} --help`,
    )
  }
  const path: Record<string, unknown> = { ...pick(fields, flags) }
  taken.forEach(({ name }, index) => {
    path[name] = words[index]
  })
  if (isPreset) path.workspaceId = given.workspaceId
  const missing = fields.filter(({ name }) => !path[name]).map(({ name }) => name)
  if (missing.length > 0) throw usage(`${entry.id} needs ${missing.map(name => `<${name}>`).join(' ')}.`, hint(missing))
  return path
}

function hint(missing: string[]): string {
  if (!missing.includes('workspaceId')) return 'Give it behind the command.'
  return 'Give it, or set one for good: atrium profile set --workspace <workspaceId>'
}

function fillWorkspace(fields: Field[], body: Record<string, unknown> | undefined, preset: string | undefined): void {
  const isWanted = fields.some(({ name, required }) => name === 'workspaceId' && required)
  if (body && isWanted && preset !== undefined) body.workspaceId ??= preset
}

function refuseMissing(entry: Entry, fields: Field[], values: Values | undefined): void {
  const missing = fields.filter(({ name, required }) => required && values?.[name] === undefined)
  if (missing.length === 0) return
  const flags = missing.map(field => `--${flagName(field)}`)
  throw usage(`${entry.id} needs ${flags.join(', ')}.`, `See: atrium ${spelled(entry)} --help`)
}

function refuseUnknown(entry: Entry, query: Values, fields: Field[]): void {
  const known = fields.map(({ name }) => name)
  for (const name of Object.keys(query)) {
    if (known.includes(name.replace(/\[\]$/, ''))) continue
    const [meant] = near(name, known)
    throw usage(
      `${entry.id} has no query field ${name}.`,
      meant ? `Did you mean ${meant}?` : `Known: ${known.join(', ')}`,
    )
  }
}

/** By the field's name, whatever its flag is called. */
function flagValues({ fields }: Entry, flags: Values): Values {
  const present = fields.filter(field => flags[flagName(field)] !== undefined)
  return Object.fromEntries(present.map(field => [field.name, valueFrom(field, fromFile(flags[flagName(field)]))]))
}

/** `@path` is the text of that file, `@@` a text that begins with `@`. */
function fromFile(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(fromFile)
  if (typeof given !== 'string' || !given.startsWith('@')) return given
  return given.startsWith('@@') ? given.slice(1) : readInput(given.slice(1)).replace(/\r?\n$/, '')
}

export function readInput(path: string): string {
  return readFile(path).toString('utf8')
}

export function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const isMissing = (error as { code?: string }).code === 'ENOENT'
    throw usage(isMissing ? `There is no file ${path}.` : `Cannot read ${path}.`, 'Give the path of a file.')
  }
}

function valueFrom(field: Field, given: unknown): unknown {
  if (given === 'null' && field.nullable) return null
  if (field.kind === 'number') return numberOf(field, String(given))
  if (field.kind === 'json') return parseJson(`--${flagName(field)}`, String(given))
  if (field.kind === 'list') return listOf(field, given as string[])
  return given
}

function numberOf(field: Field, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number)) {
    throw usage(`--${flagName(field)} must be a number, not ${JSON.stringify(text)}.`)
  }
  return number
}

function listOf(field: Field, given: string[]): unknown {
  const [only] = given
  if (given.length === 1 && only?.startsWith('[')) return parseJson(`--${flagName(field)}`, only)
  if (given.length === 1 && only === 'null' && field.nullable) return null
  const values = field.commas ? given.flatMap(value => value.split(',').filter(Boolean)) : given
  return field.in === 'query' && values.length === 1 ? values[0] : values
}

export function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usage(`${what} is not JSON: ${(error as Error).message}.`, 'Mind the quotes: \'{"name": "value"}\'.')
  }
}
