// What is sent as the configuration of an integration: the fields of every type, and which of them are secrets.
import { type TObject, type TSchema, Type } from 'typebox'
import { nullable, object } from '../../../../contract/records.ts'
import { sealed } from '../../../../contract/sealed.ts'
import { type IntegrationType, type IntegrationTypeInfo, secretsColumn, types } from '../contract.ts'

const isSealed = (schema: TSchema) => 'x-sealed' in schema

/** The names of a type's fields that are secrets. */
export function secretNames(type: IntegrationType): string[] {
  const { properties } = types[type].config as TObject
  return Object.keys(properties).filter(name => isSealed(properties[name] as TSchema))
}

type Named = [name: string, schema: TSchema]

/** What two types say of a field of the same name, but for its description. */
const formOf = ({ description: _, examples: __, ...form }: TSchema & { description?: string; examples?: unknown }) =>
  JSON.stringify(form)

function anyOf(all: readonly TSchema[]): TSchema {
  const [first = Type.Unknown()] = all
  if (isSealed(first)) return sealed(secretsColumn, { maxLength: 16_384, description: 'An empty text removes it.' })
  if (all.every(one => formOf(one) === formOf(first)) && 'type' in first) return nullable(first)
  const isText = all.every(one => (one as { type?: string }).type === 'string')
  return isText ? nullable(Type.String({ maxLength: 2_048 })) : Type.Unknown()
}

const named = Map.groupBy(
  Object.values(types as Record<string, IntegrationTypeInfo>).flatMap(({ config }): Named[] =>
    Object.entries(config.properties),
  ),
  ([name]) => name,
)

/** Every field of every type: the catalog says which of them a type takes, and which it needs. */
export const ConfigGiven = Type.Unsafe<Record<string, unknown>>({
  ...object(
    Object.fromEntries([...named].map(([name, all]) => [name, Type.Optional(anyOf(all.map(([, schema]) => schema)))])),
  ),
  description: 'As `integrations.catalog` describes it for the type. In a change, what is not named stays as it is.',
  examples: [{ url: 'https://example.com/hooks/atrium' }],
})
