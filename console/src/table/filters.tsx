// Filters of a list: chips for those that are on, a menu with the others, and a field that searches while one types.
import { Button, CloseButton, Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type Filter, filtersOf, isSearched } from '../areas/schema.ts'
import { FilterChip, FilterMenu } from '../parts/filter_chip.tsx'
import { useChoiceNames } from '../parts/record_choices.ts'
import { type FilterChoices, FilterEditor, offerOf } from './filter_editor.tsx'
import type { ChangeLook, Look } from './look.ts'

const typingMs = 250

type FiltersProps = {
  listId: string
  look: Look
  onLook: ChangeLook
  label: string
  labelOf: (name: string) => string
  /** For filters whose values only the page knows. */
  choices?: FilterChoices | undefined
}

export function Filters({ listId, look, onLook, label, labelOf, choices = {} }: FiltersProps) {
  const filters = filtersOf(listId)
  const [open, setOpen] = useState<string | null>(null)
  const isOn = ({ name }: Filter) => look[name] !== undefined && look[name] !== ''
  const shown = filters.filter(filter => isOn(filter) || open === filter.name)
  const others = filters.filter(filter => !shown.includes(filter))
  if (filters.length === 0 && !isSearched(listId)) return null
  return (
    <Group gap="xs" mb="md" role="group" aria-label={`Filters of ${label}`}>
      {isSearched(listId) && <SearchField label={label} look={look} onLook={onLook} />}
      {shown.map(filter => (
        <Chip
          key={filter.name}
          filter={filter}
          label={labelOf(filter.name)}
          choices={choices[filter.name]}
          value={look[filter.name] === undefined ? '' : String(look[filter.name])}
          values={[look[filter.name] ?? []].flat().map(String)}
          isOpen={open === filter.name}
          onOpen={isOpen => setOpen(isOpen ? filter.name : null)}
          onSet={value => onLook({ [filter.name]: value || undefined })}
        />
      ))}
      <FilterMenu others={others.map(({ name }) => ({ name, label: labelOf(name) }))} onPick={setOpen} />
      {filters.some(isOn) && (
        <Button
          size="xs"
          variant="subtle"
          leftSection={<X size={14} aria-hidden />}
          onClick={() => onLook(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear
        </Button>
      )}
    </Group>
  )
}

function SearchField({ label, look, onLook }: Pick<FiltersProps, 'label' | 'look' | 'onLook'>) {
  const wanted = String(look.q ?? '')
  const [text, setText] = useState(wanted)
  const tell = useDebouncedCallback((q: string) => onLook({ q: q || undefined } as Look), typingMs)
  const type = (typed: string) => {
    setText(typed)
    tell(typed.trim())
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address may change beside the field
  useEffect(() => {
    if (wanted !== text.trim()) setText(wanted)
  }, [wanted])
  return (
    <TextInput
      aria-label={`Search ${label}`}
      placeholder={`Search ${label.toLowerCase()}`}
      size="xs"
      w={240}
      leftSection={<Search size={14} aria-hidden />}
      value={text}
      onChange={event => type(event.currentTarget.value)}
      rightSection={text && <CloseButton size="xs" aria-label="Clear the search" onClick={() => type('')} />}
    />
  )
}

type ChipProps = {
  filter: Filter
  label: string
  choices: FilterChoices[string] | undefined
  value: string
  /** The same one by one; those with `!` are excluded. */
  values: readonly string[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onSet: (value: string) => void
}

function Chip({ filter, label, choices, value, values, isOpen, onOpen, onSet }: ChipProps) {
  const offer = offerOf(filter, choices)
  const names = useChoiceNames(
    offer?.areas ?? [],
    values.map(one => one.replace('!', '')),
    (offer?.areas.length ?? 0) + (offer?.choices.length ?? 0) > 1,
  )
  const wordsFor = (one: string): string =>
    one.startsWith('!')
      ? `not ${wordsFor(one.slice(1))}`
      : (offer?.choices.find(choice => choice.value === one)?.label ?? names.get(one) ?? one)
  const shown = values.map(wordsFor).join(', ')
  const set = (next: string) => {
    onSet(next)
    onOpen(false)
  }
  return (
    <FilterChip label={label} shown={shown} isOpen={isOpen} onOpen={onOpen} onClear={() => set('')}>
      <FilterEditor kind={filter.kind} label={label} value={value} offer={offer} onSet={set} />
    </FilterChip>
  )
}
