// A thread as a file, read piece by piece so that a long one needs no more memory than a short one.
import type { Stream } from '../../contract/operation.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import type { Part } from './messages/contract.ts'
import * as messages from './messages/store.ts'
import type { ThreadRow } from './store.ts'

const piece = 200

export function exportOf(db: Db, thread: ThreadRow, format: 'md' | 'json', caller: Caller): Stream {
  const isJson = format === 'json'
  return {
    contentType: isJson ? 'application/json; charset=utf-8' : 'text/markdown; charset=utf-8',
    fileName: `${thread.id}.${format}`,
    chunks: isJson ? asJson(db, thread, caller) : asMarkdown(db, thread, caller),
  }
}

/** In order, read piece by piece. */
export async function* messagesOf(db: Db, { id }: ThreadRow, caller: Caller): AsyncGenerator<messages.MessageRow> {
  for (let seq = 0; ; ) {
    const rows = await messages.after(db, id, seq, piece, caller)
    yield* rows
    if (rows.length < piece) return
    seq = rows.at(-1)?.seq ?? seq
  }
}

async function* asJson(db: Db, thread: ThreadRow, caller: Caller): AsyncGenerator<string> {
  yield `{"thread":${JSON.stringify(thread)},"messages":[`
  let isFirst = true
  for await (const message of messagesOf(db, thread, caller)) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify(message)}`
    isFirst = false
  }
  yield ']}\n'
}

async function* asMarkdown(db: Db, thread: ThreadRow, caller: Caller): AsyncGenerator<string> {
  const { name, type, status, created, summary, hypothesis, outcome } = thread
  yield `# ${name}\n\n${type}, ${status}, begun ${created}\n`
  if (summary) yield `\n${summary}\n`
  if (hypothesis?.statement) yield `\nHypothesis: ${hypothesis.statement} (${hypothesis.verdict ?? 'open'})\n`
  if (outcome) yield `\nOutcome: ${outcome.kind}. ${outcome.summary ?? ''}\n`
  for await (const { seq, role, created: at, parts, status: state } of messagesOf(db, thread, caller)) {
    yield `\n## ${seq}. ${role}, ${at}\n\n`
    yield state === 'redacted' ? '*Deleted.*\n' : `${parts.map(markdownOf).join('\n\n')}\n`
  }
}

function markdownOf(part: Part): string {
  if (part.type === 'text') return part.markdown ?? ''
  if (part.type === 'citation') return `[${part.object} ${part.id}${part.range ? ` ${part.range}` : ''}]`
  if (part.type === 'file') return `[file ${part.name}, ${part.size} bytes]`
  const what = part.type === 'tool_call' ? `Call of ${part.tool}` : `Result${part.ok ? '' : ' (failed)'}`
  const text = JSON.stringify(part.type === 'tool_call' ? (part.args ?? {}) : (part.output ?? null), null, 2)
  // A fence that the text cannot close.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([marks]) => marks.length))
  const fence = '`'.repeat(longest + 1)
  return `${what}:\n\n${fence}json\n${text}\n${fence}`
}
