// The mapping of payloads to alerts: an expression for each field, written beside a payload and tried before it is saved.
import './mapping.css'
import { Button, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { FlaskConical, Inbox } from 'lucide-react'
import { useMemo } from 'react'
import type { InputOf, ItemOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import type { Draft } from '../../form/field.ts'
import { Form } from '../../form/form.tsx'
import { UnsentGuard } from '../../form/guard.tsx'
import { momentOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { Failure } from '../../parts/failure.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { done } from '../../parts/toast.tsx'
import { useStanding } from '../../session.ts'
import { useLook } from '../../table/look.ts'
import { type Integration, typeIn, useCatalog } from './catalog.ts'
import { flattened, gathered, nestedFields, propertiesOf } from './config_fields.ts'
import { Content } from './content.tsx'
import { PairsInput, SecretInput } from './inputs.tsx'
import { Trial } from './mapping_trial.tsx'
import { pollMs } from './one_of_many.tsx'

type Payload = ItemOf<'integrations.payloads.list'>
type Mapping = NonNullable<InputOf<'integrations.mapping.test'>['mapping']>

const root = 'config.mapping.'

/** What the fields say now, saved or not. */
function mappingOf(draft: Draft): Mapping {
  const written = Object.entries(draft).flatMap(([path, value]): [string, unknown][] => {
    const name = path.slice(root.length)
    if (!path.startsWith(root) || typeof value !== 'string' || value.trim() === '') return []
    return [[name, name === 'fields' ? JSON.parse(value) : value]]
  })
  return Object.fromEntries(written) as Mapping
}

export function MappingEditor({ record }: { record: Row }) {
  const integration = record as Integration
  const { workspaceId, id } = integration
  const [{ payload: wanted }, look] = useLook<{ payload?: string }>()
  const input = { workspaceId, id, perPage: 50 }
  const payloads = useCall('integrations.payloads.list', input, { refetchInterval: pollMs })
  const items = payloads.data?.items ?? []
  const chosen = wanted ?? items[0]?.id
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Expressions integration={integration} payloadId={chosen} />
      <Panel title="Payload" about="What payload means in the expressions." className="atrium-beside">
        <Loaded query={payloads}>
          {() =>
            chosen ? (
              <Stack>
                <Select
                  label="Which one"
                  allowDeselect={false}
                  data={choicesOf(items, chosen)}
                  value={chosen}
                  onChange={next => next && look({ payload: next })}
                />
                <Shown integration={integration} payloadId={chosen} />
              </Stack>
            ) : (
              <Empty
                icon={Inbox}
                title="No payloads yet"
                text="Send something to the address of this integration. It shows here, and the mapping can be tried on it."
              />
            )
          }
        </Loaded>
      </Panel>
    </SimpleGrid>
  )
}

function choicesOf(items: readonly Payload[], chosen: string) {
  const listed = items.map(({ id, received, outcome }) => ({ value: id, label: `${momentOf(received)}, ${outcome}` }))
  return listed.some(({ value }) => value === chosen) ? listed : [...listed, { value: chosen, label: chosen }]
}

function Shown({ integration: { workspaceId, id }, payloadId }: { integration: Integration; payloadId: string }) {
  const found = useCall('integrations.payloads.get', { workspaceId, id, payloadId })
  return <Loaded query={found}>{({ body }) => <Content title="payload" text={body} open={6} />}</Loaded>
}

type ExpressionsProps = { integration: Integration; payloadId: string | undefined }

function Expressions({ integration, payloadId }: ExpressionsProps) {
  const { workspaceId, id, config } = integration
  const { may } = useStanding()
  const catalog = useCatalog()
  const type = typeIn(catalog.data, 'inbound')
  const fields = useMemo(() => {
    const schema = type && propertiesOf(type).mapping
    return schema ? nestedFields('config.mapping', schema, { secret: SecretInput, pairs: PairsInput }) : []
  }, [type])
  const before = useMemo(() => flattened(config), [config])
  return (
    <Panel title="Mapping" about="Each field is an expression (CEL) over payload, such as payload.alert.name.">
      <Loaded query={catalog}>
        {() => (
          <Form
            guard={UnsentGuard}
            id="integrations.patch"
            fixed={{ workspaceId, id }}
            record={before}
            fields={fields}
            label="Save"
            isLocked={!may('integrations.patch')}
            toInput={input => gathered(input, config)}
            onDone={() => done('The mapping is saved. What comes from now on is read by it.')}
          >
            {draft =>
              may('integrations.mapping.test') && (
                <Trying integration={integration} payloadId={payloadId} mapping={mappingOf(draft)} />
              )
            }
          </Form>
        )}
      </Loaded>
    </Panel>
  )
}

type TryingProps = ExpressionsProps & { mapping: Mapping }

function Trying({ integration: { workspaceId, id }, payloadId, mapping }: TryingProps) {
  const act = useAct('integrations.mapping.test')
  const run = (one?: string) => act.mutate({ workspaceId, id, mapping, ...(one && { payloadId: one }) })
  const isReady = mapping.title !== undefined
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button
          variant="default"
          leftSection={<FlaskConical size={16} aria-hidden />}
          loading={act.isPending}
          disabled={!isReady || payloadId === undefined}
          onClick={() => run(payloadId)}
        >
          Try
        </Button>
        <Button variant="default" disabled={!isReady || act.isPending} onClick={() => run()}>
          Try on the last 50
        </Button>
      </Group>
      {payloadId === undefined && (
        <Text size="sm" c="dimmed">
          It can be tried as soon as a payload has come.
        </Text>
      )}
      <Failure error={act.error} onRetry={act.again} />
      {act.data && <Trial items={act.data.items} />}
    </Stack>
  )
}
