// What may come next on the command line: commands, flags, values, and ids that the service has just now.
import type { Command } from 'commander'
import { spell } from '../client/request.ts'
import { deliver, readResult } from '../client/transport.ts'
import type { Entry, Field } from './digest.ts'
import { flagName } from './fields.ts'
import { globalOptions, globalsWithValue } from './global_options.ts'
import { formats } from './output.ts'
import { readProfiles } from './profiles.ts'
import { credentialOf, find, outgoing, type Session, senderOf } from './session.ts'

export type Candidate = { word: string; note?: string }

/** A person is waiting for the completion. */
const longestMs = 500

/** `words` is everything behind `atrium`; the last is what is being typed, perhaps nothing yet. */
export async function complete(session: Session, program: Command, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const candidates = await candidatesFor(session, program, before, typed)
  return candidates.filter(({ word }) => word.startsWith(typed))
}

async function candidatesFor(session: Session, program: Command, before: readonly string[], typed: string) {
  const { entry, operands } = operationIn(session, before)
  const last = before.at(-1) ?? ''
  if (last.startsWith('--') || last === '-o') {
    const values = await valuesOf(session, entry, operands, last)
    if (values) return values
  }
  if (entry && typed.startsWith('-')) return flagsFor(entry)
  if (entry) return await wordsFor(session, entry, operands)
  return [...groups(session, before, typed), ...ownCommands(session, program, before, typed)]
}

/** The operation that the words name, and what stands behind its name. */
function operationIn(session: Session, before: readonly string[]): { entry: Entry | undefined; operands: string[] } {
  const plain = withoutFlags(before, undefined)
  for (let count = Math.min(plain.length, 4); count > 0; count--) {
    const entry = find(session.digest, plain.slice(0, count).join('.'))
    if (entry) return { entry, operands: withoutFlags(before, entry).slice(count) }
  }
  return { entry: undefined, operands: [] }
}

function withoutFlags(words: readonly string[], entry: Entry | undefined): string[] {
  const valued = [
    ...globalsWithValue,
    ...inputFlags,
    ...(entry?.fields ?? []).filter(isValued).map(field => `--${flagName(field)}`),
  ]
  return words.filter((word, place) => !word.startsWith('-') && !valued.includes(words[place - 1] ?? ''))
}

const inputFlags = ['--query', '--body', '--body-file', '--limit']

function isValued({ kind }: Field): boolean {
  return kind !== 'boolean'
}

async function valuesOf(session: Session, entry: Entry | undefined, operands: string[], flag: string) {
  if (flag === '-o' || flag === '--output') return formats.map(word => ({ word }))
  if (flag === '--profile') return Object.keys(readProfiles(session.terminal.env).profiles).map(word => ({ word }))
  const field = entry?.fields.find(one => `--${flagName(one)}` === flag)
  if (flag === '--workspace' && !field) return await idsOf(session, 'workspaceId', '', {})
  if (!entry || !field || !isValued(field)) return null
  if (field.values) return field.values.map(word => ({ word }))
  return /id$/i.test(field.name) ? await idsOf(session, field.name, entry.id, knownPath(session, entry, operands)) : []
}

function flagsFor(entry: Entry): Candidate[] {
  const own = entry.fields.map(field => ({ word: `--${flagName(field)}`, note: field.description ?? field.kind }))
  const input = [...inputFlags, '--all', '--dry-run', '--curl', '--body-template'].map(word => ({ word }))
  const everywhere = globalOptions().map(({ long, description }) => ({ word: long ?? '', note: description }))
  return [...own, ...input, ...everywhere]
}

async function wordsFor(session: Session, entry: Entry, operands: string[]): Promise<Candidate[]> {
  const fields = entry.fields.filter(field => field.in === 'path')
  const known = knownPath(session, entry, operands)
  // With a workspace of its own, the profile lets the next word be the record at once.
  const next = fields.find(({ name }) => known[name] === undefined) ?? (operands.length === 0 ? fields[0] : undefined)
  return next ? await idsOf(session, next.name, entry.id, known) : []
}

function knownPath(session: Session, entry: Entry, operands: string[]): Record<string, string> {
  const fields = entry.fields.filter(field => field.in === 'path').map(({ name }) => name)
  const { workspaceId } = session.settings
  const isPreset = workspaceId !== undefined && !operands[0]?.startsWith('ws_')
  const open = isPreset ? fields.filter(name => name !== 'workspaceId') : fields
  const known = Object.fromEntries(open.map((name, place) => [name, operands[place]]).filter(([, value]) => value))
  return isPreset && fields.includes('workspaceId') ? { ...known, workspaceId } : known
}

