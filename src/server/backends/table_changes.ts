// Which tables a statement writes, by its text; whatever is not understood counts as a change of everything.
import type { Changes, Db } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'

/** Stands for all tables, where a text writes and it is not clear what. */
export const everything = '*'

/** Comments, then texts and numbers of parameters, which say nothing; quoted names, words, and single signs. */
const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|''|\\[\s\S])*'|'(?:[^']|'')*'|\$\d+|\$(\w*)\$[\s\S]*?\$\1\$|"(?:[^"]|"")*"|[\p{L}_][\p{L}\w$]*|[^\s]/gu

/** Statements may begin so and write no more than the words inside them say. */
const harmless = new Set(
  `select with values table insert update delete merge truncate explain begin start commit end rollback abort savepoint
  release set reset show listen unlisten notify deallocate discard lock analyze vacuum`.split(/\s+/),
)

/** PostgreSQL nests comments, `token` does not. */
const nestedComment = /\/\*(?:(?!\*\/)[\s\S])*\/\*/

const changesByText = new Map<string, readonly string[]>()

/** Texts of our own are few; a library may make them up as it goes. */
const mostTexts = 2_000

/** `+table` where rows are only added. Tables of a library's own schema are its own. */
export function changesOf(text: string): readonly string[] {
  let changes = changesByText.get(text)
  if (changes === undefined) {
    const words = wordsOf(text)
    const isKnown =
      !nestedComment.test(text) &&
      words.every((word, at) => !beginsStatement(words, at) || harmless.has(word) || word === '(')
    changes = isKnown ? writesIn(words) : [everything]
    if (changesByText.size >= mostTexts) changesByText.clear()
    changesByText.set(text, changes)
  }
  return changes
}

/** What listeners are told: `has` is true of every table where it is not known what was changed. */
export function changesOn(tables: ReadonlySet<string>): Changes {
  return { tables, has: tables.has(everything) ? () => true : table => tables.has(table) }
}

/** Small letters, but for quoted names; what cannot be part of a name is left out. */
function wordsOf(text: string): string[] {
  return Array.from(text.matchAll(token), ([found]) => found)
    .filter(found => !/^(--|\/\*|'|[eE]'|\$\w*\$)/.test(found))
    .map(found => (found.startsWith('"') ? found : found.toLowerCase()))
}

function beginsStatement(words: readonly string[], at: number): boolean {
  return words[at] !== ';' && (at === 0 || words[at - 1] === ';')
}

/** The tables that the text of a statement, or the body of a function, writes. */
function writesIn(words: readonly string[]): string[] {
  const found = words.flatMap((word, at) => writeAt(words, at, word))
  const isUpsert = words.some((word, at) => word === 'do' && words[at + 1] === 'update')
  const merged = isUpsert ? found.filter(table => table.startsWith('+')).map(table => table.slice(1)) : []
  return [...new Set([...found, ...merged])]
}

function writeAt(words: readonly string[], at: number, word: string): string[] {
  const before = words[at - 1]
  const next = words[at + 1]
  if (word === 'insert') return next === 'into' ? tableAt(words, at + 2, table => [`+${table}`]) : [everything]
  if (word === 'merge') return next === 'into' ? tableAt(words, at + 2, table => [`+${table}`, table]) : [everything]
  if (word === 'delete') return next === 'from' ? tableAt(words, at + 2) : [everything]
  if (word === 'truncate') return tablesAt(words, next === 'table' ? at + 2 : at + 1)
  // Dynamic SQL in the body of a function, and bulk loads.
  if (word === 'execute' || word === 'copy') return [everything]
  // Not the `update` of a lock, nor that of `on conflict do update`.
  const isLock = before === 'for' || (before === 'key' && words[at - 2] === 'no')
  return word === 'update' && !isLock && before !== 'do' ? tableAt(words, at + 1) : []
}

type Say = (table: string) => string[]

function tableAt(words: readonly string[], at: number, say: Say = table => [table]): string[] {
  const start = words[at] === 'only' ? at + 1 : at
  const first = nameOf(words[start])
  // U&"…" is a name with escapes.
  if (first === undefined || words[start + 1] === '&' || words[start + 3] === '&') return [everything]
  if (words[start + 1] !== '.') return say(first)
  const second = nameOf(words[start + 2])
  if (second === undefined) return [everything]
  return first === 'public' ? say(second) : []
}

function tablesAt(words: readonly string[], at: number): string[] {
  const end = words.indexOf(';', at)
  const names = words.slice(at, end === -1 ? undefined : end)
  const starts = names.flatMap((word, index) => (word === ',' ? [at + index + 1] : []))
  return [at, ...starts].flatMap(start => tableAt(words, start))
}

function nameOf(word: string | undefined): string | undefined {
  if (word?.startsWith('"')) return word.slice(1, -1).replaceAll('""', '"')
  return word !== undefined && /^[\p{L}_]/u.test(word) ? word : undefined
}

/** These tables, and all whose changes change them too: by a foreign key that takes rows along, or by a trigger. */
export async function withWriters(db: Db, tables: readonly string[]): Promise<readonly string[]> {
  const parents = await db.query<{ child: string; parent: string }>(sql`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
    where contype = 'f' and (confdeltype in ('c', 'n', 'd') or confupdtype in ('c', 'n', 'd'))`)
  const triggers = await db.query<{ source: string; body: string }>(sql`
    select t.tgrelid::regclass::text as source, p.prosrc as body
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where not t.tgisinternal`)
  const functions = await db.query<{ name: string; body: string }>(sql`
    select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace`)
  const called = new Map(functions.map(({ name, body }) => [name, wordsOf(body)]))
  const bodies = triggers.map(({ source, body }) => ({ source, written: writtenBy(wordsOf(body), called).map(bare) }))
  const found = new Set([...tables, everything])
  for (let size = 0; size !== found.size; ) {
    size = found.size
    const known = new Set([...found].map(bare))
    for (const { child, parent } of parents) if (known.has(child)) found.add(parent)
    for (const { source, written } of bodies) {
      if (written.some(table => table === everything || known.has(table))) found.add(source).add(`+${source}`)
    }
  }
  return [...found]
}

/** By a function, and by those that it calls. */
function writtenBy(
  words: readonly string[],
  called: ReadonlyMap<string, readonly string[]>,
  within: ReadonlySet<string> = new Set(),
): string[] {
  const inner = words.flatMap((word, at) => {
    const body = words[at + 1] === '(' && !within.has(word) ? called.get(word) : undefined
    return body ? writtenBy(body, called, new Set([...within, word])) : []
  })
  return [...writesIn(words), ...inner]
}

function bare(table: string): string {
  return table.replace(/^\+/, '')
}
