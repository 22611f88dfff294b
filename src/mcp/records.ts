// Records as resources: any of them by its address, read as the operation that shows it answers.
import { type ReadResourceResult, ResourceNotFoundError, type ResourceTemplateType } from '@modelcontextprotocol/server'
import { requestOf } from '../client/request.ts'
import { type Kind, uriOf } from '../contract/directory.ts'
import type { Call } from './run.ts'

const mimeType = 'application/json'

export function recordTemplates(kinds: readonly Kind[]): ResourceTemplateType[] {
  return kinds.map(kind => ({
    uriTemplate: uriOf(kind, '{workspaceId}', '{id}'),
    name: kind.object,
    title: kind.read.summary,
    description: 'search.query finds such records and gives their addresses.',
    mimeType,
  }))
}

/** A record that may not be read answers as one that does not exist: not found. */
export async function readRecord(kinds: readonly Kind[], call: Call, uri: string): Promise<ReadResourceResult> {
  const [, workspaceId = '', object = '', id = ''] = /^atrium:\/\/(\w+)\/(\w+)\/(\w+)$/.exec(uri) ?? []
  const kind = kinds.find(one => one.object === object)
  if (!kind) throw new ResourceNotFoundError(uri)
  const [, key = 'id'] = Object.keys(kind.read.path?.properties ?? {})
  const { status, text } = await call(requestOf(kind.read, { workspaceId, [key]: id }))
  if (status !== 200) throw new ResourceNotFoundError(uri)
  return { contents: [{ uri, mimeType, text: JSON.stringify(JSON.parse(text).result) }] }
}
