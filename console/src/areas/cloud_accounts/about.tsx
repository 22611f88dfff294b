// What an account is read with, how that went last, and the same as forms.
import { Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useCall } from '../../api.ts'
import { areaOfId } from '../../contract.ts'
import type { FieldHint } from '../../form/field.ts'
import { countOf, wordsOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { CopyFact, CopyIcon } from '../../parts/copy.tsx'
import { LabelChips } from '../../parts/labels.tsx'
import { LinkText } from '../../parts/links.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { OwnerName } from '../../parts/people.tsx'
import { Facts } from '../../parts/table.tsx'
import { Value } from '../../parts/value.tsx'
import { EditPanel } from '../../record/edit_panel.tsx'
import { useStanding } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { useNames } from '../../table/references.ts'
import { placeOfArea } from '../define.ts'
import { type Account, isSent, type Provider, providerIn, useCatalog } from './account.ts'
import { Credentials } from './credentials.tsx'
import { inputs } from './inputs.tsx'
import { intervalField } from './new_account.tsx'
import { configFields, flattened, gathered, labelOfField, propertiesOf } from './provider_fields.ts'
import { Faults, Status } from './state.tsx'
import { changesOf, tookOf } from './syncs.tsx'

export function About({ record }: { record: Row }) {
  const account = record as Account
  const catalog = useCatalog()
  return (
    <Stack>
      <Health account={account} />
      <Loaded query={catalog}>
        {found => {
          const provider = providerIn(found, account.provider)
          if (!provider) return null
          return (
            <>
              <Settings account={account} provider={provider} />
              {provider.secrets.length > 0 && <Credentials account={account} provider={provider} />}
            </>
          )
        }}
      </Loaded>
      <Identity account={account} />
    </Stack>
  )
}

/** The last sync says what was seen, and what could not be. */
function Health({ account }: { account: Account }) {
  const { workspaceId, id, status, lastSyncAt, nodeCount } = account
  const syncs = useCall('cloud_accounts.syncs.list', { workspaceId, id, perPage: 1 })
  const [last] = syncs.data?.items ?? []
  const errors = last?.errors ?? []
  const infrastructure = placeOfArea('cloud_infra')?.path ?? ''
  return (
    <Panel title="Last sync">
      <Stack>
        <Facts
          label="Last sync"
          width={150}
          facts={[
            ['Status', <Status key="status" value={status} />],
            ['Last read', <Moment key="read" at={lastSyncAt} none="Not yet" />],
            ...(last
              ? ([
                  ['It found', changesOf(last)],
                  ['It took', tookOf(last)],
                ] as [string, ReactNode][])
              : []),
            [
              'Nodes',
              <LinkText
                key="nodes"
                to={`/w/${workspaceId}/${infrastructure}` as '/'}
                search={{ accountId: id } as never}
                size="sm"
              >
                {countOf(nodeCount, 'node')}
              </LinkText>,
            ],
          ]}
        />
        {errors.length > 0 && (
          <>
            <Text size="sm" fw={600}>
              What could not be seen, and is shown as it was before
            </Text>
            <Faults faults={errors} label="What could not be seen" />
          </>
        )}
      </Stack>
    </Panel>
  )
}

type PartProps = { account: Account; provider: Provider }

function Settings({ account, provider }: PartProps) {
  const { may, role } = useStanding()
  const { workspaceId, id, config } = account
  const mayWrite = role === 'owner' || role === 'admin'
  const fields = useMemo(() => editFields(provider, mayWrite), [provider, mayWrite])
  const form = useMemo(() => ({ ...account, ...flattened(config) }), [account, config])
  return (
    <EditPanel
      title="Settings"
      id="cloud_accounts.patch"
      fixed={{ workspaceId, id }}
      record={form}
      fields={fields}
      mayEdit={may('cloud_accounts.patch')}
      toInput={input => gathered(input, config)}
    >
      <SettingFacts account={account} provider={provider} />
    </EditPanel>
  )
}

function editFields(provider: Provider, mayWrite: boolean): FieldHint[] {
  return [
    { name: 'name', isNeeded: true },
    ...configFields(provider, inputs),
    ...(provider.regions ? [{ name: 'regions' }] : []),
    intervalField(provider),
    { name: 'externalId', label: 'Called there' },
    ...(mayWrite ? [{ name: 'mode', isNeeded: true, about: 'Syncs only ever read, whatever is chosen.' }] : []),
    { name: 'labels', about: 'Words to find it by.' },
  ]
}

function SettingFacts({ account, provider }: PartProps) {
  const { config, regions, syncIntervalMinutes, mode, externalId, trustExternalId } = account
  const set = Object.entries(propertiesOf(provider)).filter(([name]) => config[name as keyof typeof config])
  const named = [config.repositoryId, config.datasetId].filter(one => one !== undefined)
  const names = useNames(
    named.flatMap(one => {
      const area = areaOfId(one)
      return area ? [{ area, ids: [one] }] : []
    }),
  )
  const often = syncIntervalMinutes === null ? 'When somebody asks' : `Every ${syncIntervalMinutes} minutes`
  return (
    <Facts
      label="Settings"
      width={150}
      facts={[
        ['Provider', provider.title],
        ...set.map(([name, schema]): [string, ReactNode] => {
          const value = config[name as keyof typeof config]
          const known = names.get(String(value))
          const isText = typeof value === 'string' && value.includes('-----BEGIN')
          const shown = isText ? (
            <Group key={name} gap={2}>
              <span>Set, in PEM form</span>
              <CopyIcon value={value} label={`Copy: ${labelOfField(name)}`} />
            </Group>
          ) : known ? (
            <Reference key={name} id={String(value)} name={known} />
          ) : (
            <Value key={name} schema={schema} value={value} isWhole />
          )
          return [labelOfField(name), shown]
        }),
        ...(provider.regions ? ([['Regions', regions.join(', ')]] as [string, ReactNode][]) : []),
        ['Is read', isSent(account) ? 'Never: it is sent' : often],
        ['Called there', externalId ?? 'Not known yet'],
        ...(trustExternalId
          ? ([['External id to ask for', <CopyFact key="trust" value={trustExternalId} label="Copy it" />]] as [
              string,
              ReactNode,
            ][])
          : []),
        ['Mode', wordsOf(mode)],
        ['Labels', <LabelChips key="labels" ids={account.labels} most={20} none="–" />],
      ]}
    />
  )
}

function Identity({ account: { id, ownerId, created, updated } }: { account: Account }) {
  return (
    <Panel title="Identity">
      <Facts
        label="Identity"
        width={150}
        facts={[
          ['ID', <CopyFact key="id" value={id} />],
          ['Owner', <OwnerName key="owner" id={ownerId} />],
          ['Created', <Moment key="created" at={created} />],
          ['Changed', <Moment key="updated" at={updated} />],
        ]}
      />
    </Panel>
  )
}
