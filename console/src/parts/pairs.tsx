// A field that holds texts by their names: a line for each, kept as JSON.
import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { FieldProps } from '../form/field.ts'

type PairsProps = Omit<FieldProps, 'draft'> & {
  about?: ReactNode
  /** What one of them is called: "attribute". */
  one: string
  longest: { name: number; value: number }
  most: number
  isCode?: boolean
}

type Pair = readonly [name: string, value: string]

function pairsIn(value: unknown): Pair[] {
  return typeof value === 'string' && value !== '' ? Object.entries(JSON.parse(value) as Record<string, string>) : []
}

export function Pairs({ field, value, error, onChange, about, one, longest, most, isCode = false }: PairsProps) {
  const [pairs, setPairs] = useState<readonly Pair[]>(() => pairsIn(value))
  const set = (next: readonly Pair[]) => {
    setPairs(next)
    const named = next.filter(([name]) => name.trim() !== '')
    onChange(JSON.stringify(Object.fromEntries(named.map(([name, text]) => [name.trim(), text])), null, 2))
  }
  const put = (at: number, pair: Pair) => set(pairs.map((before, index) => (index === at ? pair : before)))
  return (
    <Fieldset
      legend={
        <Text span size="sm" fw={500}>
          {field.label}
        </Text>
      }
    >
      <Stack gap="xs">
        {about && (
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        )}
        {pairs.map(([name, text], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity while its name is typed
          <Group key={index} gap="xs" wrap="nowrap" align="end">
            <TextInput
              label="Name"
              flex={1}
              maxLength={longest.name}
              value={name}
              onChange={event => put(index, [event.currentTarget.value, text])}
            />
            <TextInput
              label="Value"
              flex={1}
              maxLength={longest.value}
              value={text}
              onChange={event => put(index, [name, event.currentTarget.value])}
              {...(isCode && {
                spellCheck: false,
                styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
              })}
            />
            <Button
              variant="default"
              px="xs"
              aria-label={`Remove ${name || `the ${one}`}`}
              onClick={() => set(pairs.filter((_, at) => at !== index))}
            >
              <Trash2 size={16} aria-hidden />
            </Button>
          </Group>
        ))}
        {pairs.length < most && (
          <Group>
            <Button
              size="xs"
              variant="default"
              leftSection={<Plus size={14} aria-hidden />}
              onClick={() => setPairs([...pairs, ['', '']])}
            >
              Add {/^[aeiou]/.test(one) ? 'an' : 'a'} {one}
            </Button>
          </Group>
        )}
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}
