// Inputs of cloud accounts: secrets of one line or many, and datasets that hold traces.
import { Textarea } from '@mantine/core'
import type { FieldProps } from '../../form/field.ts'
import { sharedOf } from '../../form/field_input.tsx'
import { PasswordField } from '../../form/password.tsx'
import { RecordSelect } from '../../parts/record_select.tsx'

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** A field of one line would lose the lines of a key or a kubeconfig. */
export function SecretInput(props: FieldProps) {
  const { field, value, onChange } = props
  if (field.name.endsWith('kubeconfig') || field.schema.pattern?.includes('-----BEGIN')) return <LongInput {...props} />
  return (
    <PasswordField
      {...sharedOf(props)}
      visibilityToggleButtonProps={{ 'aria-label': `Show or hide ${field.label}` }}
      autoComplete="off"
      value={textOf(value)}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

export function LongInput(props: FieldProps) {
  const { value, onChange } = props
  return (
    <Textarea
      {...sharedOf(props)}
      autosize
      minRows={3}
      maxRows={10}
      spellCheck={false}
      autoComplete="off"
      value={textOf(value)}
      onChange={event => onChange(event.currentTarget.value)}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  )
}

const traces = { kind: 'traces' }

export function TracesInput(props: FieldProps) {
  const { field, value, onChange } = props
  return (
    <RecordSelect
      {...sharedOf(props)}
      areas={['datasets']}
      where={traces}
      clearable={!field.isNeeded}
      clearButtonProps={{ 'aria-label': `Clear ${field.label}` }}
      value={textOf(value)}
      onChange={onChange}
    />
  )
}

export const inputs = { secret: SecretInput, long: LongInput, traces: TracesInput }
