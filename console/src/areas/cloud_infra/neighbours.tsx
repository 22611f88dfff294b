// The neighbours of a node, by what it has to do with them; and edges that are added and taken away by hand.
import { ActionIcon, Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { Link2, Plus, Trash2, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { AddEdge } from './add_edge.tsx'
import { type InfraEdge, type InfraNode, nodeHref, pictureOf, relationWords, tierColours } from './node.ts'

const most = 500

type Line = { edge: InfraEdge; other: InfraNode; words: string; isOut: boolean }

/** Each edge of the node, seen from it. */
function linesOf(id: string, nodes: readonly InfraNode[], edges: readonly InfraEdge[]): Line[] {
  const byId = new Map(nodes.map(node => [node.id, node]))
  return edges
    .filter(({ fromId, toId }) => fromId === id || toId === id)
    .flatMap(edge => {
      const isOut = edge.fromId === id
      const other = byId.get(isOut ? edge.toId : edge.fromId)
      return other ? [{ edge, other, isOut, words: relationWords[edge.relation][isOut ? 0 : 1] }] : []
    })
    .sort((one, other) => one.words.localeCompare(other.words) || one.other.name.localeCompare(other.other.name))
}

export function Neighbours({ record }: { record: Row }) {
  const node = record as InfraNode
  const { id, name } = node
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const [isAdding, setIsAdding] = useState(false)
  const [ending, setEnding] = useState<Line | null>(null)
  const found = useCall('cloud_infra.nodes.neighbours', { workspaceId, id, direction: 'both', limit: most })
  const aside = (
    <Group gap="xs">
      <LinkButton
        {...pictureOf(workspaceId, [id])}
        size="xs"
        variant="default"
        leftSection={<Waypoints size={14} aria-hidden />}
      >
        As a picture
      </LinkButton>
      {may('cloud_infra.edges.post') && (
        <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsAdding(true)}>
          Add an edge
        </Button>
      )}
    </Group>
  )
  return (
    <Panel title="Neighbours" aside={aside}>
      <Loaded query={found}>
        {({ nodes, edges, truncated }) => {
          const lines = linesOf(id, nodes, edges)
          if (lines.length === 0) {
            const text = 'No source tells that it has to do with anything else. You can add an edge by hand.'
            return <Empty icon={Link2} title="No neighbours" text={text} />
          }
          return (
            <Stack>
              {truncated && <Text size="sm">It has more; {most} of them are shown.</Text>}
              <RowTable
                label={`Neighbours of ${name}`}
                heads={[name.length > 24 ? 'This node' : name, 'Node', 'Type', 'Tier', 'Known', 'Actions']}
                minWidth={640}
                hasCards
              >
                {lines.map(line => (
                  <LineRow key={line.edge.id} line={line} onEnd={() => setEnding(line)} />
                ))}
              </RowTable>
            </Stack>
          )
        }}
      </Loaded>
      {isAdding && <AddEdge node={node} onClose={() => setIsAdding(false)} />}
      {ending && <EndEdge line={ending} onClose={() => setEnding(null)} />}
    </Panel>
  )
}

function LineRow({ line: { edge, other, words }, onEnd }: { line: Line; onEnd: () => void }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const sure = edge.confidence < 1 ? `, ${Math.round(edge.confidence * 100)} % sure` : ''
  return (
    <Table.Tr>
      <Table.Td fz="sm" data-label="Relation">
        {words}
      </Table.Td>
      <Table.Td data-label="Node">
        <LinkName to={nodeHref(workspaceId, other.id) as '/'}>{other.name}</LinkName>
      </Table.Td>
      <Table.Td fz="sm" data-label="Type">
        {other.type}
      </Table.Td>
      <Table.Td data-label="Tier">
        <Badge color={tierColours[other.tier]}>{wordsOf(other.tier)}</Badge>
      </Table.Td>
      <Table.Td fz="sm" data-label="Known">
        {edge.source === 'manual' ? 'By hand' : `By ${edge.source}`}
        {sure}
      </Table.Td>
      <Table.Td ta="right">
        {edge.source === 'manual' && may('cloud_infra.edges.del') && (
          <ActionIcon variant="subtle" color="gray" aria-label={`Take away: ${words} ${other.name}`} onClick={onEnd}>
            <Trash2 size={16} aria-hidden />
          </ActionIcon>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function EndEdge({ line: { edge, other, words }, onClose }: { line: Line; onClose: () => void }) {
  const workspaceId = useWorkspaceId()
  const act = useAct('cloud_infra.edges.del', {
    onDone: () => {
      onClose()
      done('The edge is taken away.')
    },
  })
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Take away: ${words} ${other.name}?`}
      label="Take away"
      act={act}
      onAct={() => act.mutate({ workspaceId, id: edge.id })}
    >
      Both nodes stay. The edge can be added again.
    </Confirm>
  )
}
