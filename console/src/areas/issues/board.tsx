// Issues as a board: a column for each status, the newest changed first, moved by mouse and keyboard, live.
import { Badge, Group, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useAct } from '../../api.ts'
import { Board, type BoardColumn } from '../../board/board.tsx'
import { wordsOf } from '../../format.ts'
import { callNamed, type Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LabelChips } from '../../parts/labels.tsx'
import { LinkName, LinkText } from '../../parts/links.tsx'
import { Rows } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Issue, movesFrom, type Status, severityColors, statusColors, valuesOf } from './issue.ts'

const perColumn = 50

/** `input` is what the filters above it say. */
export function IssueBoard({ input }: { input: Row }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const move = useAct('issues.patch')
  const statuses = valuesOf('status').filter(status => isWanted(input.status, status))
  const found = useQueries({
    queries: statuses.map(status => {
      const asked = { workspaceId, ...input, status, orderBy: 'updated', order: 'desc', perPage: perColumn }
      return {
        queryKey: ['issues.list', asked],
        queryFn: () => callNamed('issues.list', asked) as Promise<{ items: Issue[]; count: number }>,
        networkMode: 'always' as const,
      }
    }),
  })
  const broken = found.find(({ error, data }) => error && !data)
  if (broken) return <Failure error={broken.error} onRetry={() => void broken.refetch()} />
  if (found.some(({ data }) => !data)) return <Rows />
  const cards = new Map(found.flatMap(({ data }) => (data?.items ?? []).map(issue => [issue.id, issue])))
  const columns = statuses.map((status, index): BoardColumn => {
    const more = (found[index]?.data?.count ?? 0) - (found[index]?.data?.items.length ?? 0)
    return {
      id: status,
      title: wordsOf(status),
      color: statusColors[status as Status],
      ...(more > 0 && { below: <More status={status} count={more} /> }),
    }
  })
  return (
    <Board
      label="Issues by status"
      columns={columns}
      cards={[...cards.values()]}
      idOf={issue => issue.id}
      titleOf={issue => issue.title}
      columnOf={issue => issue.status}
      draw={issue => <Card issue={issue} />}
      mayMove={(issue, status) => movesFrom(issue.status).includes(status)}
      onMove={
        may('issues.patch')
          ? (issue, status) => move.mutateAsync({ workspaceId, id: issue.id, status: status as Status })
          : undefined
      }
    />
  )
}

/** Of the columns only those that the filter lets through. */
function isWanted(filter: unknown, status: string): boolean {
  const values = [filter ?? []].flat().map(String)
  const wanted = values.filter(value => !value.startsWith('!'))
  return !values.includes(`!${status}`) && (wanted.length === 0 || wanted.includes(status))
}

function More({ status, count }: { status: string; count: number }) {
  const workspaceId = useWorkspaceId()
  return (
    <LinkText size="sm" to={`/w/${workspaceId}/issues` as '/'} search={{ status } as never}>
      {count.toLocaleString('en')} more
    </LinkText>
  )
}

function Card({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  return (
    <div>
      <LinkName to={`/w/${workspaceId}/issues/${issue.id}` as '/'} data-row>
        {issue.title}
      </LinkName>
      <Group gap="xs" mt={4}>
        <Text span size="xs" c="dimmed">
          #{issue.number}
        </Text>
        <Badge size="xs" color={severityColors[issue.severity]}>
          {wordsOf(issue.severity)}
        </Badge>
        {issue.occurrences > 1 && (
          <Text span size="xs" c="dimmed">
            ×{issue.occurrences.toLocaleString('en')}
          </Text>
        )}
        {issue.assigneeId !== null && <OwnerName id={issue.assigneeId} />}
        <LabelChips ids={issue.labels} most={2} />
      </Group>
    </div>
  )
}
