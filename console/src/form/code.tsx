// A code from a mail: typed or pasted, put into the form in which it was mailed.
import { TextInput } from '@mantine/core'
import type { FieldProps } from './field.ts'

const codeLength = 8

/** Upper case, no stray characters, a hyphen in the middle: as it stands in the mail. */
export function tidyCode(text: string): string {
  const bare = text
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .slice(0, codeLength)
  return bare.length > 4 ? `${bare.slice(0, 4)}-${bare.slice(4)}` : bare
}

export function isWholeCode(code: string): boolean {
  return code.length > codeLength
}

export function CodeField({ field, value, error, onChange }: FieldProps) {
  return (
    <TextInput
      label={field.label}
      name={field.name}
      withAsterisk={field.isMarked === true}
      error={error}
      autoComplete="one-time-code"
      autoCapitalize="characters"
      spellCheck={false}
      value={String(value ?? '')}
      onChange={event => onChange(tidyCode(event.currentTarget.value))}
      {...(field.autoFocus && { autoFocus: true })}
    />
  )
}
