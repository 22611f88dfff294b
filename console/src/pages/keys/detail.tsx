// One key: what it may do and does, and what can be done with it.
import { Alert, Badge, Button, Group, SimpleGrid, Stack, Switch, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { RotateCw, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAct, useCall } from '../../api.ts'
import { countOf, momentOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyIcon } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { Facts, RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { ChangeKey } from './change.tsx'
import { RotateKey } from './rotate.tsx'
import { type Key, ownerOf, stateOf, unusedScopes } from './state.ts'

export function KeyDetail() {
  const workspaceId = useWorkspaceId()
  const { id = '' } = useParams({ strict: false })
  const key = useCall('api_keys.get', { workspaceId, id })
  const title = key.data?.name ?? 'API key'
  return (
    <Page title={title} actions={key.data && <Acts apiKey={key.data} />}>
      <Loaded query={key}>{found => <Parts apiKey={found} />}</Loaded>
    </Page>
  )
}

function Parts({ apiKey }: { apiKey: Key }) {
  const unused = unusedScopes(apiKey)
  return (
    <Stack gap="lg">
      {unused.length > 0 && (
        <Alert color="yellow" title={`${countOf(unused.length, 'scope')} never used`}>
          <Text size="sm">
            {unused.slice(0, 8).join(', ')}
            {unused.length > 8 && ' and more'}. Take away what it does not need, below.
          </Text>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <About apiKey={apiKey} />
        <Use apiKey={apiKey} />
      </SimpleGrid>
      <ChangeKey apiKey={apiKey} />
    </Stack>
  )
}

function About({ apiKey }: { apiKey: Key }) {
  const state = stateOf(apiKey)
  const me = useMe()
  const facts: [string, ReactNode][] = [
    [
      'State',
      <Badge key="state" color={state?.color ?? 'green'}>
        {state?.text ?? 'Working'}
      </Badge>,
    ],
    [
      'Secret',
      <Text key="hint" span ff="monospace" size="sm">
        {apiKey.hint}
      </Text>,
    ],
    ['Owner', ownerOf(apiKey.ownerId, me?.id)],
    ['Created', <Moment key="created" at={apiKey.created} />],
    ['Last used', <Moment key="used" at={apiKey.lastActive} />],
    ['Ends', apiKey.expires ? momentOf(apiKey.expires) : 'Never'],
    [
      'ID',
      <Group key="id" gap={2} wrap="nowrap">
        <Text span size="sm" ff="monospace" truncate maw={220}>
          {apiKey.id}
        </Text>
        <CopyIcon value={apiKey.id} label="Copy the id" />
      </Group>,
    ],
  ]
  return (
    <Panel title="About">
      <Facts label="About the key" facts={facts} />
    </Panel>
  )
}

/** Use per scope, the latest first. */
function Use({ apiKey }: { apiKey: Key }) {
  const used = Object.entries(apiKey.scopeUse).sort(([, one], [, other]) => other.localeCompare(one))
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

function Acts({ apiKey }: { apiKey: Key }) {
  const { can } = useStanding()
  const [isRotating, rotating] = useDisclosure(false)
  const [isDeleting, deleting] = useDisclosure(false)
  const { workspaceId, id } = apiKey
  const enable = useAct('api_keys.patch', {
    onDone: ({ enabled }) => done(enabled ? 'The key works again.' : 'The key is disabled.'),
  })
  return (
    <>
      {can('api_keys:write') && (
        <>
          <Switch
            label={apiKey.enabled ? 'Enabled' : 'Disabled'}
            checked={enable.wanted?.enabled ?? apiKey.enabled}
            onChange={event => enable.mutate({ workspaceId, id, enabled: event.currentTarget.checked })}
          />
          <Button variant="default" leftSection={<RotateCw size={16} aria-hidden />} onClick={rotating.open}>
            Rotate
          </Button>
        </>
      )}
      {can('api_keys:delete') && (
        <Button variant="default" leftSection={<Trash2 size={16} aria-hidden />} onClick={deleting.open}>
          Delete
        </Button>
      )}
      <Failure error={enable.error} onRetry={enable.again} />
      <RotateKey apiKey={apiKey} opened={isRotating} onClose={rotating.close} />
      <Delete apiKey={apiKey} opened={isDeleting} onClose={deleting.close} />
    </>
  )
}

type DeleteProps = { apiKey: Key; opened: boolean; onClose: () => void }

function Delete({ apiKey, opened, onClose }: DeleteProps) {
  const navigate = useNavigate()
  const { workspaceId, id } = apiKey
  const act = useAct('api_keys.del', {
    onDone: () => {
      done('The key is deleted.')
      void navigate({ to: '/w/$workspaceId/keys', params: { workspaceId } })
    },
  })
  return (
    <Confirm
      opened={opened}
      onClose={onClose}
      title={`Delete ${apiKey.name}?`}
      label="Delete the key"
      act={act}
      onAct={() => act.mutate({ workspaceId, id })}
    >
      <Text size="sm">Whatever uses it is refused from the next request on. This cannot be taken back.</Text>
      <Text size="sm" mt="xs">
        {apiKey.lastActive ? (
          <>
            It was last used <Moment at={apiKey.lastActive} />, with{' '}
            {countOf(Object.keys(apiKey.scopeUse).length, 'scope')} of {apiKey.scopes.length}: something may depend on
            it. Disabling it first shows what.
          </>
        ) : (
          'It has never been used, so nothing should miss it.'
        )}
      </Text>
    </Confirm>
  )
}
