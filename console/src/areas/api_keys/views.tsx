// How a key shows, what can be done with it, and how its secret is used.
import { Alert, Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { ArrowRightLeft, RotateCw } from 'lucide-react'
import { useAct } from '../../api.ts'
import { countOf, momentOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/page.tsx'
import { ScopeCount, ScopeList } from '../../parts/scopes.tsx'
import { RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import type { CellProps, Views } from '../define.ts'
import { NewKey } from './new_key.tsx'
import { Owner, OwnerChoice } from './owner.tsx'
import { Requests } from './requests.tsx'
import { SecretUse } from './secret_use.tsx'
import { type Key, oldSecretUntil, stateOf, unusedScopes } from './state.ts'

function Name({ record }: CellProps) {
  const workspaceId = useWorkspaceId()
  const state = stateOf(record as Key)
  return (
    <Group gap="xs" wrap="nowrap">
      <LinkName to={`/w/${workspaceId}/keys/${String(record.id)}` as '/'} data-row>
        {String(record.name)}
      </LinkName>
      {state && <Badge color={state.color}>{state.text}</Badge>}
    </Group>
  )
}

function Hint({ value }: CellProps) {
  return (
    <Text size="sm" ff="monospace" c="dimmed" className="atrium-nowrap">
      {value === null ? 'none until it is rotated' : String(value)}
    </Text>
  )
}

function Expires({ value }: CellProps) {
  return <Moment at={(value as string | null) ?? null} />
}

/** Until when the old secret of a rotated key works, and the end of it. */
function OldSecret({ record }: { record: Record<string, unknown> }) {
  const key = record as Key
  const until = oldSecretUntil(key)
  const { may } = useStanding()
  const act = useAct('api_keys.endOldSecret', { onDone: () => done('The old secret has ended.') })
  if (until === null) return null
  return (
    <Alert color="iris" title={`The old secret works until ${momentOf(until)}`}>
      <Text size="sm">Give the new one to whatever uses the key before then.</Text>
      {may('api_keys.endOldSecret') && (
        <Button
          size="xs"
          mt="xs"
          variant="default"
          loading={act.isPending}
          onClick={() => act.mutate({ workspaceId: key.workspaceId, id: key.id })}
        >
          End now
        </Button>
      )}
      <Failure error={act.error} onRetry={act.again} />
    </Alert>
  )
}

function Notices({ record }: { record: Record<string, unknown> }) {
  return (
    <>
      <OldSecret record={record} />
      <Unused record={record} />
    </>
  )
}

function Unused({ record }: { record: Record<string, unknown> }) {
  const unused = unusedScopes(record as Key)
  if (unused.length === 0) return null
  return (
    <Alert color="yellow" title={`${countOf(unused.length, 'scope')} not used in 30 days`}>
      <Text size="sm">
        {unused.slice(0, 8).join(', ')}
        {unused.length > 8 && ' and more'}. Take away what it does not need: Edit, below.
      </Text>
    </Alert>
  )
}

function Use({ record }: { record: Record<string, unknown> }) {
  return (
    <Stack>
      <Requests record={record} />
      <ScopeUse record={record} />
    </Stack>
  )
}

/** Use per scope, the latest first. */
function ScopeUse({ record }: { record: Record<string, unknown> }) {
  const used = Object.entries((record as Key).scopeUse).sort(([, one], [, other]) => other.localeCompare(one))
  return (
    <Panel title="Use per scope">
      {used.length === 0 ? (
        <Text size="sm" c="dimmed">
          No scope was used yet. Send a request with the key and look again.
        </Text>
      ) : (
        <RowTable label="Use per scope" heads={['Scope', 'Last used']} minWidth={280}>
          {used.map(([scope, at]) => (
            <Table.Tr key={scope}>
              <Table.Td fz="sm">{scope}</Table.Td>
              <Table.Td>
                <Moment at={at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </RowTable>
      )}
    </Panel>
  )
}

export const views: Views = {
  cells: { name: Name, hint: Hint, scopes: ScopeCount, ownerId: Owner, expires: Expires },
  facts: { hint: Hint, scopes: ScopeList, ownerId: Owner, expires: Expires },
  notice: Notices,
  secretUse: SecretUse,
  form: NewKey,
  tabs: [{ name: 'use', title: 'Use', view: Use }],
  acts: {
    rotate: {
      icon: RotateCw,
      about: 'The key gets a new secret. The old one works for a while longer, so that nothing breaks.',
      fields: [
        {
          name: 'overlapHours',
          label: 'The old secret works for (hours)',
          about: '0 to 168; with 0 it stops at once.',
          start: 24,
        },
      ],
    },
    // It stands where the old secret is told of.
    endOldSecret: { isOffered: () => false },
    transfer: {
      label: 'Transfer',
      icon: ArrowRightLeft,
      fields: [{ name: 'ownerId', label: 'New owner', input: OwnerChoice }],
      isOffered: (_, { role }) => role === 'owner' || role === 'admin',
    },
    del: {
      about:
        'Whatever uses it is refused from the next request on. This cannot be taken back. Disabling it first shows what depends on it.',
    },
  },
}
