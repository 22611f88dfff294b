// A new secret key: what the old one sealed and signed is sealed and signed again, in one transaction.
import type { Operation } from '../../contract/operation.ts'
import { type SealedColumn, type SealedText, sealedColumns, sealedTexts } from '../../contract/sealed.ts'
import { type Db, first, type Tx } from '../../kit/db.ts'
import type { Jobs } from '../../kit/jobs.ts'
import { instanceChain } from '../../kit/ledger_records.ts'
import { openValues, type SealedValues, sealValues } from '../../kit/sealed.ts'
import { sql } from '../../kit/sql.ts'
import { StartError } from '../config.ts'
import { ledgerAlarm } from '../ledger/alarm.ts'
import { areChainsBegun, beginChains } from '../ledger/anchors.ts'
import { exportKey, ledgerKey, signCheckpoint, signHead } from '../ledger/ledger.ts'
import { type Ledger, openLedger, systemEntry } from '../ledger/writer.ts'
import { takeSchemaLock } from './migrations.ts'
import { fingerprintOf, secretsFrom } from './secrets.ts'

/** Where sealed values are, as contracts and jobs declare it. What is sealed elsewhere lives with clients, and ends. */
export type SealedPlaces = { columns: readonly SealedColumn[]; texts: readonly (SealedText & { job: string })[] }

export function sealedPlaces(
  operations: readonly Operation[],
  jobs: Jobs,
  seals: readonly SealedColumn[] = [],
): SealedPlaces {
  const columns = [...operations.flatMap(({ body }) => (body ? sealedColumns(body) : [])), ...seals]
  const texts = Object.entries(jobs).flatMap(([job, { payload }]) =>
    sealedTexts(payload).map(text => ({ job, ...text })),
  )
  return { columns: [...new Set(columns)], texts }
}

export type Rotated = {
  signatures: number
  sealed: number
  /** Those that nobody can type in any more. */
  codes: number
  /** Repeats of these are refused instead of answered. */
  answers: number
  exportKey: { before: string; after: string }
}

type Keys = { before: string; after: string }

/** The service must not run: it would go on signing with the old key. */
export async function rotate(tx: Tx, keys: Keys, places: SealedPlaces, now: Date): Promise<Rotated> {
  // A process that starts now waits here, and is then refused for its key.
  await takeSchemaLock(tx)
  if (!(await areChainsBegun(tx))) await beginChains(tx, ledgerKey(keys.before), ledgerOf(keys.before), now)
  const [before, after] = [exportKey(keys.before).publicKey, exportKey(keys.after).publicKey]
  const rotated = {
    signatures: (await signAgain(tx, keys, 'head')) + (await signAgain(tx, keys, 'checkpoint')),
    sealed: (await sealJobsAgain(tx, keys, places)) + (await sealColumnsAgain(tx, keys, places)),
    codes: await count(tx, sql`with gone as (delete from codes returning 1) select count(*)::int as count from gone`),
    answers: await forgetAnswers(tx),
    exportKey: { before, after },
  }
  await tx.query(sql`
    update instance set value = ${fingerprintOf(keys.after)} where name = 'secret_key_fingerprint'`)
  await tx.query(sql`
    insert into instance (name, value) values (${`earlier_export_key ${before}`}, ${now.toISOString()})
    on conflict (name) do update set value = excluded.value`)
  await record(tx, keys.after, rotated.exportKey, now)
  return rotated
}

/** What it would alarm about stops the rotation by itself. */
function ledgerOf(secretKey: string): Ledger {
  const nobody = { info() {}, warn() {}, error() {} }
  return openLedger({ key: ledgerKey(secretKey), alarm: ledgerAlarm(nobody) })
}

export async function keyFingerprintOf(db: Db): Promise<string | undefined> {
  const row = await first<{ value: string }>(db, sql`select value from instance where name = 'secret_key_fingerprint'`)
  return row?.value
}

async function count(db: Db, statement: ReturnType<typeof sql>): Promise<number> {
  return (await first<{ count: number }>(db, statement))?.count ?? 0
}

type Signed = { chain: string; seq: number; hash: string; signature: string }

