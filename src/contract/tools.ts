// An operation as a tool that an agent can call: its name, its effect, its flat input and its output.
import type { TSchema } from 'typebox'
import { methodOf, type Operation, type Operations, workspaceIn } from './operation.ts'
import type { Scope } from './scopes.ts'

export const effects = ['read', 'write', 'destructive'] as const

/** Static, from the operation; nothing judges it at run time. */
export type Effect = (typeof effects)[number]

export type JsonSchema = { type: 'object'; [key: string]: unknown }

export type OperationTool = {
  id: string
  name: string
  area: string
  operation: Operation
  effect: Effect
  scopes: readonly Scope[]
  inputSchema: JsonSchema & { properties: Record<string, unknown>; required: string[] }
  /** Null where the result is no object, which older clients could not read. */
  outputSchema: JsonSchema | null
}

/** Dots are legal in the protocol, but several clients refuse a whole list for one of them. */
export function toolNameOf(id: string): string {
  return id.replaceAll('.', '_')
}

export function effectOf(operation: Operation): Effect {
  const method = methodOf(operation)
  const { access, audit } = operation
  // What needs no more than to read, and leaves no entry, only computes, also where it takes a body.
  const isComputing = audit === false && typeof access !== 'string' && access.every(scope => scope.endsWith(':read'))
  if (method === 'GET' || isComputing) return 'read'
  return method === 'DELETE' ? 'destructive' : 'write'
}

/** A file or a stream is no result that a model could be given, nor one that it could send; what logs in or signs up is no work of an agent's. */
export function isTool(operation: Operation): boolean {
  const isOpenWrite = operation.access === 'public' && methodOf(operation) !== 'GET'
  return (
    operation.tool !== false &&
    operation.produces === undefined &&
    operation.consumes === undefined &&
    operation.envelope !== false &&
    !isOpenWrite
  )
}

/** Every operation that can be a tool, by id. */
export function toolsOf(operations: Operations): OperationTool[] {
  return Object.entries(operations)
    .filter(([, operation]) => isTool(operation))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, operation]) => toolOf(id, operation))
}

/** The schemas are made when they are first read: a start needs none of them. */
function toolOf(id: string, operation: Operation): OperationTool {
  let input: OperationTool['inputSchema'] | undefined
  let output: JsonSchema | null | undefined
  return {
    id,
    name: toolNameOf(id),
    area: id.slice(0, id.indexOf('.')),
    operation,
    effect: effectOf(operation),
    scopes: typeof operation.access === 'string' ? [] : operation.access,
    get inputSchema() {
      input ??= inputSchemaOf(operation)
      return input
    },
    get outputSchema() {
      if (output === undefined) output = outputSchemaOf(operation)
      return output
    },
  }
}

function outputSchemaOf(operation: Operation): JsonSchema | null {
  const output = plain(operation.result, ['examples'])
  return output.type === 'object' ? (output as JsonSchema) : null
}

const ownWorkspace = 'Left out: the workspace of your credential.'

/** Path, query and body in one object, since no name may stand in two of them. */
function inputSchemaOf(operation: Operation): OperationTool['inputSchema'] {
  const parts = [operation.path, operation.query, operation.body].filter(part => part !== undefined)
  const properties = Object.assign({}, ...parts.map(part => plain(part).properties))
  const required = parts.flatMap(part => [...((part.required ?? []) as string[])])
  if (workspaceIn(operation) === null) return { type: 'object', properties, required, additionalProperties: false }
  properties.workspaceId = { ...properties.workspaceId, description: ownWorkspace }
  return {
    type: 'object',
    properties,
    required: required.filter(name => name !== 'workspaceId'),
    additionalProperties: false,
  }
}

/** The schema without the marks that only the platform reads. */
function plain(schema: TSchema, without: readonly string[] = []): Record<string, unknown> {
  const entries = Object.entries(schema as Record<string, unknown>)
    .filter(([key]) => !key.startsWith('x-') && !key.startsWith('~') && !without.includes(key))
    .map(([key, value]) => [key, plainPart(key, value, without)])
  return Object.fromEntries(entries)
}

function plainPart(key: string, value: unknown, without: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (key === 'properties' || key === 'patternProperties') {
    const parts = Object.entries(value as Record<string, TSchema>)
    return Object.fromEntries(parts.map(([name, part]) => [name, plain(part, without)]))
  }
  if (key === 'anyOf' || key === 'allOf') return (value as TSchema[]).map(part => plain(part, without))
  if (key === 'items' || key === 'additionalProperties') return plain(value as TSchema, without)
  return value
}
