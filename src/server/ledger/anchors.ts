// The instance's chain vouches for all others: that they began, where they stand each day, and itself outside the database.
import { appendFile, readFile } from 'node:fs/promises'
import { object } from '../../contract/records.ts'
import type { Database, Db, Tx } from '../../kit/db.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { checkLedger } from '../../kit/ledger_check.ts'
import { anchorAction, beginAction, headVersion, instanceChain, standing } from '../../kit/ledger_records.ts'
import type { Settings } from '../../kit/settings.ts'
import { sql } from '../../kit/sql.ts'
import { type Head, type LedgerKey, ledgerSigner, signHead } from './ledger.ts'
import { type Ledger, systemEntry } from './writer.ts'

/** Records are made anew well before the instance's chain is pruned behind them. */
const freshDays = 300
const atOnce = 50

/** Of a time when beginnings were not recorded, until the service has started once. */
export async function areHeadsOld(db: Db): Promise<boolean> {
  return (await db.query(sql`select chain from ledger_heads where version = 1 limit 1`)).length > 0
}

/** One look on most starts: whether there is anything for `beginChains` to do. */
export async function areChainsBegun(db: Db): Promise<boolean> {
  const [row] = await db.query<{ isDone: boolean }>(sql`
    select exists (select from ledger_heads where chain = ${instanceChain} and version = ${headVersion})
      and not exists (select from ledger_heads where version = 1) as is_done`)
  return row?.isDone ?? false
}

/**
 * In an empty database the instance's chain begins. Chains of a time when beginnings were not recorded are recorded as
 * they stand; a head that the key has not signed stays as it is, and is refused by whoever would build on it.
 */
export async function beginChains(tx: Tx, key: LedgerKey, ledger: Ledger, now: Date): Promise<void> {
  const old = await tx.query<Head>(sql`
    select chain, seq, hash, signature, version from ledger_heads where version = 1 order by chain for update`)
  if (!(await beginInstance(tx, key, old.length > 0))) {
    ledger.alarm.raise(instanceChain, 'its head was removed')
    return
  }
  const sound = old.filter(({ chain, seq, hash, signature }) => {
    const isSigned = signature === signHead(key, chain, seq, hash, 1)
    if (!isSigned) ledger.alarm.raise(chain, 'the signature of its head is wrong')
    return isSigned
  })
  if (sound.length === 0) return
  await tx.query(sql`
    update ledger_heads h set signature = n.signature, version = ${headVersion}
    from unnest(${sound.map(({ chain }) => chain)}::text[],
      ${sound.map(({ chain, seq, hash }) => signHead(key, chain, seq, hash))}::text[]) n (chain, signature)
    where h.chain = n.chain`)
  const entries = sound
    .filter(({ chain }) => chain !== instanceChain)
    .map(head => ({ chain: instanceChain, ...systemEntry(beginAction, standing(head), now, 'start') }))
  await ledger.append(tx, entries)
}

/** False where it must have begun already: only somebody else can have removed it. */
async function beginInstance(tx: Tx, key: LedgerKey, areOld: boolean): Promise<boolean> {
  const signature = signHead(key, instanceChain, 0, '')
  const rows = await tx.query(sql`
    insert into ledger_heads (chain, seq, previous_hash, hash, signature, version)
    select ${instanceChain}, 0, '', '', ${signature}, ${headVersion}
    where not exists (select from ledger_heads where version = ${headVersion})
      and (${areOld}::boolean or not exists (select from ledger))
    on conflict (chain) do nothing returning chain`)
  if (rows.length > 0) return true
  return (await tx.query(sql`select chain from ledger_heads where chain = ${instanceChain}`)).length > 0
}

type Anchored = Head & { recordedSeq: number | null; recordedAt: string | null }

/** Heads behind a chain in the order of their names, with what the newest record says of them. */
function headsAfter(db: Db, chain: string): Promise<Anchored[]> {
  return db.query<Anchored>(sql`
    select h.chain, h.seq, h.hash, h.signature, h.version, r.seq as recorded_seq, r.at as recorded_at
    from ledger_heads h
    left join lateral (
      select (l.entry::json -> 'changes' -> 0 ->> 'after')::bigint as seq, l.at from ledger l
      where l.chain = ${instanceChain} and l.target_id = h.chain
        and l.action = any(${[beginAction, anchorAction]}::text[])
      order by l.seq desc limit 1
    ) r on true
    where h.chain > ${chain} and h.chain <> ${instanceChain} order by h.chain limit ${atOnce}::int`)
}

