// Which fields a part of a message has, what a message says to people, and how large it may be.
import { badRequest } from '../../../contract/errors.ts'
import { mostBytes, type Part } from './contract.ts'

type Shape = { needs: readonly (keyof Part)[]; takes?: readonly (keyof Part)[] }

const shapes: Readonly<Record<Part['type'], Shape>> = {
  text: { needs: ['markdown'] },
  tool_call: { needs: ['tool', 'callId'], takes: ['args'] },
  tool_result: { needs: ['callId', 'ok'], takes: ['output', 'truncated'] },
  citation: { needs: ['object', 'id'], takes: ['range'] },
  // What stands in a message that was read may be sent again; the server writes it anew.
  file: { needs: ['fileId'], takes: ['name', 'mimeType', 'size'] },
}

/** 400 where a part lacks a field of its type, has one of another, or all of them are too much. */
export function checkParts(parts: readonly Part[]): void {
  parts.forEach((part, index) => {
    const { needs, takes = [] } = shapes[part.type]
    const missing = needs.find(name => part[name] === undefined)
    if (missing) throw refusal(`parts.${index}.${missing}`, 'required', `there, in a ${part.type}`)
    const names = Object.keys(part) as (keyof Part)[]
    const strange = names.find(name => name !== 'type' && !needs.includes(name) && !takes.includes(name))
    if (strange) throw refusal(`parts.${index}.${strange}`, 'type', `left out of a ${part.type}`)
  })
  if (Buffer.byteLength(JSON.stringify(parts)) > mostBytes) {
    throw refusal('parts', 'size', 'at most 256 KiB together; send less, or several messages')
  }
}

function refusal(path: string, rule: string, expected: string) {
  return badRequest(`"${path}" must be ${expected}.`, [{ path, rule, expected }])
}

/** Results must answer a call: of the message itself, or of one of these. */
export function refuseStrayResults(parts: readonly Part[], earlier: ReadonlySet<string>): void {
  const called = new Set(earlier)
  parts.forEach((part, index) => {
    if (part.type === 'tool_call' && part.callId) called.add(part.callId)
    if (part.type !== 'tool_result' || called.has(part.callId ?? '')) return
    throw refusal(`parts.${index}.callId`, 'reference', 'that of a tool_call before it in the thread')
  })
}

export function resultsIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ type, callId }) => (type === 'tool_result' && callId ? [callId] : []))
}

export function textOf(parts: readonly Part[]): string {
  return parts.flatMap(({ type, markdown }) => (type === 'text' && markdown ? [markdown] : [])).join('\n\n')
}

const longestTitle = 120

/** The first line, without marks of Markdown at its beginning. */
export function titleOf(text: string, fallback = 'Message'): string {
  const line = text.split('\n').find(one => one.trim() !== '') ?? ''
  const letters = [...line.trim().replace(/^([#>*-]+\s+|`+)/, '')]
  if (letters.length === 0) return fallback
  return letters.length > longestTitle ? `${letters.slice(0, longestTitle - 1).join('')}…` : letters.join('')
}
