// Which result answers which call: the next one of the same id, in the same message or a later one.
import type { Message, Part } from './thread.ts'

export type Paired = {
  /** By message and place of the call. */
  results: ReadonlyMap<string, Part>
  /** Results that are shown with their call. */
  shown: ReadonlySet<string>
}

export function placeOf(messageId: string, index: number): string {
  return `${messageId}.${index}`
}

export function paired(messages: readonly Message[]): Paired {
  const results = new Map<string, Part>()
  const shown = new Set<string>()
  const open = new Map<string, string>()
  for (const { id, parts } of messages) {
    parts.forEach((part, index) => {
      const { type, callId = '' } = part
      if (type === 'tool_call') open.set(callId, placeOf(id, index))
      const call = type === 'tool_result' ? open.get(callId) : undefined
      if (call === undefined) return
      results.set(call, part)
      shown.add(placeOf(id, index))
      open.delete(callId)
    })
  }
  return { results, shown }
}

/** Whether anything of a message is left to show by itself. */
export function isEmpty({ id, parts, status }: Message, { shown }: Paired): boolean {
  return status === 'complete' && parts.length > 0 && parts.every((_, index) => shown.has(placeOf(id, index)))
}
