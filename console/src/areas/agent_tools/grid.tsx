// The effective policy as a grid of tools and kinds of caller; each cell says why, and changes at a click.
import { Badge, Checkbox, Group, Select, Table, Text, TextInput } from '@mantine/core'
import { Bot, Search } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { useAll } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { LeftOut, useLongRows } from '../../table/long_rows.tsx'
import { useLook } from '../../table/look.ts'
import { placeOfArea } from '../define.ts'
import { Approvals, ApprovalsButton } from './approvals.tsx'
import { BulkEdit } from './bulk_edit.tsx'
import {
  type Column,
  changeTo,
  columns,
  isMatch,
  type Mode,
  modeOf,
  modeWords,
  nextMode,
  reasonOf,
  type Tool,
  titleOf,
} from './policy.ts'

const effectColors: Readonly<Record<Tool['effect'], string>> = { read: 'gray', write: 'blue', destructive: 'red' }

type GridLook = { q?: string | undefined; effect?: string | undefined; changed?: string | undefined }

export function ToolGrid() {
  const workspaceId = useWorkspaceId()
  const [{ q = '', effect, changed }, look] = useLook<GridLook>()
  const [typed, setTyped] = useState(String(q))
  const [chosen, setChosen] = useState<readonly string[]>([])
  const { may } = useStanding()
  const tools = useAll<Tool>('agent_tools.list', { workspaceId, orderBy: 'name', order: 'asc' })
  const isShown = (tool: Tool) =>
    isMatch(tool, typed.trim()) && (!effect || tool.effect === effect) && (!changed || !tool.policy.inherited)
  return (
    <Page title="Agent tools" about={placeOfArea('agent_tools')?.about} actions={<ApprovalsButton />}>
      <Approvals />
      <Panel>
        <Group mb="md" gap="xs" align="flex-end">
          <TextInput
            label="Find a tool"
            size="xs"
            w={240}
            leftSection={<Search size={14} aria-hidden />}
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
            onBlur={() => look({ q: typed.trim() || undefined })}
          />
          <Select
            label="Effect"
            size="xs"
            w={140}
            placeholder="Any"
            clearable
            clearButtonProps={{ 'aria-label': 'Any effect' }}
            data={['read', 'write', 'destructive'].map(value => ({ value, label: wordsOf(value) }))}
            value={effect ?? null}
            onChange={value => look({ effect: value ?? undefined })}
          />
          <Checkbox
            label="Changed here only"
            size="xs"
            mb={6}
            checked={changed === 'true'}
            onChange={event => look({ changed: event.currentTarget.checked ? 'true' : undefined })}
          />
        </Group>
        <Loaded query={tools} rows={8}>
          {({ items }) => {
            const shown = items.filter(isShown)
            if (shown.length === 0) {
              return <Empty icon={Bot} title="No tool fits" text="Try another word, such as “key” or “team”." />
            }
            const picked = shown.filter(({ name }) => chosen.includes(name))
            return (
              <>
                {may('agent_tools.patch') && picked.length > 0 && (
                  <BulkEdit tools={picked} onDone={() => setChosen([])} />
                )}
                <Grid tools={shown} chosen={chosen} onChoose={setChosen} />
                <Text size="sm" c="dimmed" mt="sm">
                  {countOf(shown.length, 'tool')}
                </Text>
              </>
            )
          }}
        </Loaded>
      </Panel>
    </Page>
  )
}

const rowHeight = 58

type GridProps = { tools: readonly Tool[]; chosen: readonly string[]; onChoose: (names: readonly string[]) => void }

