// A column's head that sorts by it; the order stands in the address.
import { Group, Table, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react'
import type { ReactNode } from 'react'

type SortHeadProps = {
  name: string
  orderBy: string
  order: 'asc' | 'desc'
  onSort: (orderBy: string, order: 'asc' | 'desc') => void
  children: ReactNode
}

export function SortHead({ name, orderBy, order, onSort, children }: SortHeadProps) {
  const isBy = orderBy === name
  const Icon = isBy ? (order === 'asc' ? ArrowUp : ArrowDown) : ArrowUpDown
  const sorted = order === 'asc' ? 'ascending' : 'descending'
  return (
    <Table.Th scope="col" aria-sort={isBy ? sorted : 'none'}>
      <UnstyledButton
        fz="inherit"
        fw="inherit"
        mih={24}
        onClick={() => onSort(name, isBy && order === 'desc' ? 'asc' : 'desc')}
      >
        <Group gap={4} wrap="nowrap">
          {children}
          <Icon size={13} aria-hidden />
        </Group>
      </UnstyledButton>
    </Table.Th>
  )
}
