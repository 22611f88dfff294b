// Checks a ledger in the database: every row, its head, where it began, and that nothing stands outside it.
import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Broken, type ChainRow, checkChain, type Start, toldBy } from '../contract/ledger_verifier.ts'
import { type Db, first } from './db.ts'
import { findRecord, headVersion, instanceChain, type StoredRecord, standingIn } from './ledger_records.ts'
import type { Settings } from './settings.ts'
import { type Sql, sql } from './sql.ts'

export type LedgerCheck = { broken: Broken | null; checked: number; head: Start }

export type Span = { fromSeq?: number | undefined; toSeq?: number | undefined }

type Place = {
  seq: number | null
  hash: string | null
  signature: string | null
  version: number | null
  checkpointSeq: number | null
  checkpointHash: string | null
  checkpointSignature: string | null
  least: number | null
  most: number | null
}

const sha256 = (text: string) => hash('sha256', text)

/** In one statement, so that what is written meanwhile shows in all of it or in none. */
function findPlace(db: Db, chain: string): Promise<Place | undefined> {
  return first<Place>(
    db,
    sql`
    select h.seq, h.hash, h.signature, h.version,
      c.seq as checkpoint_seq, c.hash as checkpoint_hash, c.signature as checkpoint_signature,
      (select min(seq) from ledger where chain = ${chain}) as least,
      (select max(seq) from ledger where chain = ${chain}) as most
    from (select) one
    left join ledger_heads h on h.chain = ${chain}
    left join ledger_checkpoints c on c.chain = ${chain}`,
  )
}

export async function checkLedger(
  db: Db,
  sign: Settings['signLedger'],
  chain: string,
  span: Span = {},
): Promise<LedgerCheck> {
  for (;;) {
    // Before the head: a record that is made meanwhile may tell of more than the head that was read.
    const { record } = await findRecord(db, chain)
    const place = await findPlace(db, chain)
    const check = await checkPlace(db, sign, chain, span, place, record)
    if (!check.broken) return check
    // Entries that were pruned meanwhile are not missing.
    const now = await findPlace(db, chain)
    if (now?.checkpointSignature === place?.checkpointSignature) return check
  }
}

async function checkPlace(
  db: Db,
  sign: Settings['signLedger'],
  chain: string,
  { fromSeq, toSeq }: Span,
  place: Place | undefined,
  record: StoredRecord | null,
): Promise<LedgerCheck> {
  const head: Start = { seq: place?.seq ?? 0, hash: place?.hash ?? '' }
  const start: Start = { seq: place?.checkpointSeq ?? 0, hash: place?.checkpointHash ?? '' }
  const outside = place ? placeProblem(sign, chain, place, head, start) : null
  if (outside) return { broken: outside, checked: 0, head }
  const asked = fromSeq !== undefined && fromSeq > start.seq + 1 ? await rowBefore(db, chain, fromSeq) : undefined
  const from = asked ?? start
  const last = Math.min(toSeq ?? head.seq, head.seq)
  const rows = paced(filedAfter(db, chain, from.seq, last))
  const { broken, checked, end } = await checkChain(sha256, from, rows, filingProblem)
  const problem = broken ?? endProblem(head, end, last) ?? (await recordProblem(db, chain, head, start, record))
  return { broken: problem, checked, head }
}

/** Only the instance can sign a head or a checkpoint; what stands before the one or behind the other is forged. */
function placeProblem(
  sign: Settings['signLedger'],
  chain: string,
  place: Place,
  head: Start,
  start: Start,
): Broken | null {
  const { signature, version, checkpointSignature, least, most } = place
  if (checkpointSignature !== null && checkpointSignature !== sign('checkpoint', chain, start.seq, start.hash)) {
    return { seq: start.seq + 1, problem: 'the checkpoint of the pruning was changed' }
  }
  if (signature === null) {
    const isEmpty = least === null && checkpointSignature === null
    return isEmpty ? null : { seq: least ?? start.seq + 1, problem: 'the head of the chain was removed' }
  }
  if (version !== headVersion || signature !== sign('head', chain, head.seq, head.hash)) {
    return { seq: head.seq, problem: 'the head of the chain was changed' }
  }
  if (most !== null && most > head.seq)
    return { seq: head.seq + 1, problem: 'there are entries behind the signed head' }
  if (least !== null && least <= start.seq) return { seq: least, problem: 'there are entries before the beginning' }
  return null
}