const signed = {
  head: {
    sign: signHead,
    read: sql`select chain, seq, hash, signature from ledger_heads order by chain for update`,
    write: (chains: string[], signatures: string[]) => sql`
      update ledger_heads t set signature = n.signature
      from unnest(${chains}::text[], ${signatures}::text[]) n (chain, signature) where t.chain = n.chain`,
  },
  checkpoint: {
    sign: signCheckpoint,
    read: sql`select chain, seq, hash, signature from ledger_checkpoints order by chain for update`,
    write: (chains: string[], signatures: string[]) => sql`
      update ledger_checkpoints t set signature = n.signature
      from unnest(${chains}::text[], ${signatures}::text[]) n (chain, signature) where t.chain = n.chain`,
  },
}

/** Only what the old key has signed is signed anew: a rotation must not make good what was tampered with. */
async function signAgain(tx: Tx, keys: Keys, what: keyof typeof signed): Promise<number> {
  const { sign, read, write } = signed[what]
  const [old, fresh] = [ledgerKey(keys.before), ledgerKey(keys.after)]
  const rows = await tx.query<Signed>(read)
  for (const { chain, seq, hash, signature } of rows) {
    if (signature !== sign(old, chain, seq, hash)) {
      throw new StartError(
        `The ${what} of the ledger ${chain} does not carry the old key's signature: it was changed by hand. Nothing was rotated.`,
      )
    }
  }
  const signatures = rows.map(({ chain, seq, hash }) => sign(fresh, chain, seq, hash))
  await tx.query(
    write(
      rows.map(({ chain }) => chain),
      signatures,
    ),
  )
  return rows.length
}

async function sealJobsAgain(tx: Tx, keys: Keys, { texts }: SealedPlaces): Promise<number> {
  const [old, fresh] = [secretsFrom(keys.before), secretsFrom(keys.after)]
  const { rows } = await tx.plain(`select to_regclass('jobs.job')::text as name`)
  if (rows[0]?.name === null) return 0
  let sealed = 0
  for (const { job, field, purpose, about } of texts) {
    const waiting = await tx.query<{ id: string; value: string; about: string }>(sql`
      select id::text, data ->> ${field} as value, data ->> ${about} as about from jobs.job
      where name = ${job} and state in ('created', 'retry', 'active')`)
    for (const { id, value, about } of waiting) {
      const again = fresh.seal(purpose, old.open(purpose, value, about), about)
      await tx.query(sql`
        update jobs.job set data = jsonb_set(data, array[${field}::text], to_jsonb(${again}::text))
        where name = ${job} and id = ${id}::uuid`)
      sealed++
    }
  }
  return sealed
}

async function sealColumnsAgain(tx: Tx, keys: Keys, { columns }: SealedPlaces): Promise<number> {
  const [old, fresh] = [secretsFrom(keys.before), secretsFrom(keys.after)]
  let sealed = 0
  for (const place of columns) {
    const [table = '', column = ''] = place.split('.').map(name => `"${name.replaceAll('"', '""')}"`)
    const { rows } = await tx.plain(`select id, ${column} as values from ${table} where ${column} <> '{}' for update`)
    for (const row of rows as { id: string; values: SealedValues }[]) {
      const again = sealValues(fresh, place, row.id, openValues(old, place, row.id, row.values))
      await tx.plain(`update ${table} set ${column} = $2::jsonb where id = $1`, [row.id, JSON.stringify(again)])
      sealed += Object.keys(again).length
    }
  }
  return sealed
}

/** They are sealed with a value that only the client has. What was carried out must still not be done twice. */
async function forgetAnswers(tx: Tx): Promise<number> {
  return await count(
    tx,
    sql`
    with lost as (update idempotency_keys set body_hash = '', answer = null where answer is not null returning 1)
    select count(*)::int as count from lost`,
  )
}

async function record(tx: Tx, secretKey: string, { before, after }: Rotated['exportKey'], now: Date): Promise<void> {
  const told = { target: null, changes: [{ path: 'exportPublicKey', before, after }] }
  await ledgerOf(secretKey).append(tx, [{ chain: instanceChain, ...systemEntry('secrets.rotate', told, now, 'cli') }])
}
