// Formats of the identifiers that several areas share; an area declares its own the same way.
import { Type } from 'typebox'

/** `<prefix>_` and a fixed number of characters from 0-9a-z. Further prefixes are parsed, never minted. */
export function id(prefix: string, length: number, ...legacy: string[]) {
  const prefixes = legacy.length > 0 ? `(${[prefix, ...legacy].join('|')})` : prefix
  return Type.String({
    pattern: `^${prefixes}_[0-9a-z]{${length}}$`,
    'x-id': { prefix, length },
    examples: [`${prefix}_${'0123456789abcdefghijklmnopqrstuvwxyz'.repeat(2).slice(0, length)}`],
  })
}

export const WorkspaceId = id('ws', 32)
export const UserId = id('usr', 32)
export const TeamId = id('team', 24)
/** One user's consent to one application. */
export const GrantId = id('grt', 24)
export const IssueId = id('issue', 24)
/** One run of an agent in a thread, which is also the credential it acts with. */
export const AgentRunId = id('agent_run', 24)

/** Who a record belongs to: the platform itself, a user, a team, or an OAuth client that acts for itself. */
export const OwnerId = Type.String({
  pattern: '^(system|usr_[0-9a-z]{32}|team_[0-9a-z]{24}|oauth_client_[0-9a-z]{24})$',
  examples: ['usr_0123456789abcdefghijklmnopqrstuv'],
})
