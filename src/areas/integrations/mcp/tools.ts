// The tools that a server offers, as far as they can be used here; the others are named with the reason.
import type { Hide } from '../hiding.ts'
import { shown } from './failures.ts'
import { cleaned, objectIn, textIn } from './values.ts'

export type ToolDefinition = {
  name: string
  title: string | null
  description: string | null
  inputSchema: object
  outputSchema: object | null
  /** What the server says about the tool; nothing makes it keep to that. */
  annotations: ToolAnnotations
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

export type ToolAnnotations = { [hint in (typeof hints)[number]]?: boolean }

export type LeftOut = { name: string; why: string }

const mostTools = 200
const mostBytes = 512 * 1024
const mostBytesEach = 32 * 1024
const longestTitle = 200
const longestDescription = 4_096
const toolName = /^[a-zA-Z0-9_.-]{1,64}$/

export type ToolCollection = {
  tools: ToolDefinition[]
  leftOut: LeftOut[]
  isFull(): boolean
  /** More than is even looked at. */
  isOver(): boolean
  add(raw: unknown): void
}

export function toolCollection(hide: Hide): ToolCollection {
  const tools: ToolDefinition[] = []
  const leftOut: LeftOut[] = []
  const names = new Set<string>()
  let size = 0
  let isOver = false

  function faultOf(raw: Record<string, unknown>, definition: ToolDefinition, bytes: number): string | null {
    if (!toolName.test(definition.name)) {
      return 'its name is not of 1 to 64 letters, digits, underscores, dots and hyphens'
    }
    if (names.has(definition.name)) return 'another tool has the same name'
    if (!isObjectSchema(raw.inputSchema)) return 'its input schema is not the schema of an object'
    if (bytes > mostBytesEach) return 'its definition is larger than 32 KiB'
    if (hasStrayHeader(definition.inputSchema)) return 'its schema asks for headers in a way that the protocol forbids'
    if (tools.length >= mostTools) return `there are more than ${mostTools} tools`
    return size + bytes > mostBytes ? 'the definitions are larger than 512 KiB together' : null
  }

  return {
    tools,
    leftOut,
    isFull: () => tools.length >= mostTools || size >= mostBytes || isOver,
    isOver: () => isOver,
    add(given) {
      isOver ||= leftOut.length >= mostTools
      if (isOver) return
      const raw = objectIn(given) ?? {}
      const definition = definitionOf(raw, hide)
      const bytes = Buffer.byteLength(JSON.stringify(definition))
      const why = faultOf(raw, definition, bytes)
      if (why !== null) {
        const name = shown(raw.name, hide).slice(0, 64).toWellFormed()
        leftOut.push({ name, why })
        return
      }
      size += bytes
      names.add(definition.name)
      tools.push(definition)
    },
  }
}

function definitionOf(raw: Record<string, unknown>, hide: Hide): ToolDefinition {
  const said = objectIn(raw.annotations) ?? {}
  const given = hints.filter(hint => typeof said[hint] === 'boolean')
  return {
    name: typeof raw.name === 'string' ? raw.name : '',
    title: textIn(raw.title ?? said.title, longestTitle, hide),
    description: textIn(raw.description, longestDescription, hide),
    inputSchema: objectIn(cleaned(raw.inputSchema, hide)) ?? {},
    outputSchema: objectIn(cleaned(raw.outputSchema, hide)),
    annotations: Object.fromEntries(given.map(hint => [hint, said[hint] as boolean])),
  }
}

/** Servers that forget the type mean an object: arguments are nothing else. */
function isObjectSchema(schema: unknown): boolean {
  const { type = 'object' } = objectIn(schema) ?? { type: null }
  return type === 'object'
}

const headerToken = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerTypes: readonly unknown[] = ['string', 'integer', 'boolean']

/**
 * The newest revision lets a schema ask for an argument as a header, `x-mcp-header`, and demands that tools which do it
 * wrongly are left out: what a gateway reads there could then be another thing than what the tool gets.
 */
function hasStrayHeader(schema: object): boolean {
  const seen = new Set<string>()
  const isStray = (value: unknown, isReachable: boolean): boolean => {
    if (typeof value !== 'object' || value === null) return false
    if (Array.isArray(value)) return value.some(part => isStray(part, false))
    const { properties, 'x-mcp-header': header, type, ...others } = value as Record<string, unknown>
    if (header !== undefined) {
      const isGood = isReachable && typeof header === 'string' && headerToken.test(header) && headerTypes.includes(type)
      if (!isGood || seen.has(header.toLowerCase())) return true
      seen.add(header.toLowerCase())
    }
    const inside = Object.values(objectIn(properties) ?? {})
    const isTop = value === schema
    return (
      inside.some(part => isStray(part, isTop || isReachable)) ||
      Object.values(others).some(part => isStray(part, false))
    )
  }
  return isStray(schema, false)
}
