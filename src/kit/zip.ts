// Zip files of strangers and of ours: everything that could do harm is refused before anything is inflated.
import { promisify } from 'node:util'
import { crc32, deflateRaw, inflateRaw } from 'node:zlib'
import { ApiError, badRequest } from '../contract/errors.ts'
import { longestPath, refusePaths } from './file_paths.ts'

const inflating = promisify(inflateRaw)
const deflating = promisify(deflateRaw)

export type ZipLimits = { entries: number; fileBytes: number; totalBytes: number }

/** A file in a zip; `read` inflates it, and throws where it is not what the zip says of it. */
export type ZipEntry = { path: string; size: number; read: () => Promise<Uint8Array> }

export type Listed = {
  path: string
  isFolder: boolean
  method: number
  crc: number
  packed: number
  size: number
  offset: number
  /** The name as its bytes, which both headers must have alike. */
  name: Buffer
}

export const endMark = 0x06054b50
const centralMark = 0x02014b50
export const localMark = 0x04034b50
export const [endSize, centralSize, localSize] = [22, 46, 30]
const longestComment = 0xffff
export const [stored, deflated] = [0, 8]
/** Encrypted in one of the ways that there are. */
const encryptedFlags = 0x2041
const unknown32 = 0xffffffff
const [typeMask, regularType, folderType] = [0o170000, 0o100000, 0o040000]

/**
 * The files of a zip, by what its directory says: names that lead elsewhere, links, encryption and what is too much are
 * refused here, with 413 where it would be too large. Nothing is inflated yet.
 */
export function readZip(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const listed = directoryOf(zip, limits)
  refusePaths(
    listed.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
    listed.filter(({ isFolder }) => isFolder).map(({ path }) => path.slice(0, -1)),
  )
  const starts = listed.map(entry => ({ entry, start: contentStart(zip, entry) }))
  refuseOverlaps(starts)
  return starts
    .filter(({ entry }) => !entry.isFolder)
    .map(({ entry, start }) => ({
      path: entry.path,
      size: entry.size,
      read: () => contentOf(entry, zip.subarray(start, start + entry.packed)),
    }))
}

function directoryOf(zip: Buffer, limits: ZipLimits): Listed[] {
  const end = endOf(zip)
  const [disk, directoryDisk] = [zip.readUInt16LE(end + 4), zip.readUInt16LE(end + 6)]
  const [here, count] = [zip.readUInt16LE(end + 8), zip.readUInt16LE(end + 10)]
  const [size, offset] = [zip.readUInt32LE(end + 12), zip.readUInt32LE(end + 16)]
  if (disk !== 0 || directoryDisk !== 0 || here !== count) throw broken('it is one part of several')
  if (count === 0xffff || size === unknown32 || offset === unknown32) throw broken('it is in the Zip64 format')
  if (count > limits.entries) throw tooMuch(`it has more than ${limits.entries} entries`)
  if (offset + size > end) throw broken('its directory is cut off')
  const listed: Listed[] = []
  let [place, total] = [offset, 0]
  for (let index = 0; index < count; index++) {
    const { entry, next } = listedAt(zip, place, offset + size)
    if (entry.size > limits.fileBytes) throw tooMuch(`${named(entry.path)} is larger than ${limits.fileBytes} bytes`)
    total += entry.size
    if (total > limits.totalBytes) throw tooMuch(`its files have more than ${limits.totalBytes} bytes together`)
    listed.push(entry)
    place = next
  }
  if (place !== offset + size) throw broken('its directory is longer than it says')
  return listed
}

/** The last mark whose comment ends where the zip does. */
function endOf(zip: Buffer): number {
  const first = Math.max(0, zip.length - endSize - longestComment)
  for (let place = zip.length - endSize; place >= first; place--) {
    if (zip.readUInt32LE(place) === endMark && place + endSize + zip.readUInt16LE(place + 20) === zip.length) {
      return place
    }
  }
  throw broken('it has no directory')
}

/** An entry of the directory at this place. */
export function listedAt(zip: Buffer, place: number, end: number): { entry: Listed; next: number } {
  if (place + centralSize > end || zip.readUInt32LE(place) !== centralMark) throw broken('its directory is damaged')
  const [host, flags, method] = [zip[place + 5], zip.readUInt16LE(place + 8), zip.readUInt16LE(place + 10)]
  const [crc, packed, size] = [16, 20, 24].map(at => zip.readUInt32LE(place + at)) as [number, number, number]
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map(at => zip.readUInt16LE(place + at)) as [
    number,
    number,
    number,
  ]
  const offset = zip.readUInt32LE(place + 42)
  const next = place + centralSize + nameLength + extraLength + commentLength
  if (next > end) throw broken('its directory is damaged')
  const name = zip.subarray(place + centralSize, place + centralSize + nameLength)
  const path = nameOf(name)
  if ((flags & encryptedFlags) !== 0) throw broken(`${named(path)} is encrypted`)
  if (method !== stored && method !== deflated) throw broken(`${named(path)} is compressed in a way that is not taken`)
  if ([packed, size, offset].includes(unknown32)) throw broken('it is in the Zip64 format')
  const type = (zip.readUInt32LE(place + 38) >>> 16) & typeMask
  // Of other hosts the upper half says nothing.
  const isTyped = (host === 3 || host === 19) && type !== 0
  const isFolder = path.endsWith('/')
  if (isTyped && type !== (isFolder ? folderType : regularType)) {
    throw badRequest(`${named(path)} in the zip is a link or no plain file; put the file itself in its place.`)
  }
  if (isFolder && size > 0) throw broken(`${named(path)} is a folder with contents`)
  if (method === stored && packed !== size) throw broken(`the size of ${named(path)} is wrong`)
  return { entry: { path, isFolder, method, crc, packed, size, offset, name }, next }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function nameOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest('A name in the zip is not valid UTF-8; pack it again with names in UTF-8.')
  }
}

