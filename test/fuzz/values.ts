// Values made from schemas: such as they ask for, such as they nearly ask for, and such as nobody asked for.
import fc, { type Arbitrary } from 'fast-check'
import type { Document, Schema } from './document.ts'

type Value = Arbitrary<unknown>

/** Times that the format lets through and a calendar or a database may not. */
const times = [
  '2026-11-15T09:30:00.000Z',
  '2027-01-01T00:00:00+14:00',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999999999-23:59',
  '2026-11-15t09:30:00z',
  '2026-11-15 09:30:00Z',
]

/** A value that the schema accepts, as far as schemas of this document go. */
export function validValue(document: Document, part: Schema): Value {
  const schema = document.schema(part)
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(option => validValue(document, option)))
  const types = [schema.type ?? 'string'].flat()
  return types.length === 1
    ? ofType(document, schema, types[0] as string)
    : fc.oneof(...types.map(type => ofType(document, schema, type)))
}

function ofType(document: Document, schema: Schema, type: string): Value {
  const { minimum = -1_000_000, maximum = 1_000_000, minItems = 0, maxItems = 20 } = schema
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum })
  if (type === 'number') return fc.double({ min: minimum, max: maximum, noNaN: true })
  if (type === 'array') {
    const items = schema.items ? validValue(document, schema.items) : fc.jsonValue()
    return fc.array(items, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 8) })
  }
  if (type === 'object') return ofObject(document, schema)
  return text(schema)
}

function ofObject(document: Document, { properties, required, patternProperties }: Schema): Value {
  const [pattern] = Object.entries(patternProperties ?? {})
  if (pattern) return fc.dictionary(matching(pattern[0]), validValue(document, pattern[1]))
  if (!properties) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 })
  const parts = Object.entries(properties).map(([name, part]) => [name, validValue(document, part)] as const)
  return fc.record(Object.fromEntries(parts), { requiredKeys: required ?? [] })
}

function text({ pattern, format, examples, minLength = 0, maxLength = 60 }: Schema): Value {
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time') return fc.oneof(fc.constantFrom(...times), fc.date({ noInvalidDate: true }).map(isoOf))
  // What looks ahead cannot be turned round into a maker of texts; such a schema shows an example instead.
  if (pattern?.includes('(?=')) return fc.constantFrom(...(examples ?? []), 'Correct4Horse!', 'Other9Staple?')
  if (pattern) return matching(pattern)
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) }
  const wellFormed = fc.string({ ...length, unit: 'grapheme' }).map(made => made.replaceAll('\0', ' '))
  const shown = examples ? fc.constantFrom(...examples) : fc.string(length)
  return fc.oneof(fc.string(length), wellFormed, shown)
}

const makers = new Map<string, Arbitrary<string>>()

/** A maker of texts is costly to make, and the same few patterns stand everywhere. */
function matching(pattern: string): Arbitrary<string> {
  const maker = makers.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  makers.set(pattern, maker)
  return maker
}

/** Years outside 0–9999 are written in a way that no one has to read. */
function isoOf(date: Date): string {
  return date.toISOString().replace(/^[+-]\d\d/, '')
}

/** One step over a border of the schema, or another type. */
export function nearValue(document: Document, part: Schema): Value {
  const schema = document.schema(part)
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const steps: unknown[] = [null, true, 0, -1, 1.5, '', ' ', [], {}, '1', 'true', 'null']
  if (minimum !== undefined) steps.push(minimum - 1, String(minimum))
  if (maximum !== undefined) steps.push(maximum + 1, maximum + 0.5)
  if (minLength) steps.push('a'.repeat(minLength - 1), ' '.repeat(minLength), '𝄞'.repeat(minLength - 1))
  if (maxLength && maxLength < 10_000) {
    steps.push('a'.repeat(maxLength + 1), '𝄞'.repeat(maxLength), `${'a'.repeat(maxLength - 1)}é`)
  }
  const valid = validValue(document, part)
  const made = [fc.constantFrom(...steps), valid.map(value => (typeof value === 'string' ? `${value} ` : [value]))]
  if (schema.pattern)
    made.push(
      valid.map(value => `${value}`.toUpperCase()),
      valid.map(value => `${value}\n`),
    )
  if (schema.enum) made.push(fc.constantFrom(...schema.enum.map(value => `!${value}`)))
  if (minItems) made.push(fc.constant([]))
  if (maxItems) made.push(valid.map(value => Array.from({ length: maxItems + 1 }, () => [value].flat()[0] ?? 'a')))
  return fc.oneof(...made)
}

const hostileTexts = [
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e\u2066',
  '\u0130\u0131ß',
  "' or 1=1 --",
  "'; drop table users; --",
  '$1 {{1}} %s %n',
  '\\',
  '%',
  '_%',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '9007199254740993',
  '99999999999999999999999999',
  '!',
  '!!',
  'system',
  'me',
  'null',
  '=cmd()',
  '\r\nset-cookie: a=b',
  '2016-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '٣',
  'a'.repeat(10_000),
  '😀'.repeat(3_000),
]

const hostileNumbers = [-1, -0, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53 + 2, 2 ** 63, -(2 ** 63)]

const deep = Array.from({ length: 200 }).reduce<unknown>(inner => [inner], 'deep')

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
)

export const hostileValue: Value = fc.oneof(
  hostileText,
  fc.constantFrom(...hostileNumbers),
  fc.constantFrom<unknown>(deep, Array(1_001).fill('a'), { __proto__: null, length: -1 }),
  fc.array(hostileText, { maxLength: 4 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 3, noNullPrototype: true }),
  fc.jsonValue({ stringUnit: 'binary' }),
)
