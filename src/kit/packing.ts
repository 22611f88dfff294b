// JSON that waits in the database for its reader, gzipped outside the event loop.
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'

const compressed = promisify(gzip)
const inflated = promisify(gunzip)

/** What we have packed ourselves is never longer. */
const mostBytes = 512 * 1024 * 1024

export async function pack(value: unknown): Promise<Buffer> {
  return await compressed(JSON.stringify(value), { level: 4 })
}

export async function unpack(bytes: Uint8Array): Promise<unknown> {
  return JSON.parse((await inflated(bytes, { maxOutputLength: mostBytes })).toString('utf8'))
}
