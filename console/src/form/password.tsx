// A field for a password, and the rule for a new one as a list that is ticked off while typing.
import { Group, PasswordInput, type PasswordInputProps, Stack, Text } from '@mantine/core'
import { Check, Circle } from 'lucide-react'
import type { FieldProps } from './field.ts'

export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }} {...props} />
}

/** For a field whose schema is the rule for passwords. */
export function NewPassword({ field, value, error, onChange }: FieldProps) {
  const text = typeof value === 'string' ? value : ''
  const { minLength = 0, 'x-rules': rules = [] } = field.schema
  return (
    <Stack gap={6}>
      <PasswordField
        label={field.label}
        name={field.name}
        withAsterisk={field.isMarked === true}
        error={error}
        autoComplete="new-password"
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
      />
      <Stack gap={2} role="list" aria-label="What a password needs">
        <Rule words={`At least ${minLength} characters`} isMet={text.length >= minLength} />
        {rules.map(([pattern, words]) => (
          <Rule
            key={words}
            words={words.charAt(0).toUpperCase() + words.slice(1)}
            isMet={new RegExp(pattern).test(text)}
            isBan={new RegExp(pattern).test('')}
          />
        ))}
      </Stack>
    </Stack>
  )
}

type RuleProps = { words: string; isMet: boolean; isBan?: boolean }

/** What forbids something is silent until it is broken. */
function Rule({ words, isMet, isBan = false }: RuleProps) {
  if (isBan && isMet) return null
  const Icon = isMet ? Check : Circle
  const color = isMet ? 'var(--mantine-color-green-text)' : isBan ? 'var(--mantine-color-error)' : 'dimmed'
  return (
    <Group gap={6} wrap="nowrap" role="listitem">
      <Icon size={isMet ? 14 : 10} style={{ width: 14 }} aria-label={isMet ? 'Met' : 'Not met'} />
      <Text size="xs" c={color}>
        {words}
      </Text>
    </Group>
  )
}
