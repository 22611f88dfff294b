// Secrets of others: taken in, never given out; the database holds them encrypted, each tied to its own record.
import { type TSchema, Type } from 'typebox'
import { secret } from './records.ts'

/** A column of type jsonb that holds a record's sealed values by their names; the record's key is `id`. */
export type SealedColumn = `${string}.${string}`

/**
 * A field of a body: masked like any secret, in no answer, kept sealed in the column that is named. `secrets rotate`
 * finds the column by this, and the record says which are set by `secretsSet`.
 */
export function sealed(column: SealedColumn, options: object = {}) {
  return secret({ ...options, writeOnly: true, 'x-sealed': column })
}

/** Of a record: the names of the secrets that it has. */
export const secretsSet = Type.Array(Type.String(), { examples: [['token']] })

/** Inside a job's payload: text that `settings.seal` made for this purpose, about what stands in the named field. */
export function sealedText(purpose: string, about: string) {
  return Type.String({ 'x-sealed': { purpose, about } })
}

type Sealed = SealedColumn | { purpose: string; about: string }

type Marks = {
  'x-sealed'?: Sealed
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: TSchema | boolean
  anyOf?: TSchema[]
  allOf?: TSchema[]
  items?: TSchema
}

function* marked(schema: TSchema, name = ''): Generator<[name: string, mark: Sealed]> {
  const { 'x-sealed': mark, properties = {}, anyOf = [], allOf = [], items, ...rest } = schema as Marks
  const { patternProperties = {}, additionalProperties } = rest
  if (mark !== undefined) yield [name, mark]
  for (const [inner, part] of Object.entries(properties)) yield* marked(part, inner)
  const parts = [...anyOf, ...allOf, ...Object.values(patternProperties), items, additionalProperties]
  for (const part of parts) if (typeof part === 'object') yield* marked(part, name)
}

/** The columns that the fields of a body are sealed into. */
export function sealedColumns(schema: TSchema): SealedColumn[] {
  return [...new Set([...marked(schema)].flatMap(([, mark]) => (typeof mark === 'string' ? [mark] : [])))]
}

export type SealedText = { field: string; purpose: string; about: string }

export function sealedTexts(payload: TSchema): SealedText[] {
  return [...marked(payload)].flatMap(([field, mark]) => (typeof mark === 'string' ? [] : [{ field, ...mark }]))
}
