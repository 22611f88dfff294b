// Calls of agents that wait for a person, and a page with those that were decided.
import { Badge, Stack, Text } from '@mantine/core'
import { ShieldCheck } from 'lucide-react'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { LinkButton, LinkText } from '../../parts/links.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Crumbs } from '../../record/record_page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { DataTable } from '../../table/data_table.tsx'
import { useLook } from '../../table/look.ts'
import { type CellProps, labelOf, type Place, placeOfArea } from '../define.ts'
import { type Approval, ApprovalCard } from './approval.tsx'

const mostShown = 50

function useWaiting() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const enabled = may('agent_tools.approvals.list')
  const input = { workspaceId, status: 'pending', order: 'asc' as const, perPage: mostShown }
  return useCall('agent_tools.approvals.list', input, { enabled })
}

/** Nothing where nothing waits: the page is about the tools then. */
export function Approvals() {
  const { items = [], count = 0 } = useWaiting().data ?? {}
  if (items.length === 0) return null
  return (
    <Panel
      title="Waiting for approval"
      about="Agents asked to run these. What is approved goes through once, exactly as shown."
      aside={<Badge color="yellow">{countOf(count, 'call')}</Badge>}
    >
      <Cards items={items} />
    </Panel>
  )
}

function Cards({ items }: { items: readonly Approval[] }) {
  return (
    <Stack gap="lg" component="ul" className="atrium-plain-list atrium-parted">
      {items.map(approval => (
        <li key={approval.id}>
          <ApprovalCard approval={approval} />
        </li>
      ))}
    </Stack>
  )
}

export function ApprovalsButton() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  if (!may('agent_tools.approvals.list')) return null
  return (
    <LinkButton
      to={`/w/${workspaceId}/agent_tools/approvals` as '/'}
      variant="default"
      leftSection={<ShieldCheck size={16} aria-hidden />}
    >
      Approvals
    </LinkButton>
  )
}

const colors: Readonly<Record<Approval['status'], string>> = {
  pending: 'yellow',
  approved: 'green',
  used: 'green',
  denied: 'red',
  expired: 'gray',
}

function Status({ value }: CellProps) {
  return <Badge color={colors[value as Approval['status']]}>{wordsOf(String(value))}</Badge>
}

function Person({ value }: CellProps) {
  return <OwnerName id={value as string | null} />
}

function Thread({ value }: CellProps) {
  const workspaceId = useWorkspaceId()
  if (!value) return null
  return (
    <LinkText to={`/w/${workspaceId}/threads/${String(value)}` as '/'} size="sm">
      Open
    </LinkText>
  )
}

const labels: Readonly<Record<string, string>> = { ownerId: 'For', decidedBy: 'Decided by', threadId: 'Thread' }

export function ApprovalsPage() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const waiting = useWaiting()
  const [look, onLook] = useLook()
  const place = placeOfArea('agent_tools') as Place
  const list = `/w/${workspaceId}/agent_tools`
  return (
    <Page
      title="Approvals"
      about="Calls of agents that a person decides on. What is approved goes through once, exactly as shown."
      crumbs={<Crumbs place={place} list={list} title="Approvals" />}
    >
      {may('agent_tools.approvals.list') ? (
        <>
          <Panel title="Waiting">
            <Loaded query={waiting} rows={2}>
              {({ items }) =>
                items.length === 0 ? (
                  <Empty
                    icon={ShieldCheck}
                    title="Nothing waits"
                    text="Whoever may decide is told when an agent asks."
                  />
                ) : (
                  <Cards items={items} />
                )
              }
            </Loaded>
          </Panel>
          <Panel title="All calls">
            <DataTable
              listId="agent_tools.approvals.list"
              path={{ workspaceId }}
              keyField="id"
              columns={['tool', 'status', 'ownerId', 'decidedBy', 'note', 'threadId', 'created']}
              label="Approvals"
              labelOf={name => labels[name] ?? labelOf(place, name)}
              look={look}
              onLook={onLook as never}
              cells={{ status: Status, ownerId: Person, decidedBy: Person, threadId: Thread }}
              empty={{
                icon: ShieldCheck,
                title: 'No approvals yet',
                text: 'Calls that the policy holds back for a person are listed here.',
              }}
            />
          </Panel>
        </>
      ) : (
        <Text>You may not see the approvals of this workspace.</Text>
      )}
    </Page>
  )
}
