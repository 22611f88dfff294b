// One OAuth client: who let it in, its fields, its secret, its end.
import { Button, Group, Modal, Switch, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate, useParams } from '@tanstack/react-router'
import { RotateCw, Trash2, Users } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf, nameOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyLine } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { KeptForm, useKeptForm } from '../../parts/form.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { actions, RowTable } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { type Client, ClientFields, checks, inputOf, valuesOf } from './client_form.tsx'
import { ClientSecret } from './new.tsx'

export function OauthClientDetail() {
  const workspaceId = useWorkspaceId()
  const { id = '' } = useParams({ strict: false })
  const { can } = useStanding()
  const client = useCall('oauth_clients.get', { workspaceId, id })
  return (
    <Page
      title={client.data?.name ?? 'OAuth client'}
      about={client.data?.description}
      actions={client.data && <Acts client={client.data} />}
    >
      <Loaded query={client}>
        {found => (
          <>
            <Panel title="Client ID">
              <CopyLine value={found.id} label="Copy the client id" />
            </Panel>
            <Grants client={found} />
            {can('oauth_clients:write') && <Change client={found} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Acts({ client }: { client: Client }) {
  const { can } = useStanding()
  const navigate = useNavigate()
  const [isDeleting, deleting] = useDisclosure(false)
  const [isRotating, rotating] = useDisclosure(false)
  const [secret, setSecret] = useState<string | null>(null)
  const { workspaceId, id } = client
  const enable = useAct('oauth_clients.patch', {
    onDone: ({ isActive }) => done(isActive ? 'The client works again.' : 'The client is off.'),
  })
  const rotate = useAct('oauth_clients.rotateSecret', {
    onDone: ({ clientSecret }) => {
      rotating.close()
      setSecret(clientSecret)
    },
  })
  const remove = useAct('oauth_clients.del', {
    onDone: () => {
      done('The client is deleted.')
      void navigate({ to: '/w/$workspaceId/oauth_clients', params: { workspaceId } })
    },
  })
  return (
    <>
      {can('oauth_clients:write') && (
        <Switch
          label={client.isActive ? 'On' : 'Off'}
          checked={enable.wanted?.isActive ?? client.isActive}
          onChange={event => enable.mutate({ workspaceId, id, isActive: event.currentTarget.checked })}
        />
      )}
      {can('oauth_clients:write') && client.type === 'confidential' && (
        <Button variant="default" leftSection={<RotateCw size={16} aria-hidden />} onClick={rotating.open}>
          New secret
        </Button>
      )}
      {can('oauth_clients:delete') && (
        <Button variant="default" leftSection={<Trash2 size={16} aria-hidden />} onClick={deleting.open}>
          Delete
        </Button>
      )}
      <Failure error={enable.error} onRetry={enable.again} />
      <Confirm
        opened={isRotating}
        onClose={rotating.close}
        title="Give it a new secret?"
        label="Make a new secret"
        act={rotate}
        onAct={() => rotate.mutate({ workspaceId, id })}
      >
        <Text size="sm">The old secret ends at once; the application needs the new one to go on.</Text>
      </Confirm>
      <Modal
        opened={secret !== null}
        onClose={() => setSecret(null)}
        title="The new secret"
        size="lg"
        closeOnClickOutside={false}
      >
        <ClientSecret id={id} secret={secret} />
        <Group justify="flex-end" mt="md">
          <Button onClick={() => setSecret(null)}>I have copied it</Button>
        </Group>
      </Modal>
      <Confirm
        opened={isDeleting}
        onClose={deleting.close}
        title={`Delete ${client.name}?`}
        label="Delete the client"
        act={remove}
        onAct={() => remove.mutate({ workspaceId, id })}
      >
        <Text size="sm">All its tokens end at once, for everybody who let it in.</Text>
      </Confirm>
    </>
  )
}

function Grants({ client }: { client: Client }) {
  const { workspaceId, id } = client
  const grants = useCall('oauth_clients.grants.list', { workspaceId, id, perPage: 100 })
  return (
    <Panel title="Who let it in">
      <Loaded query={grants} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Users} title="Nobody yet" text="Whoever lets it in shows here, with what they allowed." />
          ) : (
            <RowTable label="Who let it in" heads={['Who', 'Allowed', 'Last used', actions]} minWidth={520}>
              {items.map(grant => (
                <GrantRow key={grant.id} grant={grant} client={client} />
              ))}
            </RowTable>
          )
        }
      </Loaded>
    </Panel>
  )
}

function GrantRow({ grant, client }: { grant: ItemOf<'oauth_clients.grants.list'>; client: Client }) {
  const { can } = useStanding()
  const { workspaceId, id } = client
  const member = useCall('workspace_members.get', { workspaceId, userId: grant.userId })
  const act = useAct('oauth_clients.grants.del', { onDone: () => done('The consent is ended.') })
  const used = Object.keys(grant.scopeUse).length
  const who = member.data ? nameOf(member.data) : grant.userId
  return (
    <Table.Tr>
      <Table.Td fz="sm">{who}</Table.Td>
      <Table.Td fz="sm">
        {countOf(grant.scopes.length, 'scope')}, {used} used
      </Table.Td>
      <Table.Td className="atrium-nowrap">
        <Moment at={grant.lastUsedAt} />
      </Table.Td>
      <Table.Td>
        {can('oauth_clients:delete') && (
          <Button
            size="xs"
            variant="default"
            loading={act.isPending}
            aria-label={`End the consent of ${who}`}
            onClick={() => act.mutate({ workspaceId, id, grantId: grant.id })}
          >
            End
          </Button>
        )}
        <Failure error={act.error} onRetry={act.again} />
      </Table.Td>
    </Table.Tr>
  )
}

function Change({ client }: { client: Client }) {
  const { workspaceId, id } = client
  const act = useAct('oauth_clients.patch', { onDone: () => done('The client is changed.') })
  const form = useKeptForm(valuesOf(client), checks, act.error)
  return (
    <KeptForm form={form} act={act} label="Save" onSend={values => act.mutate({ workspaceId, id, ...inputOf(values) })}>
      <ClientFields form={form} isNew={false} />
    </KeptForm>
  )
}
