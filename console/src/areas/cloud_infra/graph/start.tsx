// Where a picture begins: a node that is searched for, or one of those that matter most.
import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Search, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../../api.ts'
import { wordsOf } from '../../../format.ts'
import { Empty, Loaded } from '../../../parts/page.tsx'
import { useWorkspaceId } from '../../../session.ts'
import type { InfraNode } from '../node.ts'

const typingMs = 250
const most = 20

type FindNodeProps = { label: string; onFound: (id: string) => void }

/** Found by part of a name, type, external id or tag. */
export function FindNode({ label, onFound }: FindNodeProps) {
  const workspaceId = useWorkspaceId()
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed.trim(), typingMs)
  const input = { workspaceId, q: words, perPage: most }
  const found = useCall('cloud_infra.nodes.search', input, { enabled: words !== '', keep: true })
  const nodes = new Map((words === '' ? [] : (found.data?.items ?? [])).map(node => [node.id, node]))
  const isSearching = typed.trim() !== words || found.isFetching
  return (
    <Select
      aria-label={label}
      placeholder={label}
      size="xs"
      w={280}
      maw="100%"
      leftSection={<Search size={14} aria-hidden />}
      rightSection={null}
      searchable
      openOnFocus={false}
      data={[...nodes.values()].map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options }) => options}
      renderOption={({ option }) => <Option node={nodes.get(String(option.value))} />}
      nothingFoundMessage={
        typed === '' ? 'Type a part of a name' : isSearching ? 'Searching …' : 'Nothing is called so'
      }
      value={null}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={id => {
        if (id) onFound(id)
        setTyped('')
      }}
    />
  )
}

function Option({ node }: { node: InfraNode | undefined }) {
  if (!node) return null
  return (
    <div>
      <Text size="sm">{node.name}</Text>
      <Text size="xs" c="dimmed">
        {[node.type, node.region].filter(Boolean).join(', ')}
      </Text>
    </div>
  )
}

const fewest = 8

export function Start({ onFound }: { onFound: (id: string) => void }) {
  const workspaceId = useWorkspaceId()
  const order = { orderBy: 'name', order: 'asc' } as const
  const found = useCall('cloud_infra.nodes.list', {
    workspaceId,
    tier: ['critical', 'high'],
    perPage: fewest,
    ...order,
  })
  return (
    <Stack align="center">
      <Empty
        icon={Waypoints}
        title="Where shall it begin?"
        text="Search for a node. Its neighbours show around it, and theirs when you open them."
        action={<FindNode label="Search for a node" onFound={onFound} />}
      />
      <Loaded query={found} rows={1}>
        {({ items }) =>
          items.length > 0 && (
            <Group gap="xs" justify="center" role="group" aria-label="Nodes that matter most">
              {items.map(({ id, name, tier }) => (
                <Button key={id} size="xs" variant="default" onClick={() => onFound(id)}>
                  {name} ({wordsOf(tier).toLowerCase()})
                </Button>
              ))}
            </Group>
          )
        }
      </Loaded>
    </Stack>
  )
}
