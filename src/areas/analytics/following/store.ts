// SQL of the counting: its place in each ledger, facts and their hourly sums, states and readings.
import { type Db, first } from '../../../kit/db.ts'
import { raw, type Sql, sql } from '../../../kit/sql.ts'
import type { Fields } from '../metrics/metric.ts'
import { metrics } from '../metrics/table.ts'
import { type Fact, none } from './counting.ts'
import type { Reading } from './reading.ts'

/** The number of the last entry that was counted; 0 where none was. */
export async function placeOf(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ seq: number }>(
    db,
    sql`select seq from analytics_places where workspace_id = ${workspaceId}`,
  )
  return row?.seq ?? 0
}

/** The same, held until the end of the transaction: nobody counts meanwhile. */
export async function lockPlace(db: Db, workspaceId: string): Promise<number> {
  const row = await first<{ seq: number }>(
    db,
    sql`select seq from analytics_places where workspace_id = ${workspaceId} for update`,
  )
  return row?.seq ?? 0
}

/** False where somebody else was quicker: then nothing may be counted on what was known before. */
export async function advance(db: Db, workspaceId: string, from: number, to: number, now: Date): Promise<boolean> {
  const rows = await db.query(sql`
    insert into analytics_places as p (workspace_id, seq, updated) values (${workspaceId}, ${to}, ${now})
    on conflict (workspace_id) do update set seq = excluded.seq, updated = excluded.updated where p.seq = ${from}
    returning p.seq`)
  return rows.length > 0
}

export async function statesAmong(db: Db, workspaceId: string, keys: readonly string[]): Promise<Map<string, Fields>> {
  if (keys.length === 0) return new Map()
  const [objects, ids] = [keys.map(key => parts(key)[0]), keys.map(key => parts(key)[1])]
  const rows = await db.query<{ object: string; recordId: string; fields: Fields }>(sql`
    select s.object, s.record_id, s.fields from analytics_states s
    join unnest(${objects}::text[], ${ids}::text[]) k (object, id) on s.object = k.object and s.record_id = k.id
    where s.workspace_id = ${workspaceId}`)
  return new Map(rows.map(({ object, recordId, fields }) => [`${object} ${recordId}`, fields]))
}

/** Of issues that were counted with any of these labels or teams. Read in pieces, since there may be very many. */
export async function statesWith(
  db: Db,
  workspaceId: string,
  { labels, teams }: { labels: readonly string[]; teams: readonly string[] },
): Promise<Map<string, Fields>> {
  const found = new Map<string, Fields>()
  for (let after: string | null = ''; after !== null; ) {
    const rows: { last: string | null; recordId: string | null; fields: Fields | null }[] = await db.query(sql`
      with piece as materialized (
        select s.record_id, s.fields from analytics_states s
        where s.workspace_id = ${workspaceId} and s.object = 'issue' and s.record_id > ${after}
        order by s.record_id limit ${mostAtOnce}::int
      )
      select m.last, p.record_id, p.fields from (select max(record_id) as last from piece) m
      left join piece p on jsonb_exists_any(p.fields -> 'labels', ${labels}::text[])
        or p.fields ->> 'teamId' = any(${teams}::text[])`)
    for (const { recordId, fields } of rows) if (recordId !== null && fields) found.set(`issue ${recordId}`, fields)
    after = rows[0]?.last ?? null
  }
  return found
}

/** Rows of one statement: on the embedded engine everybody else waits meanwhile. */
const mostAtOnce = 500

function inPieces<T>(all: readonly T[], sizeOf: (one: T) => number = () => 1): T[][] {
  const pieces: T[][] = []
  let left = 0
  for (const one of all) {
    if (left <= 0) {
      pieces.push([])
      left = mostAtOnce
    }
    pieces.at(-1)?.push(one)
    left -= sizeOf(one)
  }
  return pieces
}

function parts(key: string): [string, string] {
  const space = key.indexOf(' ')
  return [key.slice(0, space), key.slice(space + 1)]
}

export async function putStates(db: Db, workspaceId: string, changed: ReadonlyMap<string, Fields | null>) {
  const rows = [...changed].map(([key, fields]) => ({ object: parts(key)[0], id: parts(key)[1], fields }))
  for (const piece of inPieces(rows)) await putSome(db, workspaceId, piece)
}

type State = { object: string; id: string; fields: Fields | null }

async function putSome(db: Db, workspaceId: string, rows: readonly State[]): Promise<void> {
  await db.query(sql`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) n (object text, id text, fields jsonb)
    ), gone as (
      delete from analytics_states s using said n
      where s.workspace_id = ${workspaceId} and s.object = n.object and s.record_id = n.id and n.fields is null
    )
    insert into analytics_states (workspace_id, object, record_id, fields)
    select ${workspaceId}, n.object, n.id, n.fields from said n where n.fields is not null
    on conflict (workspace_id, object, record_id) do update set fields = excluded.fields`)
}

/** As they are read in order, so that what was kept is used again. */
export async function readingsBetween(db: Db, workspaceId: string, from: number, to: number) {
  const rows = await db.query<{ seq: number; reading: Reading }>(sql`
    select seq, reading from analytics_readings
    where workspace_id = ${workspaceId} and seq >= ${from} and seq <= ${to} order by seq, part`)
  const readings = new Map<number, Reading>()
  for (const { seq, reading } of rows) {
    const before = readings.get(seq)
    readings.set(seq, before ? { ...before, others: { ...before.others, ...reading.others } } : reading)
  }
  return readings
}

