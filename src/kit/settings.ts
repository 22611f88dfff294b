// The part of the configuration that handlers and jobs may read, and the instance's own cryptography.
import type { Billing } from './plans.ts'

/** `ready` is false where the database cannot compare vectors after all; it must not be awaited in a transaction. */
export type Vectors = { ready: () => Promise<boolean> }

export type Settings = {
  /** Null where nobody is billed: nothing is limited then. */
  billing: Billing | null
  publicUrl: string
  signups: 'open' | 'invite' | 'closed'
  /** The bot check on sign-up, where one is configured. */
  turnstile: { secretKey: string; verifyUrl: string } | null
  /** HMAC under a key that is made for this purpose from the instance's secret. */
  sign: (purpose: string, text: string) => string
  /** Encrypts what must be read again. `about` says whose it is: `open` takes the same purpose and the same `about`. */
  seal: (purpose: string, text: string, about: string) => string
  open: (purpose: string, sealed: string, about: string) => string
  /** The signature over a place in a ledger's chain. */
  signLedger: (what: 'head' | 'checkpoint', chain: string, seq: number, hash: string) => string
  /** Null where the database has no pgvector. */
  vectors: Vectors | null
  /** Signs exported files, so that they can be checked without asking this instance. */
  exportKey: { publicKey: string; sign: (text: string) => string }
}
