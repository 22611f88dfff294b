// What a tool gave back, as text for a model: bounded, with what is no text named but left out.
import type { Hide } from '../hiding.ts'
import { cleaned, cleanText, objectIn, textIn } from './values.ts'

export type ResultPart =
  | { type: 'text'; text: string }
  /** A document that the tool gave along. */
  | { type: 'resource'; uri: string; text: string }
  /** A document that the server keeps; it is not fetched. */
  | { type: 'link'; uri: string; name: string }
  /** Pictures, sounds and whatever else is no text. */
  | { type: 'left_out'; kind: string; mimeType: string | null; bytes: number }

export type ToolResult = {
  isError: boolean
  content: ResultPart[]
  structuredContent: object | null
  /** Everything above that is text, and the names of what is not; the structured content where there is no text. */
  text: string
  /** The result was longer than is taken. */
  isCut: boolean
}

const mostBytes = 256 * 1024
const mostParts = 200
const longestName = 2_000

export function resultFrom(raw: Record<string, unknown>, hide: Hide): ToolResult {
  const room = roomFor(mostBytes)
  const given = Array.isArray(raw.content) ? raw.content : []
  const content = given.slice(0, mostParts).map(part => partFrom(objectIn(part) ?? {}, room, hide))
  const structured = cleaned(objectIn(raw.structuredContent), hide) as object | null
  const json = structured === null ? '' : JSON.stringify(structured)
  const isTooLarge = Buffer.byteLength(json) > mostBytes
  const texts = content.map(textOf)
  const isTold = content.some(part => part.type === 'text' || part.type === 'resource')
  const text = isTold ? texts.join('\n') : [...texts, room.take(json)].filter(Boolean).join('\n')
  return {
    isError: raw.isError === true,
    content,
    structuredContent: isTooLarge ? null : structured,
    text,
    isCut: room.isCut() || isTooLarge || given.length > mostParts,
  }
}

/** As many bytes as are left, and whole characters. */
function roomFor(most: number) {
  let left = most
  let isCut = false
  return {
    isCut: () => isCut,
    take(text: string): string {
      const bytes = Buffer.from(text)
      if (bytes.length <= left) {
        left -= bytes.length
        return text
      }
      isCut = true
      const taken = bytes.subarray(0, left)
      left = 0
      // The last character may be cut through.
      return taken.toString().replace(/\ufffd+$/, '')
    },
  }
}

type Room = ReturnType<typeof roomFor>

function partFrom(part: Record<string, unknown>, room: Room, hide: Hide): ResultPart {
  const { type, text, uri, name } = part
  if (type === 'text' && typeof text === 'string') return { type, text: room.take(cleanText(text, hide)) }
  if (type === 'resource_link') {
    return { type: 'link', uri: textIn(uri, longestName, hide) ?? '', name: textIn(name, 200, hide) ?? '' }
  }
  const resource = type === 'resource' ? objectIn(part.resource) : null
  if (typeof resource?.text === 'string') {
    const from = textIn(resource.uri, longestName, hide) ?? ''
    return { type: 'resource', uri: from, text: room.take(cleanText(resource.text, hide)) }
  }
  return {
    type: 'left_out',
    kind: textIn(type, 64, hide) ?? 'unknown',
    mimeType: textIn(resource?.mimeType ?? part.mimeType, 100, hide),
    bytes: sizeOf(part.data ?? resource?.blob, part),
  }
}

/** Of what was encoded, as far as that can be told from the length of its text. */
function sizeOf(encoded: unknown, part: object): number {
  if (typeof encoded !== 'string') return Buffer.byteLength(JSON.stringify(part))
  return Math.floor((encoded.replace(/=+$/, '').length * 3) / 4)
}

function textOf(part: ResultPart): string {
  if (part.type === 'text' || part.type === 'resource') return part.text
  if (part.type === 'link') return `[${part.name || 'document'}: ${part.uri}]`
  return `[${part.mimeType ?? part.kind} left out, ${part.bytes} bytes]`
}
