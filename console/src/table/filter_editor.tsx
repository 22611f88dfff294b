// Where the value of a filter is chosen or typed, and what can be chosen.
import { Button, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Filter, type FilterKind, prefixOf } from '../areas/schema.ts'
import { areaOfPrefix } from '../contract.ts'
import { wordsOf } from '../format.ts'
import type { RecordChoice } from '../parts/record_choices.ts'
import { RecordSelect } from '../parts/record_select.tsx'

/** Values that are known, then records of these areas. */
type Offer = { choices: readonly RecordChoice[]; areas: readonly string[] }

/** For filters whose values only the page knows. */
export type FilterChoices = Readonly<Record<string, Offer>>

/** What can be chosen; null where it is typed. */
export function offerOf({ kind, schema }: Filter, given: Offer | undefined): Offer | null {
  if (given) return given
  if (kind === 'choice') {
    return { choices: (schema.enum ?? []).map(one => ({ value: String(one), label: wordsOf(String(one)) })), areas: [] }
  }
  if (kind === 'boolean') {
    const choices = [
      { value: 'true', label: 'Yes' },
      { value: 'false', label: 'No' },
    ]
    return { choices, areas: [] }
  }
  const area = kind === 'reference' ? areaOfPrefix(prefixOf(schema) ?? '') : undefined
  return area ? { choices: [], areas: [area.name] } : null
}

type FilterEditorProps = {
  kind: FilterKind
  label: string
  value: string
  offer: Offer | null
  onSet: (value: string) => void
}

export function FilterEditor({ kind, label, value, offer, onSet }: FilterEditorProps) {
  if (!offer) return <Typed kind={kind} label={label} value={value} onSet={onSet} />
  const shared = { label, 'data-autofocus': true, size: 'xs', w: 240, comboboxProps: { withinPortal: false } }
  if (offer.areas.length > 0) {
    return <RecordSelect {...shared} areas={offer.areas} first={offer.choices} value={value} onChange={onSet} />
  }
  return (
    <Select
      {...shared}
      searchable={offer.choices.length > 8}
      data={[...offer.choices]}
      value={value || null}
      nothingFoundMessage="Nothing has that name"
      onChange={chosen => onSet(chosen ?? '')}
    />
  )
}

function Typed({ kind, label, value, onSet }: Omit<FilterEditorProps, 'offer'>) {
  const [text, setText] = useState(value)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        onSet(text.trim())
      }}
    >
      <Stack gap="xs" w={240}>
        <TextInput
          label={label}
          data-autofocus
          size="xs"
          type={kind === 'day' ? 'date' : 'text'}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
        />
        {kind === 'text' && (
          <Text size="xs" c="dimmed">
            The whole value, as it is written
          </Text>
        )}
        <Button size="xs" type="submit">
          Apply
        </Button>
      </Stack>
    </form>
  )
}
