// Attributes on ClickHouse: a list of names and one of values, whose first character says what the rest of them is.
import { bitsOf, numberOfBits } from '../../../kit/clickhouse.ts'
import type { Attributes, Json } from './row.ts'

/** Equal values are equal texts. Null is the empty text, which is also found where the name is not. */
export function valueText(value: Json): string {
  if (value === null) return ''
  if (typeof value === 'string') return `s${value}`
  if (typeof value === 'number') return `n${bitsOf(value)}`
  if (typeof value === 'boolean') return `b${value}`
  return `j${jsonText(value)}`
}

export function decodedValue(text: string): Json {
  const rest = text.slice(1)
  switch (text[0]) {
    case 's':
      return rest
    case 'n':
      return numberOfBits(rest)
    case undefined:
      return null
    default:
      return JSON.parse(rest)
  }
}

export function attributesOf(names: readonly string[], values: readonly string[]): Attributes {
  return Object.fromEntries(names.map((name, index) => [name, decodedValue(values[index] ?? '')]))
}

/** As the database writes its JSON, so that groups are sorted alike: shorter names first, spaces after `,` and `:`. */
function jsonText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  const entries = Object.entries(value).map(([name, one]) => ({ name, bytes: Buffer.from(name), one: one as Json }))
  entries.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
  return `{${entries.map(({ name, one }) => `${JSON.stringify(name)}: ${jsonText(one)}`).join(', ')}}`
}
