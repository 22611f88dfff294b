// Filters of a question: a chip for each dimension that is narrowed, and a menu with the others.
import { Group, MultiSelect, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { FilterChip, FilterMenu } from '../../parts/filter_chip.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useValueNames, valueName } from './look_of.ts'
import { type Filters, type Metric, type Question, useQuery } from './question.ts'

type FilterChipsProps = {
  /** Without what is narrowed: its metrics and time say which values there are. */
  question: Question
  dimensions: readonly Metric['dimensions'][number][]
  onFilters: (filters: Filters) => void
  label: string
}

const isNot = (values: readonly string[]) => values.some(value => value.startsWith('!'))
const plain = (values: readonly string[]) => values.map(value => value.replace(/^!/, ''))

export function FilterChips({ question, dimensions, onFilters, label }: FilterChipsProps) {
  const { filters } = question
  const [open, setOpen] = useState<string | null>(null)
  const shown = [...new Set([...Object.keys(filters), ...(open ? [open] : [])])]
  const others = dimensions.filter(({ name }) => !shown.includes(name))
  const set = (name: string, values: readonly string[]) => {
    const { [name]: _, ...rest } = filters
    onFilters(values.length > 0 ? { ...filters, [name]: values } : rest)
  }
  return (
    <Group gap="xs" role="group" aria-label={label}>
      {shown.map(name => (
        <Chip
          key={name}
          name={name}
          question={question}
          isKnown={dimensions.some(one => one.name === name)}
          isOpen={open === name}
          onOpen={isOpen => setOpen(isOpen ? name : null)}
          onSet={values => set(name, values)}
        />
      ))}
      <FilterMenu others={others.map(({ name }) => ({ name, label: name }))} onPick={setOpen} />
    </Group>
  )
}

type ChipProps = {
  name: string
  question: Question
  /** The metrics have this dimension; a filter of the address may be of another. */
  isKnown: boolean
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onSet: (values: readonly string[]) => void
}

function Chip({ name, question, isKnown, isOpen, onOpen, onSet }: ChipProps) {
  const values = question.filters[name] ?? []
  const names = useValueNames(values)
  const words = plain(values).map(value => valueName(value, names))
  const shown = words.length > 0 ? `${isNot(values) ? 'not ' : ''}${words.join(', ')}` : ''
  return (
    <FilterChip
      label={name}
      shown={shown}
      isOpen={isOpen}
      onOpen={onOpen}
      onClear={() => onSet([])}
      isDisabled={!isKnown}
    >
      <Editor name={name} question={question} values={values} onSet={onSet} />
    </FilterChip>
  )
}

/** Values to choose from are those that there were in the time, the most frequent first. */
function Editor({
  name,
  question,
  values,
  onSet,
}: Pick<ChipProps, 'name' | 'question' | 'onSet'> & { values: readonly string[] }) {
  const workspaceId = useWorkspaceId()
  const { [name]: _, ...others } = question.filters
  const asked = useQuery(workspaceId, { ...question, by: [name], filters: others, isCompared: false }, true)
  const { data, isPending } = useCall('analytics.query', asked)
  const found = (data?.series ?? []).flatMap(({ groups }) =>
    groups.flatMap(({ by, isOther }) => (isOther ? [] : [by[name] ?? 'none'])),
  )
  const offered = [...new Set([...plain(values), ...found])]
  const names = useValueNames(offered)
  const [isNone, setIsNone] = useState(isNot(values))
  const tell = (chosen: readonly string[], none: boolean) => onSet(chosen.map(value => (none ? `!${value}` : value)))
  return (
    <Stack gap="xs" w={260}>
      <SegmentedControl
        size="xs"
        aria-label={`Which ${name}`}
        data={[
          { value: 'any', label: 'Any of' },
          { value: 'none', label: 'None of' },
        ]}
        value={isNone ? 'none' : 'any'}
        onChange={way => {
          setIsNone(way === 'none')
          tell(plain(values), way === 'none')
        }}
      />
      <MultiSelect
        label={name}
        size="xs"
        data-autofocus
        searchable
        maxValues={50}
        nothingFoundMessage={isPending ? 'Searching …' : 'There was no such value in this time'}
        comboboxProps={{ withinPortal: false }}
        data={offered.map(value => ({ value, label: valueName(value, names) }))}
        value={plain(values)}
        onChange={chosen => tell(chosen, isNone)}
      />
    </Stack>
  )
}
