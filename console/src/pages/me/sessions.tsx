// Where I am logged in; end one, or all but this.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Laptop, Smartphone, SquareTerminal } from 'lucide-react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct } from '../../api.ts'
import { countOf } from '../../format.ts'
import { useAll } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'

type Session = ItemOf<'auth.sessions.list'>

export function Sessions() {
  const sessions = useAll<Session>('auth.sessions.list', { orderBy: 'lastUsed', order: 'desc' })
  const [isAsking, asking] = useDisclosure(false)
  const others = sessions.data?.items.filter(({ isCurrent }) => !isCurrent).length ?? 0
  const end = useAct('auth.sessions.delOthers', {
    onDone: ({ ended }) => {
      asking.close()
      done(`${countOf(ended, 'session')} ended.`)
    },
  })
  return (
    <Page
      title="Sessions"
      about="Where you are logged in. End what you do not know, then change your password."
      narrow
      actions={
        others > 0 && (
          <Button variant="default" onClick={asking.open}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {({ items }) => (
          <Stack gap="sm">
            {items.map(session => (
              <SessionCard key={session.id} session={session} />
            ))}
          </Stack>
        )}
      </Loaded>
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="End all other sessions?"
        label="End them"
        act={end}
        onAct={() => end.mutate({})}
      >
        <Text size="sm">{countOf(others, 'session')} will have to log in again. This one goes on.</Text>
      </Confirm>
    </Page>
  )
}

function SessionCard({ session }: { session: Session }) {
  const act = useAct('auth.sessions.del', { onDone: () => done('The session is ended.') })
  const isPhone = /iPhone|Android|iPad/.test(session.device)
  const Icon = isPhone ? Smartphone : /curl|atrium|Node/.test(session.device) ? SquareTerminal : Laptop
  return (
    <Panel padding="md">
      <Group justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap">
          <Icon size={22} aria-hidden />
          <div>
            <Group gap="xs">
              <Text fw={600} size="sm">
                {session.device}
              </Text>
              {session.isCurrent && <Badge color="green">This device</Badge>}
            </Group>
            <Text size="sm" c="dimmed" component="div">
              {session.address ?? 'Unknown address'} · last used <Moment at={session.lastUsed} /> · since{' '}
              <Moment at={session.created} />
            </Text>
          </div>
        </Group>
        {!session.isCurrent && (
          <Button
            size="xs"
            variant="default"
            loading={act.isPending}
            onClick={() => act.mutate({ id: session.id })}
            aria-label={`End the session of ${session.device}`}
          >
            End
          </Button>
        )}
      </Group>
      <Failure error={act.error} onRetry={act.again} />
    </Panel>
  )
}
