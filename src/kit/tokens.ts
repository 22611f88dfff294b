// Secrets that are handed out once: each kind its own prefix, stored as a hash.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { randomBase62 } from './random.ts'

const base62 = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** The form in which every token is stored. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url')
}

/** Takes as long for a near miss as for a far one. */
export function isSameSecret(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** `sess_`, `inv_`, `run_`, … and 256 random bits. */
export function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** `atr_`, 48 random characters and a checksum, so that a leaked key can be recognised without asking anyone. */
export function newKeySecret(): string {
  return withChecksum(`atr_${randomBase62(48)}`)
}

export function isKeySecret(text: string): boolean {
  return /^atr_[0-9a-zA-Z]{54}$/.test(text) && hasChecksum(text)
}

/** Of the same form; ids of telemetry tokens begin with `tt_id_`, and no secret has a second underscore. */
export function newTelemetrySecret(): string {
  return withChecksum(`tt_${randomBase62(48)}`)
}

export function isTelemetrySecret(text: string): boolean {
  return /^tt_[0-9a-zA-Z]{54}$/.test(text) && hasChecksum(text)
}

function withChecksum(start: string): string {
  return start + checksum(start)
}

function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -6)) === text.slice(-6)
}

/** CRC-32 in six base62 digits. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let index = 0; index < 6; index++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** What the record keeps, so that people can tell their keys apart. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 8)}…${secret.slice(-4)}`
}
