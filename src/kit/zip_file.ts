// A large zip of a stranger, read piece by piece from where it lies: nothing of it is ever whole in memory.
import { crc32, createInflateRaw } from 'node:zlib'
import type { ContentFile } from '../contract/content.ts'
import { refusePaths } from './file_paths.ts'
import {
  broken,
  deflated,
  endMark,
  endSize,
  type Listed,
  listedAt,
  localMark,
  localSize,
  named,
  tooMuch,
  type ZipLimits,
} from './zip.ts'

/** `chunks` inflates it, and throws where it is not what the zip says of it. */
export type ZipFileEntry = { path: string; size: number; chunks: () => AsyncGenerator<Buffer, void, undefined> }

const pieceBytes = 256 * 1024
/** A directory of so many entries as are allowed is never longer. */
const mostDirectoryBytes = 32 * 1024 * 1024

/** Everything that its directory tells is looked at here; nothing is inflated yet. */
export async function openZip(file: ContentFile, limits: ZipLimits): Promise<Map<string, ZipFileEntry>> {
  const listed = await directoryOf(file, limits)
  refusePaths(listed.map(({ path }) => path))
  refuseOverlaps(listed)
  return new Map(listed.map(entry => [entry.path, entryOf(file, entry)]))
}

async function directoryOf(file: ContentFile, limits: ZipLimits): Promise<Listed[]> {
  if (file.size < endSize) throw broken('it has no directory')
  const end = await readAt(file, file.size - endSize, endSize)
  // An archive of ours has no comment: the mark stands at its place, or something was cut off or added.
  if (end.readUInt32LE(0) !== endMark || end.readUInt16LE(20) !== 0) throw broken('it is cut off')
  const [count, size, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)]
  if (end.readUInt32LE(4) !== 0 || end.readUInt16LE(8) !== count) throw broken('it is one part of several')
  if (count > limits.entries) throw tooMuch(`it has more than ${limits.entries} entries`)
  if (size > mostDirectoryBytes || offset + size !== file.size - endSize) throw broken('its directory is damaged')
  const bytes = await readAt(file, offset, size)
  const listed: Listed[] = []
  let [place, total] = [0, 0]
  for (let index = 0; index < count; index++) {
    const { entry, next } = listedAt(bytes, place, size)
    if (entry.isFolder) throw broken(`${named(entry.path)} is a folder`)
    if (entry.size > limits.fileBytes) throw tooMuch(`${named(entry.path)} is larger than ${limits.fileBytes} bytes`)
    total += entry.size
    if (total > limits.totalBytes) throw tooMuch(`its files have more than ${limits.totalBytes} bytes together`)
    listed.push(entry)
    place = next
  }
  if (place !== size) throw broken('its directory is longer than it says')
  return listed
}

/** Files that share their bytes make much of little. */
function refuseOverlaps(listed: readonly Listed[]): void {
  const inOrder = [...listed].sort((one, other) => one.offset - other.offset)
  for (const [index, { path, offset, name, packed }] of inOrder.entries()) {
    const next = inOrder[index + 1]
    if (next && next.offset < offset + localSize + name.length + packed) {
      throw tooMuch(`${named(path)} overlaps another file`)
    }
  }
}

function entryOf(file: ContentFile, listed: Listed): ZipFileEntry {
  return { path: listed.path, size: listed.size, chunks: () => contentOf(file, listed) }
}

async function* contentOf(file: ContentFile, listed: Listed): AsyncGenerator<Buffer, void, undefined> {
  const { path, method, size, crc } = listed
  const packed = packedPieces(file, listed, await contentStart(file, listed))
  const pieces = method === deflated ? inflating(packed, path) : packed
  let [sum, seen] = [0, 0]
  for await (const piece of pieces) {
    seen += piece.length
    if (seen > size) throw tooMuch(`${named(path)} is larger than it says`)
    sum = crc32(piece, sum)
    yield piece
  }
  if (seen !== size || sum !== crc) throw broken(`${named(path)} is damaged`)
}

/** Both headers must say the same: readers differ in which of them they believe. */
async function contentStart(file: ContentFile, { path, offset, name, method, packed }: Listed): Promise<number> {
  const missing = () => broken(`${named(path)} is not in it`)
  if (offset + localSize + name.length > file.size) throw missing()
  const header = await readAt(file, offset, localSize + name.length)
  if (header.readUInt32LE(0) !== localMark) throw missing()
  const isSame = header.readUInt16LE(26) === name.length && header.subarray(localSize).equals(name)
  if (!isSame || header.readUInt16LE(8) !== method) throw broken(`it has two names for ${named(path)}`)
  const start = offset + localSize + name.length + header.readUInt16LE(28)
  if (start + packed > file.size) throw broken(`${named(path)} is cut off`)
  return start
}

async function* packedPieces(file: ContentFile, { packed }: Listed, start: number): AsyncGenerator<Buffer> {
  for (let read = 0; read < packed; read += pieceBytes) {
    yield await readAt(file, start + read, Math.min(pieceBytes, packed - read))
  }
}

async function* inflating(packed: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw()
  const feeding = (async () => {
    try {
      for await (const piece of packed) {
        if (inflate.destroyed) return
        if (!inflate.write(piece)) await new Promise(resolve => inflate.once('drain', resolve).once('close', resolve))
      }
      inflate.end()
    } catch (error) {
      inflate.destroy(error as Error)
    }
  })()
  try {
    yield* inflate as AsyncIterable<Buffer>
  } catch {
    throw broken(`${named(path)} cannot be inflated`)
  } finally {
    inflate.destroy()
    await feeding
  }
}

async function readAt(file: ContentFile, offset: number, length: number): Promise<Buffer> {
  const bytes = await file.read(offset, length)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
