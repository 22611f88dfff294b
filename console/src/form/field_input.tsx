// The input of a field: plain text here, everything else by the rich inputs where a page has loaded them.
import { InputBase, TextInput } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { type FieldProps, kindOf } from './field.ts'
import { PasswordField } from './password.tsx'

let rich: ComponentType<FieldProps> | null = null

/** Called by rich_input.tsx when it is loaded. The pages before log-in do without it, and without its weight. */
export function offerRichInputs(input: ComponentType<FieldProps>): void {
  rich = input
}

export type Shared = ReturnType<typeof sharedOf>

export function sharedOf({ field, error }: FieldProps) {
  const { label, isNeeded, about, name, placeholder, schema, autoFocus, isReadOnly } = field
  return {
    label,
    error,
    name,
    withAsterisk: isNeeded && !isReadOnly && field.isMarked !== false,
    description: about ?? aboutOf(schema.description, schema['x-hint']),
    ...(placeholder && { placeholder }),
    ...(isReadOnly && { readOnly: true }),
    ...(autoFocus && { 'data-autofocus': true, autoFocus: true }),
  }
}

function aboutOf(description: string | undefined, hint: string | undefined): string | undefined {
  const text = description ?? hint
  return text && text.charAt(0).toUpperCase() + text.slice(1)
}

const plain = new Set(['text', 'url', 'secret', 'moment', 'money', 'duration', 'bytes'])
const types: Readonly<Record<string, string>> = { email: 'email', uri: 'url', url: 'url' }

export function FieldInput(props: FieldProps): ReactNode {
  const { field, value, onChange } = props
  const Own = field.input
  if (Own) return <Own {...props} />
  const kind = kindOf(field)
  const Rich = rich
  if (!plain.has(kind) && Rich) return <Rich {...props} />
  const shared = sharedOf(props)
  const text = typeof value === 'string' ? value : ''
  const onText = (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value)
  switch (kind) {
    case 'long':
      return <InputBase {...shared} component="textarea" rows={3} multiline value={text} onChange={onText} />
    case 'secret':
      return <PasswordField {...shared} autoComplete={field.autoComplete ?? 'off'} value={text} onChange={onText} />
    case 'moment':
      return <TextInput {...shared} type="datetime-local" maw={260} value={text} onChange={onText} />
    default:
      return (
        <TextInput
          {...shared}
          type={types[field.schema.format ?? ''] ?? 'text'}
          value={text}
          onChange={onText}
          autoComplete={field.autoComplete ?? 'off'}
        />
      )
  }
}
