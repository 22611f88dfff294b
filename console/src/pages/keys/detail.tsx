// One key: what it may do and does, and what can be done with it.
import {
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  Table,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Scope } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf, momentOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyIcon } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { bodyField, remark, useKeptForm } from '../../parts/form.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { ScopeMatrix } from '../../parts/scope_matrix.tsx'
import { done } from '../../parts/toast.tsx'
import { useMe, useStanding, useWorkspaceId } from '../../session.ts'
import { Secret } from './secret.tsx'
import { type Key, ownerOf, stateOf, unusedScopes } from './state.ts'

export function KeyDetail() {
  const workspaceId = useWorkspaceId()
  const { id = '' } = useParams({ strict: false })
  const key = useCall('api_keys.get', { workspaceId, id })
  const title = key.data?.name ?? 'API key'
  return (
    <Page title={title} actions={key.data && <Acts apiKey={key.data} />}>
      <Loaded query={key}>{found => <Parts key={found.updated} apiKey={found} />}</Loaded>
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
      <Change apiKey={apiKey} />
    </Stack>
  )
}

function About({ apiKey }: { apiKey: Key }) {
  const state = stateOf(apiKey)
  const me = useMe()
  const rows: [string, React.ReactNode][] = [
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
      <Table variant="vertical" layout="fixed" withRowBorders={false} verticalSpacing={6} aria-label="About the key">
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w={110} bg="transparent" fw={500}>
                {name}
              </Table.Th>
              <Table.Td fz="sm">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
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
        <Table aria-label="Use per scope" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Scope</Table.Th>
              <Table.Th scope="col">Last used</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {used.map(([scope, at]) => (
              <Table.Tr key={scope}>
                <Table.Td fz="sm">{scope}</Table.Td>
                <Table.Td>
                  <Moment at={at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  )
}

/** `2026-11-15T09:30` in the person's own time, as the browser's field wants it. */
function localMoment(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function Change({ apiKey }: { apiKey: Key }) {
  const { can } = useStanding()
  const { workspaceId, id } = apiKey
  const act = useAct('api_keys.patch', { onDone: () => done('The key is changed.') })
  const form = useKeptForm(
    {
      name: apiKey.name,
      scopes: apiKey.scopes as Scope[],
      expires: localMoment(apiKey.expires),
      allowedIps: apiKey.allowedIps ?? [],
    },
    { name: (text: string) => remark(bodyField('api_keys.patch', 'name'), text.trim()) },
    act.error,
  )
  const { name, scopes, expires, allowedIps } = form.values
  if (!can('api_keys:write')) return null
  return (
    <Panel title="Change it" about="Narrowing takes effect with the next request.">
      <form
        noValidate
        onSubmit={form.onSubmit(() =>
          act.mutate({
            workspaceId,
            id,
            name: name.trim(),
            scopes,
            expires: expires ? new Date(expires).toISOString() : null,
            allowedIps: allowedIps.length > 0 ? allowedIps : null,
          }),
        )}
      >
        <Stack>
          <TextInput label="Name" {...form.getInputProps('name')} />
          <TextInput
            type="datetime-local"
            label="Ends"
            description="Empty: never"
            maw={280}
            {...form.getInputProps('expires')}
          />
          <TagsInput
            label="Allowed addresses"
            description="IP addresses or ranges such as 203.0.113.0/24; none: from anywhere"
            clearButtonProps={{ 'aria-label': 'Remove all addresses' }}
            {...form.getInputProps('allowedIps')}
          />
          <ScopeMatrix
            value={scopes}
            mayGive={scope => can(scope) || apiKey.scopes.includes(scope)}
            onChange={next => form.setFieldValue('scopes', next)}
          />
          <Failure error={act.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={act.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
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
            checked={enable.isPending ? enable.variables.enabled === true : apiKey.enabled}
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
      <Failure error={enable.error} />
      <Rotate apiKey={apiKey} opened={isRotating} onClose={rotating.close} />
      <Delete apiKey={apiKey} opened={isDeleting} onClose={deleting.close} />
    </>
  )
}

type DialogProps = { apiKey: Key; opened: boolean; onClose: () => void }

function Rotate({ apiKey, opened, onClose }: DialogProps) {
  const [overlapHours, setOverlapHours] = useState(24)
  const [token, setToken] = useState('')
  const act = useAct('api_keys.rotate', { onDone: result => setToken(result.token) })
  const { workspaceId, id } = apiKey
  const close = () => {
    onClose()
    setToken('')
    act.reset()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={token ? 'The new secret' : `Rotate ${apiKey.name}`}
      size="lg"
      closeOnClickOutside={!token}
      closeOnEscape={!token}
    >
      {token ? (
        <Secret token={token} workspaceId={workspaceId} onDone={close} />
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            act.mutate({ workspaceId, id, overlapHours })
          }}
        >
          <Stack>
            <Text size="sm">The key gets a new secret. The old one goes on for a while, so that nothing breaks.</Text>
            <NumberInput
              label="The old secret goes on for (hours)"
              description="0 to 168; with 0 it stops at once"
              min={0}
              max={168}
              allowDecimal={false}
              value={overlapHours}
              onChange={value => setOverlapHours(Number(value) || 0)}
              hideControls
              data-autofocus
            />
            <Failure error={act.error} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                Cancel
              </Button>
              <Button type="submit" loading={act.isPending}>
                Rotate
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  )
}

function Delete({ apiKey, opened, onClose }: DialogProps) {
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
      act="Delete the key"
      onAct={() => act.mutate({ workspaceId, id })}
      isActing={act.isPending}
      error={act.error}
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
