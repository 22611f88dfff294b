// The fields of a form from a JSON Schema that somebody else wrote: of a template, or of a trigger by hand.
import type { FieldHint } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { bare, type JsonSchema } from '../schema.ts'

/** Each is called `<prefix>.<name>`, as the service names it when it is wrong. */
export function fieldsIn(schema: unknown, prefix: string): FieldHint[] {
  const { properties = {}, required = [] } = (schema ?? {}) as JsonSchema
  return Object.entries(properties).map(([name, property]) => {
    const { enum: values, ...plain } = bare(property)
    const isNumber = plain.type === 'integer' || plain.type === 'number'
    // A choice sends the text of what was chosen; numbers are typed.
    const own: JsonSchema = values && !isNumber ? { ...plain, enum: values } : plain
    return {
      name: `${prefix}.${name}`,
      label: own.title ?? wordsOf(name),
      schema: own.type === undefined && own.enum === undefined ? { ...own, type: 'string' } : own,
      isNeeded: required.includes(name),
      ...(own.enum && { choices: own.enum.map(value => ({ value: String(value), label: String(value) })) }),
    }
  })
}

/** What such fields say, as one object under the prefix. */
export function gatheredUnder(prefix: string, input: Row): Row {
  const inner: Row = {}
  const rest: Row = {}
  for (const [path, value] of Object.entries(input)) {
    if (path.startsWith(`${prefix}.`)) inner[path.slice(prefix.length + 1)] = value
    else rest[path] = value
  }
  return { ...rest, [prefix]: inner }
}
