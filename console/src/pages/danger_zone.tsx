// What an owner does to a workspace at most once: hand it over, or delete it.
import { Divider, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useAct, useCall } from '../api.ts'
import { Confirm, EndButton } from '../parts/confirm.tsx'
import { Panel } from '../parts/page.tsx'
import { RecordSelect } from '../parts/record_select.tsx'
import { done } from '../parts/toast.tsx'
import { useStanding, type Workspace } from '../session.ts'

export function DangerZone({ workspace }: { workspace: Workspace }) {
  const { role } = useStanding()
  return (
    <Panel title="Danger zone">
      <Stack>
        {role === 'owner' && (
          <>
            <Handover workspace={workspace} />
            <Divider />
          </>
        )}
        <Ending workspace={workspace} />
      </Stack>
    </Panel>
  )
}

const admin = { position: 'admin' }

function Handover({ workspace }: { workspace: Workspace }) {
  const workspaceId = workspace.id
  const [isAsking, asking] = useDisclosure(false)
  const [ownerId, setOwnerId] = useState('')
  const admins = useCall('workspace_members.list', { workspaceId, position: 'admin', perPage: 1 })
  const chosen = useCall('workspace_members.get', { workspaceId, userId: ownerId }, { enabled: ownerId !== '' })
  const isPossible = (admins.data?.count ?? 0) > 0
  const act = useAct('workspaces.patch', {
    touches: ['workspace_members'],
    onDone: () => {
      asking.close()
      done('The workspace has a new owner; you are an admin now.')
    },
  })
  return (
    <div>
      <Title order={3} fz="sm">
        Transfer ownership
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {isPossible ? 'To an admin of the workspace; you become an admin.' : 'Make somebody an admin first.'}
      </Text>
      {isPossible && <EndButton onClick={asking.open}>Transfer ownership</EndButton>}
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Transfer ${workspace.name}?`}
        label="Transfer ownership"
        act={act}
        onAct={() => ownerId && act.mutate({ workspaceId, ownerId })}
        typed={workspace.slug}
      >
        <Text size="sm" mb="sm">
          The new owner alone can delete the workspace, and can take your role away.
        </Text>
        <RecordSelect
          label="New owner"
          areas={['workspace_members']}
          where={admin}
          value={ownerId}
          onChange={setOwnerId}
          description={chosen.data?.email ?? 'An admin of the workspace'}
        />
      </Confirm>
    </div>
  )
}

function Ending({ workspace }: { workspace: Workspace }) {
  const [isAsking, asking] = useDisclosure(false)
  const act = useAct('workspaces.del', {
    onDone: () => {
      asking.close()
      done('The workspace will be deleted; it can be restored for 30 days.')
    },
  })
  return (
    <div>
      <Title order={3} fz="sm">
        Delete the workspace
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        It can be restored for 30 days; then it is gone for good.
      </Text>
      <EndButton onClick={asking.open}>Delete the workspace</EndButton>
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Delete ${workspace.name}?`}
        label="Delete the workspace"
        act={act}
        onAct={() => act.mutate({ workspaceId: workspace.id, confirm: workspace.slug })}
        typed={workspace.slug}
      >
        <Text size="sm">
          All its API keys stop at once, for everybody, and its members lose access. For 30 days the owner can restore
          it; after that everything in it is gone.
        </Text>
      </Confirm>
    </div>
  )
}
