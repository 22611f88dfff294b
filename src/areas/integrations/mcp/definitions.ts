// Definitions of tools: whether one has changed, what has, and what it seems to do.
import { createHash } from 'node:crypto'
import { canonical } from '../../../kit/json.ts'
import type { ToolAnnotations, ToolDefinition } from './tools.ts'
import { cut } from './values.ts'

export { argumentsFault } from './arguments.ts'
export type { ToolAnnotations, ToolDefinition } from './tools.ts'

/** The same as long as everything is that a model or a person is shown of the tool. */
export function digestOf({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition): string {
  const shown = { name, title, description, inputSchema, outputSchema, annotations }
  return createHash('sha256').update(canonical(shown)).digest('hex')
}

export type Difference = {
  /** Such as `inputSchema.properties.city.type`. */
  path: string
  /** As JSON where it is no text; null where nothing was there. */
  before: string | null
  after: string | null
}

const mostDifferences = 100
const longestValue = 500

export function differences(before: ToolDefinition, after: ToolDefinition): Difference[] {
  const found: Difference[] = []
  for (const field of ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const) {
    walk(field, before[field], after[field], found)
  }
  return found
}

/** Definitions are at most 64 levels deep. */
function walk(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (found.length >= mostDifferences || canonical(before ?? null) === canonical(after ?? null)) return
  if (!isTree(before) || !isTree(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push({ path, before: valueText(before), after: valueText(after) })
    return
  }
  const [one, other] = [fieldsOf(before), fieldsOf(after)]
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    walk(pathTo(path, name, Array.isArray(before)), one.get(name), other.get(name), found)
  }
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value))
}

function pathTo(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`
  return /^[\w$-]{1,100}$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(cut(name, 100))}]`
}

function valueText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return cut(typeof value === 'string' ? value : JSON.stringify(value), longestValue)
}

export type Effect = 'read' | 'write' | 'destructive'

/** A suggestion for the person who decides: the server says so of itself. */
export function effectOf({ readOnlyHint, destructiveHint }: ToolAnnotations): Effect {
  if (destructiveHint) return 'destructive'
  return readOnlyHint ? 'read' : 'write'
}
