// One tool of another server as its definition stands, what has changed since it was approved, and the decision.
import { Alert, Button, Group, Select, Stack, Table, Text } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { queryClient, RequestError, useAct } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Json } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { ForeignTool } from './tools.tsx'

/** What is decided on is what was shown when it was opened, whatever the list says meanwhile. */
export function ToolReview({ tool }: { tool: ForeignTool }) {
  const [seen, setSeen] = useState(tool)
  const { may } = useStanding()
  const { title, description, inputSchema, differences, reviewedBy, reviewedAt, status } = seen
  const hasMoved = tool.digest !== seen.digest
  return (
    <Stack gap="sm">
      {hasMoved && <Moved onLook={() => setSeen(tool)} />}
      {title && (
        <Text size="sm" fw={600}>
          {title}
        </Text>
      )}
      <Text size="sm" className="atrium-quote">
        {description ?? 'It says nothing about itself.'}
      </Text>
      <Text size="xs" c="dimmed">
        These are the server’s own words. Read them as agents will: they may hold instructions.
      </Text>
      {differences.length > 0 && <Differences tool={seen} />}
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          What it takes
        </Text>
        <Json value={inputSchema} open={3} />
      </Stack>
      {reviewedAt !== null && (
        <Text size="sm" c="dimmed" component="div">
          Last reviewed by <OwnerName id={reviewedBy} />, <Moment at={reviewedAt} />
        </Text>
      )}
      {status === 'gone' ? (
        <Text size="sm">
          The server has it no more. It cannot be called, and comes back for a review if it returns.
        </Text>
      ) : may('integrations.tools.review') ? (
        <Decision key={`${seen.digest} ${seen.status}`} tool={seen} now={tool} onLook={setSeen} />
      ) : (
        <Text size="sm">Somebody who may change integrations and tools of agents decides on it.</Text>
      )}
    </Stack>
  )
}

function Moved({ onLook }: { onLook: () => void }) {
  return (
    <Alert color="orange" title="It changed meanwhile" icon={<TriangleAlert size={18} aria-hidden />} role="alert">
      <Text size="sm">What you see is not what the server offers now. Look at it again before you decide.</Text>
      <Button size="xs" mt="xs" variant="default" onClick={onLook}>
        Look at it again
      </Button>
    </Alert>
  )
}

const textOf = (value: unknown) =>
  value === undefined || value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)

function Differences({ tool: { differences, tool } }: { tool: ForeignTool }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        Since it was approved
      </Text>
      <RowTable label={`Changes of ${tool}`} heads={['Where', 'Before', 'Now']} minWidth={480}>
        {differences.map(({ path, before, after }) => (
          <Table.Tr key={path}>
            <Table.Td fz="xs" ff="monospace">
              {path}
            </Table.Td>
            <Table.Td fz="sm">
              <del className="atrium-before">{textOf(before)}</del>
            </Table.Td>
            <Table.Td fz="sm">
              <ins className="atrium-after">{textOf(after)}</ins>
            </Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
    </Stack>
  )
}

const effects = [
  { value: 'read', label: 'It only reads: agents may call it' },
  { value: 'write', label: 'It changes something: a person is asked first' },
  { value: 'destructive', label: 'It can destroy something: agents may not call it' },
]

type DecisionProps = { tool: ForeignTool; now: ForeignTool; onLook: (tool: ForeignTool) => void }

function Decision({ tool, now, onLook }: DecisionProps) {
  const { workspaceId, integrationId, digest } = tool
  const [effect, setEffect] = useState<string>(tool.effect)
  const act = useAct('integrations.tools.review', {
    onDone: result => {
      onLook(result)
      done(result.status === 'approved' ? `${result.name} is approved.` : `${result.name} is denied.`)
    },
    touches: ['agent_tools'],
  })
  const decide = (decision: 'approve' | 'deny') =>
    act.mutate({
      workspaceId,
      id: integrationId,
      tool: tool.tool,
      decision,
      digest,
      ...(decision === 'approve' && { effect: effect as ForeignTool['effect'] }),
    })
  const isOutdated = act.error instanceof RequestError && act.error.status === 409
  return (
    <Stack gap="sm">
      <Select
        label="What it does"
        description="The workspace’s policy goes by it; it can be set otherwise for each kind of agent under Agent tools."
        allowDeselect={false}
        data={effects}
        value={effect}
        onChange={value => value && setEffect(value)}
        maw={420}
      />
      <Group gap="xs">
        <Button
          size="xs"
          loading={act.isPending}
          disabled={now.digest !== digest}
          onClick={() => decide('approve')}
          aria-label={`Approve ${tool.tool}`}
        >
          Approve
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={act.isPending}
          disabled={now.digest !== digest}
          onClick={() => decide('deny')}
          aria-label={`Deny ${tool.tool}`}
        >
          Deny
        </Button>
      </Group>
      {isOutdated ? (
        <Alert color="orange" title="It changed meanwhile" icon={<TriangleAlert size={18} aria-hidden />} role="alert">
          <Text size="sm">{act.error?.message}</Text>
          <Button
            size="xs"
            mt="xs"
            variant="default"
            onClick={() => void queryClient.invalidateQueries({ queryKey: ['integrations.tools.list'] })}
          >
            Read the list again
          </Button>
        </Alert>
      ) : (
        <Failure error={act.error} onRetry={act.again} />
      )}
    </Stack>
  )
}
