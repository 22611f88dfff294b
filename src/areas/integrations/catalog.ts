// The types of integrations and the events, as the catalog tells them.
import { once } from '../../kit/once.ts'
import { eventKinds } from './event_kinds.ts'
import { type IntegrationType, type IntegrationTypeInfo, integrationTypes, types } from './types/contract.ts'
import { secretNames } from './types/given/contract.ts'

export const catalog = once(() => ({
  types: integrationTypes.map(type => described(type, types[type])),
  events: [...eventKinds].map(([id, summary]) => ({ id, summary })),
}))

function described(type: IntegrationType, { title, about, needs, directions, config }: IntegrationTypeInfo) {
  const schema = JSON.parse(JSON.stringify(config)) as Record<string, unknown>
  return { type, title, about, needs, directions: [...directions], config: schema, secrets: secretNames(type) }
}
