// JSON from outside: bytes that are strictly UTF-8, not too deep, and hold nothing that cannot be stored.
import { badRequest } from '../contract/errors.ts'

/** A database writes 1e300 with all its zeros: three hundred bytes for six that were sent. */
const mostZeros = 1024 * 1024

/** Of all values that came together. */
export type Zeros = { count: number }

/** As many as it is written with. */
function zerosOf(number: number): number {
  const size = Math.abs(number)
  return size === 0 || (size >= 1e-6 && size < 1e21) ? 0 : Math.abs(Math.log10(size))
}

/**
 * NUL and halves of surrogate pairs cannot be stored, nor numbers that would become far longer. Walked without
 * recursion, however deep the value is.
 */
export function refuseUnstorable(value: unknown, zeros: Zeros = { count: 0 }): void {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') {
      if (next.includes('\0') || !next.isWellFormed()) {
        throw badRequest('A text holds a NUL character or half of a surrogate pair; remove it.')
      }
    } else if (typeof next === 'number') {
      zeros.count += zerosOf(next)
      if (zeros.count > mostZeros)
        throw badRequest('Too many numbers are as large or as small as 1e300; send them as texts.')
    } else if (typeof next === 'object' && next !== null) {
      for (const [name, part] of Object.entries(next)) open.push(name, part)
    }
  }
}

/** Deeper than anything that is taken here; what walks a value may then call itself. */
const deepest = 64

const bytesOf = { quote: 0x22, backslash: 0x5c, brace: 0x7b, bracket: 0x5b, braceEnd: 0x7d, bracketEnd: 0x5d }

/** Before it is parsed: in UTF-8, these bytes are never part of another character. */
export function isTooDeep(bytes: Uint8Array): boolean {
  const { quote, backslash, brace, bracket, braceEnd, bracketEnd } = bytesOf
  let depth = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isInText = !isInText
    else if (isInText) at += byte === backslash ? 1 : 0
    else if (byte === brace || byte === bracket) depth++
    else if (byte === braceEnd || byte === bracketEnd) depth--
    if (depth > deepest) return true
  }
  return false
}

/** What is shorter holds fewer such numbers than are too many. */
const shortest = 16 * 1024

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Strict: not too deep, valid UTF-8, valid JSON, nothing that cannot be stored. `zeros` are those of other parts. */
export function parseJson(bytes: Uint8Array, zeros?: Zeros): unknown {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw Object.assign(badRequest('The body is not valid UTF-8.'), { cause })
  }
  if (isTooDeep(bytes)) throw badRequest(`The body is nested more than ${deepest} levels deep; make it flatter.`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON.')
  }
  // Only an escape or an exponent can bring in what cannot be stored: raw bytes were checked above.
  if (text.includes('\\u') || ((zeros || text.length > shortest) && /\d[eE]/.test(text))) {
    refuseUnstorable(value, zeros)
  }
  return value
}

/** The same text for equal values, in whatever order their fields were said; what is undefined is not there. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  const fields = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, part]) => `${JSON.stringify(name)}:${canonical(part)}`).join()}}`
}
