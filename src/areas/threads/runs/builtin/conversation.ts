// What the model is told of a thread: its messages as turns, and which calls of the run still have no result.
import type { ModelCall, ModelTurn } from '../../../../kit/model.ts'
import type { Part } from '../../messages/contract.ts'
import type { MessageRow } from '../../messages/store.ts'

export type PendingCall = ModelCall & { reason: string | null }

export type Conversation = {
  turns: ModelTurn[]
  /** Calls of the run's last message that nobody has carried out yet. */
  pending: PendingCall[]
  /** The run's last message asks for nothing more: it is the answer. */
  isAnswered: boolean
}

type Run = { id: string; instructions: string | null }

/** The newest of these that fit are told. */
const mostLetters = 240_000
const longestReason = 500
const noResult = 'There is no result: the run ended before.'

/** Oldest first. What was lost half-written or deleted is left out. */
export function conversationOf(messages: readonly MessageRow[], run: Run): Conversation {
  const told = messages.filter(one => one.status === 'complete' && !isByTool(one, run))
  const own = told.filter(one => one.author.credentialId === run.id && one.role === 'assistant')
  const results = resultsIn(told)
  const last = own.at(-1)
  const calls = last ? callsIn(last.parts) : []
  const reason = last && last.text !== '' ? last.text.slice(0, longestReason) : null
  return {
    turns: bounded(turnsOf(withInstructions(told, run), results)),
    pending: calls.filter(({ callId }) => !results.has(callId)).map(call => ({ ...call, reason })),
    isAnswered: last !== undefined && calls.length === 0,
  }
}

/** Written by the model through a tool: the call already tells of it. What the runner itself writes says what it took. */
function isByTool({ author, role, usage }: MessageRow, run: Run): boolean {
  return author.credentialId === run.id && role === 'assistant' && usage === null
}

type Said = Pick<MessageRow, 'role' | 'parts' | 'text'>

/** Where the run begins, unless somebody has said just that since the last answer. */
function withInstructions(told: readonly MessageRow[], { id, instructions }: Run): Said[] {
  const first = told.findIndex(one => one.author.credentialId === id)
  const [before, after] = first < 0 ? [told, []] : [told.slice(0, first), told.slice(first)]
  const since = before.slice(before.findLastIndex(({ role }) => role === 'assistant') + 1)
  const isSaid = instructions === null || since.some(({ role, text }) => role === 'user' && text === instructions)
  return isSaid ? [...told] : [...before, { role: 'user', parts: [], text: instructions ?? '' }, ...after]
}

type Result = { ok: boolean; output: string }

/** Of agents: what a person writes as a result is none. */
function resultsIn(told: readonly MessageRow[]): Map<string, Result> {
  const found = new Map<string, Result>()
  const byAgents = told.filter(({ role }) => role === 'assistant' || role === 'tool')
  for (const { type, callId = '', ok = false, output, truncated } of byAgents.flatMap(({ parts }) => parts)) {
    if (type !== 'tool_result') continue
    const text = typeof output === 'string' ? output : JSON.stringify(output ?? null)
    found.set(callId, { ok, output: truncated ? `${text} … (the rest is left out)` : text })
  }
  return found
}

function callsIn(parts: readonly Part[]): ModelCall[] {
  return parts.flatMap(({ type, tool = '', args = {}, callId = '' }) =>
    type === 'tool_call' ? [{ callId, tool, args }] : [],
  )
}

/** The model reads one with messages.files.read, if it wants to. */
function filesIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ type, fileId, name, mimeType, size }) =>
    type === 'file' ? [`[File ${name}, ${mimeType}, ${size} bytes: ${fileId}]`] : [],
  )
}

/** Each call is followed by its result, wherever people wrote something in between. */
function turnsOf(said: readonly Said[], results: ReadonlyMap<string, Result>): ModelTurn[] {
  const turns: ModelTurn[] = []
  for (const { role, parts, text: written } of said) {
    const whole = [written, ...filesIn(parts)].join('\n').trimEnd()
    // Endpoints refuse a text of spaces alone.
    const text = whole.trim() === '' ? '' : whole
    if (role === 'user' || role === 'system') {
      const last = turns.at(-1)
      if (text === '') continue
      if (last?.role === 'user') last.text += `\n\n${text}`
      else turns.push({ role: 'user', text })
      continue
    }
    const calls = callsIn(parts)
    if (text === '' && calls.length === 0) continue
    turns.push({ role: 'assistant', text, calls })
    if (calls.length === 0) continue
    const answered = calls.map(({ callId, tool }) => {
      return { callId, tool, ...(results.get(callId) ?? { ok: false, output: noResult }) }
    })
    turns.push({ role: 'tool', results: answered })
  }
  return turns
}

/** A model is asked by a person, and answers: the first turn is a person's, and the last is none of its own. */
function bounded(turns: ModelTurn[]): ModelTurn[] {
  let letters = 0
  let from = turns.length
  while (from > 0) {
    letters += JSON.stringify(turns[from - 1]).length
    if (letters > mostLetters && from < turns.length) break
    from--
  }
  // Results without their calls say nothing.
  if (turns[from]?.role === 'tool') from++
  const kept = turns.slice(from)
  if (kept[0]?.role !== 'user')
    kept.unshift({ role: 'user', text: from > 0 ? '(Earlier messages are left out.)' : 'Begin.' })
  if (kept.at(-1)?.role === 'assistant') kept.push({ role: 'user', text: 'Go on.' })
  return kept
}
