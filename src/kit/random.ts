// Random identifiers and secrets, without bias.
import { randomBytes } from 'node:crypto'
import type { TSchema } from 'typebox'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`

/** Asking the system costs as much for a few bytes as for some thousands. */
const poolBytes = 4_096
let pool = Buffer.alloc(0)

/** Random bytes that nobody gets twice; they are gone from here once `use` has seen them. */
export function withRandom<T>(length: number, use: (bytes: Buffer) => T): T {
  if (pool.length < length) pool = randomBytes(Math.max(poolBytes, length))
  const bytes = pool.subarray(0, length)
  pool = pool.subarray(length)
  try {
    return use(bytes)
  } finally {
    bytes.fill(0)
  }
}

/** A bytewise draw from the alphabet; bytes that would favour its beginning are thrown away. */
export function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    text += withRandom(length + 16, bytes => drawn(bytes, alphabet, limit, length - text.length))
  }
  return text
}

function drawn(bytes: Buffer, alphabet: string, limit: number, most: number): string {
  let text = ''
  for (const byte of bytes) {
    if (text.length === most) break
    if (byte < limit) text += alphabet[byte % alphabet.length]
  }
  return text
}

export function randomBase62(length: number): string {
  return randomText(base62, length)
}

/** An id in the format that a schema made by `id()` declares. */
export function newId(schema: TSchema): string {
  const format = (schema as { 'x-id'?: { prefix: string; length: number } })['x-id']
  if (!format) throw new Error('newId needs a schema made by id()')
  return `${format.prefix}_${randomText(base36, format.length)}`
}
