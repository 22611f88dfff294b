// The words of threads: their types, states, and what a hypothesis and an outcome are.
import { type Static, Type } from 'typebox'
import { id } from '../../../contract/ids.ts'
import { moves } from '../../../contract/moves.ts'
import { choice, nullable, object, shown } from '../../../contract/records.ts'
import type { CallerKind } from '../../../contract/scopes.ts'

export const ThreadId = id('thrd', 24)
export const MessageId = id('msg', 24)
export const FileId = id('file', 24)

const threadTypes = ['chat', 'investigation', 'hypothesis', 'automation', 'autofix', 'review'] as const
export const ThreadType = choice(threadTypes)
/** Automations make theirs by themselves. */
export const ThreadTypeGiven = choice(['chat', 'investigation', 'hypothesis', 'autofix', 'review'])

export type ThreadType = (typeof threadTypes)[number]

/** What a thread is called until a message says more. */
export const unnamed: Readonly<Record<ThreadType, string>> = {
  chat: 'New conversation',
  investigation: 'New investigation',
  hypothesis: 'New hypothesis',
  automation: 'New automation',
  autofix: 'New autofix',
  review: 'New review',
}

/** In a conversation the kind is `private`, whoever can see the thread. */
export function kindOf(type: ThreadType): CallerKind {
  return type === 'chat' || type === 'review' ? 'private' : type
}

export const threadMoves = moves({
  idle: ['queued', 'archived'],
  queued: ['running', 'idle', 'failed'],
  running: ['queued', 'idle', 'failed', 'waiting_on_agents', 'waiting_on_human'],
  waiting_on_agents: ['queued', 'running', 'idle', 'failed'],
  waiting_on_human: ['queued', 'running', 'idle', 'failed'],
  failed: ['queued', 'idle', 'archived'],
  archived: ['idle'],
})
export const ThreadStatus = choice(threadMoves.states)

export type ThreadStatus = Static<typeof ThreadStatus>

export const name = Type.String({ minLength: 4, maxLength: 256, examples: ['Why checkout is slow'] })
export const summary = shown(Type.String({ maxLength: 4000 }), { format: 'markdown' })

const Verdict = choice(['confirmed', 'refuted', 'inconclusive'])

const statement = Type.String({ minLength: 1, maxLength: 1000, examples: ['The connection pool is exhausted'] })
const confidence = Type.Number({ minimum: 0, maximum: 1 })
const evidence = Type.Array(MessageId, { maxItems: 50, description: 'Messages of the thread, or of the one above it.' })

export const Hypothesis = object({
  statement: nullable(statement),
  verdict: nullable(Verdict),
  confidence: nullable(confidence),
  evidence,
})

export const HypothesisGiven = object({
  statement: Type.Optional(statement),
  verdict: Type.Optional(nullable(Verdict)),
  confidence: Type.Optional(nullable(confidence)),
  evidence: Type.Optional(evidence),
})

export const Outcome = object({
  kind: choice(['diagnosed', 'resolved', 'false_positive', 'inconclusive']),
  summary: nullable(summary),
  causeClass: nullable(Type.String({ maxLength: 64, examples: ['capacity'] })),
})

export const OutcomeGiven = object({
  kind: Outcome.properties.kind,
  summary: Type.Optional(nullable(summary)),
  causeClass: Type.Optional(nullable(Type.String({ maxLength: 64, examples: ['capacity'] }))),
})

/** How deep threads may stand under each other. */
export const mostDepth = 3
