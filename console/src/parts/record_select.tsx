// The fields in which records are chosen: they show the titles of the chosen ones, and search while one types.
import { MultiSelect, type MultiSelectProps, Select, type SelectProps } from '@mantine/core'
import { useState } from 'react'
import type { Row } from '../named.ts'
import { type RecordChoice, useChoiceNames, useRecordChoices } from './record_choices.ts'

type RecordSelectProps = Omit<SelectProps, 'data' | 'value' | 'onChange' | 'filter' | 'searchable'> & {
  /** Of which areas the records are. */
  areas: readonly string[]
  /** Choices that are no records. */
  first?: readonly RecordChoice[]
  /** Only records with these values are offered. */
  where?: Row
  value: string
  onChange: (id: string) => void
}

export function RecordSelect({ areas, first = [], where, value, onChange, ...rest }: RecordSelectProps) {
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<RecordChoice | null>(null)
  const isMixed = areas.length + first.length > 1
  const names = useChoiceNames(areas, value === '' || picked?.value === value ? [] : [value], isMixed)
  const label =
    first.find(choice => choice.value === value)?.label ??
    (picked?.value === value ? picked.label : (names.get(value) ?? ''))
  // The field holds the title of what is chosen: nobody is looking for that.
  const { offered, more, isSearching } = useRecordChoices(areas, typed === label ? '' : typed, {
    first,
    ...(where && { where }),
  })
  const isChosen = value !== '' || first.some(choice => choice.value === '')
  const isOffered = offered.some(choice => choice.value === value)
  return (
    <Select
      nothingFoundMessage={isSearching ? 'Searching …' : 'Nothing has that name'}
      {...rest}
      searchable
      // A field that has the focus when its page opens covers nothing before somebody types or clicks.
      openOnFocus={false}
      data={[...offered, ...(isChosen && !isOffered && label ? [{ value, label }] : []), ...moreOf(more)]}
      filter={({ options }) =>
        isOffered ? options : options.filter(option => !('value' in option) || option.value !== value)
      }
      value={isChosen ? value : null}
      onChange={chosen => {
        setPicked(offered.find(choice => choice.value === chosen) ?? null)
        onChange(chosen ?? '')
      }}
      onSearchChange={setTyped}
    />
  )
}

function moreOf(more: number) {
  return more > 0
    ? [{ value: 'more', label: `${more.toLocaleString('en')} more: type to find them`, disabled: true }]
    : []
}

type RecordMultiSelectProps = Omit<MultiSelectProps, 'data' | 'value' | 'onChange' | 'filter' | 'searchable'> & {
  areas: readonly string[]
  value: readonly string[]
  onChange: (ids: string[]) => void
}

export function RecordMultiSelect({ areas, value, onChange, ...rest }: RecordMultiSelectProps) {
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState<readonly RecordChoice[]>([])
  const unknown = value.filter(id => !picked.some(choice => choice.value === id))
  const names = useChoiceNames(areas, unknown)
  const { offered, more, isSearching } = useRecordChoices(areas, typed)
  const chosen = value.map(id => ({
    value: id,
    label: picked.find(choice => choice.value === id)?.label ?? names.get(id) ?? id,
  }))
  return (
    <MultiSelect
      nothingFoundMessage={isSearching ? 'Searching …' : 'Nothing has that name'}
      {...rest}
      searchable
      hidePickedOptions
      data={[...chosen, ...offered.filter(choice => !value.includes(choice.value)), ...moreOf(more)]}
      // The service has searched already.
      filter={({ options }) => options}
      value={[...value]}
      onChange={ids => {
        setPicked([...picked, ...offered].filter(choice => ids.includes(choice.value)))
        onChange(ids)
      }}
      onSearchChange={setTyped}
    />
  )
}
