// An archive as it came: its files by name, each checked against the signed list while it is read.
import { createHash } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { ContentFile } from '../../../contract/content.ts'
import { ApiError, badRequest } from '../../../contract/errors.ts'
import { isSigned } from '../../../contract/ledger_verifier.ts'
import { linesIn } from '../../../kit/lines.ts'
import { openZip } from '../../../kit/zip_file.ts'
import { archiveVersion, Manifest, paths, sealOf } from '../carrying/archive.ts'

const mebibyte = 1024 * 1024
const limits = { entries: 65_001, fileBytes: 4096 * mebibyte, totalBytes: 8192 * mebibyte }
/** What people write becomes a tenth; more than this is made to be much. */
const mostGrowth = 200
const freeGrowthBytes = 64 * mebibyte
const mostManifestBytes = 16 * mebibyte
/** The largest body that makes a row is 5 MiB: of an alert, or of a patch. */
const mostLineBytes = 8 * mebibyte

export type ArchiveFile = {
  manifest: Manifest
  paths: readonly string[]
  sizeOf(path: string): number | undefined
  /** Throws 400 where the content is not what the list says. */
  chunks(path: string): AsyncGenerator<Buffer, void, undefined>
  lines(path: string): AsyncGenerator<string, void, undefined>
}

export function tampered(why: string): ApiError {
  return badRequest(`The archive is not whole: ${why}. Export the workspace again and send that file.`)
}

/** The manifest is genuine and lists exactly what is there; what the files hold is not looked at yet. */
export async function openArchive(file: ContentFile): Promise<ArchiveFile> {
  const entries = await openZip(file, limits)
  const bytes = [...entries.values()].reduce((sum, { size }) => sum + size, 0)
  if (bytes > freeGrowthBytes && bytes > file.size * mostGrowth) {
    throw new ApiError('payload_too_large', 'The archive would become far larger than any export; it is refused.')
  }
  const manifest = await manifestIn(entries.get(paths.manifest)?.size ?? 0, () => chunksOf(paths.manifest))
  const listed = new Map(manifest.files.map(one => [one.path, one]))
  const names = [...entries.keys()].filter(path => path !== paths.manifest)
  if (listed.size !== manifest.files.length || listed.size !== names.length)
    throw tampered('files were added or left out')
  for (const path of names) {
    if (listed.get(path)?.size !== entries.get(path)?.size) throw tampered(`"${path}" was changed, added or left out`)
  }

  function chunksOf(path: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = entries.get(path)
    if (!entry) throw tampered(`"${path}" is missing`)
    return entry.chunks()
  }

  async function* chunks(path: string): AsyncGenerator<Buffer, void, undefined> {
    const digest = createHash('sha256')
    for await (const chunk of chunksOf(path)) {
      digest.update(chunk)
      yield chunk
    }
    if (digest.digest('hex') !== listed.get(path)?.sha256) throw tampered(`"${path}" was changed`)
  }

  const lines = (path: string) =>
    linesIn(chunks(path), mostLineBytes, () => tampered(`a line of "${path}" is too long`))
  return { manifest, paths: names, sizeOf: path => entries.get(path)?.size, chunks, lines }
}

const isManifest = Compile(Manifest)

async function manifestIn(size: number, chunks: () => AsyncIterable<Uint8Array>): Promise<Manifest> {
  if (size === 0) throw badRequest('This is no export of a workspace: it has no manifest.')
  if (size > mostManifestBytes) throw tampered('its manifest is too long')
  const parts: string[] = []
  for await (const line of linesIn(chunks(), mostManifestBytes, () => tampered('its manifest is too long')))
    parts.push(line)
  const [text = '', end = '', ...more] = parts
  const manifest = jsonOf(text)
  const { signature } = (jsonOf(end) ?? {}) as { signature?: unknown }
  const { version } = (manifest ?? {}) as { version?: unknown }
  if (typeof version === 'number' && version > archiveVersion) {
    throw badRequest('The archive was made by a newer version; upgrade this installation first.')
  }
  if (!isManifest.Check(manifest) || typeof signature !== 'string' || more.length > 0) {
    throw tampered('its manifest cannot be read')
  }
  const isGenuine = await isSigned(manifest.publicKey, signature, sealOf(text)).catch(() => false)
  if (!isGenuine) throw tampered('its signature is wrong')
  return manifest
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A file of one JSON value. */
export async function valueIn<S extends TSchema>(archive: ArchiveFile, path: string, schema: S): Promise<Static<S>> {
  let value: unknown
  for await (const line of archive.lines(path)) {
    if (value !== undefined) throw tampered(`"${path}" is longer than it should be`)
    value = jsonOf(line)
  }
  if (!Compile(schema).Check(value)) throw tampered(`"${path}" cannot be read`)
  return value as Static<S>
}
