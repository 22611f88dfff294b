// Applications that I allowed to act for me, what they may do and did, and the way to revoke that.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { BadgeCheck } from 'lucide-react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { unusedScopes } from '../../areas/api_keys/state.ts'
import { countOf } from '../../format.ts'
import { useAll } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaces } from '../../session.ts'

type Grant = ItemOf<'auth.grants.list'>

export function Applications() {
  const grants = useAll<Grant>('auth.grants.list', {})
  return (
    <Page title="Applications" about="Programs you let act for you." narrow>
      <Loaded query={grants}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty
                icon={BadgeCheck}
                title="No application acts for you"
                text="When you let one in, it shows here with what it may do, and you can revoke it."
              />
            </Panel>
          ) : (
            <Stack gap="sm">
              {items.map(grant => (
                <GrantCard key={grant.id} grant={grant} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  )
}

function GrantCard({ grant }: { grant: Grant }) {
  const [isAsking, asking] = useDisclosure(false)
  const { data } = useWorkspaces()
  const workspace = data?.items.find(({ id }) => id === grant.workspaceId)
  const act = useAct('auth.grants.del', { onDone: () => done(`The access of ${grant.clientName} is revoked.`) })
  const unused = unusedScopes(grant)
  return (
    <Panel padding="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Text fw={600}>{grant.clientName}</Text>
          <Text size="sm" c="dimmed" component="div">
            {workspace ? `In ${workspace.name} · ` : ''}allowed <Moment at={grant.created} /> · last used{' '}
            <Moment at={grant.lastUsedAt} none="never" /> · expires <Moment at={grant.expiresAt} />
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={asking.open} aria-label={`Revoke ${grant.clientName}`}>
          Revoke
        </Button>
      </Group>
      <Group gap={4} mt="sm">
        {grant.scopes.map(scope => (
          <Badge key={scope} color={unused.includes(scope) ? 'yellow' : 'gray'}>
            {scope}
          </Badge>
        ))}
      </Group>
      {unused.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {countOf(unused.length, 'scope')} not used in 30 days.
        </Text>
      )}
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Revoke the access of ${grant.clientName}?`}
        label="Revoke"
        act={act}
        onAct={() => act.mutate({ id: grant.id })}
      >
        <Text size="sm">Its tokens, and the keys it made, end at once. It can ask you again.</Text>
      </Confirm>
    </Panel>
  )
}
