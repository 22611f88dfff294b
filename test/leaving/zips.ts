// Archives as bytes: made by an export, and taken apart.
import { inflateRawSync } from 'node:zlib'
import type { World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'

/** The zip that an export makes. */
export async function exported({ p, workspaceId }: Pick<World, 'p' | 'workspaceId'>, by: TestCaller): Promise<Buffer> {
  const { result, status } = await p.call('workspaces.exports.post', { workspaceId }, by)
  if (status !== 202) throw new Error(`the export was answered with ${status}`)
  const exportId = result.id
  for (let tries = 0; tries < 600; tries++) {
    const { result: now } = await p.call('workspaces.exports.get', { workspaceId, exportId }, by)
    if (now.status === 'failed') throw new Error(now.error)
    if (now.status === 'ready') break
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  const url = `/v1/workspaces/${workspaceId}/exports/${exportId}/file`
  const answer = await p.app.inject({ method: 'GET', url, headers: by.headers })
  if (answer.statusCode !== 200) throw new Error(answer.body)
  return answer.rawPayload
}

/** Path → content, by the directory of the zip. */
export function filesIn(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  let place = zip.readUInt32LE(zip.length - 6)
  for (let left = zip.readUInt16LE(zip.length - 12); left > 0; left--) {
    const packed = zip.readUInt32LE(place + 20)
    const [name, extra, comment] = [28, 30, 32].map(at => zip.readUInt16LE(place + at)) as [number, number, number]
    const offset = zip.readUInt32LE(place + 42)
    const path = zip.subarray(place + 46, place + 46 + name).toString('utf8')
    const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28)
    files.set(path, inflateRawSync(zip.subarray(start, start + packed)))
    place += 46 + name + extra + comment
  }
  return files
}

/** The values of a file with one a line. */
export function linesOf(files: ReadonlyMap<string, Buffer>, path: string): Record<string, unknown>[] {
  const text = files.get(path)?.toString('utf8') ?? ''
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}
