// How issues show in the list, on the board and on their own page; rules stand beside them.
import { Badge, Group, Text } from '@mantine/core'
import { KanbanSquare, ListChecks, Plus } from 'lucide-react'
import { wordsOf } from '../../format.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { OwnerName, ownerAreas } from '../../parts/people.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import type { CellProps, Views } from '../define.ts'
import { IssueBoard } from './board.tsx'
import { type Issue, severityColors, statusColors } from './issue.ts'
import { IssuePage } from './record.tsx'
import { recordViews } from './record_views.ts'
import { RulesPage } from './rules.tsx'

function Title({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const { id, number, title } = record as Issue
  return (
    <Group gap="xs" wrap="nowrap">
      <Text span size="sm" c="dimmed" className="atrium-nowrap">
        #{number}
      </Text>
      <LinkName to={`/w/${workspaceId}/issues/${id}` as '/'} data-row>
        {title}
      </LinkName>
    </Group>
  )
}

function Severity({ value }: CellProps) {
  return <Badge color={severityColors[value as Issue['severity']]}>{wordsOf(String(value))}</Badge>
}

function Status({ value }: CellProps) {
  return <Badge color={statusColors[value as Issue['status']]}>{wordsOf(String(value))}</Badge>
}

function Assignee({ value }: CellProps) {
  return <OwnerName id={value as string | null} />
}

function Actions() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const root = `/w/${workspaceId}/issues`
  return (
    <>
      <LinkButton to={`${root}/rules` as '/'} variant="default" leftSection={<ListChecks size={16} aria-hidden />}>
        Rules
      </LinkButton>
      {may('issues.post') && (
        <LinkButton to={`${root}/new` as '/'} leftSection={<Plus size={16} aria-hidden />}>
          New issue
        </LinkButton>
      )}
    </>
  )
}

/** `rules` is a word that no id can be. */
function RecordOrRules({ id }: { id: string }) {
  return id === 'rules' ? <RulesPage /> : <IssuePage key={id} id={id} />
}

export const views: Views = {
  ...recordViews,
  cells: { title: Title, severity: Severity, status: Status, assigneeId: Assignee },
  actions: Actions,
  layouts: [{ name: 'board', title: 'Board', icon: KanbanSquare, view: IssueBoard }],
  record: RecordOrRules,
  useChoices: () => ({
    assigneeId: {
      choices: [
        { value: 'me', label: 'Me and my teams' },
        { value: 'none', label: 'Nobody' },
      ],
      areas: ownerAreas,
    },
    ownerId: { choices: [], areas: ownerAreas },
  }),
}
