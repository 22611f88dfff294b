// Which mails and notices I want; saved as I switch, taken back if the service refuses.
import { Stack, Switch, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { operation, operationIds, type ResultOf } from '../../../../src/client/catalogue.ts'
import { useAct, useCall } from '../../api.ts'
import { wordsOf } from '../../format.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Page, Panel } from '../../parts/page.tsx'

type Settings = ResultOf<'auth.notification_settings.get'>

/** What others do in a workspace and a person may want to hear of. */
const kinds = [
  'workspace_members.invites.post',
  'workspace_members.invites.accept',
  'workspace_members.del',
  'api_keys.post',
  'api_keys.del',
  'workspaces.del',
].filter(id => operationIds.includes(id as never))

export function NotificationSettings() {
  const settings = useCall('auth.notification_settings.get', {})
  return (
    <Page title="Notifications" about="Codes and notices about your account’s safety are always sent." narrow>
      <Loaded query={settings}>{found => <Switches settings={found} />}</Loaded>
    </Page>
  )
}

const updates = [
  ['digest', 'Digest', 'A summary of what happened in your workspaces'],
  ['product', 'News', 'What is new in Atrium'],
  ['security', 'Security advice', 'Old keys, unused scopes and the like'],
] as const

function Switches({ settings }: { settings: Settings }) {
  const queries = useQueryClient()
  const act = useAct('auth.notification_settings.put')
  const key = ['auth.notification_settings.get', {}]
  const save = (next: Settings) => {
    queries.setQueryData(key, next)
    act.mutate(next, { onError: () => queries.setQueryData(key, settings) })
  }
  const { globalChannels, preferences } = settings
  const of = (id: string) => preferences[id] ?? globalChannels
  return (
    <Stack>
      <Failure error={act.error} />
      <Panel title="Channels" about="Where notices may reach you at all.">
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
      <Panel title="Events" about="Unless you choose, the channels above decide.">
        <Table.ScrollContainer minWidth={320} type="native">
          <Table aria-label="Notices by event" verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">Event</Table.Th>
                <Table.Th scope="col">Console</Table.Th>
                <Table.Th scope="col">Mail</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {kinds.map(id => (
                <Table.Tr key={id}>
                  <Table.Th scope="row" fw={400} style={{ whiteSpace: 'normal' }}>
                    {operation(id)?.summary ?? wordsOf(id)}
                  </Table.Th>
                  {(['web', 'email'] as const).map(channel => (
                    <Table.Td key={channel}>
                      <Switch
                        aria-label={`${operation(id)?.summary}: ${channel === 'web' ? 'console' : 'mail'}`}
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
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Panel>
      <Panel title="Mails about Atrium">
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
