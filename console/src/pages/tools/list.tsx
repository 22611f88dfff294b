// What agents can call here, and which kinds of caller may.
import { Badge, Button, Group, Modal, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Bot, Search } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { bodyField } from '../../parts/form.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { Paging } from '../../parts/paging.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

type Tool = ItemOf<'agent_tools.list'>
type Mode = Tool['policy']['mode']
type Kind = keyof Tool['policy']['perKind']

const perPage = 25
const modeColors: Readonly<Record<Mode, string>> = { allow: 'green', deny: 'red' }
const effectColors: Readonly<Record<string, string>> = { read: 'gray', write: 'blue', destructive: 'red' }
const modes = (bodyField('agent_tools.patch', 'mode') as { enum?: Mode[] }).enum ?? []

type ToolSearch = { page?: number; effect?: string; q?: string }

export function AgentTools() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const { page = 1, effect, q = '' } = useSearch({ strict: false }) as ToolSearch
  const [changing, setChanging] = useState<Tool | null>(null)
  const [typed, setTyped] = useState(String(q))
  const [wanted] = useDebouncedValue(typed.trim(), 250)
  const isSearching = wanted !== ''
  const filters = effect ? { effect } : {}
  const input = { workspaceId, page, perPage, orderBy: 'name' as const, order: 'asc' as const, ...filters }
  const listed = useCall('agent_tools.list', input, { keep: true, enabled: !isSearching })
  const found = useCall(
    'agent_tools.search',
    { workspaceId, q: wanted, limit: 50 },
    { keep: true, enabled: isSearching },
  )
  const look = (changed: ToolSearch) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, page: undefined, ...changed }) as never })
  return (
    <Page title="Agent tools" about="Each operation is a tool; the workspace decides which kinds of agent may run it.">
      <Panel>
        <Group mb="md" gap="xs" align="flex-end">
          <TextInput
            label="Find a tool"
            size="xs"
            w={240}
            leftSection={<Search size={14} aria-hidden />}
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
          />
          <Select
            label="Effect"
            size="xs"
            w={140}
            placeholder="Any"
            clearable
            clearButtonProps={{ 'aria-label': 'Any effect' }}
            disabled={isSearching}
            data={['read', 'write', 'destructive'].map(value => ({ value, label: wordsOf(value) }))}
            value={effect ?? null}
            onChange={value => look({ effect: value ?? undefined })}
          />
        </Group>
        {isSearching ? (
          <Loaded query={found}>{({ items }) => <Tools items={items} onChange={setChanging} />}</Loaded>
        ) : (
          <Loaded query={listed} rows={8}>
            {({ items, count }) => (
              <>
                <Tools items={items} onChange={setChanging} />
                <Paging page={page} perPage={perPage} count={count} onPage={next => look({ page: next })} />
              </>
            )}
          </Loaded>
        )}
      </Panel>
      <Modal opened={changing !== null} onClose={() => setChanging(null)} title={changing?.name ?? ''}>
        {changing && <Policy tool={changing} onClose={() => setChanging(null)} />}
      </Modal>
    </Page>
  )
}

function Tools({ items, onChange }: { items: readonly Tool[]; onChange: (tool: Tool) => void }) {
  const { can } = useStanding()
  if (items.length === 0)
    return <Empty icon={Bot} title="No tool fits" text="Try another word, such as “key” or “team”." />
  return (
    <Table.ScrollContainer minWidth={680} type="native">
      <Table verticalSpacing="xs" aria-label="Agent tools">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Tool</Table.Th>
            <Table.Th scope="col">Effect</Table.Th>
            <Table.Th scope="col">Needs</Table.Th>
            <Table.Th scope="col">Policy</Table.Th>
            <Table.Th scope="col">Action</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map(tool => (
            <Table.Tr key={tool.name}>
              <Table.Td>
                <Text size="sm" ff="monospace">
                  {tool.name}
                </Text>
                <Text size="sm" c="dimmed">
                  {tool.summary}
                </Text>
              </Table.Td>
              <Table.Td>
                <Badge color={effectColors[tool.effect] ?? 'gray'}>{wordsOf(tool.effect)}</Badge>
              </Table.Td>
              <Table.Td fz="sm">{tool.requiredScopes.join(', ') || 'A credential'}</Table.Td>
              <Table.Td>
                <Group gap={4}>
                  <Badge color={modeColors[tool.policy.mode]}>{wordsOf(tool.policy.mode)}</Badge>
                  {!tool.policy.inherited && <Badge color="iris">Changed</Badge>}
                </Group>
              </Table.Td>
              <Table.Td>
                {can('agent_tools:write') && (
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => onChange(tool)}
                    aria-label={`Change the policy of ${tool.name}`}
                  >
                    Change
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Policy({ tool, onClose }: { tool: Tool; onClose: () => void }) {
  const { workspaceId, name } = tool
  const [mode, setMode] = useState<Mode>(tool.policy.mode)
  const [perKind, setPerKind] = useState(tool.policy.perKind)
  const finish = (text: string) => () => {
    onClose()
    done(text)
  }
  const patch = useAct('agent_tools.patch', { onDone: finish('The policy is changed.') })
  const reset = useAct('agent_tools.reset', { onDone: finish('The policy is back to the defaults.') })
  const offered = modes.map(value => ({ value, label: wordsOf(value) }))
  const changed = Object.fromEntries(
    Object.entries(perKind).filter(([kind, value]) => value !== tool.policy.perKind[kind as Kind]),
  )
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        patch.mutate({ workspaceId, name, mode, perKind: changed })
      }}
    >
      <Stack>
        <Text size="sm">{tool.summary}</Text>
        <Select
          label="Everybody"
          description="What this denies, nobody may run as a tool"
          allowDeselect={false}
          data={offered}
          value={mode}
          onChange={value => value && setMode(value as Mode)}
        />
        {(Object.keys(perKind) as Kind[]).map(kind => (
          <Select
            key={kind}
            label={`Callers of the kind ${kind}`}
            allowDeselect={false}
            data={offered}
            value={perKind[kind]}
            onChange={value => value && setPerKind(before => ({ ...before, [kind]: value as Mode }))}
          />
        ))}
        <Failure error={patch.error ?? reset.error} />
        <Group justify="flex-end" gap="xs">
          {!tool.policy.inherited && (
            <Button variant="subtle" loading={reset.isPending} onClick={() => reset.mutate({ workspaceId, name })}>
              Back to the defaults
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={patch.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
