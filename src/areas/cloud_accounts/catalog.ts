// The providers, as the catalog tells them.
import { Type } from 'typebox'
import { object } from '../../contract/records.ts'
import { once } from '../../kit/once.ts'
import { configFields, providers } from './fields/contract.ts'
import { terms } from './providers/contract.ts'

export const catalog = once(() => ({ providers: providers.map(described) }))

function described(provider: (typeof providers)[number]) {
  const { title, about, needs, by, config, secrets, hasRegions } = terms[provider]
  const fields = Object.fromEntries(config.map(name => [name, Type.Optional(configFields[name])]))
  const schema = JSON.parse(JSON.stringify(object(fields))) as Record<string, unknown>
  return { provider, title, about, needs, by, config: schema, secrets: [...secrets], regions: hasRegions }
}
