// Codes that are mailed and typed: short enough to type, stored only as a keyed digest.
import { badRequest } from '../../contract/errors.ts'
import type { Context } from '../../kit/context.ts'
import type { Settings } from '../../kit/settings.ts'
import { isSameSecret } from '../../kit/tokens.ts'
import * as store from './store.ts'
import { takeCodeTry } from './tries.ts'

/** Crockford's base32: no I, L, O or U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export const wrongCode = 'The code is wrong, was used or has expired; ask for a new one.'

/** Made from the job that mails it: a mail that is sent again is the same mail. */
export function codeOf(settings: Settings, jobId: string): string {
  const bytes = Buffer.from(settings.sign('mailed code', jobId), 'base64url').subarray(0, 8)
  return [...bytes].map(byte => alphabet[byte % alphabet.length]).join('')
}

export function showCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** As people type it: any case, with or without the hyphen, and the letters that look like digits. */
export function normaliseCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0')
}

export function codeDigest(settings: Settings, purpose: string, address: string, code: string): string {
  return settings.sign('code', JSON.stringify([purpose, address.toLowerCase(), code]))
}

/**
 * Returns the digest of a right code; a wrong, burnt, expired or unknown one is the same 400.
 * Where there is no code the same is done, so that its absence does not show in the time.
 */
export async function judgeCode(
  ctx: Pick<Context, 'db' | 'now' | 'origin' | 'settings'>,
  purpose: string,
  email: string,
  code: string,
): Promise<string> {
  const { db, now, settings } = ctx
  const address = email.toLowerCase()
  const live = await store.liveCode(db, purpose, address, now())
  const { isAllowed, isLast } = await takeCodeTry(ctx, live?.id ?? `${purpose}:${address}`, address)
  const digest = codeDigest(settings, purpose, address, normaliseCode(code))
  const isRight = isAllowed && isSameSecret(digest, live?.digest ?? '-'.repeat(digest.length))
  if (isRight) return digest
  if (isLast && live) await store.burnCode(db, live.id)
  throw badRequest(wrongCode)
}
