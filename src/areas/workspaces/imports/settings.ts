// Settings of an archive: such as somebody could set here, of whatever version it is.
import type { TObject, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isTimezone } from '../../../kit/time_zones.ts'
import { Settings } from '../contract.ts'
import { EmbeddingsSettings } from '../embeddings/contract.ts'
import { originOf } from '../endpoints.ts'
import { tampered } from './archive_file.ts'

const { secretsSet: _, ...shown } = Settings.properties
/** What is stored of embeddings is less than what is shown of them. */
const fields: Readonly<Record<string, TSchema>> = { ...shown, embeddings: EmbeddingsSettings }

type Values = Readonly<Record<string, unknown>>

/** What this version does not know is left out; what is not there is as it is everywhere. */
export function settingsFrom(settings: Values, warnings: string[]): Record<string, unknown> {
  const taken = knownOf(fields, settings, '', warnings)
  const { timezone, agent, embeddings } = taken as { timezone?: string; agent?: Endpoint; embeddings?: Endpoint }
  if (timezone !== undefined && !isTimezone(timezone)) throw tampered('its setting "timezone" is none')
  refuseAddress('agent.baseUrl', agent)
  refuseAddress('embeddings.baseUrl', embeddings)
  return taken
}

function knownOf(known: Readonly<Record<string, TSchema>>, values: Values, path: string, warnings: string[]) {
  const taken: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined
    const place = path + name
    if (!schema) warnings.push(`The setting "${place}" is left out: this version does not know it.`)
    else if (isGroup(schema) && isValues(value)) {
      taken[name] = knownOf(schema.properties, value, `${place}.`, warnings)
    } else if (!isGroup(schema) && Compile(schema).Check(value)) taken[name] = value
    else throw tampered(`its setting "${place}" is none`)
  }
  return taken
}

const isGroup = (schema: TSchema): schema is TObject => 'properties' in schema

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Endpoint = { baseUrl?: string | null }

function refuseAddress(path: string, { baseUrl = null }: Endpoint = {}): void {
  try {
    originOf(path, baseUrl)
  } catch {
    throw tampered(`its setting "${path}" is no address that could be set`)
  }
}
