// Full-text search over kinds of record: by words in their text and by parts of their titles.
import type { Kind } from '../contract/directory.ts'
import type { Caller } from './context.ts'
import type { Db } from './db.ts'
import { idOf, readableBy, rowsOf, textOf, titleOf } from './record_sql.ts'
import { join, plannedAnew, raw, type Sql, sql } from './sql.ts'

export type Hit = { object: string; id: string; title: string; updated: string; snippet: Piece[] }

/** A stretch of a snippet; nothing in it is markup. */
export type Piece = { text: string; isMatch: boolean }

/** Of a kind, so many of the newest records are looked through for parts of words in their titles, and so many of the
 * newest in which the words are found are ranked: a search must not take longer with every year. */
const mostLookedThrough = 1_000
const mostRanked = 1_000
/** Of a long text only the beginning is searched for a snippet. */
const mostHighlighted = 20_000

/** Marks in a snippet; the text itself is rid of them first. */
const [begin, end] = ['\u0002', '\u0003']
/** What stands between angle brackets would be taken for markup and left out: they wait under other names. */
const [less, greater] = ['\u0004', '\u0005']
const highlighting = `StartSel="${begin}", StopSel="${end}", MaxWords=30, MinWords=12`

/**
 * Best first. Only what the caller may read, in the workspace that it stands in; `only` some of the rows `r`. Kinds are
 * asked one after the other: one statement for all takes a tenth of a second to plan, in which the embedded engine
 * answers nobody else.
 */
export async function searchSql(
  db: Db,
  kinds: readonly Kind[],
  caller: Caller,
  workspaceId: string,
  { q, limit, now, only }: { q: string; limit: number; now: Date; only?: Sql },
): Promise<Hit[]> {
  const asked = { q, part: q.trim().toLowerCase(), number: numberIn(q), limit }
  if (asked.part === '') return []
  const found: Found[] = []
  const searched = kinds.filter(({ search }) => search !== undefined)
  for (const kind of await withRecords(db, searched, workspaceId)) {
    const readable = readableBy(caller, workspaceId, kind)
    if (!readable) continue
    const shown = kind.hiddenFrom ? sql`${readable} and ${isShownAt(now, kind.hiddenFrom)}` : readable
    const mayRead = only ? sql`${shown} and ${only}` : shown
    found.push(...(await bestOf(db, kind, mayRead, asked)).map(hit => ({ ...hit, kind, mayRead })))
  }
  const best = found.sort(byRank).slice(0, limit)
  const snippets = await snippetsOf(db, best, asked)
  return best.flatMap(({ kind: { object }, id, title, updated }) => {
    const snippet = snippets.get(`${object} ${id}`)
    return snippet === undefined ? [] : [{ object, id, title, updated, snippet: piecesOf(snippet, asked.part) }]
  })
}

/** Those that the workspace has records of: asking a kind takes 3 ms of planning, this takes 1 ms for all, since it is prepared. */
async function withRecords(db: Db, kinds: readonly Kind[], workspaceId: string): Promise<readonly Kind[]> {
  if (kinds.length < 2) return kinds
  const looks = kinds.map(
    ({ object, table }) => sql`
      select ${object}::text as object where exists (select from ${raw(table)} r where r.workspace_id = ${workspaceId})`,
  )
  const rows = await db.query<{ object: string }>(join(looks, ' union all '))
  const present = new Set(rows.map(({ object }) => object))
  return kinds.filter(({ object }) => present.has(object))
}

type Ranked = { id: string; title: string; updated: string; rank: number }
type Found = Ranked & { kind: Kind; mayRead: Sql }

function byRank(one: Found, other: Found): number {
  if (one.rank !== other.rank) return other.rank - one.rank
  if (one.updated !== other.updated) return one.updated < other.updated ? 1 : -1
  return one.id < other.id ? -1 : 1
}

async function bestOf(db: Db, kind: Kind, mayRead: Sql, asked: Asked): Promise<Ranked[]> {
  const readings = [byWords(kind, mayRead, asked), byPart(kind, mayRead, asked)]
  if (kind.number && asked.number !== null) readings.push(byNumber(kind, mayRead, asked))
  // Rare words are read from the index of words, frequent ones from the newest records backwards: it depends on the words.
  const statement = plannedAnew(sql`
    select * from (
      select distinct on (id) * from (${join(readings, ' union all ')}) found order by id, rank desc
    ) best order by rank desc, updated desc, id limit ${asked.limit}::int`)
  return await db.query<Ranked>(statement)
}

/** By kind and id. The texts of those alone that are shown; what may not be read any more by now has none. */
async function snippetsOf(db: Db, best: readonly Found[], { q }: Asked): Promise<Map<string, string>> {
  const snippets = new Map<string, string>()
  for (const [{ object }, found] of Map.groupBy(best, ({ kind }) => kind)) {
    const [{ kind, mayRead }] = found as [Found]
    const ids = found.map(({ id }) => id)
    const rows = await db.query<{ id: string; snippet: string }>(sql`
      select ${idOf(kind)} as id, ${snippetOf(textOf(kind), wordsOf(q))} as snippet
      from ${rowsOf(kind)} where ${mayRead} and ${idOf(kind)} = any(${ids}::text[])`)
    for (const { id, snippet } of rows) snippets.set(`${object} ${id}`, snippet)
  }
  return snippets
}

