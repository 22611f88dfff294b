// Random identifiers and secrets, without bias.
import { randomBytes } from 'node:crypto'
import type { TSchema } from 'typebox'

const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const base62 = `${base36}ABCDEFGHIJKLMNOPQRSTUVWXYZ`

/** A bytewise draw from the alphabet; bytes that would favour its beginning are thrown away. */
export function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length + 16)) {
      if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length]
    }
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
