// Whether a person has connected an MCP server in the browser, and the way there.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { Plug, Unplug } from 'lucide-react'
import { useState } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import type { Row } from '../../named.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import type { Integration } from './catalog.ts'

type State = ResultOf<'integrations.oauth.get'>

export function Connection({ record }: { record: Row }) {
  const { workspaceId, id } = record as Integration
  const found = useCall('integrations.oauth.get', { workspaceId, id })
  return (
    <Panel
      title="Connection"
      about="For servers that want a person to sign in: what you allow there, agents here use in your name."
    >
      <Loaded query={found} rows={2}>
        {state => (
          <Stack>
            <About state={state} />
            <Acts state={state} />
          </Stack>
        )}
      </Loaded>
    </Panel>
  )
}

function About({ state }: { state: State }) {
  const { userId, isConnected, needsConsent, issuer, scope, connectedAt, expiresAt } = state
  if (userId === null) {
    return (
      <Text size="sm">Nobody has connected it. The server is called with the token or client that is set, if any.</Text>
    )
  }
  const word = isConnected ? 'Connected' : needsConsent ? 'Must be connected again' : 'Not in use'
  return (
    <Stack gap="xs">
      {!isConnected && !needsConsent && (
        <Text size="sm">The address or the client is another since: connect it again.</Text>
      )}
      <Facts
        label="Connection"
        width={150}
        facts={[
          [
            'State',
            <Badge key="state" color={isConnected ? 'green' : needsConsent ? 'orange' : 'gray'}>
              {word}
            </Badge>,
          ],
          ['By', <OwnerName key="by" id={userId} />],
          ['Since', <Moment key="since" at={connectedAt} />],
          ['Signed in at', issuer ?? ''],
          ['Scope', scope ?? 'What was asked for'],
          ['Token until', <Moment key="until" at={expiresAt} none="Not said" />],
        ]}
      />
    </Stack>
  )
}

function Acts({ state }: { state: State }) {
  const { workspaceId, integrationId: id, userId } = state
  const { may } = useStanding()
  const [isAsking, setIsAsking] = useState(false)
  const [isLeaving, setIsLeaving] = useState(false)
  const start = useAct('integrations.oauth.start', {
    onDone: ({ url }) => {
      setIsLeaving(true)
      window.location.assign(url)
    },
  })
  const end = useAct('integrations.oauth.del', {
    onDone: () => {
      setIsAsking(false)
      done('It is disconnected.')
    },
  })
  return (
    <>
      <Failure error={start.error} onRetry={start.again} />
      <Group>
        {may('integrations.oauth.start') && (
          <Button
            variant={userId === null ? 'filled' : 'default'}
            leftSection={<Plug size={16} aria-hidden />}
            loading={start.isPending || isLeaving}
            onClick={() => start.mutate({ workspaceId, id })}
          >
            {userId === null ? 'Connect' : 'Connect again'}
          </Button>
        )}
        {userId !== null && may('integrations.oauth.del') && (
          <Button variant="default" leftSection={<Unplug size={16} aria-hidden />} onClick={() => setIsAsking(true)}>
            Disconnect
          </Button>
        )}
      </Group>
      <Confirm
        opened={isAsking}
        onClose={() => setIsAsking(false)}
        title="Disconnect this server?"
        label="Disconnect"
        act={end}
        onAct={() => end.mutate({ workspaceId, id })}
      >
        <Text size="sm">
          Its tokens are forgotten here. To end them there too, take the access back at the authorization server.
        </Text>
      </Confirm>
    </>
  )
}
