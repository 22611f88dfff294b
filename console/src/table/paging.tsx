// Pages of a list: where one is, the way to the next, and how many rows a page has.
import { Group, NativeSelect, Pagination, Text } from '@mantine/core'

export const fewest = 20
const sizes = [fewest, 50, 100]

type PagingProps = {
  page: number
  perPage: number
  count: number
  onPage: (page: number) => void
  onPerPage?: (perPage: number) => void
}

export function Paging({ page, perPage, count, onPage, onPerPage }: PagingProps) {
  const total = Math.max(1, Math.ceil(count / perPage))
  if (total === 1 && (!onPerPage || count <= fewest)) return null
  const first = (page - 1) * perPage + 1
  return (
    <Group justify="space-between" mt="md">
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {first}–{Math.min(count, page * perPage)} of {count.toLocaleString('en')}
        </Text>
        {onPerPage && (
          <NativeSelect
            size="xs"
            aria-label="Rows on a page"
            data={sizes.map(size => ({ value: String(size), label: `${size} rows` }))}
            value={String(perPage)}
            onChange={event => onPerPage(Number(event.currentTarget.value))}
          />
        )}
      </Group>
      {total > 1 && (
        <Pagination
          value={page}
          total={total}
          onChange={onPage}
          size="sm"
          getControlProps={control => ({ 'aria-label': control === 'next' ? 'Next page' : 'Previous page' })}
          getItemProps={number => ({ 'aria-label': `Page ${number}` })}
        />
      )}
    </Group>
  )
}

/** As the address says it, where it says one that is offered. */
export function perPageOf(wanted: unknown): number {
  return sizes.find(size => size === Number(wanted)) ?? fewest
}
