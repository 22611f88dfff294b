// Forms that keep what was typed, put the service's remarks beside the fields and move the focus to the first.
import {
  Button,
  Group,
  NumberInput,
  type NumberInputProps,
  PasswordInput,
  type PasswordInputProps,
  Stack,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { type ReactNode, useEffect, useRef } from 'react'
import { operation } from '../../../src/client/catalogue.ts'
import { type Act, fieldIssues } from '../api.ts'
import { Failure } from './failure.tsx'

type FieldSchema = { minLength?: number; maxLength?: number; pattern?: string; format?: string; 'x-hint'?: string }

/** The contract's own bounds of one body field. */
export function bodyField(id: string, name: string): FieldSchema {
  return (operation(id)?.body?.properties[name] ?? {}) as FieldSchema
}

/** What the contract would say about a text, or null. */
export function remark(schema: FieldSchema, text: string): string | null {
  const { minLength = 0, maxLength, pattern, format } = schema
  if (text === '' && minLength > 0) return 'This is needed'
  if (text.length < minLength) return `Use at least ${minLength} characters`
  if (maxLength !== undefined && text.length > maxLength) return `Use at most ${maxLength} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return 'Enter an e-mail address'
  if (pattern && !new RegExp(pattern, 'u').test(text)) return `Use ${schema['x-hint'] ?? 'the expected form'}`
  return null
}

/** The check of one field by the contract of its operation; spaces around a text do not count. */
export function by(id: string, name: string): (text: string) => string | null {
  return text => remark(bodyField(id, name), text.trim())
}

/** A form whose fields may be remarked on by the service. What it now says of a field that nobody changed is taken over. */
export function useKeptForm<V extends Record<string, unknown>>(
  initialValues: V,
  validate: Partial<Record<keyof V, (value: never, values: V) => string | null>>,
  error: unknown,
): UseFormReturnType<V> {
  const form = useForm<V>({ mode: 'controlled', initialValues, validate: validate as never })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new answer brings new remarks
  useEffect(() => {
    for (const { path, expected } of fieldIssues(error)) {
      const [name = ''] = path.split('.')
      if (name in initialValues) form.setFieldError(name, `Expected ${expected}`)
    }
  }, [error])
  const before = useRef(initialValues)
  const told = JSON.stringify(initialValues)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what the service says anew is of interest
  useEffect(() => {
    const isUntouched = (name: string) => JSON.stringify(form.values[name]) === JSON.stringify(before.current[name])
    const fresh = Object.entries(initialValues).filter(([name]) => isUntouched(name))
    before.current = initialValues
    form.setInitialValues(initialValues)
    form.setValues(Object.fromEntries(fresh) as Partial<V>)
  }, [told])
  return form
}

/** What closes a dialog, or a link that leads away. */
type Cancel = (() => void) | ReactNode

type SendingProps = {
  act: Act
  /** What the button says: the act itself, never "OK". */
  label: string
  cancel?: Cancel
  color?: string
  isReady?: boolean
  isWide?: boolean
}

/** The end of every form: what went wrong, the way back, and the button that can be pressed again. */
export function Sending({ act, label, cancel, color, isReady = true, isWide = false }: SendingProps) {
  const send = (
    <Button type="submit" loading={act.isPending} disabled={!isReady} fullWidth={isWide} {...(color && { color })}>
      {label}
    </Button>
  )
  return (
    <>
      <Failure error={act.error} />
      {isWide ? (
        send
      ) : (
        <Group justify="flex-end" gap="xs">
          {typeof cancel === 'function' ? (
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
          ) : (
            cancel
          )}
          {send}
        </Group>
      )}
    </>
  )
}

type KeptFormProps<V> = SendingProps & {
  form: UseFormReturnType<V>
  onSend: (values: V) => void
  children: ReactNode
  /** Without the button and the fields changed: for those who may only look. */
  isLocked?: boolean
}

export function KeptForm<V extends Record<string, unknown>>(props: KeptFormProps<V>) {
  const { form, onSend, children, isLocked = false, ...sending } = props
  const focusFirst = (errors: object) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
  return (
    <form noValidate onSubmit={form.onSubmit(onSend, focusFirst)}>
      <Stack>
        {children}
        {!isLocked && <Sending {...sending} />}
      </Stack>
    </form>
  )
}

export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }} {...props} />
}

export function WholeField(props: NumberInputProps) {
  return <NumberInput allowDecimal={false} hideControls {...props} />
}
