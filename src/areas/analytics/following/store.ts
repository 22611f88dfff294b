// SQL of the counting: its place in each ledger, facts and their hourly sums, states and readings.
import { type Db, first } from '../../../kit/db.ts'
import { sql } from '../../../kit/sql.ts'
import type { Fields } from '../metrics/metric.ts'
import type { Fact } from './counting.ts'
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

function inPieces<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / mostAtOnce) }, (_, piece) =>
    all.slice(piece * mostAtOnce, (piece + 1) * mostAtOnce),
  )
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
  for (const piece of inPieces(facts)) await addSome(db, workspaceId, piece)
}

async function addSome(db: Db, workspaceId: string, facts: readonly Fact[]): Promise<void> {
  await db.query(sql`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(facts)}::jsonb)
        n (metric text, at timestamptz, seq bigint, place int, weight int, value numeric, spread text, dims jsonb)
    ), kept as (
      insert into analytics_facts (workspace_id, metric, at, seq, place, weight, value, spread, dims)
      select ${workspaceId}, n.metric, n.at, n.seq, n.place, n.weight, n.value, n.spread, n.dims from said n
    )
    insert into analytics_hours as h (workspace_id, metric, hour, key, weight, value, spread, dims)
    select ${workspaceId}, n.metric, date_trunc('hour', n.at, 'UTC'), md5(n.dims::text), sum(n.weight), sum(n.value),
      analytics_spread(string_agg(n.spread, ' ')), n.dims
    from said n group by 2, 3, 4, 8
    on conflict (workspace_id, metric, hour, key) do update set
      weight = h.weight + excluded.weight, value = h.value + excluded.value,
      spread = analytics_spread(h.spread || ' ' || excluded.spread)`)
}

/** Before everything is counted again. */
export async function forget(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`delete from analytics_facts where workspace_id = ${workspaceId}`)
  await db.query(sql`delete from analytics_hours where workspace_id = ${workspaceId}`)
  await db.query(sql`delete from analytics_states where workspace_id = ${workspaceId}`)
}

/** The hours alone, from the facts that are there. */
export async function sumAgain(db: Db, workspaceId: string): Promise<void> {
  await db.query(sql`delete from analytics_hours where workspace_id = ${workspaceId}`)
  await db.query(sql`
    insert into analytics_hours (workspace_id, metric, hour, key, weight, value, spread, dims)
    select f.workspace_id, f.metric, date_trunc('hour', f.at, 'UTC'), md5(f.dims::text), sum(f.weight), sum(f.value),
      analytics_spread(string_agg(f.spread, ' ')), f.dims
    from analytics_facts f where f.workspace_id = ${workspaceId} group by 1, 2, 3, 4, 8`)
}

/** Workspaces that something was counted in, in order. */
export async function countedWorkspaces(db: Db): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select workspace_id as id from analytics_places order by workspace_id`)
  return rows.map(({ id }) => id)
}
