// One delivery: what was sent, and each attempt with its answer.
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { RotateCw } from 'lucide-react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { momentOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Integration, useCatalog } from './catalog.ts'
import { Content, Headers } from './content.tsx'
import { BackButton, pollMs } from './one_of_many.tsx'
import { Status } from './state.tsx'

type Delivery = ResultOf<'integrations.deliveries.get'>

type DetailProps = { integration: Integration; deliveryId: string }

export function DeliveryDetail({ integration, deliveryId }: DetailProps) {
  const { workspaceId, id } = integration
  const input = { workspaceId, id, deliveryId }
  const found = useCall('integrations.deliveries.get', input, { refetchInterval: pollMs })
  return (
    <Stack>
      <BackButton name="delivery">All deliveries</BackButton>
      <Loaded query={found}>
        {delivery => (
          <>
            <Summary delivery={delivery} mayResend={integration.status !== 'disabled'} />
            <Panel title="Request">
              <Stack>
                <Headers headers={delivery.requestHeaders} />
                <Content title="Body" text={delivery.requestBody ?? 'Shown to who may change integrations.'} />
              </Stack>
            </Panel>
            <Attempts delivery={delivery} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

function Summary({ delivery, mayResend }: { delivery: Delivery; mayResend: boolean }) {
  const { workspaceId, integrationId, id, event, eventSeq, messageId, attempt, status, error, replayOf } = delivery
  const { may } = useStanding()
  const [, open] = useLook<{ delivery?: string }>()
  const summary = useCatalog().data?.events.find(one => one.id === event)?.summary
  const act = useAct('integrations.deliveries.redeliver', {
    onDone: made => {
      done('It is sent again. What comes of it shows here.')
      open({ delivery: made.id })
    },
  })
  const again = may('integrations.deliveries.redeliver') && mayResend && (
    <Button
      size="xs"
      leftSection={<RotateCw size={14} aria-hidden />}
      loading={act.isPending}
      onClick={() => act.mutate({ workspaceId, id: integrationId, deliveryId: id })}
    >
      Send again
    </Button>
  )
  return (
    <Panel title={event} {...(summary && { about: summary })} aside={again}>
      <Failure error={act.error} onRetry={act.again} />
      <Facts
        label="Delivery"
        width={150}
        facts={[
          ['Status', <Status key="status" value={status} />],
          ['Attempts', String(attempt)],
          ['Next attempt', <Moment key="next" at={delivery.nextAttemptAt} none="None" />],
          ...(error ? [['Last error', error] as [string, string]] : []),
          ['Number', `${eventSeq} in the audit log`],
          ['Message ID', messageId],
          ...(replayOf
            ? [
                [
                  'Sent again from',
                  <LinkText
                    key="replay"
                    to="."
                    size="sm"
                    search={((before: object) => ({ ...before, delivery: replayOf })) as never}
                  >
                    {replayOf}
                  </LinkText>,
                ] as [string, React.ReactNode],
              ]
            : []),
          ['Made', momentOf(delivery.created)],
        ]}
      />
    </Panel>
  )
}

/** The newest first, open. */
function Attempts({ delivery: { attempts, status } }: { delivery: Delivery }) {
  return (
    <Panel title="Attempts">
      {attempts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {status === 'pending' ? 'It is sent in a moment; this page shows its answer.' : 'It was not sent.'}
        </Text>
      ) : (
        <Stack component="ol" className="atrium-plain-list atrium-parted" gap="lg">
          {[...attempts].reverse().map((one, index) => (
            <li key={one.at}>
              <Stack gap="xs">
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    Attempt {attempts.length - index}
                  </Text>
                  <Status value={one.status} />
                  {one.code !== null && <Badge color="gray">{one.code}</Badge>}
                  <Text size="sm" c="dimmed" component="span">
                    <Moment at={one.at} />
                    {one.ms !== null && `, took ${one.ms} ms`}
                  </Text>
                </Group>
                {one.error && <Text size="sm">{one.error}</Text>}
                {one.responseBody !== null && <Content title="Answer" text={one.responseBody} />}
              </Stack>
            </li>
          ))}
        </Stack>
      )}
    </Panel>
  )
}
