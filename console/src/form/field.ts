// A field of a form: what it is called, what it holds, and how its text becomes what the service wants.
import type { ComponentType, ReactNode } from 'react'
import type { Field, JsonSchema } from '../areas/schema.ts'
import { bytesIn, bytesOf, durationOf, moneyIn, moneyOf, secondsIn } from '../units.ts'

export type Draft = Readonly<Record<string, unknown>>

export type FieldProps = {
  field: FormField
  value: unknown
  error: string | undefined
  draft: Draft
  onChange: (value: unknown) => void
}

/** What a page says about a field beyond its schema. */
export type FieldHint = {
  name: string
  label?: string
  about?: ReactNode
  placeholder?: string
  autoComplete?: string
  autoFocus?: boolean
  /** The part of the form it stands in. */
  group?: string
  /** Its value before anything is typed. */
  start?: unknown
  schema?: JsonSchema
  isNeeded?: boolean
  isNullable?: boolean
  isReadOnly?: boolean
  /** False where everything is needed, so that nothing must be marked. */
  isMarked?: boolean
  /** Instead of the input that the schema gives. */
  input?: ComponentType<FieldProps>
  choices?: readonly { value: string; label: string }[]
  isShown?: (draft: Draft) => boolean
  check?: (value: unknown, draft: Draft) => string | null
}

export type FormField = Field & Omit<FieldHint, 'schema' | 'isNeeded' | 'isNullable' | 'label'>

export type Kind =
  | 'choice'
  | 'choices'
  | 'tags'
  | 'scopes'
  | 'number'
  | 'switch'
  | 'moment'
  | 'reference'
  | 'labels'
  | 'owner'
  | 'colour'
  | 'json'
  | 'long'
  | 'secret'
  | 'url'
  | 'markdown'
  | 'code'
  | 'money'
  | 'duration'
  | 'bytes'
  | 'cron'
  | 'text'

const longFrom = 256

/** What the contract says of a value beyond its type. */
const formats: Readonly<Record<string, Kind>> = {
  markdown: 'markdown',
  code: 'code',
  cel: 'code',
  colour: 'colour',
  money: 'money',
  duration: 'duration',
  bytes: 'bytes',
  cron: 'cron',
}

/** Amounts that are typed as text and sent as numbers. */
const amounts: Partial<Record<Kind, readonly [(amount: number) => string, (text: string) => number | null, string]>> = {
  money: [moneyOf, moneyIn, 'an amount such as 12.50'],
  duration: [durationOf, secondsIn, 'a duration such as 1h 30m'],
  bytes: [bytesOf, bytesIn, 'a size such as 10 MiB'],
}

export function kindOf({ schema, choices }: Pick<FormField, 'schema' | 'choices'>): Kind {
  if (choices || schema.enum) return 'choice'
  const told = formats[schema['x-format'] ?? '']
  if (told) return told
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'switch'
  if (schema.type === 'array') return kindOfMany(schema.items ?? {})
  if (schema.type !== 'string') return 'json'
  if (schema.format === 'date-time') return 'moment'
  if (schema['x-secret']) return 'secret'
  if (schema['x-id']) return 'reference'
  if (schema.format === 'uri' || schema.format === 'url') return 'url'
  if (schema.pattern?.startsWith('^(system|usr_')) return 'owner'
  if (schema.pattern?.startsWith('^#[0-9a-fA-F]')) return 'colour'
  return (schema.maxLength ?? 0) > longFrom && !schema.format && !schema.pattern ? 'long' : 'text'
}

function kindOfMany(items: JsonSchema): Kind {
  if (items.title === 'Scope') return 'scopes'
  if (items['x-id']?.prefix === 'label') return 'labels'
  if (items.enum) return 'choices'
  return items.type === 'string' ? 'tags' : 'json'
}

