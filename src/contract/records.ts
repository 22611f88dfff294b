// The few schema words that records and inputs are written in.
import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'

/** A closed object: what is not declared is refused on the way in and dropped on the way out. */
export function object<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false })
}

/**
 * A closed object that the OpenAPI document prints once, under this name. `columns` are the fields that a list shows, in
 * order, the one that names the record first.
 */
export function record<P extends TProperties>(
  title: string,
  properties: P,
  { columns }: { columns?: readonly (keyof P & string)[] } = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, title, ...(columns && { 'x-columns': columns }) })
}

/** How people read and write a value. Money is in hundredths, a duration in seconds. */
export type Format = 'markdown' | 'code' | 'colour' | 'money' | 'duration' | 'bytes' | 'cron' | 'cel'

/** What a form or a page should know of a field; whoever reads the document may ignore it. */
export function shown<S extends TSchema>(schema: S, { format, group }: { format?: Format; group?: string }): S {
  return { ...schema, ...(format && { 'x-format': format }), ...(group && { 'x-group': group }) }
}

/** A string that is one of the given values. */
export function choice<const V extends readonly string[]>(values: V, options: object = {}): TUnsafe<V[number]> {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options })
}

/** The value or null; written as a type list, which serializes faster than a union. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const plain: { type?: unknown; enum?: unknown[] } = schema
  if (typeof plain.type !== 'string') return Type.Unsafe({ anyOf: [schema, Type.Null()] })
  const values = plain.enum ? { enum: [...plain.enum, null] } : {}
  return Type.Unsafe<Static<S> | null>({ ...schema, ...values, type: [plain.type, 'null'] })
}

/** ISO 8601 in UTC with milliseconds. */
export const timestamp = Type.String({ format: 'date-time', examples: ['2026-11-15T09:30:00.000Z'] })

/** A value that opens something: masked in the ledger and in logs, never in an example that works. */
export function secret(options: object = {}) {
  return Type.String({ ...options, 'x-secret': true })
}

/** A field about a person: kept beside the ledger's hash, so that it can be erased. */
export function personal<S extends TSchema>(schema: S): S {
  return { ...schema, 'x-personal': true }
}

/** The answer to a delete: the path of what is gone, and what it was. */
export function deleted<const N extends string, P extends TProperties>(name: N, path: P) {
  return object({ ...path, _object: choice([name]) })
}

/** Names any record of the directory; `kit/references.ts` checks it. */
export const Reference = record('Reference', {
  object: Type.String({ maxLength: 64, examples: ['team'] }),
  id: Type.String({ maxLength: 128, examples: ['team_0123456789abcdefghijklmn'] }),
})

/** Who sees a record; `kit/visibility.ts` has the predicate. */
export const Visibility = choice(['private', 'team', 'workspace'], {
  description: 'private: its owner alone, not even admins; team: its team, and admins; workspace: every member.',
})