type Asked = { q: string; part: string; number: number | null; limit: number }

/** `#412`, or the number alone. */
function numberIn(q: string): number | null {
  const digits = /^\s*#?(\d{1,9})\s*$/.exec(q)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** What is over is not found. */
function isShownAt(now: Date, column: string): Sql {
  return sql`(r.${raw(column)} is null or r.${raw(column)} > ${now})`
}

/** Where words are found in a text; `piecesOf` reads it. */
export function snippetOf(text: Sql, words: Sql): Sql {
  const harmless = sql`translate(left(${text}, ${mostHighlighted}::int), ${`<>${begin}${end}`}, ${less + greater})`
  return sql`ts_headline('english', ${harmless}, ${words}, ${highlighting})`
}

function hit(kind: Kind, rank: Sql): Sql {
  return sql`select ${idOf(kind)} as id, ${titleOf(kind)} as title, r.updated, ${rank} as rank`
}

/** Beginnings are tried only where whole words found too few: one that many words share costs a walk through all of them. */
function byWords(kind: Kind, mayRead: Sql, asked: Asked): Sql {
  const whole = ranked(kind, mayRead, asWritten(asked.q), asked)
  const beginnings = beginningsIn(asked.q)
  if (!beginnings) return whole
  const isTooFew = sql`${mayRead} and (select count(*) from whole) < ${asked.limit}::int`
  return sql`
    (with whole as materialized (${whole}) select * from whole
      union all select * from (${ranked(kind, isTooFew, beginnings, asked)}) others)`
}

/** The best of a kind in which the words are found; their texts are read when it is known which they are. */
function ranked(kind: Kind, mayRead: Sql, words: Sql, { part, limit }: Asked): Sql {
  const search = sql`${raw(kind.told ? 'told' : 'r')}.search`
  const rank = sql`ts_rank(${search}, ${words}) + (strpos(lower(${titleOf(kind)}), ${part}) = 1)::int`
  const found = sql`
    (select r.* from ${rowsOf(kind)} where ${mayRead} and ${search} @@ ${words}
      order by r.created desc limit ${mostRanked}::int)`
  return best(kind, found, rank, sql`true`, limit)
}

function byPart(kind: Kind, mayRead: Sql, { part, limit }: Asked): Sql {
  const newest = sql`
    (select r.* from ${raw(kind.table)} r where ${mayRead} order by r.created desc limit ${mostLookedThrough}::int)`
  const place = sql`strpos(lower(${titleOf(kind)}), ${part})`
  return best(kind, newest, sql`case ${place} when 1 then 1 else 0.1 end`, sql`${place} > 0`, limit)
}

function best(kind: Kind, some: Sql, rank: Sql, where: Sql, limit: number): Sql {
  const first = sql`
    (select r.*, ${rank} as search_rank from ${rowsOf(kind, some)} where ${where}
      order by search_rank desc, r.updated desc limit ${limit}::int)`
  return sql`(${hit(kind, sql`r.search_rank`)} from ${rowsOf(kind, first)})`
}

/** Whoever asks for a number means the record of that number, before all others. */
function byNumber(kind: Kind, mayRead: Sql, { number }: Asked): Sql {
  return sql`(${hit(kind, sql`10`)} from ${rowsOf(kind)} where ${mayRead} and r.${raw(kind.number ?? 'id')} = ${number}::int)`
}

/**
 * As people write queries: words, "phrases", or, -not. Plain words are also found by how they begin; those shorter than
 * `shortest` are taken whole, where a beginning that thousands of words have would cost more than it helps.
 */
export function wordsOf(q: string, shortest = 1): Sql {
  const beginnings = beginningsIn(q, shortest)
  return beginnings ? sql`(${asWritten(q)} || ${beginnings})` : asWritten(q)
}

function asWritten(q: string): Sql {
  return sql`(websearch_to_tsquery('english', ${q}) || websearch_to_tsquery('simple', ${q}))`
}

/** Whether it says more than that these words are wanted. */
function hasOperators(q: string): boolean {
  return /"|(^|\s)-|\bor\b/i.test(q)
}

function beginningsIn(q: string, shortest = 1): Sql | null {
  const words = q.match(/[\p{L}\p{N}]+/gu) ?? []
  if (hasOperators(q) || words.length === 0) return null
  return sql`to_tsquery('simple', ${words.map(word => (word.length < shortest ? word : `${word}:*`)).join(' & ')})`
}

export function piecesOf(text: string, part: string): Piece[] {
  const snippet = text.replaceAll(less, '<').replaceAll(greater, '>')
  const pieces = snippet.split(begin).flatMap((stretch, index) => {
    const [first = '', rest = ''] = index === 0 ? ['', stretch] : stretch.split(end)
    return [
      { text: first, isMatch: true },
      { text: rest, isMatch: false },
    ]
  })
  const marked = pieces.some(piece => piece.isMatch && piece.text !== '') ? pieces : markPart(snippet, part)
  return marked.filter(piece => piece.text !== '')
}

function markPart(text: string, part: string): Piece[] {
  const place = text.toLowerCase().indexOf(part)
  if (place === -1) return [{ text, isMatch: false }]
  return [
    { text: text.slice(0, place), isMatch: false },
    { text: text.slice(place, place + part.length), isMatch: true },
    { text: text.slice(place + part.length), isMatch: false },
  ]
}
