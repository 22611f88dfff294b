// What `--help` says: the page of all commands, the notes under each, and what exit codes mean.
import { type Command, Help } from 'commander'
import type { Entry } from './digest.ts'
import { exitCodes } from './failures.ts'
import { flagName, spelled, type Values } from './fields.ts'
import { globalOptions } from './global_options.ts'
import type { Session } from './session.ts'

const usual = ['list', 'get', 'post', 'put', 'patch', 'del']

/** By area, then the verbs that every area has, then its own. */
export function inOrder(entries: readonly Entry[]): Entry[] {
  const keyOf = ({ id }: Entry) => {
    const words = id.split('.')
    const last = words.pop() ?? ''
    const place = usual.indexOf(last)
    return `${words.join('.')} ${place < 0 ? `~${last}` : place}`
  }
  return [...entries].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

export function notes(entry: Entry): string {
  const scopes = entry.scopes.length > 0 ? entry.scopes.join(', ') : entry.isPublic ? 'none, and no login' : 'none'
  return `Scopes:    ${scopes}\nRequest:   ${entry.method} ${entry.path}\nExample:   ${exampleOf(entry)}
Further:   ${everywhere()}\n`
}

function everywhere(): string {
  const names = globalOptions().map(({ short, long }) => short ?? long)
  return `${names.join(' ')} (atrium --help)`
}

/** What must be given, who it is about, and of a change at least one field. */
function exampleOf(entry: Entry): string {
  const given = entry.fields.filter(({ name }) => name !== 'workspaceId')
  const needed = given.filter(({ required, in: place, name }) => place === 'path' || required || name === 'email')
  const isEmpty = entry.method === 'PATCH' && needed.every(field => field.in !== 'body')
  const first = given.find(({ in: place, example }) => place === 'body' && example !== undefined)
  const shown = isEmpty && first ? [...needed, first] : needed
  const words = shown.map(field => {
    if (field.in === 'path') return `<${field.name}>`
    return field.kind === 'boolean' ? `--${flagName(field)}` : `--${flagName(field)} ${exampleValue(entry, field)}`
  })
  return ['atrium', spelled(entry), ...words, ...(entry.consumes ? ['--content @file'] : [])].join(' ')
}

/** A field without an example is a place to fill in. */
function exampleValue(entry: Entry, field: Entry['fields'][number]): string {
  const inBody = field.in === 'body' && field.kind === 'json' ? (entry.bodyExample as Values)[field.name] : undefined
  const value = field.example ?? inBody ?? field.values?.[0] ?? field.default
  return value === undefined || value === '…' ? `<${field.name}>` : quoted(value)
}

function quoted(value: unknown): string {
  const isPlainList = Array.isArray(value) && value.every(one => typeof one === 'string')
  const text = isPlainList ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w@.:,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

export function rootHelp(session: Session, program: Command): string {
  const help = new Help()
  const areas = new Map<string, string[]>()
  for (const { id } of inOrder(session.digest.entries)) {
    const [area = '', ...rest] = id.split('.')
    areas.set(area, [...(areas.get(area) ?? []), rest.join('.')])
  }
  const own = help.visibleCommands(program).filter(command => !areas.has(command.name()))
  const width = Math.max(...[...areas.keys()].map(name => name.length)) + 2
  const row = (name: string, text: string) => `  ${name.padEnd(width)}${wrap(text, width + 2)}\n`
  return `atrium – workspaces for teams and their agents, from the command line

Usage:
  atrium <area> <operation> [path…] [flags]     atrium api_keys list
  atrium <operation id> [path…] [flags]         atrium api_keys.list
  create, update, delete and show are post, patch, del and get

${operationsOf(session)}:
${[...areas].map(([name, verbs]) => row(name, verbs.join(' '))).join('')}
Commands:
${own.map(command => row(command.name(), help.subcommandDescription(command))).join('')}
Everywhere:
${globalOptions()
  .map(option => `  ${help.optionTerm(option).padEnd(26)}${option.description}\n`)
  .join('')}
Before the command: --api-key <key|-> or --token <token|-> (ATRIUM_API_KEY, ATRIUM_TOKEN); - reads stdin.
Exit codes: ${Object.values(exitCodes)
    .map(({ code }) => code)
    .join(' ')} – atrium help exit-codes explains them.
Help for one: atrium api_keys post --help
`
}

/** Says so where the service has not been asked yet which operations it has. */
function operationsOf({ digest, settings, version }: Session): string {
  if (digest.etag !== null) return `Operations of ${settings.baseUrl}`
  return `Operations that atrium ${version} knows (${settings.baseUrl} has not been asked for its own: atrium spec update)`
}

function wrap(text: string, indent: number, most = 98): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length + indent < most) lines[lines.length - 1] = line ? `${line} ${word}` : word
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

export function exitCodeHelp(): string {
  return Object.values(exitCodes)
    .map(({ code, meaning }) => `${String(code).padStart(4)}  ${meaning}\n`)
    .join('')
}
