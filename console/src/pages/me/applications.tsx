// Applications that I let in, what they may do and did, and the way to shut them out again.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { BadgeCheck } from 'lucide-react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useWorkspaces } from '../../session.ts'

type Grant = ItemOf<'auth.grants.list'>

export function Applications() {
  const grants = useCall('auth.grants.list', { perPage: 100 })
  return (
    <Page title="Applications" about="Programs you let act for you." narrow>
      <Loaded query={grants}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel>
              <Empty
                icon={BadgeCheck}
                title="No application acts for you"
                text="When you let one in, it shows here with what it may do, and you can shut it out again."
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
  const act = useAct('auth.grants.del', { onDone: () => done(`${grant.clientName} is shut out.`) })
  const unused = grant.lastUsedAt ? grant.scopes.filter(scope => !(scope in grant.scopeUse)) : []
  return (
    <Panel padding="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Text fw={600}>{grant.clientName}</Text>
          <Text size="sm" c="dimmed" component="div">
            {workspace ? `In ${workspace.name} · ` : ''}let in <Moment at={grant.created} /> · last used{' '}
            <Moment at={grant.lastUsedAt} none="never" /> · ends <Moment at={grant.expiresAt} />
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={asking.open} aria-label={`Shut out ${grant.clientName}`}>
          Shut out
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
          {countOf(unused.length, 'scope')} never used.
        </Text>
      )}
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Shut out ${grant.clientName}?`}
        label="Shut it out"
        act={act}
        onAct={() => act.mutate({ id: grant.id })}
      >
        <Text size="sm">Its tokens, and the keys it made, end at once. It can ask you again.</Text>
      </Confirm>
    </Panel>
  )
}
