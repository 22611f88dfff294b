// Which mails and notices I want; saved as I switch, kept to be sent again if that fails.
import { Stack, Switch, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'

type Settings = ResultOf<'auth.notification_settings.get'>
type Type = ResultOf<'auth.notification_settings.types'>['types'][number]

export function NotificationSettings() {
  const settings = useCall('auth.notification_settings.get', {})
  const types = useCall('auth.notification_settings.types', {})
  return (
    <Page title="Notifications" about="Codes and notices about your account’s safety are always sent." narrow>
      <Loaded query={settings}>
        {found => <Loaded query={types}>{listed => <Switches settings={found} types={listed.types} />}</Loaded>}
      </Loaded>
    </Page>
  )
}

const updates = [
  ['digest', 'Digest', 'One mail a day, if anything happened, instead of one for each event'],
  ['product', 'News', 'What is new in Atrium'],
  ['security', 'Security advice', 'Old keys, unused scopes and the like'],
] as const

function Switches({ settings: kept, types }: { settings: Settings; types: readonly Type[] }) {
  const queries = useQueryClient()
  const act = useAct('auth.notification_settings.put', {
    onDone: saved => queries.setQueryData(['auth.notification_settings.get', {}], saved),
  })
  const settings = act.wanted ?? kept
  const save = (next: Settings) => act.mutate(next)
  const { globalChannels, preferences } = settings
  const of = (id: string) => preferences[id] ?? globalChannels
  return (
    <Stack>
      <Failure error={act.error} onRetry={act.again} />
      <Panel title="Channels" about="Where notices reach you, unless you choose otherwise for an event below.">
        <Stack gap="sm">
          {(['web', 'email'] as const).map(channel => (
            <Switch
              key={channel}
              label={channel === 'web' ? 'In the console' : 'By mail'}
              checked={globalChannels[channel]}
              onChange={event =>
                save({ ...settings, globalChannels: { ...globalChannels, [channel]: event.currentTarget.checked } })
              }
            />
          ))}
        </Stack>
      </Panel>
      <Panel title="Events" about="What others do that concerns you. The console’s notices are in your inbox.">
        <RowTable label="Notices by event" heads={['Event', 'Console', 'Mail']} minWidth={240}>
          {types.map(({ type: id, title }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row" fw={400} fz="sm" style={{ whiteSpace: 'normal' }}>
                {title}
              </Table.Th>
              {(['web', 'email'] as const).map(channel => (
                <Table.Td key={channel}>
                  <Switch
                    aria-label={`${title}: ${channel === 'web' ? 'console' : 'mail'}`}
                    checked={of(id)[channel]}
                    onChange={event =>
                      save({
                        ...settings,
                        preferences: {
                          ...preferences,
                          [id]: { ...of(id), [channel]: event.currentTarget.checked },
                        },
                      })
                    }
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </RowTable>
      </Panel>
      <Panel title="Mails">
        <Stack gap="sm">
          {updates.map(([name, label, description]) => (
            <Switch
              key={name}
              label={label}
              description={description}
              checked={settings.updates[name]}
              onChange={event =>
                save({ ...settings, updates: { ...settings.updates, [name]: event.currentTarget.checked } })
              }
            />
          ))}
        </Stack>
      </Panel>
      <Text size="sm" c="dimmed" role="status">
        {act.isPending ? 'Saving…' : act.isSuccess ? 'Saved.' : 'Changes are saved at once.'}
      </Text>
    </Stack>
  )
}
