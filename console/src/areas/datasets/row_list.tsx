// The rows of the span, the newest first: older ones when asked for, and everything about one where it is opened.
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { agoOf, countOf } from '../../format.ts'
import { callNamed } from '../../named.ts'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type Ask, type Dataset, type DatasetRow, lasts, minuteMs, type Question, type Span } from './question.ts'
import { keyOf, RowTable } from './row_table.tsx'
import { type Tail, useTail } from './tail.ts'

const perPage = 100

export type ViewProps = { dataset: Dataset; question: Question; span: Span; ask: Ask }

function useRows({ dataset, question, span }: ViewProps) {
  const workspaceId = useWorkspaceId()
  const { filter } = question
  const input = { workspaceId, id: dataset.id, ...span, perPage, ...(filter && { filter }) }
  return useInfiniteQuery({
    queryKey: ['datasets.rows.list', input],
    queryFn: async ({ pageParam, signal }) =>
      (await callNamed('datasets.rows.list', { ...input, ...(pageParam && { after: pageParam }) }, { signal })) as Page,
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: before => before,
    networkMode: 'always',
  })
}

type Page = ResultOf<'datasets.rows.list'>

/** A filter that finds little looks through many rows, a page of them at a time. */
function LookFurther({ more, isBusy }: { more: () => void; isBusy: boolean }) {
  useEffect(() => {
    if (!isBusy) more()
  }, [more, isBusy])
  return (
    <Text size="sm" role="status">
      Nothing among the newest rows; looking further back …
    </Text>
  )
}

export function RowList(props: ViewProps) {
  const { dataset, question, ask } = props
  const tail = useTail(dataset.id, question.filter, question.isLive)
  const span = useListedSpan(props, tail)
  const found = useRows({ ...props, span })
  const listed = found.data?.pages.flatMap(({ items }) => items) ?? []
  const rows = question.isLive ? withoutTwins([...tail.rows, ...listed]) : listed
  return (
    <Panel padding="md">
      <Loaded query={found as never} rows={8}>
        {() =>
          rows.length === 0 && found.hasNextPage ? (
            <LookFurther more={() => void found.fetchNextPage()} isBusy={found.isFetchingNextPage} />
          ) : rows.length === 0 ? (
            <NoRows dataset={dataset} question={question} ask={ask} />
          ) : (
            <Stack gap="sm">
              <RowTable dataset={dataset} rows={rows} question={question} ask={ask} />
              <Group justify="space-between">
                <Text size="sm" role={question.isLive ? undefined : 'status'}>
                  {countOf(rows.length, 'row')} shown, the newest first
                  {tail.omitted > 0 && `; ${tail.omitted.toLocaleString('en')} more came too fast to be shown`}
                </Text>
                {question.isLive ? (
                  <Text size="sm">
                    {tail.since === null ? 'Waiting for the stream …' : 'Rows show as they come.'} Switch off Live for
                    older ones.
                  </Text>
                ) : (
                  found.hasNextPage && (
                    <Button
                      variant="default"
                      loading={found.isFetchingNextPage}
                      onClick={() => void found.fetchNextPage()}
                    >
                      Older
                    </Button>
                  )
                )}
              </Group>
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

/** While rows come by the stream, the list is read once, up to where the stream began. */
function useListedSpan({ question, span }: ViewProps, { since }: Tail): Span {
  const first = useRef(span)
  if (!question.isLive) first.current = span
  if (!question.isLive || since === null) return first.current
  const { ms } = lasts[question.last ?? ''] ?? { ms: 0 }
  return { from: new Date(since - ms).toISOString(), to: new Date(since).toISOString() }
}

/** A row may be in the list and have come by the stream. */
function withoutTwins(rows: readonly DatasetRow[]): DatasetRow[] {
  return [...new Map(rows.map(row => [keyOf(row), row])).values()]
}

/** Says where there are rows, and leads there. */
function NoRows({ dataset, question, ask }: Omit<ViewProps, 'span'>) {
  const { lastRowAt } = dataset
  if (lastRowAt === null) {
    return (
      <Empty
        icon={SearchX}
        title="There are no rows yet"
        text="Send some by the API, or point a telemetry token at this dataset. They show here at once."
      />
    )
  }
  const newest = () => {
    const end = new Date(lastRowAt).getTime() + minuteMs
    const from = new Date(end - 60 * minuteMs).toISOString()
    ask({ from, to: new Date(end).toISOString(), last: undefined, live: undefined })
  }
  return (
    <Empty
      icon={SearchX}
      title={question.filter ? 'No row fits the filter in this time' : 'No rows in this time'}
      text={`The newest row of the dataset came ${agoOf(lastRowAt)}. Choose a longer time, or another filter.`}
      action={
        <Group gap="xs" justify="center">
          <Button variant="default" onClick={newest}>
            Go to the newest rows
          </Button>
          {question.filter && (
            <Button variant="default" onClick={() => ask({ filter: undefined })}>
              Clear the filter
            </Button>
          )}
        </Group>
      }
    />
  )
}
