// One call of an agent that waits for a person: what it would do, why, and the decision.
import { Badge, Button, Checkbox, Collapse, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Json } from '../../parts/render.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { Wanted } from './wanted.tsx'

export type Approval = ItemOf<'agent_tools.approvals.list'>

type ApprovalCardProps = {
  approval: Approval
  /** It stands in its thread already. */
  isInThread?: boolean
}

export function ApprovalCard({ approval, isInThread = false }: ApprovalCardProps) {
  const { tool, operationId, args, reason, callerKind, ownerId, created, expiresAt, threadId, workspaceId } = approval
  const { may } = useStanding()
  return (
    <Stack gap="sm" role="group" aria-label={`${tool} waits for approval`}>
      <Group gap="xs">
        <Text ff="monospace" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {tool}
        </Text>
        {callerKind && <Badge color="gray">{wordsOf(callerKind)}</Badge>}
        <Text size="sm" c="dimmed" component="span">
          for <OwnerName id={ownerId} />, asked <Moment at={created} />, expires <Moment at={expiresAt} />
        </Text>
        {threadId && !isInThread && may('threads.get') && (
          <LinkText to={`/w/${workspaceId}/threads/${threadId}` as '/'} size="sm">
            Open the thread
          </LinkText>
        )}
      </Group>
      {reason && (
        <Text size="sm" className="atrium-quote">
          {reason}
        </Text>
      )}
      <Wanted operationId={operationId} args={args} />
      <Exactly args={args} />
      {may('agent_tools.approvals.decide') && <Decision approval={approval} />}
    </Stack>
  )
}

/** What is approved is this, to the letter. */
function Exactly({ args }: { args: object }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        ml={-8}
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        {isOpen ? 'Hide the exact arguments' : 'Show the exact arguments'}
      </Button>
      <Collapse expanded={isOpen}>{isOpen && <Json value={args} />}</Collapse>
    </div>
  )
}

function Decision({ approval: { id: approvalId, workspaceId, tool } }: { approval: Approval }) {
  const [note, setNote] = useState('')
  const [remember, setRemember] = useState(false)
  const act = useAct('agent_tools.approvals.decide', {
    onDone: ({ status }) => done(status === 'approved' ? 'The call is approved.' : 'The call is denied.'),
    touches: ['threads'],
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
