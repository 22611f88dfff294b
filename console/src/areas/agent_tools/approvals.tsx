// Calls of agents that wait for a person: what would be called, why, and the decision.
import { Badge, Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Json } from '../../parts/render.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

type Approval = ItemOf<'agent_tools.approvals.list'>

const mostShown = 50

/** Nothing where nothing waits: the page is about the tools then. */
export function Approvals() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const isAllowed = may('agent_tools.approvals.list')
  const waiting = useCall(
    'agent_tools.approvals.list',
    { workspaceId, status: 'pending', order: 'asc', perPage: mostShown },
    { enabled: isAllowed },
  )
  const { items = [], count = 0 } = waiting.data ?? {}
  if (!isAllowed || items.length === 0) return null
  return (
    <Panel
      title="Waiting for approval"
      about="Agents asked to run these. What is approved goes through once, exactly as shown."
      aside={<Badge color="yellow">{countOf(count, 'call')}</Badge>}
      mb="md"
    >
      <Stack gap="lg" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {items.map(approval => (
          <li key={approval.id}>
            <Waiting approval={approval} />
          </li>
        ))}
      </Stack>
    </Panel>
  )
}

function Waiting({ approval }: { approval: Approval }) {
  const { tool, args, reason, callerKind, ownerId, created, expiresAt } = approval
  const { may } = useStanding()
  return (
    <Stack gap="xs" role="group" aria-label={`${tool} waits for approval`}>
      <Group gap="xs">
        <Text ff="monospace" fw={600}>
          {tool}
        </Text>
        {callerKind && <Badge color="gray">{wordsOf(callerKind)}</Badge>}
        <Text size="sm" c="dimmed" component="span">
          for <OwnerName id={ownerId} />, asked <Moment at={created} />, expires <Moment at={expiresAt} />
        </Text>
      </Group>
      {reason && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          The agent says: {reason}
        </Text>
      )}
      <Json value={args} />
      {may('agent_tools.approvals.decide') && <Decision approval={approval} />}
    </Stack>
  )
}

function Decision({ approval: { id: approvalId, workspaceId, tool } }: { approval: Approval }) {
  const [note, setNote] = useState('')
  const [remember, setRemember] = useState(false)
  const act = useAct('agent_tools.approvals.decide', {
    onDone: ({ status }) => done(status === 'approved' ? 'The call is approved.' : 'The call is denied.'),
  })
  const decide = (decision: 'approve' | 'deny') =>
    act.mutate({
      workspaceId,
      approvalId,
      decision,
      ...(note.trim() && { note: note.trim() }),
      ...(remember && decision === 'approve' && { remember }),
    })
  return (
    <>
      <Textarea
        label="Note"
        size="xs"
        autosize
        minRows={1}
        maxRows={6}
        maxLength={1_000}
        value={note}
        onChange={event => setNote(event.currentTarget.value)}
      />
      <Group gap="sm">
        <Button size="xs" loading={act.isPending} onClick={() => decide('approve')} aria-label={`Approve ${tool}`}>
          Approve
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={act.isPending}
          onClick={() => decide('deny')}
          aria-label={`Deny ${tool}`}
        >
          Deny
        </Button>
        <Checkbox
          size="xs"
          label="Do not ask again for the same call"
          checked={remember}
          onChange={event => setRemember(event.currentTarget.checked)}
        />
      </Group>
      <Failure error={act.error} onRetry={act.again} />
    </>
  )
}
