// The walk from a body to its items: resources, scopes, and what each item has of them.
import type { Attributes } from '../../datasets/rows/row.ts'
import { BadItem, type Budget } from './faults.ts'
import { attributes, type Part, part, parts, text, uint32 } from './fields.ts'
import { parseBody } from './json.ts'
import { message, messageFromJson, type Read, readMessage, type Schema } from './message.ts'
import type { Writable } from './values.ts'
import { readerOf } from './wire.ts'

/** A body of either encoding. */
export type Source = { whole: Part; read: <M>(schema: Schema<M>, part: Part, name: string) => M }

export function protobufSource(body: Uint8Array): Source {
  const reader = readerOf(body, { nested: 0 })
  return {
    whole: { from: 0, to: body.byteLength },
    read: (schema, range) => {
      if ('json' in range) throw new Error('a part of another body')
      reader.at = range.from
      reader.end = range.to
      return readMessage(schema, reader)
    },
  }
}

export function jsonSource(body: Uint8Array): Source {
  const budget: Budget = { nested: 0 }
  return {
    whole: { json: parseBody(body) },
    read: (schema, value, name) => messageFromJson(schema, 'json' in value ? value.json : null, name, budget),
  }
}

const resourceSchema = message({ attributes: attributes(1) })

const scopeSchema = message({
  name: text(1),
  version: text(2),
  attributes: attributes(3),
  droppedAttributesCount: uint32(4),
})

/** What an item has of those around it. */
export type Around = {
  resource: Attributes
  service: string | null
  /** What the detail of each has: nothing, or the scope. */
  detail: Attributes | null
  /** Why no item in it can be taken. */
  fault: string | null
}

export type Walk = {
  source: Source
  resourceDefaults: Attributes
  /** Takes each item in turn. */
  item: (part: Part, around: Around) => void
}

type Names = { resources: string; scopes: string; items: string }

/** The three schemas are alike in all signals but for the names in JSON. */
export function walker(names: Names): (walk: Walk) => void {
  const request = message({ [names.resources]: parts(1) })
  const resources = message({ resource: part(1), [names.scopes]: parts(2) })
  const scopes = message({ scope: part(1), [names.items]: parts(2) })
  return walk => {
    const { source } = walk
    for (const each of partsIn(source.read(request, source.whole, 'the body'), names.resources)) {
      const ofResource = source.read(resources, each, names.resources)
      const resource = aroundResource(walk, ofResource.resource as Part | null)
      for (const inner of partsIn(ofResource, names.scopes)) {
        const ofScope = source.read(scopes, inner, names.scopes)
        const around = withScope(walk, resource, ofScope.scope as Part | null)
        for (const item of partsIn(ofScope, names.items)) walk.item(item, around)
      }
    }
  }
}

function partsIn(read: { [name: string]: unknown }, name: string): Part[] {
  return read[name] as Part[]
}

/** What the items have of the resource. One that is bad data is no reason to refuse what others have sent. */
function aroundResource(walk: Walk, resource: Part | null): Around {
  const [read, fault] = attempt(() => (resource ? walk.source.read(resourceSchema, resource, 'resource') : null))
  const all = { ...walk.resourceDefaults, ...read?.attributes.values }
  const service = all['service.name']
  return {
    resource: all,
    service: typeof service === 'string' ? service : null,
    detail: null,
    fault: fault && `resource: ${fault}`,
  }
}

function withScope(walk: Walk, around: Around, scope: Part | null): Around {
  if (!scope) return around
  const [read, fault] = attempt(() => walk.source.read(scopeSchema, scope, 'scope'))
  if (!read) return { ...around, fault: around.fault ?? `scope: ${fault}` }
  const shown = scopeDetail(read)
  return shown ? { ...around, detail: { scope: shown } } : around
}

function scopeDetail(read: Read<typeof scopeSchema>): Attributes | null {
  if (read.name === '' && read.version === '') return null
  const shown: Writable = { name: read.name }
  if (read.version !== '') shown.version = read.version
  if (Object.keys(read.attributes.values).length > 0) shown.attributes = read.attributes.values
  if (read.droppedAttributesCount > 0) shown.droppedAttributesCount = read.droppedAttributesCount
  return shown
}

function attempt<T>(read: () => T): [T | null, string | null] {
  try {
    return [read(), null]
  } catch (error) {
    if (error instanceof BadItem) return [null, error.message]
    throw error
  }
}
