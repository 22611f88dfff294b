// The list that a metric counts, narrowed to a number: each record by when it was and what it says, with its page.
import { Button, Group as Line, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { countOf, wordsOf } from '../../format.ts'
import { callNamed, type Row, type RowPage } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Rows } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import type { Filters, Metric } from './question.ts'

export type Span = { from: string; to: string }

type Shown = {
  title: (record: Row) => string
  state: (record: Row) => unknown
  /** Below the workspace. */
  href: (record: Row) => { to: string; search?: Row }
}

const excerpt = 120

const ways: Readonly<Record<string, Shown>> = {
  'messages.list': {
    title: ({ text, role }) => String(text || wordsOf(String(role))).slice(0, excerpt),
    state: ({ role }) => role,
    href: ({ id, threadId }) => ({ to: `threads/${threadId}`, search: { message: id } }),
  },
  'agent_tools.calls.list': {
    title: ({ tool }) => String(tool),
    state: ({ outcome }) => outcome,
    href: ({ tool }) => ({ to: `agent_tools/${tool}` }),
  },
  'automations.executions.list': {
    title: ({ error, trigger }) => String(error ?? wordsOf((trigger as { on: string }).on)),
    state: ({ status }) => status,
    href: ({ id, automationId }) => ({
      to: `automations/${automationId}`,
      search: { tab: 'executions', execution: id },
    }),
  },
  'integrations.deliveries.list': {
    title: ({ event, error }) => [event, error].filter(Boolean).join(': '),
    state: ({ status }) => status,
    href: ({ id, integrationId }) => ({
      to: `integrations/${integrationId}`,
      search: { tab: 'deliveries', delivery: id },
    }),
  },
}

const perPage = 50

type RecordListProps = { list: NonNullable<Metric['list']>; filters: Filters; span: Span }

export function RecordList({ list: { operation, fields }, filters, span }: RecordListProps) {
  const workspaceId = useWorkspaceId()
  const way = ways[operation]
  const told = Object.entries(filters)
  const beyond = told.filter(([name]) => !Object.hasOwn(fields, name)).map(([name]) => name)
  const narrowed = told.flatMap(([name, values]) => {
    const field = fields[name]
    return field ? [[field, field === 'id' ? values[0] : values]] : []
  })
  const input = { workspaceId, ...Object.fromEntries(narrowed), ...span, orderBy: 'created', order: 'desc', perPage }
  const found = useInfiniteQuery({
    queryKey: [operation, { ...input, isBehind: true }],
    queryFn: ({ pageParam, signal }) =>
      callNamed(operation, { ...input, page: pageParam }, { signal }) as Promise<RowPage>,
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (pages.length * perPage < last.count ? pages.length + 1 : undefined),
    networkMode: 'always',
  })
  const items = found.data?.pages.flatMap(page => page.items) ?? []
  return (
    <Stack>
      {found.isPending && <Rows />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {beyond.length > 0 && <Text size="sm">The list has all: it cannot be narrowed by {beyond.join(' and ')}.</Text>}
      {found.isSuccess && (
        <Text size="sm" c="dimmed">
          {countOf(found.data.pages[0]?.count ?? 0, 'record')} that you may see
        </Text>
      )}
      {items.length > 0 && (
        <RowTable label="Records" heads={['Time', 'Record', 'State']} minWidth={380}>
          {items.map(record => {
            const href = way?.href(record)
            const title = way?.title(record) ?? String(record.id)
            return (
              <Table.Tr key={String(record.id)}>
                <Table.Td>
                  <Moment at={String(record.created)} />
                </Table.Td>
                <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
                  {href ? (
                    <LinkText
                      to={`/w/${workspaceId}/${href.to}` as '/'}
                      search={(href.search ?? {}) as never}
                      size="sm"
                      underline="hover"
                    >
                      {title}
                    </LinkText>
                  ) : (
                    title
                  )}
                </Table.Td>
                <Table.Td fz="sm">{wordsOf(String(way?.state(record) ?? '–'))}</Table.Td>
              </Table.Tr>
            )
          })}
        </RowTable>
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
