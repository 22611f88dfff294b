// The choice of a branch, a tag or a commit.
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { useWorkspaceId } from '../../session.ts'

type RefsProps = {
  record: Row
  /** Without one, the default branch. */
  selected: string | undefined
  onSelect: (ref: string | undefined) => void
  label: string
  /** Stands above the field; without it, the label is read out only. */
  isLabelShown?: boolean
  /** In place of the default branch where nothing is selected. */
  placeholder?: string
}

/** Branches and tags by their names, and commits by their ids. */
export function Refs({ record, selected, onSelect, label, isLabelShown = false, placeholder }: RefsProps) {
  const workspaceId = useWorkspaceId()
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), 200)
  const place = { workspaceId, id: String(record.id), limit: 1000 }
  const first = useCall('repositories.refs', place)
  // Of more than a thousand those are asked for whose names have what was typed.
  const isLong = Boolean(first.data?.next) && words !== '' && words !== selected
  const narrowed = { ...place, ...(isLong && { q: words.slice(0, 100) }) }
  const more = useCall('repositories.refs', narrowed, { enabled: isLong, keep: true })
  const found = isLong ? more.data : first.data
  const usual = placeholder === undefined ? (first.data?.defaultBranch ?? '') : ''
  const current = selected ?? usual
  const commit = /^[0-9a-f]{7,40}$/.test(typed) ? typed : ''
  const names = new Set([current, commit, ...(found?.refs ?? []).map(({ name }) => name)].filter(Boolean))
  return (
    <Select
      {...(isLabelShown ? { label } : { 'aria-label': label })}
      size="xs"
      w={220}
      searchable
      {...(placeholder !== undefined && { placeholder })}
      nothingFoundMessage="No branch or tag has this name; a commit is named by at least 7 digits."
      data={[...names]}
      value={current || null}
      onSearchChange={setTyped}
      onChange={value => onSelect(value ?? undefined)}
    />
  )
}
