// Form fields drawn from a schema, with its bounds; what has no field of its own is written as JSON.
import { JsonInput, MultiSelect, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { wordsOf } from '../../format.ts'
import type { Field } from './schema.ts'

export type Draft = Record<string, unknown>

type FieldInputProps = { field: Field; value: unknown; error: string | undefined; onChange: (value: unknown) => void }

const long = 200

export function FieldInput({ field, value, error, onChange }: FieldInputProps) {
  const { schema, label, isNeeded } = field
  const shared = {
    label,
    error,
    withAsterisk: isNeeded,
    description: capital(schema.description ?? schema['x-hint'] ?? ''),
    name: field.name,
  }
  const text = typeof value === 'string' ? value : ''
  const kind = kindOf(field)
  if (kind === 'choice') {
    const choices = (schema.enum ?? []).map(one => ({ value: String(one), label: wordsOf(String(one)) }))
    return (
      <Select
        {...shared}
        data={choices}
        value={text || null}
        onChange={onChange}
        clearable={!isNeeded}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      />
    )
  }
  if (kind === 'number') {
    return (
      <NumberInput
        {...shared}
        value={typeof value === 'number' ? value : ''}
        onChange={next => onChange(next === '' ? '' : Number(next))}
        min={schema.minimum}
        max={schema.maximum}
        allowDecimal={schema.type !== 'integer'}
        hideControls
      />
    )
  }
  if (kind === 'switch') {
    return (
      <Switch
        label={label}
        description={shared.description}
        error={error}
        checked={value === true}
        onChange={event => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (kind === 'choices') {
    const choices = (schema.items?.enum ?? []).map(String)
    return (
      <MultiSelect
        {...shared}
        data={choices}
        value={(value as string[]) ?? []}
        onChange={onChange}
        searchable
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      />
    )
  }
  if (kind === 'tags') {
    return (
      <TagsInput
        {...shared}
        value={(value as string[]) ?? []}
        onChange={onChange}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
      />
    )
  }
  if (kind === 'json') {
    return <JsonInput {...shared} value={text} onChange={onChange} autosize minRows={3} formatOnBlur ff="monospace" />
  }
  if (kind === 'moment') {
    return (
      <TextInput
        {...shared}
        type="datetime-local"
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
      />
    )
  }
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  if ((schema.maxLength ?? 0) > long)
    return <Textarea {...shared} value={text} onChange={onText} autosize minRows={2} maxRows={16} />
  return (
    <TextInput
      {...shared}
      value={text}
      onChange={onText}
      type={schema['x-secret'] ? 'password' : 'text'}
      autoComplete="off"
    />
  )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Kind = 'choice' | 'choices' | 'tags' | 'number' | 'switch' | 'moment' | 'json' | 'text'

function kindOf({ schema }: Field): Kind {
  if (schema.enum) return 'choice'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'boolean') return 'switch'
  if (schema.type === 'array' && schema.items?.enum) return 'choices'
  if (schema.type === 'array' && schema.items?.type === 'string') return 'tags'
  if (schema.format === 'date-time') return 'moment'
  return schema.type === 'string' ? 'text' : 'json'
}

/** A record's value as its field shows it. */
export function toDraft(field: Field, value: unknown): unknown {
  const kind = kindOf(field)
  if (value === null || value === undefined) {
    if (kind === 'switch') return field.schema.default === true
    return kind === 'choices' || kind === 'tags' ? [] : (field.schema.default ?? '')
  }
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind !== 'moment') return value
  const at = new Date(String(value))
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** What the field says as the service wants it; undefined where nothing is to be sent. */
export function fromDraft(field: Field, drafted: unknown): unknown {
  const kind = kindOf(field)
  const isEmpty = drafted === '' || (Array.isArray(drafted) && drafted.length === 0 && !field.isNeeded)
  if (isEmpty) return field.isNullable ? null : undefined
  if (kind === 'json') return JSON.parse(String(drafted))
  return kind === 'moment' ? new Date(String(drafted)).toISOString() : drafted
}

/** What the schema would refuse, before it is sent. */
export function fieldRemark(field: Field, drafted: unknown): string | null {
  const { schema, isNeeded } = field
  if (drafted === '' || drafted === null) return isNeeded ? 'This is needed' : null
  if (kindOf(field) === 'json' && !isJson(String(drafted))) return 'Write valid JSON'
  if (typeof drafted !== 'string') return null
  const { minLength = 0, maxLength, pattern } = schema
  if (drafted.length < minLength) return `Use at least ${minLength} characters`
  if (maxLength !== undefined && drafted.length > maxLength) return `Use at most ${maxLength} characters`
  if (kindOf(field) === 'text' && pattern && !new RegExp(pattern, 'u').test(drafted)) {
    return `Use ${schema['x-hint'] ?? `the form ${pattern}`}`
  }
  return null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
