// Other ways to show a list than as a table, with the same filters.
import { Group, SegmentedControl } from '@mantine/core'
import { Table2 } from 'lucide-react'
import { idIn } from '../contract.ts'
import { inputOf } from '../table/data_table.tsx'
import type { FilterChoices } from '../table/filter_editor.tsx'
import { Filters } from '../table/filters.tsx'
import { type ChangeLook, type Look, useLook } from '../table/look.ts'
import { type Layout, labelOf, type Place } from './define.ts'

type LayoutsProps = { layouts: readonly Layout[]; look: Look; onLook: ChangeLook }

/** The table, or another way to show the same. */
export function Layouts({ layouts, look, onLook }: LayoutsProps) {
  const all = [{ name: '', title: 'Table', icon: Table2 }, ...layouts]
  const here = layouts.find(({ name }) => name === look.layout)?.name ?? ''
  return (
    <SegmentedControl
      size="xs"
      mb="md"
      aria-label="How the list is shown"
      style={{ alignSelf: 'flex-start' }}
      value={here}
      onChange={name => onLook({ layout: name || undefined } as Look)}
      data={all.map(({ name, title, icon: Icon }) => ({
        value: name,
        label: (
          <Group gap={6} wrap="nowrap">
            <Icon size={14} aria-hidden />
            {title}
          </Group>
        ),
      }))}
    />
  )
}

type LaidOutProps = { place: Place; layout: Layout; choices: FilterChoices | undefined }

export function LaidOut({ place, layout: { view: View, isAlone }, choices }: LaidOutProps) {
  const [look, onLook] = useLook()
  const listId = idIn(place.area, 'list')
  if (isAlone) return <View input={{}} />
  return (
    <>
      <Filters
        listId={listId}
        look={look}
        onLook={onLook as never}
        label={place.title}
        labelOf={name => labelOf(place, name)}
        choices={choices}
      />
      <View input={inputOf(listId, look)} />
    </>
  )
}
