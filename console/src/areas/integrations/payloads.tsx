// What another system has sent in lately, what became of it, and why nothing did.
import { Button, Group, Stack, Text } from '@mantine/core'
import { FlaskConical, Inbox } from 'lucide-react'
import { useAct, useCall } from '../../api.ts'
import { labelOfField, momentOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { LinkButton, LinkName } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Facts } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { DataTable } from '../../table/data_table.tsx'
import { useLook, useOwnLook } from '../../table/look.ts'
import { bytesOf } from '../../units.ts'
import type { CellProps } from '../define.ts'
import { type Integration, isMapped } from './catalog.ts'
import { Content, Headers } from './content.tsx'
import { Trial } from './mapping_trial.tsx'
import { BackButton, pollMs } from './one_of_many.tsx'
import { Status } from './state.tsx'

export function Payloads({ record }: { record: Row }) {
  const [{ payload }] = useLook<{ payload?: string }>()
  const integration = record as Integration
  return payload ? (
    <PayloadDetail key={payload} integration={integration} payloadId={payload} />
  ) : (
    <PayloadList integration={integration} />
  )
}

function Received({ record, value }: CellProps) {
  const search = (before: object) => ({ ...before, payload: String(record.id) })
  return (
    <LinkName to="." search={search as never} data-row className="atrium-nowrap">
      {momentOf(String(value))}
    </LinkName>
  )
}

const Outcome = ({ value }: CellProps) => <Status value={value} />
const Size = ({ value }: CellProps) => (
  <Text size="sm" className="atrium-nowrap">
    {bytesOf(Number(value))}
  </Text>
)

const labels: Readonly<Record<string, string>> = { bytes: 'Size' }

function PayloadList({ integration }: { integration: Integration }) {
  const { workspaceId, id } = integration
  const [look, onLook] = useOwnLook()
  return (
    <Panel title="Payloads" about="The last 50 that were taken, and for 7 days what was not, with the reason.">
      <DataTable
        listId="integrations.payloads.list"
        path={{ workspaceId, id }}
        keyField="id"
        columns={['received', 'outcome', 'reason', 'alerts', 'bytes']}
        label="Payloads"
        labelOf={name => labels[name] ?? labelOfField(name)}
        look={look}
        onLook={onLook}
        refetchInterval={pollMs}
        cells={{ received: Received, outcome: Outcome, bytes: Size }}
        empty={{
          icon: Inbox,
          title: 'No payloads yet',
          text: 'Put the address of this integration into the other system and let it send something. If nobody has the address any more, rotate the secret.',
        }}
      />
    </Panel>
  )
}

function PayloadDetail({ integration, payloadId }: { integration: Integration; payloadId: string }) {
  const { workspaceId, id, type } = integration
  const { may } = useStanding()
  const found = useCall('integrations.payloads.get', { workspaceId, id, payloadId })
  const trial = useAct('integrations.mapping.test')
  const mayTry = type === 'inbound' && may('integrations.mapping.test')
  const toMapping = (before: object) => ({ ...before, tab: 'mapping' })
  return (
    <Stack>
      <BackButton name="payload">All payloads</BackButton>
      <Loaded query={found}>
        {payload => (
          <>
            <Panel title={`Received ${momentOf(payload.received)}`}>
              <Stack>
                <Facts
                  label="Payload"
                  width={150}
                  facts={[
                    ['Outcome', <Status key="outcome" value={payload.outcome} />],
                    ...(payload.reason ? [['Reason', payload.reason] as [string, string]] : []),
                    ['Alerts', String(payload.alerts)],
                    ['Size', bytesOf(payload.bytes)],
                    ['ID', payload.id],
                  ]}
                />
                {mayTry && (
                  <Group gap="xs">
                    <Button
                      size="xs"
                      variant="default"
                      leftSection={<FlaskConical size={14} aria-hidden />}
                      loading={trial.isPending}
                      onClick={() => trial.mutate({ workspaceId, id, payloadId })}
                    >
                      Try it again
                    </Button>
                    {isMapped(integration) && (
                      <LinkButton to="." search={toMapping as never} size="xs" variant="default">
                        Write the mapping beside it
                      </LinkButton>
                    )}
                  </Group>
                )}
                <Failure error={trial.error} onRetry={trial.again} />
                {trial.data && <Trial items={trial.data.items} />}
              </Stack>
            </Panel>
            <Panel title="Request">
              <Stack>
                <Headers headers={payload.headers} />
                <Content title="Body" text={payload.body} open={4} />
              </Stack>
            </Panel>
          </>
        )}
      </Loaded>
    </Stack>
  )
}
