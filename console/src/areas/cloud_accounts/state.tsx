// How an account and its syncs fare: in a badge, in a notice above the page, and what could not be seen.
import { Alert, Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { CirclePause, TriangleAlert } from 'lucide-react'
import { useAct } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { CellProps, Preset } from '../define.ts'
import { type Account, type Fault, missingIn } from './account.ts'

const colours: Readonly<Record<string, string>> = {
  connected: 'green',
  syncing: 'blue',
  pending: 'gray',
  degraded: 'orange',
  error: 'red',
  disconnected: 'gray',
  // Of syncs.
  succeeded: 'green',
  running: 'blue',
  waiting: 'blue',
  partial: 'orange',
  failed: 'red',
}

export function Status({ value }: { value: unknown }) {
  return <Badge color={colours[String(value)] ?? 'gray'}>{wordsOf(String(value))}</Badge>
}

/** In the list: with the last error where there is something to do. */
export function StatusCell({ record, value }: CellProps) {
  const { status, lastError } = record as Account
  const isBad = status === 'error' || status === 'degraded'
  return (
    <Stack gap={2} align="flex-start">
      <Status value={value} />
      {isBad && lastError && (
        <Text size="xs" c="dimmed" lineClamp={2}>
          {lastError.text}
        </Text>
      )}
    </Stack>
  )
}

const reconnected = 'It is connected again, and read as soon as it can be.'

export const presets: readonly Preset[] = [
  {
    label: 'Disconnect',
    input: { status: 'disconnected' },
    done: 'Disconnected: it is not read any more, and its credentials are gone.',
    isOffered: ({ status }) => status !== 'disconnected',
  },
  {
    label: 'Connect again',
    input: { status: 'pending' },
    done: reconnected,
    isOffered: ({ status }) => status === 'disconnected',
  },
]

/** Above the tabs: why nothing comes in, and the way on. */
export function Notice({ record }: { record: Row }) {
  const account = record as Account
  const { status, lastError } = account
  if (status === 'disconnected') return <Disconnected account={account} />
  if (status === 'pending') {
    const missing = missingIn(account)
    return missing && <Alert color="iris">{missing}</Alert>
  }
  if (status !== 'error' && status !== 'degraded') return null
  return (
    <Alert
      color={status === 'error' ? 'red' : 'orange'}
      title={status === 'error' ? 'It could not be read' : 'Not all of it could be read'}
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      <Stack gap={4}>
        {lastError && <Text size="sm">{lastError.text}</Text>}
        <Text size="sm">What could not be seen is shown as it was before. Syncs say what that is.</Text>
      </Stack>
    </Alert>
  )
}

function Disconnected({ account: { workspaceId, id } }: { account: Account }) {
  const { may } = useStanding()
  const act = useAct('cloud_accounts.patch', { onDone: () => done(reconnected) })
  return (
    <Alert color="gray" title="It is disconnected" icon={<CirclePause size={18} aria-hidden />}>
      <Stack gap={4}>
        <Text size="sm">It is not read, and its credentials are gone. What was read of it stays.</Text>
        {may('cloud_accounts.patch') && (
          <Group mt={4}>
            <Button
              size="xs"
              variant="default"
              loading={act.isPending}
              onClick={() => act.mutate({ workspaceId, id, status: 'pending' })}
            >
              Connect again
            </Button>
          </Group>
        )}
        <Failure error={act.error} onRetry={act.again} />
      </Stack>
    </Alert>
  )
}

const mostTypes = 3

/** Of nodes; null: of all types. */
function typesIn(types: Fault['types']): string {
  if (types === null) return 'All'
  const rest = types.length - mostTypes
  return [...types.slice(0, mostTypes), ...(rest > 0 ? [`and ${countOf(rest, 'other')}`] : [])].join(', ')
}

export function Faults({ faults, label }: { faults: readonly Fault[]; label: string }) {
  return (
    <RowTable label={label} heads={['Region', 'Types', 'What went wrong']} minWidth={480} hasCards>
      {faults.map(fault => (
        <Table.Tr key={JSON.stringify(fault)}>
          <Table.Td fz="sm" data-label="Region">
            {fault.region ?? 'All'}
          </Table.Td>
          <Table.Td fz="sm" data-label="Types" miw={210} style={{ overflowWrap: 'anywhere' }}>
            {typesIn(fault.types)}
          </Table.Td>
          <Table.Td fz="sm" data-label="What went wrong">
            <Badge color="orange" mr="xs">
              {wordsOf(fault.code)}
            </Badge>
            {fault.text}
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}
