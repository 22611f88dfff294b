// The same as the picture in words: for those who do not see it, and for small screens.
import { Button, Stack, Table, Text } from '@mantine/core'
import { countOf } from '../../../format.ts'
import { LinkText } from '../../../parts/links.tsx'
import { RowTable } from '../../../parts/table.tsx'
import { useWorkspaceId } from '../../../session.ts'
import { nodeHref, relationWords } from '../node.ts'
import type { Picturing } from './look_of.ts'
import type { Graph } from './together.ts'
import type { Tone } from './tones.ts'

type AsTextProps = { graph: Graph; look: Picturing; toneOf: (id: string) => Tone }

export function AsText({ graph: { nodes, edges }, look, toneOf }: AsTextProps) {
  const workspaceId = useWorkspaceId()
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  return (
    <details>
      <summary>
        <Text span size="sm">
          The same as text: {countOf(nodes.length, 'node')}, {countOf(edges.length, 'edge')}
        </Text>
      </summary>
      <Stack mt="sm">
        <RowTable
          label="Nodes of the picture"
          heads={['Node', 'Type', 'Region', 'State', 'Neighbours']}
          minWidth={560}
          hasCards
        >
          {nodes.map(({ id, name, type, region }) => (
            <Table.Tr key={id}>
              <Table.Td data-label="Node">
                <LinkText to={nodeHref(workspaceId, id) as '/'} size="sm">
                  {name}
                </LinkText>
              </Table.Td>
              <Table.Td fz="sm" data-label="Type">
                {type}
              </Table.Td>
              <Table.Td fz="sm" data-label="Region">
                {region || 'None'}
              </Table.Td>
              <Table.Td fz="sm" data-label="State">
                {toneOf(id).name}
              </Table.Td>
              <Table.Td data-label="Neighbours">
                {look.ids.includes(id) ? (
                  <Text size="sm" c="dimmed">
                    Shown
                  </Text>
                ) : (
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => look.open(id)}
                    aria-label={`Show the neighbours of ${name}`}
                  >
                    Show
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
        <Text size="sm" fw={600}>
          Edges
        </Text>
        <ul aria-label="Edges of the picture" className="atrium-plain-list">
          {edges.map(({ id, fromId, toId, relation }) => (
            <Text key={id} component="li" size="sm">
              {names.get(fromId)} {relationWords[relation][0]} {names.get(toId)}
            </Text>
          ))}
        </ul>
      </Stack>
    </details>
  )
}
