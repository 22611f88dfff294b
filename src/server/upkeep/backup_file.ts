// The file of a backup: gzipped lines of JSON, the first saying what it is, the last the hash of all before it.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { StartError } from '../config.ts'

/** First line. */
export type BackupHead = {
  type: 'atrium.backup'
  version: 1
  created: string
  migrations: { name: string; sha256: string }[]
  /** Last values handed out. */
  sequences: Record<string, number>
  /** Of the instance's key; null where the service has never run on the database. */
  keyFingerprint: string | null
  /** The key itself, where it was made in the data directory and nobody else has it. */
  secretKey?: string
}

/** Before the rows of a table; each row is a list of its columns as text, or null. */
export type TableLine = { table: string; columns: string[] }

/** Last line. */
export type BackupEnd = { type: 'atrium.backup.end'; tables: number; rows: number; sha256: string }

export type BackupLine = BackupHead | TableLine | { rows: readonly string[] }

/** Writes a new file, readable by its owner alone, and does not return before it is on the disk. */
export async function writeFile(path: string, lines: AsyncIterable<BackupLine>): Promise<BackupEnd> {
  const hash = createHash('sha256')
  const end: BackupEnd = { type: 'atrium.backup.end', tables: 0, rows: 0, sha256: '' }
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx', flush: true })
  await pipeline(Readable.from(written(lines, hash, end)), createGzip({ level: 3 }), file)
  return end
}

async function* written(lines: AsyncIterable<BackupLine>, hash: Hash, end: BackupEnd): AsyncGenerator<string> {
  for await (const line of lines) {
    const text = 'rows' in line ? line.rows.map(row => `${row}\n`).join('') : `${JSON.stringify(line)}\n`
    if ('rows' in line) end.rows += line.rows.length
    if ('table' in line) end.tables++
    hash.update(text)
    yield text
  }
  end.sha256 = hash.digest('hex')
  yield `${JSON.stringify(end)}\n`
}

/** Reads the whole file before anyone uses a line of it; refuses one that is not as it was written. */
export async function checkFile(path: string): Promise<{ head: BackupHead; end: BackupEnd }> {
  const hash = createHash('sha256')
  let first: string | undefined
  let last: string | undefined
  for await (const line of linesOf(path)) {
    if (last !== undefined) hash.update(`${last}\n`)
    first ??= line
    last = line
  }
  const head = parse<BackupHead>(first)
  if (head?.type !== 'atrium.backup') throw new StartError(`${path} is not a backup of Atrium.`)
  if (head.version !== 1)
    throw new StartError(`${path} was made by a newer version of Atrium; upgrade, then restore it.`)
  const end = parse<BackupEnd>(last)
  if (end?.type !== 'atrium.backup.end' || end.sha256 !== hash.digest('hex')) throw damaged(path)
  return { head, end }
}

function damaged(path: string): StartError {
  return new StartError(`${path} is cut off or was altered: its contents do not match its SHA-256. Use another backup.`)
}

function parse<T>(line: string | undefined): T | undefined {
  try {
    return JSON.parse(line ?? '')
  } catch {
    return undefined
  }
}

/** Split at line feeds only: texts may hold the other characters that some readers take for the end of a line. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const source = createReadStream(path)
  const unzipped = createGunzip()
  source.on('error', error => unzipped.destroy(error))
  let parts: Buffer[] = []
  try {
    for await (const chunk of source.pipe(unzipped) as AsyncIterable<Buffer>) {
      let from = 0
      for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, to)]).toString('utf8')
        parts = []
        from = to + 1
      }
      parts.push(chunk.subarray(from))
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'Z_DATA_ERROR' && message.includes('header'))
      throw new StartError(`${path} is not a backup of Atrium.`)
    if (code.startsWith('Z_')) throw damaged(path)
    throw new StartError(`${path} cannot be read (${code || message}).`)
  } finally {
    source.destroy()
  }
  if (parts.some(part => part.length > 0)) throw damaged(path)
}
