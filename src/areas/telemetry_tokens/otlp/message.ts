// Messages as tables of fields: number and type of each, from which both encodings are read into the same object.
import { type Budget, countNested } from './faults.ts'
import { listOf, objectOf } from './json.ts'
import { enter, leave, type Reader, readTag, skip, wireTypes } from './wire.ts'

/** Methods, so that a table can hold fields of any type. */
export type Field<T> = {
  number: number
  /** What a message has that does not carry the field. All of them share it: it is never changed. */
  none: T
  /** `before` is what the message has so far: lists grow, anything else is replaced. */
  wire(reader: Reader, wireType: number, before: T): T
  json(value: unknown, name: string, budget: Budget): T
}

type Fields = { readonly [name: string]: Field<unknown> }

type Entry = { name: string; original: string; field: Field<unknown> }

export type Schema<M> = {
  entries: readonly Entry[]
  byNumber: readonly (Entry | undefined)[]
  /** A message without any field, to copy. */
  blank: M
}

type MessageOf<F extends Fields> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

/** The message that a schema describes. */
export type Read<S> = S extends Schema<infer M> ? M : never

export function message<F extends Fields>(fields: F): Schema<MessageOf<F>> {
  const entries = Object.entries(fields).map(([name, field]) => ({
    name,
    original: name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
    field,
  }))
  const byNumber: (Entry | undefined)[] = Array(Math.max(...entries.map(entry => entry.field.number)) + 1).fill(
    undefined,
  )
  for (const entry of entries) byNumber[entry.field.number] = entry
  const blank = Object.fromEntries(entries.map(({ name, field }) => [name, field.none]))
  return { entries, byNumber, blank: blank as MessageOf<F> }
}

type Loose = { [name: string]: unknown }

/** Reads what is left of the message that the reader is in. */
export function readMessage<M>(schema: Schema<M>, reader: Reader): M {
  const read = { ...schema.blank } as Loose
  while (reader.at < reader.end) {
    const tag = readTag(reader)
    const number = tag >>> 3
    const entry = number < schema.byNumber.length ? schema.byNumber[number] : undefined
    if (entry === undefined) skip(reader, tag & 7)
    else read[entry.name] = entry.field.wire(reader, tag & 7, read[entry.name])
  }
  return read as M
}

/** Names are those of JSON, or the original ones of the definitions. */
export function messageFromJson<M>(schema: Schema<M>, value: unknown, name: string, budget: Budget): M {
  const json = objectOf(value, name)
  const read = { ...schema.blank } as Loose
  for (const { name: key, original, field } of schema.entries) {
    const found = json[key] ?? json[original]
    if (found !== undefined && found !== null) read[key] = field.json(found, key, budget)
  }
  return read as M
}

/** A nested message. */
export function one<M>(number: number, schema: Schema<M>): Field<M | null> {
  return {
    number,
    none: null,
    wire: (reader, wireType, before) => {
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      const outer = enter(reader)
      const read = readMessage(schema, reader)
      leave(reader, outer)
      return read
    },
    json: (value, name, budget) => messageFromJson(schema, value, name, budget),
  }
}

/** The list of none, of all messages. */
export const nothing: never[] = []

/** Nested messages. */
export function many<M>(number: number, schema: Schema<M>): Field<M[]> {
  return {
    number,
    none: nothing,
    wire: (reader, wireType, before) => {
      if (wireType !== wireTypes.bytes) return skipped(reader, wireType, before)
      countNested(reader.budget)
      const outer = enter(reader)
      const read = readMessage(schema, reader)
      leave(reader, outer)
      return grown(before, read)
    },
    json: (value, name, budget) =>
      listOf(value, name).map(each => {
        countNested(budget)
        return messageFromJson(schema, each, name, budget)
      }),
  }
}

export function grown<T>(list: T[], value: T): T[] {
  if (list === nothing) return [value]
  list.push(value)
  return list
}

/** A field whose wire type is not the one of the definitions is an unknown field. */
export function skipped<T>(reader: Reader, wireType: number, before: T): T {
  skip(reader, wireType)
  return before
}
