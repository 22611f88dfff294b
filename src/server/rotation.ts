// A new secret key: what the old one sealed and signed is sealed and signed again, in one transaction.
import { type Db, first, type Tx } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'
import { StartError } from './config.ts'
import { append, exportKey, instanceChain, ledgerKey, signCheckpoint, signHead } from './ledger.ts'
import { takeSchemaLock } from './migrations.ts'
import { fingerprintOf, secretsFrom } from './secrets.ts'

/** What is sealed in the payload of a job that waits. What is sealed elsewhere lives with clients, and ends. */
export const sealedInJobs = [{ job: 'workspace_members.mailInvite', field: 'token', purpose: 'invite mail' }] as const

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
export async function rotate(tx: Tx, keys: Keys, now: Date): Promise<Rotated> {
  // A process that starts now waits here, and is then refused for its key.
  await takeSchemaLock(tx)
  const [before, after] = [exportKey(keys.before).publicKey, exportKey(keys.after).publicKey]
  const rotated = {
    signatures: (await signAgain(tx, keys, 'head')) + (await signAgain(tx, keys, 'checkpoint')),
    sealed: await sealAgain(tx, keys),
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

async function sealAgain(tx: Tx, keys: Keys): Promise<number> {
  const [old, fresh] = [secretsFrom(keys.before), secretsFrom(keys.after)]
  const { rows } = await tx.plain(`select to_regclass('jobs.job')::text as name`)
  if (rows[0]?.name === null) return 0
  let sealed = 0
  for (const { job, field, purpose } of sealedInJobs) {
    const waiting = await tx.query<{ id: string; value: string }>(sql`
      select id::text, data ->> ${field} as value from jobs.job
      where name = ${job} and state in ('created', 'retry', 'active')`)
    for (const { id, value } of waiting) {
      const again = fresh.seal(purpose, old.open(purpose, value))
      await tx.query(sql`
        update jobs.job set data = jsonb_set(data, array[${field}::text], to_jsonb(${again}::text))
        where name = ${job} and id = ${id}::uuid`)
      sealed++
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
  const entry = {
    at: now.toISOString(),
    action: 'secrets.rotate',
    outcome: 'success' as const,
    actor: { type: 'system', id: 'system', credentialId: null, callerKind: null, surface: 'cli' },
    target: null,
    changes: [{ path: 'exportPublicKey', before, after }],
    requestId: null,
  }
  await append(tx, ledgerKey(secretKey), instanceChain, entry, { address: null, userAgent: null, changes: [] })
}
