// The labels of a record, changed in their place: of one group at most one is on.
import { Text } from '@mantine/core'
import { useState } from 'react'
import { LabelChips, LabelDot, useLabels } from './labels.tsx'
import { Picker } from './picker.tsx'

type LabelPickerProps = {
  ids: readonly string[]
  onChange: (ids: string[]) => void
  shortcut?: string
  isLocked: boolean
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

export function LabelPicker({ ids, onChange, ...picker }: LabelPickerProps) {
  const [words, setWords] = useState('')
  const labels = useLabels({ ids, words })
  const isFitting = ({ name }: { name: string }) => name.toLowerCase().includes(words.trim().toLowerCase())
  const toggle = (id: string) => {
    const group = labels.find(label => label.id === id)?.group?.toLowerCase()
    const isSibling = (other: string) =>
      group !== undefined && labels.find(label => label.id === other)?.group?.toLowerCase() === group
    const isOn = ids.includes(id)
    const rest = ids.filter(one => one !== id && (isOn || !isSibling(one)))
    onChange(isOn ? rest : [...rest, id])
  }
  return (
    <Picker
      {...picker}
      label="Labels"
      choices={labels
        .filter(isFitting)
        .map(({ id, name, color }) => ({ value: id, label: name, mark: <LabelDot color={color} /> }))}
      onWords={setWords}
      value={ids}
      onPick={toggle}
    >
      <LabelChips
        ids={ids}
        most={20}
        none={
          <Text span size="sm" c="dimmed">
            None
          </Text>
        }
      />
    </Picker>
  )
}
