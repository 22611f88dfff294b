// From the words on the command line to an exit code.
import type { Command } from 'commander'
import { expandAlias } from './aliases.ts'
import { type Bundled, documents, refreshQuietly } from './documents.ts'
import { exitCodes, report, usage } from './failures.ts'
import { type Flags, requireProfile, resolveSettings } from './profiles.ts'
import type { Session } from './session.ts'
import { readAll, type Terminal } from './terminal.ts'
import { isVerbose } from './trace.ts'
import type { LocalCommand } from './tree.ts'

type Tree = typeof import('./tree.ts')

export type Parts = { version: string; bundled: Bundled; local: LocalCommand[] }

export async function run(terminal: Terminal, parts: Parts): Promise<number> {
  try {
    return await dispatch(terminal, parts)
  } catch (error) {
    return report(error, terminal)
  }
}

async function dispatch(terminal: Terminal, parts: Parts): Promise<number> {
  const [only] = terminal.argv
  if (terminal.argv.length === 1 && (only === '--version' || only === '-V')) {
    terminal.stdout.write(`${parts.version}\n`)
    return exitCodes.ok.code
  }
  const tree = await import('./tree.ts')
  const { globalsWithValue } = await import('./global_options.ts')
  const { words, flags, isOffline } = await readFront(terminal, globalsWithValue)
  const settings = resolveSettings(terminal, flags)
  const found = documents(terminal.env, settings.baseUrl, parts.bundled)
  const session: Session = {
    version: parts.version,
    terminal,
    settings,
    documents: found,
    digest: await found.digest(),
    retries: 3,
    isVerbose: isVerbose({ verbose: words.includes('--verbose') }, terminal.env),
  }
  const outcome = await parse(session, words, parts, tree)
  if (!(outcome instanceof Error)) return outcome
  // What this document does not know, the service's newest may.
  if (isOffline || !(await refreshQuietly(found, AbortSignal.any([terminal.signal, AbortSignal.timeout(3_000)]))))
    throw outcome
  const again = await parse({ ...session, digest: await found.digest() }, words, parts, tree)
  if (again instanceof Error) throw again
  return again
}

/** The exit code, or the error where a word or flag is unknown and nothing has been done. */
async function parse(
  session: Session,
  words: readonly string[],
  parts: Parts,
  { buildProgram }: Tree,
): Promise<number | Error> {
  const { globalsWithValue } = await import('./global_options.ts')
  const { addOwn } = await import('./own.ts')
  let code: number = exitCodes.ok.code
  const done = (given: number) => {
    code = given
  }
  const program = buildProgram(session, built => addOwn(built, session), parts.local, done)
  const free = ['login', 'profile', 'alias', 'completion', '__complete', ...parts.local.map(({ name }) => name)]
  program.hook('preAction', (_, command) => begin(session, command, free))
  try {
    await program.parseAsync(spelledOut(words, session, globalsWithValue), { from: 'user' })
    return code
  } catch (error) {
    return judged(error)
  } finally {
    await settle(session)
  }
}

const looks = new WeakMap<Session, { stop: AbortController; end: Promise<boolean> }>()

/** While the operation runs, a check for a newer document, if the last one was some time ago. */
function begin(session: Session, command: Command, free: readonly string[]): void {
  const [first = ''] = wordsOf(command)
  if (session.settings.isUnknownProfile && !free.some(name => name.split(' ')[0] === first)) {
    requireProfile(session.terminal.env, session.settings.profile)
  }
  const { retries, offline } = command.optsWithGlobals<{ retries: string; offline?: boolean }>()
  if (!/^\d+$/.test(retries)) throw usage('--retries must be a whole number.')
  session.retries = Number(retries)
  const isOperation = session.digest.entries.some(({ id }) => id === wordsOf(command).join('.'))
  if (offline || !isOperation || !session.documents.isOld()) return
  const stop = new AbortController()
  looks.set(session, { stop, end: refreshQuietly(session.documents, stop.signal) })
}

function wordsOf(command: Command): string[] {
  return command.parent ? [...wordsOf(command.parent), command.name()] : []
}