function endProblem(head: Start, end: Start, last: number): Broken | null {
  if (end.seq < last) return { seq: end.seq + 1, problem: 'entries at the end are missing' }
  if (last === head.seq && head.seq > 0 && end.hash !== head.hash)
    return { seq: end.seq, problem: 'the last entry is not the signed one' }
  return null
}

/** The instance's chain knows that this one began and where it stood: a chain that is gone or shorter shows here. */
async function recordProblem(
  db: Db,
  chain: string,
  head: Start,
  start: Start,
  known: StoredRecord | null,
): Promise<Broken | null> {
  if (chain === instanceChain) return null
  // Looked for again where it may have begun in between.
  const record = known ?? (head.seq === 0 ? null : (await findRecord(db, chain)).record)
  if (!record) return head.seq === 0 ? null : { seq: 1, problem: 'the beginning of the chain is not recorded' }
  const stood = standingIn(record)
  if (!stood) return { seq: 1, problem: 'the record of the chain was changed' }
  if (head.seq < Math.max(stood.seq, 1)) {
    return { seq: head.seq + 1, problem: 'entries that were recorded are missing' }
  }
  if (stood.seq <= start.seq) return null
  const row = await rowBefore(db, chain, stood.seq + 1)
  return row?.hash === stood.hash ? null : { seq: stood.seq, problem: 'the entry is not the one that was recorded' }
}

/** The row before the first of a span, so that the span can be checked by itself. */
export async function rowBefore(db: Db, chain: string, seq: number): Promise<Start | undefined> {
  return await first(db, sql`select seq, hash from ledger where chain = ${chain} and seq = ${seq - 1}`)
}

// Reading

/** What an entry is found by, beside what it says. */
type Filed = {
  id: string
  at: string
  action: string
  outcome: string
  actorId: string | null
  targetObject: string | null
  targetId: string | null
}

const batch = 1_000
/** A check takes the embedded engine's one connection, and the loop, for no longer than this many rows need. */
const checkBatch = 200

const chained = sql`seq, entry, personal, previous_hash, hash`
const filed = sql`${chained}, id, at, action, outcome, actor_id, target_object, target_id`

export function rowsAfter(db: Db, chain: string, after: number, upTo: number): AsyncGenerator<ChainRow[]> {
  return inBatches<ChainRow>(db, chained, batch, chain, after, upTo)
}

function filedAfter(db: Db, chain: string, after: number, upTo: number): AsyncGenerator<(ChainRow & Filed)[]> {
  return inBatches<ChainRow & Filed>(db, filed, checkBatch, chain, after, upTo)
}

/** Rows in order, a batch at a time: as many as there are, in the memory of one batch. */
async function* inBatches<T extends ChainRow>(
  db: Db,
  select: Sql,
  size: number,
  chain: string,
  after: number,
  upTo: number,
) {
  for (let seq = after; seq < upTo; ) {
    const rows = await db.query<T>(sql`
      select ${select} from ledger l
      where l.chain = ${chain} and l.seq > ${seq} and l.seq <= ${upTo} order by l.seq limit ${size}::int`)
    if (rows.length > 0) yield rows
    if (rows.length < size) return
    seq = rows.at(-1)?.seq ?? upTo
  }
}

/** The columns that an entry is found by must say what it says. */
function filingProblem(row: ChainRow & Filed): string | null {
  const { id, at, action, outcome, actorId, targetObject, targetId } = row
  const told = toldBy(row.entry) ?? {}
  const actor = told.actor as { id?: unknown } | null | undefined
  const target = told.target as { object?: unknown; id?: unknown } | null | undefined
  const pairs = [
    [id, told.id],
    [at, told.at],
    [action, told.action],
    [outcome, told.outcome],
    [actorId, actor?.id ?? null],
    [targetObject, target?.object ?? null],
    [targetId, target?.id ?? null],
  ]
  return pairs.every(([column, said]) => column === said) ? null : 'what the entry is found by was changed'
}

// Pace

const sliceMs = 20
let turn: Promise<unknown> = Promise.resolve()

/** Whoever checks, each slice has a turn of the event loop of its own: many at once hold it up no longer than one. */
function nextSlice(): Promise<unknown> {
  turn = turn.then(() => setImmediate())
  return turn
}

async function* paced<R>(batches: AsyncIterable<R[]>): AsyncGenerator<R> {
  let began = Number.NEGATIVE_INFINITY
  for await (const rows of batches) {
    for (const row of rows) {
      if (performance.now() - began > sliceMs) {
        await nextSlice()
        began = performance.now()
      }
      yield row
    }
  }
}