/** From the list nearest to the operation that can be asked with what is known. */
async function idsOf(session: Session, name: string, id: string, known: Record<string, string>): Promise<Candidate[]> {
  const list = name === 'workspaceId' ? find(session.digest, 'workspaces.list') : listFor(session, name, id, known)
  // Somebody who presses Tab is not asked to unlock a keyring.
  const isInKeyring = !session.settings.given && session.settings.stored && 'inKeyring' in session.settings.stored
  if (!list || isInKeyring) return []
  const itemName = name !== 'workspaceId' && list.columns.includes(name) ? name : 'id'
  const signal = AbortSignal.timeout(longestMs)
  try {
    const request = spell(list.method, list.path, { path: known, query: { perPage: 100 }, body: undefined })
    const credential = await credentialOf(session)
    const answer = await deliver(outgoing(session, request, credential), {
      send: senderOf(session),
      retries: 0,
      signal,
    })
    const { items } = (await readResult(answer)) as { items: Record<string, unknown>[] }
    return items.map(item => ({ word: String(item[itemName]), note: noteOf(item) }))
  } catch {
    // A completion that cannot be given is no completion; the command itself will say what is wrong.
    return []
  }
}

function noteOf(item: Record<string, unknown>): string {
  return String(item.name ?? item.email ?? item.forename ?? item.device ?? '').replace(/\s+/g, ' ')
}

function listFor(session: Session, name: string, id: string, known: Record<string, string>): Entry | undefined {
  const groups = id.split('.').slice(0, -1)
  const areas = name === 'userId' || name === 'ownerId' ? ['workspace_members.list'] : []
  const ids = groups.map((_, place) => [...groups.slice(0, groups.length - place), 'list'].join('.'))
  return [...ids, ...areas]
    .map(one => find(session.digest, one))
    .find(list => list?.fields.every(field => field.in !== 'path' || (known[field.name] && field.name !== name)))
}

/** The next words of ids, or whole ids once somebody types a dot. */
function groups(session: Session, before: readonly string[], typed: string): Candidate[] {
  const prefix = withoutFlags(before, undefined)
  const start = prefix.length > 0 ? `${prefix.join('.')}.` : ''
  const entries = session.digest.entries.filter(({ id }) => id.startsWith(start))
  if (typed.includes('.')) return entries.map(({ id, summary }) => ({ word: id.slice(start.length), note: summary }))
  const words = new Map<string, string>()
  for (const { id, summary } of entries) {
    const [word = '', ...rest] = id.slice(start.length).split('.')
    words.set(word, rest.length === 0 ? summary : (words.get(word) ?? ''))
  }
  return [...words].map(([word, note]) => ({ word, note }))
}

function ownCommands(session: Session, program: Command, before: readonly string[], typed: string): Candidate[] {
  let command = program
  const areas = new Set(session.digest.entries.map(({ id }) => id.split('.')[0]))
  const words = withoutFlags(before, undefined)
  if (areas.has(words[0])) return []
  for (const word of words) {
    const found = command.commands.find(one => one.name() === word)
    if (!found) return argumentsOf(session, command)
    command = found
  }
  if (typed.startsWith('-')) {
    const options = [...command.options, ...globalOptions()]
    return options
      .filter(option => !option.hidden)
      .map(({ long, description }) => ({ word: long ?? '', note: description }))
  }
  const isOwn = (one: Command) => one.name() !== '__complete' && (command !== program || !areas.has(one.name()))
  const commands = command.commands
    .filter(isOwn)
    .map(one => ({ word: one.name(), note: one.summary() || one.description() }))
  return commands.length > 0 ? commands : argumentsOf(session, command)
}

function argumentsOf(session: Session, command: Command): Candidate[] {
  if (command.name() === 'completion') return ['bash', 'zsh', 'fish', 'pwsh'].map(word => ({ word }))
  if (command.parent?.name() === 'profile') {
    return Object.keys(readProfiles(session.terminal.env).profiles).map(word => ({ word }))
  }
  return command.name() === 'describe'
    ? session.digest.entries.map(({ id, summary }) => ({ word: id, note: summary }))
    : []
}
