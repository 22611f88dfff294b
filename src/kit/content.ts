// What a handler makes of content: text, JSON, or one value a line.
import type { Content } from '../contract/content.ts'
import { ApiError, badRequest } from '../contract/errors.ts'
import { parseJson, type Zeros } from './json.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function textOf({ bytes }: Content): string {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw Object.assign(badRequest('The body is not valid UTF-8.'), { cause })
  }
  if (text.includes('\0')) throw badRequest('The body holds a NUL character; remove it.')
  return text
}

const newline = 0x0a

/** Each line that is not empty, parsed and with its number; a line that is not JSON is a 400 that names it. */
export function* linesOf({ bytes }: Content): Generator<{ number: number; value: unknown }> {
  let start = 0
  const zeros = { count: 0 }
  for (let number = 1; start < bytes.length; number++) {
    const found = bytes.indexOf(newline, start)
    const end = found < 0 ? bytes.length : found
    const line = bytes.subarray(start, end)
    start = end + 1
    if (!isBlank(line)) yield { number, value: parseLine(line, number, zeros) }
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every(byte => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}

function parseLine(line: Uint8Array, number: number, zeros: Zeros): unknown {
  try {
    return parseJson(line, zeros)
  } catch (error) {
    if (error instanceof ApiError) throw badRequest(`Line ${number}: ${error.detail}`)
    throw error
  }
}
