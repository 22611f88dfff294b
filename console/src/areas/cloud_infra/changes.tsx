// What has changed in a node, the newest first: each fact before and after.
import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { call } from '../../api.ts'
import { indexedArea } from '../../contract.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Panel, Rows } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useNames } from '../../table/references.ts'
import { type Change, type InfraNode, kindColours, nodeHref, relationWords } from './node.ts'

const perPage = 25

export function Changes({ record }: { record: Row }) {
  const { id, name } = record as InfraNode
  const workspaceId = useWorkspaceId()
  const found = useInfiniteQuery({
    queryKey: ['cloud_infra.changes.list', { workspaceId, nodeId: id, perPage }],
    queryFn: ({ pageParam, signal }) =>
      call(
        'cloud_infra.changes.list',
        { workspaceId, nodeId: id, perPage, ...(pageParam && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    networkMode: 'always',
  })
  const items = found.data?.pages.flatMap(page => page.items) ?? []
  const others = useNames(otherEnds(items))
  return (
    <Panel title="Changes" about="Of the last 90 days, as sources told of them.">
      {found.isPending && <Rows />}
      <Failure error={found.error} onRetry={() => void found.refetch()} />
      {found.isSuccess && items.length === 0 && (
        <Empty icon={History} title="No changes yet" text="What a sync finds other than before shows here." />
      )}
      <Stack gap="lg" className="atrium-parted">
        {items.map(change => (
          <ChangeShown key={change.id} change={change} name={name} others={others} />
        ))}
      </Stack>
      {found.hasNextPage && (
        <Group mt="md">
          <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show earlier ones
          </Button>
        </Group>
      )}
    </Panel>
  )
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^node_\w{24}$/.test(value)

/** Of edges the other end is told by its id. */
function otherEnds(changes: readonly Change[]) {
  const area = indexedArea('cloud_infra')
  const ids = changes.flatMap(({ diff }) => diff.flatMap(({ before, after }) => [before, after].flat().filter(isId)))
  return area ? [{ area, ids: [...new Set(ids)] }] : []
}

type ChangeShownProps = { change: Change; name: string; others: ReadonlyMap<string, string> }

function ChangeShown({ change: { at, kind, nodeName, diff }, name, others }: ChangeShownProps) {
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Badge color={kindColours[kind]}>{wordsOf(kind)}</Badge>
        <Moment at={at} />
        {nodeName !== name && (
          <Text size="sm" c="dimmed">
            It was called {nodeName} then
          </Text>
        )}
      </Group>
      {diff.length > 0 && (
        <RowTable label={`${wordsOf(kind)}: what differs`} heads={['What', 'Before', 'After']} minWidth={420} hasCards>
          {diff.map(({ path, before, after }) => (
            <Table.Tr key={`${path} ${JSON.stringify([before, after])}`}>
              <Table.Td fz="sm" data-label="What" style={{ overflowWrap: 'anywhere' }}>
                {wordsFor(path)}
              </Table.Td>
              <Table.Td fz="sm" data-label="Before">
                {before === null ? (
                  '–'
                ) : (
                  <del className="atrium-before">
                    <Shown value={before} others={others} />
                  </del>
                )}
              </Table.Td>
              <Table.Td fz="sm" data-label="After">
                {after === null ? (
                  '–'
                ) : (
                  <ins className="atrium-after">
                    <Shown value={after} others={others} />
                  </ins>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
    </Stack>
  )
}

/** `edges.reads` → "Edge: reads"; a path into the properties stays one. */
function wordsFor(path: string): string {
  const [root, relation = ''] = path.split('.')
  if (root !== 'edges') return path.includes('.') ? path : wordsOf(path)
  return `Edge: ${relationWords[relation as keyof typeof relationWords]?.[0] ?? relation}`
}

function Shown({ value, others }: { value: unknown; others: ReadonlyMap<string, string> }) {
  const workspaceId = useWorkspaceId()
  if (isId(value)) {
    return (
      <LinkText to={nodeHref(workspaceId, value) as '/'} size="sm">
        {others.get(value) ?? value}
      </LinkText>
    )
  }
  return <span style={{ overflowWrap: 'anywhere' }}>{typeof value === 'string' ? value : JSON.stringify(value)}</span>
}
