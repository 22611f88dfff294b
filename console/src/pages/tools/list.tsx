// What agents can call here, and which kinds of caller may.
import { Badge, Button, Group, Modal, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Bot, Search } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { FilterSelect } from '../../parts/filter_select.tsx'
import { bodyField, Sending } from '../../parts/form.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { actions, Listed, RowTable, useLook } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'

type Tool = ItemOf<'agent_tools.list'>
type Mode = Tool['policy']['mode']
type Kind = keyof Tool['policy']['perKind']

const perPage = 25
const modeColors: Readonly<Record<Mode, string>> = { allow: 'green', deny: 'red' }
const effectColors: Readonly<Record<string, string>> = { read: 'gray', write: 'blue', destructive: 'red' }
const modes = (bodyField('agent_tools.patch', 'mode') as { enum?: Mode[] }).enum ?? []

const none = <Empty icon={Bot} title="No tool fits" text="Try another word, such as “key” or “team”." />

type ToolSearch = { page?: number; effect?: string; q?: string }

export function AgentTools() {
  const workspaceId = useWorkspaceId()
  const [{ page = 1, effect, q = '' }, look] = useLook<ToolSearch>()
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
          <FilterSelect
            label="Effect"
            w={140}
            clear="Any effect"
            disabled={isSearching}
            choices={['read', 'write', 'destructive'].map(value => ({ value, label: wordsOf(value) }))}
            value={effect}
            onChoose={chosen => look({ effect: chosen })}
          />
        </Group>
        {isSearching ? (
          <Loaded query={found}>
            {({ items }) => (items.length === 0 ? none : <Tools items={items} onChange={setChanging} />)}
          </Loaded>
        ) : (
          <Listed
            query={listed}
            page={page}
            perPage={perPage}
            onPage={next => look({ page: next })}
            empty={none}
            rows={8}
          >
            {items => <Tools items={items} onChange={setChanging} />}
          </Listed>
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
  return (
    <RowTable label="Agent tools" heads={['Tool', 'Effect', 'Needs', 'Policy', actions]} minWidth={680}>
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
          <Table.Td ta="right">
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
    </RowTable>
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
        <Sending
          act={{ isPending: patch.isPending, error: patch.error ?? reset.error }}
          label="Save"
          cancel={
            <>
              {!tool.policy.inherited && (
                <Button variant="subtle" loading={reset.isPending} onClick={() => reset.mutate({ workspaceId, name })}>
                  Back to the defaults
                </Button>
              )}
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
            </>
          }
        />
      </Stack>
    </form>
  )
}
