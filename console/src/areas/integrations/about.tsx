// What an integration is set up with, how it fares, and the same as a form.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import type { FieldHint } from '../../form/field.ts'
import { wordsOf } from '../../format.ts'
import { whenNeeded } from '../../lazily.tsx'
import type { Row } from '../../named.ts'
import { CopyFact } from '../../parts/copy.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { ScopeList } from '../../parts/scopes.tsx'
import { Facts } from '../../parts/table.tsx'
import { Value } from '../../parts/value.tsx'
import { EditPanel } from '../../record/edit_panel.tsx'
import { useStanding } from '../../session.ts'
import { type CatalogType, type Integration, typeIn, useCatalog } from './catalog.ts'
import {
  configFields,
  flattened,
  gathered,
  isNested,
  isPairs,
  labelOf,
  nameOf,
  type Property,
  propertiesOf,
} from './config_fields.ts'
import { EventsInput, PairsInput, ScopesInput, SecretInput, SetSecretInput } from './inputs.tsx'
import { failuresOf, Status } from './state.tsx'

const Connection = whenNeeded<{ record: Row }>('Connection', async () => (await import('./connection.tsx')).Connection)

export function About({ record }: { record: Row }) {
  const integration = record as Integration
  const catalog = useCatalog()
  return (
    <Stack>
      <Health integration={integration} />
      {integration.type === 'mcp' && <Connection record={record} />}
      <Loaded query={catalog}>
        {found => {
          const type = typeIn(found, integration.type)
          return type && <Settings integration={integration} type={type} />
        }}
      </Loaded>
      <Identity integration={integration} />
    </Stack>
  )
}

function Health({ integration }: { integration: Integration }) {
  const { status, lastSuccessAt, lastFailureAt, lastError } = integration
  return (
    <Panel title="Health">
      <Facts
        label="Health"
        width={150}
        facts={[
          ['Status', <Status key="status" value={status} />],
          ['Last success', <Moment key="success" at={lastSuccessAt} none="Not yet" />],
          ['Last failure', <Moment key="failure" at={lastFailureAt} none="Never" />],
          ['Last error', lastError ?? 'None'],
          ['Lost messages', failuresOf(integration)],
        ]}
      />
    </Panel>
  )
}

type SettingsProps = { integration: Integration; type: CatalogType }

function Settings({ integration, type }: SettingsProps) {
  const { may } = useStanding()
  const { workspaceId, id, config } = integration
  const { secretsSet } = integration
  const fields = useMemo(() => editFields(type, secretsSet), [type, secretsSet])
  const form = useMemo(
    () => ({ name: integration.name, events: integration.events, ...flattened(config) }),
    [integration.name, integration.events, config],
  )
  return (
    <EditPanel
      title="Settings"
      id="integrations.patch"
      fixed={{ workspaceId, id }}
      record={form}
      fields={fields}
      mayEdit={may('integrations.patch')}
      toInput={input => gathered(input, config)}
    >
      <Facts label="Settings" width={150} facts={factsOf(integration, type)} />
    </EditPanel>
  )
}

function factsOf(integration: Integration, type: CatalogType): [string, React.ReactNode][] {
  const { config, secretsSet, events, scopes } = integration
  const known = Object.entries(propertiesOf(type)).filter(([, schema]) => !isNested(schema))
  const isOut = type.directions.includes('out')
  return [
    ['Type', type.title],
    ...known
      .filter(([name, schema]) => schema['x-secret'] || config[name] !== undefined || schema.default !== undefined)
      .map(([name, schema]): [string, React.ReactNode] => [
        labelOf(name),
        isPairs(schema) ? (
          <Headers key={name} headers={(config[name] ?? {}) as Record<string, string>} />
        ) : schema['x-secret'] ? (
          <Text key={name} size="sm" c={secretsSet.includes(name) ? undefined : 'dimmed'}>
            {secretsSet.includes(name) ? 'Set, and never shown' : 'Not set'}
          </Text>
        ) : (
          <Setting key={name} schema={schema} value={config[name] ?? schema.default} />
        ),
      ]),
    ...(isOut
      ? ([
          ['Events', <Events key="events" events={events} />],
          ['Sees', <ScopeList key="scopes" value={scopes} />],
        ] as [string, React.ReactNode][])
      : []),
  ]
}

export function Events({ events }: { events: readonly string[] }) {
  if (events.length === 0) return <Text size="sm">None: nothing is sent. Edit it to choose some.</Text>
  return (
    <Group gap={4}>
      {events.map(event => (
        <Badge key={event} color="gray" tt="none">
          {event}
        </Badge>
      ))}
    </Group>
  )
}

function Setting({ schema, value }: { schema: Property; value: unknown }) {
  if (schema.enum) return <Badge color="gray">{nameOf(String(value))}</Badge>
  return <Value schema={schema} value={value} isWhole />
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  return Object.entries(headers).map(([name, value]) => (
    <Text key={name} size="sm" ff="monospace">
      {name}: {value}
    </Text>
  ))
}

function editFields(type: CatalogType, secretsSet: readonly string[]): FieldHint[] {
  const isOut = type.directions.includes('out')
  // The mapping is written beside the payloads.
  const nested = Object.entries(propertiesOf(type)).flatMap(([name, schema]) => (isNested(schema) ? [name] : []))
  const own = configFields(type, { secret: SecretInput, pairs: PairsInput, leaveOut: nested }).map(
    ({ group: _, ...field }) =>
      secretsSet.includes(field.name.slice('config.'.length))
        ? { ...field, isNeeded: false, isNullable: true, input: field.isNeeded ? KeptSecret : SetSecretInput }
        : field,
  )
  return [
    { name: 'name', isNeeded: true },
    ...own,
    ...(isOut
      ? [
          { name: 'events', isNeeded: true, input: EventsInput },
          { name: 'scopes', label: 'Scopes', start: null, input: ScopesInput },
        ]
      : []),
  ]
}

/** One that the type cannot do without. */
const KeptSecret: typeof SetSecretInput = props => (
  <SetSecretInput {...props} field={{ ...props.field, isNeeded: true, isMarked: false }} />
)

function Identity({ integration }: { integration: Integration }) {
  const { id, slug, inboundUrl, ownerId, created, updated, type } = integration
  return (
    <Panel title="Identity">
      <Facts
        label="Identity"
        width={150}
        facts={[
          ['ID', <CopyFact key="id" value={id} />],
          ...(type === 'mcp' ? [[wordsOf('tools'), `Agents call them int.${slug}.…`] as [string, string]] : []),
          ...(inboundUrl === null
            ? []
            : [
                [
                  'Its address',
                  <Stack key="address" gap={0}>
                    <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                      {inboundUrl}
                    </Text>
                    <Text size="xs" c="dimmed">
                      Its token was shown once. If nobody has it any more, rotate the secret.
                    </Text>
                  </Stack>,
                ] as [string, React.ReactNode],
              ]),
          ['Owner', <OwnerName key="owner" id={ownerId} />],
          ['Created', <Moment key="created" at={created} />],
          ['Changed', <Moment key="updated" at={updated} />],
        ]}
      />
    </Panel>
  )
}
