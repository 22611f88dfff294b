// What a page about a thread says: what it is about, what came of it, and what was said, in order.
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import type { Report } from '../../kit/report.ts'
import { messagesOf } from './exporting.ts'
import type { Part } from './messages/contract.ts'
import type { ThreadRow } from './store.ts'

/** Longer ones are cut, and say so: a page is read in one go. */
const mostMessages = 500
/** Of Markdown: a book of a hundred pages. It is rendered within a second, of the ten that there are. */
const mostCharacters = 200_000

type Entry = Report['sections'][number]['entries'][number]

export async function reportOf(db: Db, thread: ThreadRow, caller: Caller): Promise<Report> {
  const { name, summary, outcome, hypothesis } = thread
  const told: Entry[] = [
    ...(summary ? [{ markdown: summary }] : []),
    ...(hypothesis?.statement ? [{ heading: 'Hypothesis', markdown: hypothesis.statement }] : []),
    ...(outcome?.summary ? [{ heading: 'Outcome', markdown: outcome.summary }] : []),
  ]
  return {
    title: name,
    source: 'Thread',
    facts: factsOf(thread),
    sections: [
      ...(told.length > 0 ? [{ title: 'Summary', entries: told }] : []),
      { title: 'Messages', entries: await saidIn(db, thread, caller) },
    ],
  }
}

function factsOf({ type, status, created, hypothesis, outcome }: ThreadRow): Report['facts'] {
  const facts: [string, string | null | undefined][] = [
    ['Type', type],
    ['Status', status],
    ['Begun', `${created.slice(0, 16).replace('T', ' ')} UTC`],
    ['Verdict', hypothesis?.verdict],
    ['Outcome', outcome?.kind],
    ['Cause', outcome?.causeClass],
  ]
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []))
}

/** What was deleted or is not finished stays out. Nobody is named: a page is read outside. */
async function saidIn(db: Db, thread: ThreadRow, caller: Caller): Promise<Entry[]> {
  const entries: Entry[] = []
  let characters = 0
  for await (const { seq, role, created, parts, status } of messagesOf(db, thread, caller)) {
    if (status !== 'complete') continue
    const markdown = parts.flatMap(saying).join('\n\n')
    if (markdown === '') continue
    characters += markdown.length
    if (entries.length === mostMessages || characters > mostCharacters) {
      entries.push({
        heading: 'Cut here',
        markdown: `The thread goes on with message ${seq}; export it to read it whole.`,
      })
      break
    }
    entries.push({ heading: `${seq}. ${role}`, at: created, markdown })
  }
  return entries
}

/** Of calls only that they were made: what went in and came out may hold more than anybody wanted to share. */
function saying({ type, markdown, tool, object, id }: Part): string[] {
  if (type === 'text') return markdown ? [markdown] : []
  if (type === 'tool_call') return [`Called \`${tool}\`.`]
  if (type === 'file') return ['*A file was attached.*']
  return type === 'citation' ? [`See ${object?.replaceAll('_', ' ')} \`${id}\`.`] : []
}