export async function keepReadings(db: Db, workspaceId: string, readings: ReadonlyMap<number, Reading>) {
  const rows = [...readings].flatMap(([seq, reading]) =>
    partsOf(reading).map((piece, part) => ({ seq, part, reading: piece })),
  )
  const isLong = ({ reading }: (typeof rows)[number]) => reading.others !== undefined
  const long = rows.filter(isLong).map(row => [row])
  for (const some of [...inPieces(rows.filter(row => !isLong(row))), ...long]) {
    await db.query(sql`
      insert into analytics_readings (workspace_id, seq, part, reading)
      select ${workspaceId}, n.seq, n.part, n.reading
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb) n (seq bigint, part int, reading jsonb)
      on conflict (workspace_id, seq, part) do nothing`)
  }
}

/** The issues of an import are many: some in each part. */
function partsOf({ others, ...reading }: Reading): Reading[] {
  if (!others) return [reading]
  const pieces = inPieces(Object.entries(others)).map(some => ({ others: Object.fromEntries(some) }))
  return pieces.length > 0 ? pieces : [{ others: {} }]
}

/** With their hours, in one statement: the one is never without the other. */
export async function addFacts(db: Db, workspaceId: string, facts: readonly Fact[]): Promise<void> {
  // Taken apart here: the planner expects ten thousand values in each fact, and PostgreSQL compiles code for that many.
  for (const piece of inPieces(facts, ({ dims }) => namesIn(dims).length)) {
    const parts = piece.flatMap(({ dims, metric, at, weight, value, spread }) =>
      namesIn(dims).map(([dimension, name]) => ({ metric, dimension, at, name, weight, value, spread })),
    )
    await db.query(sql`
      with kept as (${keeping(workspaceId, piece)})
      insert into analytics_hours as h (workspace_id, metric, dimension, hour, name, weight, value, spread)
      select ${workspaceId}, n.metric, n.dimension, date_trunc('hour', n.at, 'UTC'), n.name, ${sumsOf('n')}
      from jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) n (metric text, dimension text, at timestamptz, name text,
        weight int, value numeric, spread text)
      group by 2, 3, 4, 5
      on conflict (workspace_id, metric, dimension, hour, name) do update set
        weight = h.weight + excluded.weight, value = h.value + excluded.value,
        spread = ${shortOf(sql`h.weight + excluded.weight`, sql`h.spread || ' ' || excluded.spread`)}`)
  }
}

/** Everything has the name '' in the dimension ''. */
const namesIn = (dims: Fact['dims']): [dimension: string, name: string][] => [
  ['', ''],
  ...Object.entries(dims).flatMap(([dimension, names]) => names.map((name): [string, string] => [dimension, name])),
]

/** Alone: their hours are summed up when all are there. */
export async function keepFacts(db: Db, workspaceId: string, facts: readonly Fact[]): Promise<void> {
  for (const piece of inPieces(facts)) await db.query(keeping(workspaceId, piece))
}

const keeping = (workspaceId: string, facts: readonly Fact[]) => sql`
  insert into analytics_facts (workspace_id, metric, at, seq, place, weight, value, spread, dims)
  select ${workspaceId}, n.metric, n.at, n.seq, n.place, n.weight, n.value, n.spread, n.dims
  from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
    n (metric text, at timestamptz, seq bigint, place int, weight int, value numeric, spread text, dims jsonb)`

/** As many as no digit is lost of. Fewer stand as they came: putting them in order takes longer than all the rest. */
const mostExact = 256

/** Of people each is there once from the start: who does something every minute would be there sixty times. */
const shortOf = (weight: Sql, spread: Sql) =>
  sql`case when ${weight} > ${mostExact}::int or ${spread} like 'u%' then analytics_spread(${spread}) else ${spread} end`

function sumsOf(alias: 'f' | 'n'): Sql {
  const of = raw(alias)
  const spread = sql`string_agg(${of}.spread, ' ')`
  return sql`sum(${of}.weight), sum(${of}.value), ${shortOf(sql`sum(${of}.weight)`, spread)}`
}

/** Before everything is counted again. */
export async function forget(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`delete from analytics_facts where workspace_id = ${workspaceId}`)
  await db.query(sql`delete from analytics_states where workspace_id = ${workspaceId}`)
}

/** The hours alone, from the facts that are there: a dimension at a time, so that the planner knows how many rows it meets. */
export async function sumAgain(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`delete from analytics_hours where workspace_id = ${workspaceId}`)
  for (const { name, dimensions, several = [] } of counted) {
    await sumOne(db, workspaceId, name, '', sql`''`)
    for (const dimension of Object.keys(dimensions)) {
      const values = sql`f.dims -> ${dimension}::text`
      const named = several.includes(dimension)
        ? sql`left(jsonb_array_elements_text(coalesce(${values}, jsonb_build_array(${none}::text))), 256)`
        : sql`left(coalesce(${values} ->> 0, ${none}::text), 256)`
      await sumOne(db, workspaceId, name, dimension, named)
    }
  }
}

const counted = metrics.filter(metric => metric.from === 'ledger')

async function sumOne(db: Db, workspaceId: string, metric: string, dimension: string, name: Sql): Promise<void> {
  await db.query(sql`
    insert into analytics_hours (workspace_id, metric, dimension, hour, name, weight, value, spread)
    select ${workspaceId}, ${metric}, ${dimension}, f.hour, f.name, ${sumsOf('f')}
    from (
      select date_trunc('hour', f.at, 'UTC') as hour, ${name} as name, f.weight, f.value, f.spread
      from analytics_facts f where f.workspace_id = ${workspaceId} and f.metric = ${metric}
    ) f
    group by f.hour, f.name`)
}

/** Workspaces that something was counted in, in order. */
export async function countedWorkspaces(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select workspace_id as id from analytics_places order by workspace_id`)
  return rows.map(({ id }) => id)
}
