// Forms that keep what was typed, put the service's remarks beside the fields and move the focus to the first.
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect } from 'react'
import { operation } from '../../../src/client/catalogue.ts'
import { fieldIssues } from '../api.ts'

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

/** A form whose fields may be remarked on by the service. */
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
  return form
}
