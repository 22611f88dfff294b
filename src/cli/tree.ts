// The commands: one per operation of the document, spelled as its id, and the few of our own beside them.
import { Argument, Command, Help, Option } from 'commander'
import { near } from '../contract/near.ts'
import type { Entry } from './digest.ts'
import { exitCodes, usage } from './failures.ts'
import { flagName, flagsOf, hasDryRun, spelled, type Values } from './fields.ts'
import { invoke, type Options } from './invoke.ts'
import { addLeaving, canLeave } from './leaving.ts'
import { formats, type OutputOptions } from './output.ts'
import type { Session } from './session.ts'

/** A command that needs more than this room may import, such as the server; it is handed in from outside. */
export type LocalCommand = {
  /** `serve`, `backup <file>`, or in a group: `secrets rotate`. */
  name: string
  summary: string
  /** Flags of its own: spelling and explanation. */
  options?: readonly (readonly [flags: string, text: string])[]
  run: (session: Session, options: OutputOptions & { port?: string }, file: string) => Promise<number>
}

export const globalOptions = () => [
  new Option('-o, --output <format>', 'table on a terminal, json elsewhere').choices(formats),
  new Option('--columns <names>', 'fields to show, with commas; owner.name reaches inside'),
  new Option('--jq <expression>', 'filter the result with jq; text is printed bare'),
  new Option('--profile <name>', 'stored login to use (ATRIUM_PROFILE)'),
  new Option('--base-url <address>', 'service to call (ATRIUM_BASE_URL)'),
  new Option('--offline', 'do not ask the service for a newer document'),
  new Option('--retries <number>', 'how often to try again; 0 never').default('3'),
  new Option('-y, --yes', 'do not ask before a delete'),
  new Option('--web', 'open the page of the console instead'),
  new Option('--verbose', 'show each request and how long it took (ATRIUM_DEBUG=1)'),
]

/** Names of flags that are followed by a value, for whoever looks for the first word. */
export const globalsWithValue = globalOptions()
  .filter(option => option.required)
  .flatMap(option => [option.short, option.long])
  .filter(name => name !== undefined)

export function buildProgram(
  session: Session,
  own: (program: Command) => void,
  local: LocalCommand[],
  done: Done,
): Command {
  const program = new Command('atrium')
  program
    .version(session.version, '-V, --version')
    .configureHelp({ helpWidth: Math.min(session.terminal.stdout.columns ?? 100, 100) })
    .configureOutput({
      writeOut: text => session.terminal.stdout.write(text),
      writeErr: () => {},
    })
    .exitOverride()
    .allowExcessArguments()
    .helpCommand(false)
  program.addHelpOption(hiddenHelp())
  for (const option of globalOptions()) program.addOption(option.helpGroup('Everywhere:'))
  own(program)
  for (const command of local) addLocal(program, session, command, done)
  for (const entry of inOrder(session.digest.entries)) addOperation(program, session, entry)
  if (canLeave(session)) addLeaving(groupIn(program, session, 'workspaces'), session)
  program.helpInformation = () => rootHelp(session, program)
  program.action((_, command: Command) => {
    if (command.args.length > 0) throw unknownCommand(session, command.args)
    session.terminal.stdout.write(rootHelp(session, program))
  })
  return program
}

/** Takes the exit code of a command that has one of its own. */
export type Done = (code: number) => void

function addLocal(
  program: Command,
  session: Session,
  { name, summary, options = [], run }: LocalCommand,
  done: Done,
): void {
  const text = `${summary[0]?.toUpperCase()}${summary.slice(1)}.`
  const [, group, rest] = /^(\w+) (\w+.*)$/.exec(name) ?? []
  const parent = group ? localGroup(program, session, group, summary) : program
  const command = parent
    .command(rest ?? name)
    .summary(summary)
    .description(text)
  for (const [flags, explained] of options) command.option(flags, explained)
  command.action(async (...values: unknown[]) => {
    done(await run(session, command.optsWithGlobals<OutputOptions>(), String(values[0])))
  })
}

/** Of its own, or that of an area, which has operations beside it. */
function localGroup(program: Command, session: Session, name: string, summary: string): Command {
  if (session.digest.entries.some(({ id }) => id.startsWith(`${name}.`))) return groupIn(program, session, name)
  const text = `${summary[0]?.toUpperCase()}${summary.slice(1)}.`
  return program.command(name).summary(summary).description(text).helpCommand(false)
}

