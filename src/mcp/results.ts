// What a model is told: results as compact JSON within a bound, failures with what to do about them.
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { OperationTool } from '../contract/tools.ts'

/** As the platform answered: status and text of the envelope. */
export type Answer = { status: number; text: string; approvalId?: string }

type Failure = {
  message: string
  detail?: string
  metadata?: { issues?: { path: string; expected: string }[]; missing?: string[]; reason?: string; requestId?: string }
}

/** Above this size, clients truncate results themselves, in the middle of the JSON. */
export const mostBytes = 64 * 1024

export function told(value: Record<string, unknown>): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

export function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

export function resultOf(tool: OperationTool, { status, text, approvalId }: Answer): CallToolResult {
  if (approvalId !== undefined) return waiting(tool, approvalId)
  let envelope: { success: boolean; result?: unknown; error?: Failure }
  try {
    envelope = JSON.parse(text)
  } catch {
    return failed(`The answer of ${tool.id} (status ${status}) is not JSON; call it over REST instead.`)
  }
  if (!envelope.success) return failed(explain(tool, status, envelope.error ?? { message: 'Internal error' }))
  const { result } = envelope
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  return bounded(tool, isObject ? (result as Record<string, unknown>) : { result })
}

/** Not what the tool promises as its result, so it is told as a failure that can be mended. */
function waiting({ id }: OperationTool, approvalId: string): CallToolResult {
  return failed(
    `${id} was not called yet: a person must approve it, and was asked (${approvalId}, for an hour). ` +
      `When it is approved, call it again with exactly the same arguments and "approvalId": "${approvalId}".`,
  )
}

/** A list is cut to the items that fit; anything else that is too long is refused whole, since half of it is wrong. */
function bounded(tool: OperationTool, value: Record<string, unknown>): CallToolResult {
  const bytes = sizeOf(value)
  if (bytes <= mostBytes) return told(value)
  const { items } = value
  const kept = Array.isArray(items) ? fitting(items) : 0
  if (!Array.isArray(items) || kept === 0) {
    return failed(
      `The result of ${tool.id} has ${bytes} bytes, more than the ${mostBytes} that a tool gives. ` +
        'Ask for less, or call it over REST.',
    )
  }
  const cut = { ...value, items: items.slice(0, kept) }
  const note =
    `Only the first ${kept} of the ${items.length} items of this page are shown: the result is cut at ${mostBytes} bytes. ` +
    `Ask with "perPage": ${kept} and go on with "page": 2, or filter.`
  return {
    content: [
      { type: 'text', text: JSON.stringify(cut) },
      { type: 'text', text: note },
    ],
    structuredContent: cut,
  }
}

function fitting(items: readonly unknown[]): number {
  // Room for the rest of the object and for the note.
  let room = mostBytes - 1024
  let kept = 0
  for (const item of items) {
    room -= sizeOf(item) + 1
    if (room < 0) break
    kept++
  }
  return kept
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

function explain(tool: OperationTool, status: number, { message, detail, metadata = {} }: Failure): string {
  const issues = (metadata.issues ?? []).map(({ path, expected }) => `"${path}" expects ${expected}`)
  const parts = [`${tool.id} failed: ${message} (${status}).`, detail, issues.length > 1 && `${issues.join('; ')}.`]
  return [...parts, advice(tool, status, metadata)].filter(Boolean).join(' ')
}

function advice(
  tool: OperationTool,
  status: number,
  { missing = [], reason, requestId }: NonNullable<Failure['metadata']>,
) {
  if (status === 400) {
    const { properties, required } = tool.inputSchema
    const optional = Object.keys(properties).filter(name => !required.includes(name))
    return `Correct the arguments and call again; required: ${required.join(', ') || 'none'}; optional: ${optional.join(', ') || 'none'}.`
  }
  if (status === 401) return 'The credential has ended; a person must connect again with a new one.'
  if (status === 403 && missing.length > 0 && reason !== 'policy') {
    return `Do not try again: ask for a credential with ${missing.join(', ')}, from somebody who holds it.`
  }
  if (status === 403) return 'Do not try again with this credential.'
  if (status === 404) return `Check the ids; ${tool.area} can be listed.`
  if (status === 409) return 'Read the record as it is now before you change it again.'
  if (status === 429) return 'Wait a minute before the next call.'
  if (status >= 500) return `Try once more in a moment${requestId ? `; report it as ${requestId}` : ''}.`
  return ''
}
