// Labels of a record: chips in their colours, and the field in which they are chosen.
import { ColorSwatch, Group, MultiSelect, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import type { ItemOf } from '../../../src/client/catalogue.ts'
import { useCall } from '../api.ts'
import { countOf } from '../format.ts'
import { useAll } from '../named.ts'
import { useStanding, useWorkspaceId } from '../session.ts'
import { typingMs } from './record_choices.ts'

export type Label = ItemOf<'labels.list'>

type LabelsWanted = { ids?: readonly string[]; words?: string }

/**
 * All labels of the workspace: one call, whoever asks. Where there are more than are read so, those of `ids` and those
 * that fit `words` are asked for.
 */
export function useLabels({ ids = [], words = '' }: LabelsWanted = {}): readonly Label[] {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const enabled = workspaceId !== '' && may('labels.list')
  const whole = useAll<Label>('labels.list', { workspaceId, orderBy: 'name', order: 'asc' }, { enabled }).data
  const known = whole?.items ?? []
  const isCut = whole !== undefined && whole.count > known.length
  const missing = isCut ? ids.filter(one => !known.some(({ id }) => id === one)).sort() : []
  const [typed] = useDebouncedValue(words.trim(), typingMs)
  const perPage = 100
  const byId = useCall('labels.list', { workspaceId, id: missing, perPage }, { enabled: missing.length > 0 })
  const byWords = useCall('labels.list', { workspaceId, q: typed, perPage }, { enabled: isCut && typed !== '' })
  const found = [...known, ...(byId.data?.items ?? []), ...(byWords.data?.items ?? [])]
  return isCut ? [...new Map(found.map(label => [label.id, label])).values()] : found
}

export function LabelDot({ color }: { color: string }) {
  return <ColorSwatch size={10} color={color} withShadow={false} aria-hidden />
}

/** The colour stands beside the words, which so can be read on any ground. */
export function LabelChip({ label }: { label: Pick<Label, 'name' | 'color'> }) {
  return (
    <span className="atrium-label">
      <LabelDot color={label.color} />
      {label.name}
    </span>
  )
}

type LabelChipsProps = { ids: readonly string[]; most?: number; none?: ReactNode }

export function LabelChips({ ids, most = 3, none = null }: LabelChipsProps) {
  const known = useLabels({ ids })
  const labels = known.filter(({ id }) => ids.includes(id))
  if (ids.length === 0) return none
  const hidden = labels.slice(most)
  return (
    <Group gap={4}>
      {labels.slice(0, most).map(label => (
        <LabelChip key={label.id} label={label} />
      ))}
      {hidden.length > 0 && (
        <Text span size="xs" title={hidden.map(({ name }) => name).join(', ')}>
          +{hidden.length}
        </Text>
      )}
      {labels.length === 0 && (
        <Text span size="xs" c="dimmed">
          {countOf(ids.length, 'label')}
        </Text>
      )}
    </Group>
  )
}

type LabelFieldProps = {
  label: ReactNode
  value: readonly string[]
  onChange: (ids: string[]) => void
  error?: ReactNode
  description?: ReactNode
  name?: string
}

/** Choosing one of a group takes its sibling out, as the service would. */
export function LabelField({ label, value, onChange, ...rest }: LabelFieldProps) {
  const [words, setWords] = useState('')
  const labels = useLabels({ ids: value, words })
  const change = (ids: string[]) => {
    const added = labels.find(({ id }) => ids.includes(id) && !value.includes(id))
    onChange(added ? ids.filter(id => id === added.id || !isSibling(labels, id, added)) : ids)
  }
  return (
    <MultiSelect
      {...rest}
      label={label}
      searchable
      clearable
      hidePickedOptions
      clearButtonProps={{ 'aria-label': 'Take all labels off' }}
      data={labels.map(({ id, name }) => ({ value: id, label: name }))}
      value={[...value]}
      onChange={change}
      onSearchChange={setWords}
      nothingFoundMessage="No label has that name"
      renderOption={({ option }) => {
        const found = labels.find(({ id }) => id === option.value)
        return (
          <Group gap="xs" wrap="nowrap">
            <LabelDot color={found?.color ?? 'gray'} />
            <Text size="sm">{option.label}</Text>
            {found?.group && (
              <Text size="xs" c="dimmed">
                {found.group}
              </Text>
            )}
          </Group>
        )
      }}
    />
  )
}

function isSibling(labels: readonly Label[], id: string, added: Label): boolean {
  const group = labels.find(label => label.id === id)?.group
  return group != null && added.group !== null && group.toLowerCase() === added.group.toLowerCase()
}
