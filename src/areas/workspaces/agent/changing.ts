// A change to the settings of agents: what was there, with what was sent, as far as it fits together.
import type { Static } from 'typebox'
import { refused } from '../../../contract/errors.ts'
import type { SealedValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import { originOf, secretsWith } from '../endpoints.ts'
import type { AgentGiven, AgentSettings } from './contract.ts'
import { keyName } from './store.ts'

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
  const host = originOf('agent.baseUrl', agent.baseUrl)
  if (
    (agent.maxCostPerRun !== null || agent.maxCostPerDay !== null) &&
    (agent.priceIn === null || agent.priceOut === null)
  ) {
    throw refused('agent.priceIn', 'prices', 'set together with "agent.priceOut", where a cost is limited')
  }
  const isMoved = host !== originOf('agent.baseUrl', before.agent.baseUrl)
  const secrets = secretsWith(settings, workspaceId, before.secrets, { name: keyName, key, isMoved })
  return { agent, secrets }
}
