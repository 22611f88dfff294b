// What stands in a ledger, and the keys that sign it.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { id } from '../../contract/ids.ts'
import { chainText, personalText, type Start } from '../../contract/ledger_verifier.ts'
import { headVersion } from '../../kit/ledger_records.ts'
import { newId, withRandom } from '../../kit/random.ts'
import type { Settings } from '../../kit/settings.ts'
import type { Change } from './changes.ts'

export const LedgerEntryId = id('aud', 24)

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
  /** Of a record that is gone: it was for everybody in the workspace, and so is the news of its end. */
  wasShared?: true
}

/** Known about the person behind it; outside the hash, so that it can be erased. */
export type PersonalPart = { address: string | null; userAgent: string | null; changes: readonly Change[] }

/** Ready to sign: made of bytes anew for each head, an HMAC takes six times as long. */
export type LedgerKey = KeyObject

export function ledgerKey(secretKey: string): LedgerKey {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, 'atrium', 'ledger head', 64)))
}

/** The end of a chain; `version` says which of the two texts was signed. */
export type Head = Start & { chain: string; signature: string; version: number }

/** What version 1 signed cannot be made from what is signed now, nor the reverse. */
export function signHead(key: LedgerKey, chain: string, seq: number, hash: string, version = headVersion): string {
  return hmac(key, `${version === 1 ? '' : 'head:'}${chain}:${seq}:${hash}`)
}

/** A checkpoint must not be usable as a head, nor the reverse. */
export function signCheckpoint(key: LedgerKey, chain: string, seq: number, hash: string): string {
  return hmac(key, `checkpoint:${chain}:${seq}:${hash}`)
}

/** What checks are given instead of the key. */
export function ledgerSigner(key: LedgerKey): Settings['signLedger'] {
  return (what, chain, seq, hash) => (what === 'head' ? signHead : signCheckpoint)(key, chain, seq, hash)
}

function hmac(key: LedgerKey, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}

function sha256(text: string): string {
  return hash('sha256', text)
}

/** What a row says, wherever in its chain it will stand. */
function compose(chain: string, entry: LedgerEntry, known: PersonalPart) {
  const personal = { salt: withRandom(16, bytes => bytes.toString('base64url')), ...known }
  const id = newId(LedgerEntryId)
  const text = JSON.stringify({ v: 1, id, chain, ...entry, personalDigest: sha256(personalText(personal)) })
  return { id, text, personal: JSON.stringify(personal) }
}

/** A row that is ready to be written behind `head`, and the head that it makes. */
export function link(
  key: LedgerKey,
  head: Pick<Head, 'chain' | 'seq' | 'hash'>,
  entry: LedgerEntry,
  known: PersonalPart,
) {
  const { chain } = head
  const row = compose(chain, entry, known)
  const { text } = row
  const seq = head.seq + 1
  const rowHash = sha256(chainText(head.hash, seq, text))
  const next: Head = {
    chain,
    seq,
    hash: rowHash,
    signature: signHead(key, chain, seq, rowHash),
    version: headVersion,
  }
  return { ...row, next }
}

/** The wrapping that Node wants around the 32 bytes of an Ed25519 private key. */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex')

export function exportKey(secretKey: string): Settings['exportKey'] {
  const seed = Buffer.from(hkdfSync('sha256', secretKey, 'atrium', 'ledger export', 32))
  const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')
  return { publicKey, sign: text => sign(null, Buffer.from(text), key).toString('base64url') }
}
