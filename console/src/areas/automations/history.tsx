// What an automation did: each execution with what started it and what came of it.
import { Menu, Text } from '@mantine/core'
import { Ban, History as Clock, RotateCw } from 'lucide-react'
import { useAct } from '../../api.ts'
import { labelOfField } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { DataTable } from '../../table/data_table.tsx'
import { useLook, useOwnLook } from '../../table/look.ts'
import type { CellProps } from '../define.ts'
import { type Automation, type Execution, isActive, isOver } from './automation.ts'
import { ExecutionDetailView } from './execution.tsx'
import { pollMs } from './moving.ts'
import { Status } from './state.tsx'
import { skipWords, startedWords, tookWords } from './words.ts'

export function History({ record }: { record: Row }) {
  const [{ execution }] = useLook<{ execution?: string }>()
  const automation = record as Automation
  return execution ? (
    <ExecutionDetailView key={execution} automation={automation} executionId={execution} />
  ) : (
    <ExecutionList automation={automation} />
  )
}

function TriggerCell({ record }: CellProps) {
  const search = (before: object) => ({ ...before, execution: String(record.id) })
  return (
    <LinkName to="." search={search as never} data-row>
      {startedWords(record as Execution)}
    </LinkName>
  )
}

const StatusCell = ({ value }: CellProps) => <Status value={value} />
const Took = ({ value }: CellProps) => (
  <Text size="sm" className="atrium-nowrap">
    {tookWords(Number(value))}
  </Text>
)

function Why({ record }: CellProps) {
  const { error, skippedReason, skippedCount } = record as Execution
  const skipped = skippedReason && `${skipWords[skippedReason]}${skippedCount > 1 ? `, ${skippedCount} times` : ''}`
  return (
    <Text size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
      {error ?? skipped ?? '–'}
    </Text>
  )
}

const labels: Readonly<Record<string, string>> = { error: 'Why', ms: 'Worked', created: 'When', trigger: 'Started' }

function ExecutionList({ automation }: { automation: Automation }) {
  const { workspaceId, id } = automation
  const { may } = useStanding()
  const [look, onLook] = useOwnLook()
  const [, open] = useLook<{ execution?: string }>()
  const rerun = useAct('automations.executions.rerun', {
    onDone: made => {
      done('It is done again. What comes of it shows here.')
      open({ execution: made.id })
    },
  })
  const cancel = useAct('automations.executions.cancel', { onDone: () => done('It is cancelled.') })
  const isMoving = automation.lastExecution !== null && isActive(automation.lastExecution)
  return (
    <Panel title="History">
      <Failure error={rerun.error} onRetry={rerun.again} />
      <Failure error={cancel.error} onRetry={cancel.again} />
      <DataTable
        listId="automations.executions.list"
        path={{ workspaceId, id }}
        keyField="id"
        columns={['trigger', 'status', 'error', 'ms', 'version', 'created']}
        label="History"
        labelOf={name => labels[name] ?? labelOfField(name)}
        look={look}
        onLook={onLook}
        {...(isMoving && { refetchInterval: pollMs })}
        cells={{ trigger: TriggerCell, status: StatusCell, error: Why, ms: Took }}
        choices={{
          skippedReason: {
            choices: Object.entries(skipWords).map(([value, label]) => ({ value, label })),
            areas: [],
          },
        }}
        rowMenu={item =>
          isActive(item as Execution)
            ? may('automations.executions.cancel') && (
                <Menu.Item
                  leftSection={<Ban size={16} aria-hidden />}
                  onClick={() => cancel.mutate({ workspaceId, id, executionId: String(item.id) })}
                >
                  Cancel
                </Menu.Item>
              )
            : may('automations.executions.rerun') &&
              isOver(item as Execution) && (
                <Menu.Item
                  leftSection={<RotateCw size={16} aria-hidden />}
                  onClick={() => rerun.mutate({ workspaceId, id, executionId: String(item.id) })}
                >
                  Rerun
                </Menu.Item>
              )
        }
        empty={{ icon: Clock, title: 'It did nothing yet', text: emptyWords(automation) }}
      />
    </Panel>
  )
}

function emptyWords({ enabled, triggers }: Automation): string {
  if (!enabled) return 'It is disabled: enable it, and what it does shows here.'
  return triggers.some(({ on }) => on === 'manual')
    ? 'Press Start, or wait for its other triggers. What it does shows here.'
    : 'As soon as one of its triggers fits, what it does shows here. Try it under Test.'
}
