// A thread, its messages and runs as the pages see them: colours and words of their states.
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { type Owner, ownerName } from '../../parts/people.tsx'

export type Thread = ItemOf<'threads.list'>
export type Message = ItemOf<'messages.list'>
export type Part = Message['parts'][number]
export type Run = ItemOf<'threads.runs.list'>
type Verdict = NonNullable<NonNullable<Thread['hypothesis']>['verdict']>

export const threadColors: Readonly<Record<Thread['status'], string>> = {
  idle: 'gray',
  queued: 'blue',
  running: 'blue',
  waiting_on_agents: 'blue',
  waiting_on_human: 'yellow',
  failed: 'red',
  archived: 'gray',
}

export const runColors: Readonly<Record<Run['status'], string>> = {
  queued: 'blue',
  leased: 'blue',
  running: 'blue',
  parked: 'yellow',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'gray',
}

export const verdictColors: Readonly<Record<Verdict, string>> = {
  confirmed: 'green',
  refuted: 'red',
  inconclusive: 'yellow',
}

export function isActive({ status }: Run): boolean {
  return status === 'queued' || status === 'leased' || status === 'running' || status === 'parked'
}

/** How a run stands, in a sentence; why it stopped, where it did. */
export function standingOf({ status, error, summary, waitsFor, runner }: Run): string {
  switch (status) {
    case 'queued':
      return runner === 'external' ? 'Waits for a runner to take it up.' : 'Begins in a moment.'
    case 'leased':
    case 'running':
      return 'An agent is at work.'
    case 'parked':
      return waitsFor === 'answer' ? 'It asked something and waits for an answer.' : 'Waits for an approval.'
    case 'succeeded':
      return summary ?? 'It came to its end.'
    case 'failed':
      return error ?? 'It failed without saying why.'
    case 'cancelled':
      return error ?? 'Somebody stopped it.'
  }
}

/** What the author of a message is called. */
export function authorName({ author, role, callerKind }: Message, owners: readonly Owner[]): string {
  if (role === 'assistant' || role === 'tool' || callerKind !== null) return 'Agent'
  if (author.type === 'system') return 'Atrium'
  return author.id === null ? 'A former member' : ownerName(owners, author.id)
}
