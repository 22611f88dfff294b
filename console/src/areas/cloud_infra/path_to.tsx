// The shortest way from a node to another that is chosen: its nodes in order, and the edge by which each is come to.
import { Badge, Group, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { Route, Waypoints } from 'lucide-react'
import type { InputOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { FindNode } from './graph/start.tsx'
import { type InfraEdge, type InfraNode, nodeHref, pictureOf, relationWords, tierColours } from './node.ts'

type Direction = NonNullable<InputOf<'cloud_infra.path'>['direction']>

const directions: readonly { value: Direction; label: string }[] = [
  { value: 'both', label: 'Edges of both directions' },
  { value: 'out', label: 'What it points at' },
  { value: 'in', label: 'What points at it' },
]

/** The address says which, so that a way can be shown to somebody else. */
export function PathTo({ record }: { record: Row }) {
  const { id, name } = record as InfraNode
  const [{ pathTo, along = 'both' }, look] = useLook<{ pathTo?: string; along?: Direction }>()
  return (
    <Panel title="Path to another node">
      <Stack>
        <Group gap="xs" align="end">
          <FindNode label="Path to …" onFound={found => look({ pathTo: found })} />
          <NativeSelect
            size="xs"
            aria-label="Follow"
            data={[...directions]}
            value={along}
            onChange={event => look({ along: event.currentTarget.value as Direction })}
          />
        </Group>
        {pathTo ? (
          <Way from={id} to={pathTo} direction={along} />
        ) : (
          <Empty
            icon={Route}
            title="Where to?"
            text={`Search for another node, and the shortest way from ${name} to it shows here.`}
          />
        )}
      </Stack>
    </Panel>
  )
}

type WayProps = { from: string; to: string; direction: Direction }

function Way({ from, to, direction }: WayProps) {
  const workspaceId = useWorkspaceId()
  const path = useCall('cloud_infra.path', { workspaceId, from, to, direction })
  const target = useCall('cloud_infra.nodes.get', { workspaceId, id: to })
  const name = target.data?.name ?? 'it'
  return (
    <Loaded query={path}>
      {({ found, hops, nodes, edges, truncated }) => {
        if (!found) {
          const why = truncated
            ? 'There are too many nodes between them to look at all of them.'
            : 'Nothing leads there within 12 steps. Follow edges of both directions, or add one by hand.'
          return <Empty icon={Route} title={`No path to ${name} was found`} text={why} />
        }
        return (
          <Stack>
            <Group justify="space-between" gap="xs">
              <Text size="sm">
                {countOf(hops ?? 0, 'step')} to {name}
              </Text>
              <LinkButton
                {...pictureOf(
                  workspaceId,
                  nodes.map(node => node.id),
                )}
                size="xs"
                variant="default"
                leftSection={<Waypoints size={14} aria-hidden />}
              >
                As a picture
              </LinkButton>
            </Group>
            <RowTable label={`Path to ${name}`} heads={['Edge', 'Node', 'Type', 'Tier']} minWidth={520} hasCards>
              {nodes.map((node, index) => (
                <Step key={node.id} node={node} before={nodes[index - 1]} edge={edges[index - 1]} />
              ))}
            </RowTable>
          </Stack>
        )
      }}
    </Loaded>
  )
}

type StepProps = { node: InfraNode; before: InfraNode | undefined; edge: InfraEdge | undefined }

/** `checkout writes`, and then the node that it writes. */
function Step({ node, before, edge }: StepProps) {
  const words = before && edge ? `${before.name} ${relationWords[edge.relation][edge.toId === node.id ? 0 : 1]}` : ''
  return (
    <Table.Tr>
      <Table.Td fz="sm" data-label="Edge">
        {words || 'It begins at'}
      </Table.Td>
      <Table.Td data-label="Node">
        <LinkName to={nodeHref(useWorkspaceId(), node.id) as '/'}>{node.name}</LinkName>
      </Table.Td>
      <Table.Td fz="sm" data-label="Type">
        {node.type}
      </Table.Td>
      <Table.Td data-label="Tier">
        <Badge color={tierColours[node.tier]}>{wordsOf(node.tier)}</Badge>
      </Table.Td>
    </Table.Tr>
  )
}
