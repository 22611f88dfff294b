// The commands: one per operation of the document, spelled as its id, and the few of our own beside them.
import { Argument, Command, Option } from 'commander'
import { near } from '../contract/near.ts'
import type { Entry } from './digest.ts'
import { usage } from './failures.ts'
import { flagsOf, hasDryRun } from './fields.ts'
import { globalOptions } from './global_options.ts'
import { inOrder, notes, rootHelp } from './help.ts'
import { invoke, type Options } from './invoke.ts'
import { addLeaving, canLeave } from './leaving.ts'
import type { OutputOptions } from './output.ts'
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