function Grid({ tools, chosen, onChoose }: GridProps) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const mayEdit = may('agent_tools.patch')
  const names = tools.map(({ name }) => name)
  const rows = useLongRows(tools.length, rowHeight)
  const isAll = names.every(name => chosen.includes(name))
  const act = useAct('agent_tools.patch', { onDone: () => done('The policy is changed.') })
  const toggle = (tool: Tool, column: Column) => {
    act.mutate({ workspaceId, name: tool.name, ...changeTo(column, nextMode[modeOf(tool, column)]) })
  }
  /** What is on its way, or could be sent again, shows as wanted. */
  const shownMode = (tool: Tool, column: Column): Mode => {
    const wanted = act.wanted?.name === tool.name ? act.wanted : undefined
    return (column === 'everybody' ? wanted?.mode : wanted?.perKind?.[column]) ?? modeOf(tool, column)
  }
  return (
    <>
      <Failure error={act.error} onRetry={act.again} />
      <section className="atrium-scroll" aria-label="Tools and kinds of caller" tabIndex={-1}>
        <Table verticalSpacing={6} className="atrium-rows" aria-label="Agent tools" miw={840} {...rows.tableProps}>
          <Table.Thead>
            <Table.Tr>
              {mayEdit && (
                <Table.Th scope="col" w={32}>
                  <Checkbox
                    size="xs"
                    aria-label="Choose all tools shown"
                    checked={isAll}
                    indeterminate={!isAll && names.some(name => chosen.includes(name))}
                    onChange={event => onChoose(event.currentTarget.checked ? names : [])}
                  />
                </Table.Th>
              )}
              <Table.Th scope="col">Tool</Table.Th>
              {columns.map(column => (
                <Table.Th key={column} scope="col">
                  {titleOf(column)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody ref={rows.body}>
            <LeftOut height={rows.before} />
            {rows.indices.map(index => {
              const tool = tools[index]
              return (
                tool && (
                  <Table.Tr key={tool.name} {...rows.rowProps(index)}>
                    {mayEdit && (
                      <Table.Td>
                        <Checkbox
                          size="xs"
                          aria-label={`Choose ${tool.name}`}
                          checked={chosen.includes(tool.name)}
                          onChange={event =>
                            onChoose(
                              event.currentTarget.checked
                                ? [...chosen, tool.name]
                                : chosen.filter(name => name !== tool.name),
                            )
                          }
                        />
                      </Table.Td>
                    )}
                    <Table.Th scope="row" fw={400} style={{ whiteSpace: 'normal' }}>
                      <Group gap={6}>
                        <LinkName
                          to={`/w/${workspaceId}/agent_tools/${tool.name}` as '/'}
                          ff="monospace"
                          fw={500}
                          data-row
                        >
                          {tool.name}
                        </LinkName>
                        {tool.effect !== 'read' && (
                          <Badge color={effectColors[tool.effect]}>{wordsOf(tool.effect)}</Badge>
                        )}
                        {!tool.policy.inherited && <Badge color="iris">Changed</Badge>}
                      </Group>
                      <Text size="xs" c="dimmed">
                        {tool.summary}
                      </Text>
                    </Table.Th>
                    {columns.map(column => (
                      <Table.Td key={column}>
                        <Cell
                          tool={tool}
                          column={column}
                          mode={shownMode(tool, column)}
                          onChange={mayEdit ? toggle : null}
                        />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                )
              )
            })}
            <LeftOut height={rows.after} />
          </Table.Tbody>
        </Table>
      </section>
    </>
  )
}

type CellProps = { tool: Tool; column: Column; mode: Mode; onChange: ((tool: Tool, column: Column) => void) | null }

/** Hundreds of them: a plain button each. */
function Cell({ tool, column, mode, onChange }: CellProps) {
  const words = modeWords[mode]
  const reason = reasonOf(tool, column)
  // What is denied as a whole is not opened for one kind.
  const isFixed = !onChange || (column !== 'everybody' && tool.policy.mode === 'deny')
  if (isFixed) {
    return (
      <span className="atrium-mode" data-mode={mode} title={reason}>
        {words}
      </span>
    )
  }
  return (
    <button
      type="button"
      className="atrium-mode"
      data-mode={mode}
      title={reason}
      aria-label={`${tool.name} for ${titleOf(column).toLowerCase()}: ${words}. ${reason}`}
      onClick={() => onChange(tool, column)}
    >
      {words}
    </button>
  )
}
