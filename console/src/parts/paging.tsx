// Pages of a list: where one is, and the way to the next.
import { Group, Pagination, Text } from '@mantine/core'

type PagingProps = { page: number; perPage: number; count: number; onPage: (page: number) => void }

export function Paging({ page, perPage, count, onPage }: PagingProps) {
  const total = Math.max(1, Math.ceil(count / perPage))
  if (total === 1) return null
  const first = (page - 1) * perPage + 1
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm" c="dimmed">
        {first}–{Math.min(count, page * perPage)} of {count.toLocaleString('en')}
      </Text>
      <Pagination
        value={page}
        total={total}
        onChange={onPage}
        size="sm"
        getControlProps={control => ({ 'aria-label': control === 'next' ? 'Next page' : 'Previous page' })}
        getItemProps={number => ({ 'aria-label': `Page ${number}` })}
      />
    </Group>
  )
}
