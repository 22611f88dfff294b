// The fields of issues that their alerts, rules and timeline speak of too.
import { Type } from 'typebox'
import { IssueId, id } from '../../../contract/ids.ts'
import { type Moves, moves } from '../../../contract/moves.ts'
import { choice, nullable, object } from '../../../contract/records.ts'

export { IssueId }

export const IssueRuleId = id('issue_rule', 24)
export const IssueEntryId = id('issue_entry', 24)

/** Worst first. */
export const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
export type Severity = (typeof severities)[number]
export const Severity = choice(severities, { examples: ['high'] })

/** True where the first is worse than the second. */
export function isWorse(one: Severity, other: Severity): boolean {
  return severities.indexOf(one) < severities.indexOf(other)
}

const ways = {
  new: ['triaging', 'open', 'mitigated', 'resolved', 'dismissed'],
  triaging: ['open', 'mitigated', 'resolved', 'dismissed'],
  open: ['triaging', 'mitigated', 'resolved', 'dismissed'],
  mitigated: ['open', 'resolved'],
  resolved: ['open'],
  dismissed: ['open'],
} as const
export const statusMoves = moves(ways)
export type Status = typeof statusMoves extends Moves<infer S> ? S : never
export const Status = choice(['new', 'triaging', 'open', 'mitigated', 'resolved', 'dismissed'], {
  examples: ['open'],
  description: 'Moves lead from one status to those that `x-moves` names.',
  'x-moves': ways,
})

/** Nobody works on it any more. */
export function isClosed(status: Status): boolean {
  return status === 'resolved' || status === 'dismissed'
}

export const DismissReason = choice(['not_real', 'expected', 'duplicate', 'external', 'wont_fix'])
export const Milestone = choice(['mitigated', 'resolved'])

export const title = Type.String({ minLength: 4, maxLength: 256, examples: ['Checkout answers 502'] })
export const body = Type.String({ maxLength: 65_536, description: 'Markdown.' })
export const noteText = Type.String({
  minLength: 1,
  maxLength: 8_192,
  description: 'Markdown. `@username` and `#412` mention people and issues.',
  examples: ['The pool was too small; @grace raised it, as in #412.'],
})

export const Fingerprint = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'What makes two alerts the same problem.',
  examples: ['checkout|502'],
})

export const Resource = Type.String({ minLength: 1, maxLength: 256, examples: ['service/checkout'] })

/** As callers give them. */
export const Resources = Type.Array(Resource, { maxItems: 20, description: 'What it is about.' })

export const sources = ['manual', 'alert', 'telemetry', 'agent', 'automation'] as const

const given = {
  externalId: Type.String({ maxLength: 256, description: 'Its id where it came from.' }),
  url: Type.String({
    maxLength: 2_048,
    pattern: '^https?://[^\\s]{1,2040}$',
    'x-hint': 'an address that begins with http:// or https://',
    examples: ['https://monitoring.example.com/alerts/17'],
  }),
}

/** As callers give it. */
export const SourceGiven = object({
  type: Type.Optional(choice(sources)),
  externalId: Type.Optional(nullable(given.externalId)),
  url: Type.Optional(nullable(given.url)),
})

export const Source = object({
  type: choice(sources),
  externalId: nullable(given.externalId),
  url: nullable(given.url),
})