/** A record's value as its field shows it. */
export function toDraft(field: FormField, value: unknown): unknown {
  const kind = kindOf(field)
  if (value === null || value === undefined) {
    if (field.start !== undefined) return field.start
    if (kind === 'switch') return field.schema.default === true
    const start = field.schema.default
    if (kind === 'choices' || kind === 'tags' || kind === 'scopes' || kind === 'labels') return []
    return typeof start === 'number' && amounts[kind] ? amounts[kind][0](start) : (start ?? '')
  }
  if (kind === 'json') return JSON.stringify(value, null, 2)
  const amount = amounts[kind]
  if (amount && typeof value === 'number') return amount[0](value)
  if (kind !== 'moment') return value
  const at = new Date(String(value))
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** What the field says as the service wants it; undefined where nothing is to be sent. */
export function fromDraft(field: FormField, drafted: unknown): unknown {
  const kind = kindOf(field)
  const value = typeof drafted === 'string' && kind !== 'secret' ? drafted.trim() : drafted
  const isEmpty = value === '' || value === null || (Array.isArray(value) && value.length === 0 && !field.isNeeded)
  if (isEmpty) {
    if (field.isNullable) return null
    return Array.isArray(value) && kind !== 'json' && !(field.schema.minItems ?? 0) ? value : undefined
  }
  if (kind === 'json') return JSON.parse(String(value))
  const amount = amounts[kind]
  if (amount) return amount[1](String(value))
  // The last line of a patch may be a space that belongs to it.
  if (kind === 'code') return drafted
  return kind === 'moment' ? new Date(String(value)).toISOString() : value
}

/** What the schema would refuse, before it is sent. */
export function remarkOn(field: FormField, drafted: unknown, draft: Draft): string | null {
  const { schema, isNeeded } = field
  const value = typeof drafted === 'string' && kindOf(field) !== 'secret' ? drafted.trim() : drafted
  const isEmpty = value === '' || value === null || (Array.isArray(value) && value.length === 0)
  if (isEmpty && isNeeded && kindOf(field) !== 'scopes') return 'This is needed'
  if (!isEmpty || schema.minItems) {
    const remark = remarkOnValue(field, value)
    if (remark) return remark
  }
  return field.check?.(value, draft) ?? null
}

function remarkOnValue(field: FormField, value: unknown): string | null {
  const { schema } = field
  if (kindOf(field) === 'json') return isJson(String(value)) ? null : 'Write valid JSON'
  const amount = amounts[kindOf(field)]
  if (amount) return remarkOnAmount(field, amount, String(value))
  if (typeof value === 'number') return remarkOnNumber(schema, value)
  if (Array.isArray(value))
    return value.length < (schema.minItems ?? 0) && !field.isNullable ? 'Choose at least one' : null
  if (typeof value !== 'string' || kindOf(field) === 'choice') return null
  const { minLength = 0, maxLength, pattern, format } = schema
  if (value.length < minLength) return `Use at least ${minLength} characters`
  if (maxLength !== undefined && value.length > maxLength) return `Use at most ${maxLength} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return 'Enter an e-mail address'
  if (kindOf(field) === 'url' && !/^https?:\/\/[^\s/]+/.test(value))
    return 'Enter an address such as https://example.com'
  if (pattern && !new RegExp(pattern, 'u').test(value)) return `Use ${schema['x-hint'] ?? 'the expected form'}`
  return null
}

type Amount = NonNullable<(typeof amounts)[Kind]>

function remarkOnAmount({ schema }: FormField, [write, read, example]: Amount, text: string): string | null {
  const amount = read(text)
  if (amount === null) return `Write ${example}`
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (amount < minimum) return `Use at least ${write(minimum)}`
  return amount > maximum ? `Use at most ${write(maximum)}` : null
}

function remarkOnNumber({ minimum, maximum }: JsonSchema, value: number): string | null {
  if (minimum !== undefined && maximum !== undefined && (value < minimum || value > maximum)) {
    return `Use ${minimum} to ${maximum}`
  }
  if (minimum !== undefined && value < minimum) return `Use at least ${minimum}`
  return maximum !== undefined && value > maximum ? `Use at most ${maximum}` : null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
