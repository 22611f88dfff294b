// Places in imported workspaces that are offered to whoever has verified the address: claimed or declined.
import { Button, Group, Stack, Text } from '@mantine/core'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { queryClient, useAct, useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'

type Claim = ItemOf<'workspaces.claims.list'>

export function Claims() {
  const { data } = useCall('workspaces.claims.list', { perPage: 25 })
  if (!data || data.items.length === 0) return null
  return (
    <Panel title="Imported workspaces">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Somebody imported a workspace that names your address. Claim your place only where you know the workspace:
          then you are a member, and what that person wrote is under your name.
        </Text>
        {data.items.map(claim => (
          <ClaimRow key={claim.id} claim={claim} />
        ))}
      </Stack>
    </Panel>
  )
}

function ClaimRow({ claim }: { claim: Claim }) {
  const { id, workspaceName, position } = claim
  const name = [claim.forename, claim.surname].filter(Boolean).join(' ')
  const accept = useAct('workspaces.claims.accept', {
    onDone: async () => {
      done(`You are a member of ${workspaceName}.`)
      await queryClient.invalidateQueries()
    },
  })
  const decline = useAct('workspaces.claims.del', {
    onDone: () => done(`Declined. ${workspaceName} is not offered to you again.`),
  })
  return (
    <div>
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {workspaceName}
          </Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            As {name}, {position}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="xs"
            loading={accept.isPending}
            aria-label={`Claim the place in ${workspaceName}`}
            onClick={() => accept.mutate({ id })}
          >
            Claim
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={decline.isPending}
            aria-label={`Decline the place in ${workspaceName}`}
            onClick={() => decline.mutate({ id })}
          >
            Decline
          </Button>
        </Group>
      </Group>
      <Failure error={accept.error ?? decline.error} />
    </div>
  )
}
