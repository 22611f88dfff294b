// The entries of the ledger that a number is made of, each with the record that it is about.
import { Button, Group as Line, Stack, Table, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { call } from '../../api.ts'
import { useTargetNames } from '../../audit/sentence.tsx'
import { countOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Rows } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { Reference } from '../../table/reference.tsx'
import { type Group, type Query, whereOf } from './question.ts'
import { filtersAt } from './spot.ts'

type EntriesProps = {
  title: string | null
  query: Query
  metric: string
  by: Group['by']
  /** Where the buckets begin that something is in, the oldest first. */
  buckets: readonly string[]
}

type Entry = ResultOf<'analytics.explain'>['items'][number]
/** A bucket, and the entry in it to go on behind. */
type Place = { index: number; after: number }

const atOnce = 50
/** Buckets with little in them are read one after the other, but not for ever. */
const mostCalls = 30

/** From bucket to bucket until there is enough to show. */
async function readFrom(props: EntriesProps, from: Place, signal: AbortSignal) {
  const { query, metric, by, buckets } = props
  const { workspaceId, granularity = 'day', timezone = 'UTC', weekStart = 'monday' } = query
  const filter = whereOf(filtersAt(query, by))
  const items: Entry[] = []
  let hidden = 0
  let next: Place | null = from
  for (let calls = 0; next && items.length < atOnce && calls < mostCalls; calls++) {
    const { index, after } = next as Place
    const asked = { workspaceId, metric, granularity, timezone, weekStart, limit: 100, after, filter }
    // The time that is asked for may begin or end in the middle of a bucket.
    const span = { bucket: buckets[index] ?? '', from: query.from, to: query.to }
    const found = await call('analytics.explain', { ...asked, ...span }, { signal })
    items.push(...found.items)
    hidden += found.hidden
    if (found.next !== null) next = { index, after: found.next }
    else next = index + 1 < buckets.length ? { index: index + 1, after: 0 } : null
  }
  return { items, hidden, next }
}

export function Entries(props: EntriesProps) {
  const { title, buckets } = props
  const found = useInfiniteQuery({
    queryKey: ['analytics.explain', { ...props, isWhole: true }],
    queryFn: ({ pageParam, signal }) => readFrom(props, pageParam, signal),
    initialPageParam: { index: 0, after: 0 } as Place,
    getNextPageParam: ({ next }) => next ?? undefined,
    enabled: buckets.length > 0,
    networkMode: 'always',
  })
  const items = useMemo(() => found.data?.pages.flatMap(page => page.items) ?? [], [found.data])
  const hidden = found.data?.pages.reduce((sum, page) => sum + page.hidden, 0) ?? 0
  return (
    <Stack>
      {title && <Title order={3}>{title}</Title>}
      {found.isLoading && <Rows />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {(buckets.length === 0 || (found.isSuccess && items.length === 0)) && (
        <Text size="sm">No entries that you may see.</Text>
      )}
      {items.length > 0 && <EntryTable label={title ? `Entries of ${title}` : 'Entries'} items={items} />}
      {hidden > 0 && (
        <Text size="sm">{countOf(hidden, 'entry', 'entries')} not shown: not yours to see, or pruned.</Text>
      )}
      {found.hasNextPage && (
        <Line>
          <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show more
          </Button>
        </Line>
      )}
    </Stack>
  )
}

function EntryTable({ label, items }: { label: string; items: readonly Entry[] }) {
  const names = useTargetNames(items)
  return (
    <RowTable label={label} heads={['Time', 'What', 'Record', 'Who']} minWidth={420}>
      {items.map(({ seq, at, action, target, actor }) => (
        <Table.Tr key={seq}>
          <Table.Td>
            <Moment at={at} />
          </Table.Td>
          <Table.Td fz="sm">{action}</Table.Td>
          <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {target ? <Reference id={target.id} name={names.get(target.id) ?? target.id} /> : '–'}
          </Table.Td>
          <Table.Td fz="sm">{actor.name ?? actor.type}</Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}
