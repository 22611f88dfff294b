// The OpenAPI document: the bundled copy, or a newer one fetched from the service and cached per host.
import { createHash } from 'node:crypto'
import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { ConnectionError, deliver } from '../client/transport.ts'
import { type Digest, type Document, digestFormat, digestOf } from './digest.ts'
import { CliError } from './failures.ts'
import { cacheFolder, readText, writeCache } from './files.ts'
import { send } from './http.ts'
import type { Terminal } from './terminal.ts'

/** The document that came with this command line; `key` changes whenever the document may have. */
export type Bundled = { key(): string; load(): Promise<Document> }

export type Documents = {
  digest(): Promise<Digest>
  document(): Promise<Document>
  /** True where the service has a document that was not known before. */
  refresh(signal: AbortSignal): Promise<boolean>
  /** Not checked for some time. */
  isOld(): boolean
}

const freshForMs = 10 * 60_000

export function documents(env: Terminal['env'], baseUrl: string, bundled: Bundled): Documents {
  const cache = cacheFolder(env)
  const { protocol, host } = new URL(baseUrl)
  const folder = join(cache, 'hosts', `${protocol}${host}`.replace(/[^\w.-]+/g, '_'))
  const paths = { digest: join(folder, 'digest.json'), document: join(folder, 'openapi.json') }

  async function bundledDigest(): Promise<Digest> {
    const name = createHash('sha256').update(bundled.key()).digest('hex').slice(0, 16)
    const path = join(cache, `bundled-${name}.json`)
    const kept = parseDigest(readText(path))
    if (kept) return kept
    const digest = digestOf(await bundled.load(), null)
    writeCache(path, JSON.stringify(digest))
    return digest
  }

  async function refresh(signal: AbortSignal): Promise<boolean> {
    const etag = parseDigest(readText(paths.digest))?.etag
    const headers = { accept: 'application/json', ...(etag && { 'if-none-match': etag }) }
    const outgoing = { method: 'GET', url: `${baseUrl}/v1/openapi.json`, headers, body: undefined }
    const answer = await deliver(outgoing, { send, retries: 0, signal })
    if (answer.status === 304) {
      await answer.body?.cancel()
      touch(paths.digest)
      return false
    }
    const document = await readDocument(answer, baseUrl)
    const digest = digestOf(document, answer.headers.get('etag'))
    writeCache(paths.document, JSON.stringify(document))
    writeCache(paths.digest, JSON.stringify(digest))
    return true
  }

  return {
    digest: async () => parseDigest(readText(paths.digest)) ?? (await bundledDigest()),
    document: async () => {
      const kept = readText(paths.document)
      return kept ? JSON.parse(kept) : await bundled.load()
    },
    refresh,
    isOld: () => Date.now() - (statSync(paths.digest, { throwIfNoEntry: false })?.mtimeMs ?? 0) > freshForMs,
  }
}

/** A digest of another version of this program, or one that was damaged, counts as none. */
function parseDigest(text: string | undefined): Digest | undefined {
  if (!text) return undefined
  try {
    const digest: Digest = JSON.parse(text)
    return digest.format === digestFormat ? digest : undefined
  } catch {
    return undefined
  }
}

async function readDocument(answer: Response, baseUrl: string): Promise<Document> {
  const document = answer.ok ? ((await answer.json().catch(() => null)) as Document | null) : null
  if (typeof document?.paths === 'object' && document.paths !== null) return document
  throw new CliError(
    'failed',
    `${baseUrl}/v1/openapi.json is no OpenAPI document (status ${answer.status}).`,
    'Check --base-url.',
  )
}

function touch(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // The only consequence is that the service is asked again a little earlier.
  }
}

/** Checks for a newer document while other work runs; a failure is ignored. */
export async function refreshQuietly(found: Documents, signal: AbortSignal): Promise<boolean> {
  try {
    return await found.refresh(signal)
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof CliError || signal.aborted) return false
    throw error
  }
}
