// Names in repositories are bytes: shown as text, taken as text or as bytes, and never changed on the way.
import { isUtf8 } from 'node:buffer'

export type ShownPath = { path: string; pathBytes: string | null }

/** What is not UTF-8 shows as `\xNN`, and comes as base64 too. */
export function shownPath(bytes: Buffer): ShownPath {
  if (isUtf8(bytes)) return { path: bytes.toString('utf8'), pathBytes: null }
  return { path: shownBytes(bytes), pathBytes: bytes.toString('base64') }
}

/** Text where it is UTF-8; each byte that is not part of any shows as `\xNN`. */
export function shownBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = [1, 2, 3, 4].find(size => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)))
    if (length === undefined) text += `\\x${(bytes[at] as number).toString(16).toUpperCase().padStart(2, '0')}`
    else text += bytes.toString('utf8', at, at + length)
    at += length ?? 1
  }
  return text
}

export function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && bytes.indexOf(0) < 0
}

/** The bytes that a path may mean, the likeliest first. */
export function pathsMeant({ path = '', pathBytes }: { path?: string; pathBytes?: string }): Buffer[] {
  if (pathBytes !== undefined && pathBytes !== '') return [trimmed(Buffer.from(pathBytes, 'base64'))]
  const literal = trimmed(Buffer.from(path, 'utf8'))
  if (!/\\x[0-9a-fA-F]{2}/.test(path)) return [literal]
  const parts = path.split(/\\x([0-9a-fA-F]{2})/)
  const bytes = parts.map((part, index) => (index % 2 === 1 ? Buffer.from(part, 'hex') : Buffer.from(part, 'utf8')))
  return [literal, trimmed(Buffer.concat(bytes))]
}

const slash = 0x2f

function trimmed(bytes: Buffer): Buffer {
  let [from, to] = [0, bytes.length]
  while (from < to && bytes[from] === slash) from++
  while (to > from && bytes[to - 1] === slash) to--
  return bytes.subarray(from, to)
}

/** Only such a path can be one of a file, and only such a path is handed to git. */
export function isPlainPath(bytes: Buffer): boolean {
  const parts = bytes.toString('latin1').split('/')
  return parts.every(part => part !== '' && part !== '.' && part !== '..') && bytes.indexOf(0) < 0
}
