// What can be read beside the tools: the OpenAPI document and a catalogue of the operations in Markdown.
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server'
import { openapi } from '../contract/openapi.ts'
import type { Operations } from '../contract/operation.ts'
import { areas } from '../operations.ts'
import { catalogueOf } from './catalogue.ts'

type Kept = Resource & { text: () => string }

const kept = new WeakMap<Operations, readonly Kept[]>()

export function resourcesOf(operations: Operations, publicUrl: string): readonly Kept[] {
  let resources = kept.get(operations)
  if (!resources) {
    resources = [
      {
        uri: 'atrium://operations.md',
        name: 'operations',
        title: 'Catalogue of operations',
        description: 'Every operation with its effect and scopes, by area.',
        mimeType: 'text/markdown',
        text: once(() => catalogueText(operations)),
      },
      {
        uri: 'atrium://openapi.json',
        name: 'openapi',
        title: 'OpenAPI document',
        description: 'The whole interface as OpenAPI 3.1.',
        mimeType: 'application/json',
        text: once(() => JSON.stringify(openapi(areas, publicUrl))),
      },
    ]
    kept.set(operations, resources)
  }
  return resources
}

export function listed({ text: _, ...resource }: Kept): Resource {
  return resource
}

export function read({ uri, mimeType, text }: Kept): ReadResourceResult {
  return { contents: [{ uri, mimeType, text: text() }] }
}

function once(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}

function catalogueText(operations: Operations): string {
  const { tools } = catalogueOf(operations)
  const byArea = Map.groupBy(tools, tool => tool.area)
  const sections = [...byArea].map(([area, ofArea]) => {
    const lines = ofArea.map(({ id, effect, scopes, operation }) => {
      const needs = scopes.length > 0 ? scopes.join(', ') : operation.access
      return `- \`${id}\` (${effect}; ${needs}): ${operation.summary}`
    })
    return `## ${area}\n\n${lines.join('\n')}\n`
  })
  return `# Operations\n\n${sections.join('\n')}`
}