function addOperation(program: Command, session: Session, entry: Entry): void {
  const words = entry.id.split('.')
  let parent = program
  for (const word of words.slice(0, -1)) parent = groupIn(parent, session, word)
  const last = words.at(-1) ?? entry.id
  parent.summary([parent.summary(), last].filter(Boolean).join(', '))
  const command = existing(parent, last) ?? parent.command(last)
  command.summary(entry.summary).addHelpOption(hiddenHelp())
  for (const word of alsoSaid[last] ?? []) if (!existing(parent, word)) command.alias(word)
  // Flags are made for the one operation that is called, or a start would pay for all of them.
  parent.hook('preSubcommand', (_, chosen) => {
    if (chosen === command) furnish(command, session, entry)
  })
}

function existing(parent: Command, name: string): Command | undefined {
  return parent.commands.find(command => command.name() === name)
}

function groupIn(parent: Command, session: Session, name: string): Command {
  const found = existing(parent, name)
  if (found) return found
  const group = parent.command(name).helpCommand(false).allowExcessArguments().usage('<operation> [path…] [flags]')
  group.addHelpOption(hiddenHelp())
  group.action((_, command: Command) => {
    if (command.args.length === 0) return void session.terminal.stdout.write(group.helpInformation())
    throw unknownCommand(session, [...wordsOf(group), ...command.args])
  })
  return group
}

function hiddenHelp(): Option {
  return new Option('-h, --help', 'explain the command').hideHelp()
}

/** Words that people type for the verb of an id. */
const alsoSaid: Readonly<Record<string, readonly string[]>> = {
  post: ['create'],
  patch: ['update'],
  del: ['delete'],
  get: ['show'],
}

const usual = ['list', 'get', 'post', 'put', 'patch', 'del']

/** By area, then the verbs that every area has, then its own. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const keyOf = ({ id }: Entry) => {
    const words = id.split('.')
    const last = words.pop() ?? ''
    const place = usual.indexOf(last)
    return `${words.join('.')} ${place < 0 ? `~${last}` : place}`
  }
  return [...entries].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function wordsOf(command: Command): string[] {
  return command.parent ? [...wordsOf(command.parent), command.name()] : []
}

function unknownCommand(session: Session, words: readonly string[]): Error {
  const id = words.slice(0, 3).join('.')
  const ids = session.digest.entries.map(entry => entry.id)
  const [first = ''] = words
  const meant = [...near(id, ids), ...near(words.slice(0, 2).join('.'), ids), ...near(first, ids)].slice(0, 3)
  const spelling = id.includes('.') ? `operation ${id}` : `command ${first}`
  const next = meant.length > 0 ? `Did you mean ${[...new Set(meant)].join(', ')}?` : 'See: atrium --help'
  return Object.assign(usage(`There is no ${spelling}.`, next), { isUnknown: true })
}

function furnish(command: Command, session: Session, entry: Entry): void {
  const path = entry.fields.filter(field => field.in === 'path')
  command.usage(`${path.map(({ name }) => `<${name}>`).join(' ')} [flags]`.trim())
  command.description([`${entry.summary}.`, entry.description].filter(Boolean).join(' '))
  command.addArgument(new Argument('[path...]').argOptional())
  for (const field of entry.fields) for (const option of flagsOf(field)) command.addOption(option)
  for (const option of inputOptions(entry)) command.addOption(option)
  command.configureHelp({ ...command.configureHelp(), visibleArguments: () => [] })
  command.addHelpText('after', () => `\n${notes(entry)}`)
  command.action((positionals: string[]) => invoke(session, entry, positionals, command.optsWithGlobals<Flags>()))
}

type Flags = Options & Record<string, unknown>

function inputOptions(entry: Entry): Option[] {
  const options = [new Option('--query <json>', 'query fields as one JSON object; flags override it')]
  if (entry.hasBody) {
    options.push(
      new Option('--body <json>', 'the body as JSON; flags override it'),
      new Option('--body-file <path>', 'the body from a file, or - for stdin'),
      new Option('--body-template', 'print a body to fill in, and stop'),
    )
  }
  if (entry.consumes) {
    options.push(
      new Option('--content <@file>', `what is sent (${entry.consumes.join(', ')}): a file, or @- for stdin`),
    )
  }
  if (entry.isPaged) {
    options.push(
      new Option('--all', 'every page, not only the first'),
      new Option('--limit <number>', 'at most so many items, over as many pages as it takes'),
    )
  }
  if (!hasDryRun(entry)) options.push(new Option('--dry-run', 'print the request instead of sending it'))
  options.push(new Option('--curl', 'print the request as a curl command'))
  return options.map(option => option.helpGroup('Input:'))
}

function notes(entry: Entry): string {
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

function rootHelp(session: Session, program: Command): string {
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