/** Writes down where every chain stands that has grown, or whose record grows old. */
async function anchor(database: Database, key: LedgerKey, ledger: Ledger, now: Date): Promise<void> {
  const old = new Date(now.getTime() - freshDays * 86_400_000).toISOString()
  for (let after = ''; ; ) {
    const heads = await headsAfter(database, after)
    const wanted = heads.filter(head => {
      const problem = problemOf(key, head)
      if (problem) ledger.alarm.raise(head.chain, problem)
      return !problem && (head.seq > (head.recordedSeq ?? 0) || (head.recordedAt ?? '') < old)
    })
    const entries = wanted.map(head => ({ chain: instanceChain, ...systemEntry(anchorAction, standing(head), now) }))
    if (entries.length > 0) await database.transaction(tx => ledger.append(tx, entries))
    if (heads.length < atOnce) return
    after = heads.at(-1)?.chain ?? after
  }
}

function problemOf(key: LedgerKey, { chain, seq, hash, signature, version, recordedSeq }: Anchored): string | null {
  if (version !== headVersion || signature !== signHead(key, chain, seq, hash))
    return 'the signature of its head is wrong'
  if (recordedSeq === null) return 'its beginning is not recorded'
  return seq < recordedSeq ? 'its head was moved back' : null
}

/** How many chains, beside the instance's, have a head that is not signed or not where it was recorded. */
export async function brokenHeads(db: Db, key: LedgerKey): Promise<number> {
  let count = 0
  for (let after = ''; ; ) {
    const heads = await headsAfter(db, after)
    count += heads.filter(head => problemOf(key, head)).length
    if (heads.length < atOnce) return count
    after = heads.at(-1)?.chain ?? after
  }
}

/** A line of the file that stands outside the database. */
type OutsideHead = { at: string; chain: string; seq: number; hash: string; publicKey: string; signature: string }

async function writeOutside(db: Db, path: string, { exportKey }: Settings, now: Date): Promise<OutsideHead | null> {
  const [head] = await db.query<{ seq: number; hash: string }>(
    sql`select seq, hash from ledger_heads where chain = ${instanceChain}`,
  )
  if (!head) return null
  const told = { at: now.toISOString(), chain: instanceChain, ...head, publicKey: exportKey.publicKey }
  const line = { ...told, signature: exportKey.sign(JSON.stringify(told)) }
  await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true })
  return line
}

/** What is wrong with the instance's chain, by itself and by the heads that were written outside; null: nothing. */
export async function instanceProblem(db: Db, key: LedgerKey, path: string | undefined): Promise<string | null> {
  const { broken, head } = await checkLedger(db, ledgerSigner(key), instanceChain)
  if (broken) return `entry ${broken.seq}: ${broken.problem}`
  if (head.seq === 0 && (await db.query(sql`select 1 as one from ledger limit 1`)).length > 0) return 'it was removed'
  for (const { seq, hash } of path ? await outsideHeads(path) : []) {
    if (seq > head.seq) return `entry ${seq}: it was written outside, and is missing`
    const [row] = await db.query<{ hash: string }>(
      sql`select hash from ledger where chain = ${instanceChain} and seq = ${seq}`,
    )
    // One that was pruned is vouched for by the signed checkpoint.
    if (row && row.hash !== hash) return `entry ${seq}: it is not the one that was written outside`
  }
  return null
}

/** Each year of the file is a few hundred lines; the newest tell most. */
const mostLines = 1_000

async function outsideHeads(path: string): Promise<OutsideHead[]> {
  const text = await readFile(path, 'utf8').catch(error => {
    if ((error as { code?: string }).code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n').filter(Boolean).slice(-mostLines)
  return lines.map(line => JSON.parse(line) as OutsideHead).reverse()
}

type Parts = { database: Database; key: LedgerKey; ledger: Ledger; outside: string | undefined }

export function ledgerJobs({ database, key, ledger, outside }: Parts): Jobs {
  return {
    'platform.anchor': job({
      payload: object({}),
      schedule: '7 3 * * *',
      async run({ settings, now, log }) {
        await anchor(database, key, ledger, now())
        const problem = await instanceProblem(database, key, outside)
        if (problem) return ledger.alarm.raise(instanceChain, problem)
        const line = outside && (await writeOutside(database, outside, settings, now()))
        if (line) log.info({ seq: line.seq, hash: line.hash }, "the head of the instance's ledger was written outside")
      },
    }),
  }
}
