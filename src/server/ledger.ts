// The writer of the ledger: one statement, the last of its transaction, that chains and signs the entry.
import { createPrivateKey, createPublicKey, hash, hkdfSync, sign } from 'node:crypto'
import { id } from '../contract/ids.ts'
import { chainText, personalText } from '../contract/ledger_verifier.ts'
import type { Db } from '../kit/db.ts'
import { violates } from '../kit/db_errors.ts'
import { newId, withRandom } from '../kit/random.ts'
import type { Settings } from '../kit/settings.ts'
import { sql } from '../kit/sql.ts'
import type { Change } from './changes.ts'

export const LedgerEntryId = id('aud', 24)

/** Changes that belong to no workspace, and refusals of strangers. */
export const instanceChain = 'instance'

export type LedgerEntry = {
  at: string
  action: string
  outcome: 'success' | 'denied'
  /** Why it was refused. */
  reason?: string
  missing?: readonly string[]
  /** How many like it were left out before this one. */
  omitted?: number
  actor: {
    type: string
    /** The owner on whose behalf: a user, a team or `system`; null for strangers. */
    id: string | null
    credentialId: string | null
    callerKind: string | null
    surface: string
  }
  target: { object: string; id: string } | null
  changes: readonly Change[]
  requestId: string | null
  /** The entry or request that caused a job to do this. */
  cause?: string
}

/** Known about the person behind it; outside the hash, so that it can be erased. */
export type PersonalPart = { address: string | null; userAgent: string | null; changes: readonly Change[] }

export type LedgerKey = { inner: Buffer; outer: Buffer }

/** The two padded blocks of HMAC-SHA-256, so that the database can sign in the statement that appends. */
export function ledgerKey(secretKey: string): LedgerKey {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'atrium', 'ledger head', 64))
  const padded = (pad: number) => Buffer.from(key.map(byte => byte ^ pad))
  return { inner: padded(0x36), outer: padded(0x5c) }
}

function sha256(text: string): string {
  return hash('sha256', text)
}

export async function append(
  db: Db,
  key: LedgerKey,
  chain: string,
  entry: LedgerEntry,
  personal: PersonalPart,
): Promise<void> {
  const salt = withRandom(16, bytes => bytes.toString('base64url'))
  const entryId = newId(LedgerEntryId)
  const text = JSON.stringify({
    v: 1,
    id: entryId,
    chain,
    ...entry,
    personalDigest: sha256(personalText({ salt, ...personal })),
  })
  const { target } = entry
  const first = sha256(chainText('', 1, text))
  const signature = signHead(key, chain, 1, first)
  const appending = db.query(sql`
    with head as (
      insert into ledger_heads as h (chain, seq, previous_hash, hash, signature)
      values (${chain}, 1, '', ${first}, ${signature})
      on conflict (chain) do update set
        seq = h.seq + 1,
        previous_hash = h.hash,
        hash = encode(sha256(convert_to(h.hash || ':' || (h.seq + 1) || ':' || ${text}, 'UTF8')), 'hex'),
        signature = encode(sha256(${key.outer}::bytea || sha256(${key.inner}::bytea || convert_to(
          h.chain || ':' || (h.seq + 1) || ':' ||
          encode(sha256(convert_to(h.hash || ':' || (h.seq + 1) || ':' || ${text}, 'UTF8')), 'hex'), 'UTF8'))), 'hex')
      returning seq, previous_hash, hash
    )
    insert into ledger (chain, seq, id, entry, personal, previous_hash, hash,
      at, action, outcome, actor_id, target_object, target_id)
    select ${chain}, seq, ${entryId}, ${text}, ${JSON.stringify({ salt, ...personal })}::json, previous_hash, hash,
      ${entry.at}, ${entry.action}, ${entry.outcome}, ${entry.actor.id}, ${target?.object ?? null}, ${target?.id ?? null}
    from head`)
  await appending.catch(error => {
    // Only a head that somebody moved by hand can lead here: our fault to look into, not the caller's.
    if (violates(error, 'ledger_pkey')) throw new Error(`the ledger ${chain} was tampered with`, { cause: error })
    throw error
  })
}

export function signHead(key: LedgerKey, chain: string, seq: number, headHash: string): string {
  return hmac(key, `${chain}:${seq}:${headHash}`)
}

function hmac({ inner, outer }: LedgerKey, text: string): string {
  const within = hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')
  return hash('sha256', Buffer.concat([outer, within]))
}

/** A checkpoint must not be usable as a head, nor the reverse. */
export function signCheckpoint(key: LedgerKey, chain: string, seq: number, hash: string): string {
  return hmac(key, `checkpoint:${chain}:${seq}:${hash}`)
}

/** The wrapping that Node wants around the 32 bytes of an Ed25519 private key. */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function exportKey(secretKey: string): Settings['exportKey'] {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, 'atrium', 'ledger export', 32))
  const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')
  return { publicKey, sign: text => sign(null, Buffer.from(text), key).toString('base64url') }
}