/** The operation has been answered: the check may finish if it is quick, but nobody waits for it. */
async function settle(session: Session): Promise<void> {
  const look = looks.get(session)
  if (!look) return
  const timer = setTimeout(() => look.stop.abort(), 500)
  await look.end
  clearTimeout(timer)
}

const unknown = ['commander.unknownOption', 'commander.unknownCommand', 'commander.excessArguments']

function judged(error: unknown): number | Error {
  const { code, exitCode, message } = error as Error & { code?: string; exitCode?: number }
  if (code === 'commander.help' || code === 'commander.helpDisplayed' || code === 'commander.version') {
    return exitCode ?? 0
  }
  if ((error as { isUnknown?: boolean }).isUnknown) return error as Error
  if (!code?.startsWith('commander.')) throw error
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const told = usage(`${text[0]?.toUpperCase()}${text.slice(1)}.`.replace(/([.?)])\.$/, '$1'), 'See --help.')
  if (unknown.includes(code)) return told
  throw told
}

/** Flags that are followed by a value. */
type Valued = readonly string[]

/** Flags in front of the command, an id with dots as words, and what decides which service is asked. */
async function readFront(
  terminal: Terminal,
  valued: Valued,
): Promise<{ words: string[]; flags: Flags; isOffline: boolean }> {
  const flags: Flags = {}
  const words = expandAlias(terminal.env, terminal.argv, valued)
  for (let place = 0; words[place]?.startsWith('-'); ) {
    const [name = '', joined] = splitFlag(words[place] ?? '')
    const value = joined ?? words[place + 1]
    if (name === '--api-key' || name === '--token') {
      flags[name === '--token' ? 'token' : 'apiKey'] = value === '-' ? (await readAll(terminal.stdin)).trim() : value
      if (!value) throw usage(`${name} needs a value.`)
      words.splice(place, joined === undefined ? 2 : 1)
    } else place += joined === undefined && valued.includes(name) ? 2 : 1
  }
  flags.profile = textAfter(words, '--profile')
  flags.baseUrl = textAfter(words, '--base-url')
  return { words: spread(words, valued), flags, isOffline: words.includes('--offline') }
}

function splitFlag(word: string): [string, string | undefined] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)]
}

function textAfter(words: readonly string[], flag: string): string | undefined {
  const place = words.findIndex(word => splitFlag(word)[0] === flag)
  if (place < 0) return undefined
  return splitFlag(words[place] ?? '')[1] ?? words[place + 1]
}

/** `help <command>` means `<command> --help`. */
function explained(words: string[]): string[] {
  if (words[0] === 'exit-codes') return words
  return [...words.flatMap(word => (dotted.test(word) ? word.split('.') : [word])), '--help']
}

/** `auth grants.list` is `auth grants list`: where the first word is an area, the next may be the rest of an id. */
function spelledOut(words: readonly string[], { digest }: Session, valued: Valued): string[] {
  const place = firstWord(words, valued)
  const [area = '', rest = ''] = words.slice(place)
  const isArea = digest.entries.some(({ id }) => id.startsWith(`${area}.`))
  if (!isArea || !dotted.test(rest)) return [...words]
  return [...words.slice(0, place + 1), ...rest.split('.'), ...words.slice(place + 2)]
}

const dotted = /^\w+(\.\w+)+$/

/** The index at which the global flags end. */
function firstWord(words: readonly string[], valued: Valued): number {
  let place = 0
  while (words[place]?.startsWith('-')) {
    const [name, joined] = splitFlag(words[place] ?? '')
    place += joined === undefined && valued.includes(name) ? 2 : 1
  }
  return place
}

/** `api_keys.list` is `api_keys list`, also behind `help`. */
function spread(words: string[], valued: Valued): string[] {
  const place = firstWord(words, valued)
  const front = words.slice(0, place)
  if (words[place] === 'help') return [...front, ...explained(words.slice(place + 1))]
  const word = words[place]
  if (!word || !dotted.test(word)) return words
  return [...front, ...word.split('.'), ...words.slice(place + 1)]
}