/** Both headers must say the same: readers differ in which of them they believe. */
function contentStart(zip: Buffer, { path, offset, name, method, packed }: Listed): number {
  if (offset + localSize > zip.length || zip.readUInt32LE(offset) !== localMark)
    throw broken(`${named(path)} is not in it`)
  const [nameLength, extraLength] = [zip.readUInt16LE(offset + 26), zip.readUInt16LE(offset + 28)]
  const own = zip.subarray(offset + localSize, offset + localSize + nameLength)
  const start = offset + localSize + nameLength + extraLength
  if (!own.equals(name) || zip.readUInt16LE(offset + 8) !== method) throw broken(`it has two names for ${named(path)}`)
  if (start + packed > zip.length) throw broken(`${named(path)} is cut off`)
  return start
}

/** Files that share their bytes make much of little. */
function refuseOverlaps(starts: readonly { entry: Listed; start: number }[]): void {
  const inOrder = [...starts].sort((one, other) => one.entry.offset - other.entry.offset)
  for (const [index, { entry, start }] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next && next.entry.offset < start + entry.packed) throw tooMuch(`${named(entry.path)} overlaps another file`)
  }
}

/** No more is ever made than the directory promised. */
async function contentOf({ path, method, size, crc }: Listed, packed: Buffer): Promise<Uint8Array> {
  let content: Uint8Array = packed
  if (method === deflated) {
    try {
      content = await inflating(packed, { maxOutputLength: Math.max(1, size) })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        throw tooMuch(`${named(path)} is larger than it says`)
      }
      throw broken(`${named(path)} cannot be inflated`)
    }
  }
  if (content.length !== size || crc32(content) !== crc) throw broken(`${named(path)} is damaged`)
  return content
}

/** For messages: a name can have 64 KiB. */
export function named(path: string): string {
  return `"${path.slice(0, longestPath).toWellFormed()}"`
}

export function broken(why: string): ApiError {
  return badRequest(`The zip cannot be read: ${why}. Pack it again and send the new file.`)
}

export function tooMuch(why: string): ApiError {
  return new ApiError('payload_too_large', `The zip is refused: ${why}. Take something out and send it again.`)
}

/** 1980-01-01: the same files are the same zip, whenever it is made. */
const [dosTime, dosDate] = [0, 0x21]
const utf8Flag = 0x0800
const madeBy = (3 << 8) | 20

type Packed = { name: Buffer; header: Buffer; offset: number }

/** Files as a zip, each read when its turn comes; of one content there is one zip. */
export async function* zipOf(
  files: AsyncIterable<{ path: string; bytes: Uint8Array }>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed: Packed[] = []
  let offset = 0
  for await (const { path, bytes } of files) {
    const small = await deflating(bytes, { level: 9 })
    const isSmaller = small.length < bytes.length
    const content = isSmaller ? small : bytes
    const name = Buffer.from(path, 'utf8')
    const header = commonHeader(isSmaller ? deflated : stored, crc32(bytes), content.length, bytes.length, name.length)
    packed.push({ name, header, offset })
    const local = Buffer.alloc(4)
    local.writeUInt32LE(localMark)
    yield Buffer.concat([local, header, name])
    yield content
    offset += local.length + header.length + name.length + content.length
  }
  yield* directoryBytes(packed, offset)
}

/** The 26 bytes that both headers of a file have. */
function commonHeader(method: number, crc: number, packed: number, size: number, nameLength: number): Buffer {
  const header = Buffer.alloc(26)
  header.writeUInt16LE(20, 0)
  header.writeUInt16LE(utf8Flag, 2)
  header.writeUInt16LE(method, 4)
  header.writeUInt16LE(dosTime, 6)
  header.writeUInt16LE(dosDate, 8)
  header.writeUInt32LE(crc, 10)
  header.writeUInt32LE(packed, 14)
  header.writeUInt32LE(size, 18)
  header.writeUInt16LE(nameLength, 22)
  return header
}

function* directoryBytes(packed: readonly Packed[], start: number): Generator<Uint8Array> {
  let size = 0
  for (const { name, header, offset } of packed) {
    const [before, after] = [Buffer.alloc(6), Buffer.alloc(14)]
    before.writeUInt32LE(centralMark, 0)
    before.writeUInt16LE(madeBy, 4)
    after.writeUInt32LE((regularType | 0o644) * 0x10000, 6)
    after.writeUInt32LE(offset, 10)
    const entry = Buffer.concat([before, header, after, name])
    size += entry.length
    yield entry
  }
  const end = Buffer.alloc(endSize)
  end.writeUInt32LE(endMark, 0)
  end.writeUInt16LE(packed.length, 8)
  end.writeUInt16LE(packed.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(start, 16)
  yield end
}
