// How a page shows: its address to copy, what it says, and revoking it.
import { Anchor, Text } from '@mantine/core'
import { Undo2 } from 'lucide-react'
import { CopyLine } from '../../parts/copy.tsx'
import { OwnerName } from '../../parts/people.tsx'
import type { CellProps, Views } from '../define.ts'

function Address({ record, value }: CellProps) {
  const url = String(value)
  if (record.deleted !== null) return <Text size="sm">Revoked: its address answers nobody.</Text>
  return (
    <>
      <CopyLine value={url} label="Copy the address" />
      <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
        Open it
      </Anchor>
    </>
  )
}

function Person({ value }: CellProps) {
  return <OwnerName id={value as string | null} />
}

export const views: Views = {
  cells: { createdBy: Person },
  facts: { url: Address, createdBy: Person, deletedBy: Person },
  acts: {
    del: {
      label: 'Revoke',
      icon: Undo2,
      about: 'Its address answers "gone" at once, everywhere. What it said is erased after 30 days.',
      done: 'Revoked.',
      isOffered: ({ deleted }) => deleted === null,
    },
  },
}
