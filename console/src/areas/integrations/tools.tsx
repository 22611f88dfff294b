// The tools of another MCP server: what each says of itself, and a person's word on whether agents may call it.
import { Alert, Badge, Button, Collapse, Group, Stack, Text } from '@mantine/core'
import { RefreshCw, Wrench } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { countOf } from '../../format.ts'
import { type Row, useAll } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { Integration } from './catalog.ts'
import { Status } from './state.tsx'
import { ToolReview } from './tool_review.tsx'

export type ForeignTool = ItemOf<'integrations.tools.list'>

/** What waits for a person comes first. */
const order = ['changed', 'review', 'approved', 'denied', 'gone']
const rank = ({ status }: ForeignTool) => order.indexOf(status)

export function Tools({ record }: { record: Row }) {
  const { workspaceId, id } = record as Integration
  const { may } = useStanding()
  const found = useAll<ForeignTool>('integrations.tools.list', { workspaceId, id, orderBy: 'tool', order: 'asc' })
  const refresh = useAct('integrations.tools.refresh', {
    onDone: ({ server, found: count, review }) =>
      done(`${server.name} ${server.version} has ${countOf(count, 'tool')}; ${review} to review.`),
  })
  const button = may('integrations.tools.refresh') && (
    <Button
      size="xs"
      variant="default"
      leftSection={<RefreshCw size={14} aria-hidden />}
      loading={refresh.isPending}
      onClick={() => refresh.mutate({ workspaceId, id })}
    >
      Ask the server
    </Button>
  )
  const leftOut = refresh.data?.leftOut ?? []
  return (
    <Panel
      title="Tools"
      about="Agents may call what a person has approved. What the server changes afterwards waits for a review again."
      aside={found.data?.items.length ? button : undefined}
    >
      <Stack>
        <Failure error={refresh.error} onRetry={refresh.again} />
        {leftOut.length > 0 && (
          <Alert color="yellow" title={`${countOf(leftOut.length, 'tool')} left out`}>
            Too large, or named in a way that agents cannot call: {leftOut.join(', ')}
          </Alert>
        )}
        <Loaded query={found}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty
                icon={Wrench}
                title="No tools yet"
                text="Ask the server which tools it has, then review them one by one."
                action={button}
              />
            ) : (
              <Stack component="ul" className="atrium-plain-list atrium-parted" gap="md">
                {[...items]
                  .sort((one, other) => rank(one) - rank(other))
                  .map(tool => (
                    <ToolItem key={tool.tool} tool={tool} />
                  ))}
              </Stack>
            )
          }
        </Loaded>
      </Stack>
    </Panel>
  )
}

function ToolItem({ tool }: { tool: ForeignTool }) {
  const [isOpen, setIsOpen] = useState(false)
  const { name, status, effect, description } = tool
  const isWaiting = status === 'review' || status === 'changed'
  return (
    <li>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Stack gap={4} flex={1} miw={200}>
            <Group gap="xs">
              <Text ff="monospace" size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                {name}
              </Text>
              <Status value={status} />
              <Badge color="gray">{effect}</Badge>
            </Group>
            {!isOpen && description && (
              <Text size="sm" c="dimmed" lineClamp={2}>
                {description}
              </Text>
            )}
          </Stack>
          <Button
            size="xs"
            variant={isWaiting && !isOpen ? 'filled' : 'default'}
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Close' : isWaiting ? 'Review' : 'Show'} ${tool.tool}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? 'Close' : isWaiting ? 'Review' : 'Show'}
          </Button>
        </Group>
        <Collapse expanded={isOpen}>{isOpen && <ToolReview tool={tool} />}</Collapse>
      </Stack>
    </li>
  )
}
