// A zip that is written as it is made: no file of it is ever whole in memory, and each is hashed on its way.
import { createHash } from 'node:crypto'
import { crc32, createDeflateRaw } from 'node:zlib'

export type Chunks = AsyncIterable<string | Uint8Array>

export type StreamedFile = { path: string; chunks: Chunks }

/** What was written of a file, once it is. */
export type WrittenFile = { path: string; size: number; sha256: string }

/** More needs a format that few readers know. */
const [mostFiles, mostBytes] = [65_000, 0xffff_0000]

export class ZipTooLarge extends Error {}

type Listed = { name: Buffer; crc: number; packed: number; size: number; offset: number }

const [localMark, describedMark, centralMark, endMark] = [0x04034b50, 0x08074b50, 0x02014b50, 0x06054b50]
/** UTF-8 names; sizes follow the content. */
const flags = 0x0808
const [version, deflated, dosDate] = [20, 8, 0x21]
const regularFile = 0o100644 * 0x10000

/** `written` hears of each file when it is done; the last file may be made of what it heard. */
export async function* zipStream(
  files: AsyncIterable<StreamedFile>,
  written: (file: WrittenFile) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const listed: Listed[] = []
  let offset = 0
  for await (const { path, chunks } of files) {
    if (listed.length === mostFiles) throw new ZipTooLarge('the archive would have too many files for a zip')
    const name = Buffer.from(path, 'utf8')
    const head = localHeader(name)
    yield head
    const counted = { crc: 0, size: 0, packed: 0, hash: createHash('sha256') }
    for await (const piece of deflating(chunks, counted)) {
      counted.packed += piece.length
      if (offset + counted.packed > mostBytes) throw new ZipTooLarge('the archive would be too large for a zip')
      yield piece
    }
    const { crc, size, packed } = counted
    yield descriptor(crc, packed, size)
    listed.push({ name, crc, packed, size, offset })
    offset += head.length + packed + 16
    written({ path, size, sha256: counted.hash.digest('hex') })
  }
  yield* directory(listed, offset)
}

type Counted = { crc: number; size: number; hash: ReturnType<typeof createHash> }

async function* deflating(chunks: Chunks, counted: Counted): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ level: 6 })
  const feeding = (async () => {
    try {
      for await (const chunk of chunks) {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : Buffer.from(chunk)
        counted.crc = crc32(bytes, counted.crc)
        counted.size += bytes.length
        if (counted.size > mostBytes) throw new ZipTooLarge('a file of the archive would be too large for a zip')
        counted.hash.update(bytes)
        if (!deflate.write(bytes)) await new Promise(resolve => deflate.once('drain', resolve))
      }
      deflate.end()
    } catch (error) {
      deflate.destroy(error as Error)
    }
  })()
  yield* deflate as AsyncIterable<Buffer>
  await feeding
}

function localHeader(name: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(localMark, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(deflated, 8)
  header.writeUInt16LE(dosDate, 12)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function descriptor(crc: number, packed: number, size: number): Buffer {
  const end = Buffer.alloc(16)
  end.writeUInt32LE(describedMark, 0)
  end.writeUInt32LE(crc, 4)
  end.writeUInt32LE(packed, 8)
  end.writeUInt32LE(size, 12)
  return end
}

function* directory(listed: readonly Listed[], start: number): Generator<Buffer> {
  let size = 0
  for (const { name, crc, packed, size: whole, offset } of listed) {
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(centralMark, 0)
    entry.writeUInt16LE((3 << 8) | version, 4)
    entry.writeUInt16LE(version, 6)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(deflated, 10)
    entry.writeUInt16LE(dosDate, 14)
    entry.writeUInt32LE(crc, 16)
    entry.writeUInt32LE(packed, 20)
    entry.writeUInt32LE(whole, 24)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(regularFile, 38)
    entry.writeUInt32LE(offset, 42)
    size += entry.length + name.length
    yield Buffer.concat([entry, name])
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(endMark, 0)
  end.writeUInt16LE(listed.length, 8)
  end.writeUInt16LE(listed.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(start, 16)
  yield end
}
