// A change to the settings of agents: what was there, with what was sent, as far as it fits together.
import type { Static } from 'typebox'
import { badRequest } from '../../../contract/errors.ts'
import { type SealedValues, sealValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import type { AgentGiven, AgentSettings } from './contract.ts'
import { keyName, secretsColumn } from './store.ts'

type Kept = { agent: AgentSettings; secrets: SealedValues }

export function changedAgent(
  settings: Pick<Settings, 'seal'>,
  workspaceId: string,
  before: Kept,
  given: Static<typeof AgentGiven> | undefined,
): Kept {
  if (!given) return before
  const { key, ...fields } = given
  const agent = { ...before.agent, ...fields } as AgentSettings
  const host = originOf(agent.baseUrl)
  if (
    (agent.maxCostPerRun !== null || agent.maxCostPerDay !== null) &&
    (agent.priceIn === null || agent.priceOut === null)
  ) {
    throw refused('agent.priceIn', 'prices', 'set together with "agent.priceOut", where a cost is limited')
  }
  const { [keyName]: old, ...others } = before.secrets
  if (key !== undefined) {
    const sealed = key === '' ? {} : sealValues(settings, secretsColumn, workspaceId, { [keyName]: key })
    return { agent, secrets: { ...others, ...sealed } }
  }
  // Whoever may change the address must not be sent the key that somebody else has put in.
  const isMoved = old !== undefined && host !== originOf(before.agent.baseUrl)
  return { agent, secrets: isMoved ? others : before.secrets }
}

function originOf(baseUrl: string | null): string | null {
  if (baseUrl === null) return null
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash
  if (url && isPlain && ['http:', 'https:'].includes(url.protocol)) return url.origin
  throw refused('agent.baseUrl', 'url', 'an address such as https://models.example.com/v1, without a user or a query')
}

function refused(path: string, rule: string, expected: string) {
  return badRequest(`"${path}" must be ${expected}.`, [{ path, rule, expected }])
}
