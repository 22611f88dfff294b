// The start of a workspace: first steps for a newcomer, what happens now and lately, keys by use.
import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { Activity, KeyRound } from 'lucide-react'
import { operation } from '../../../src/client/catalogue.ts'
import { useCall } from '../api.ts'
import { LinkName, LinkText } from '../parts/links.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Loaded, Page, Panel } from '../parts/page.tsx'
import { useStanding, useWorkspace, useWorkspaceId } from '../session.ts'
import { ChangesOverTime } from './audit/changes_over_time.tsx'
import { actionWords, actorName, type Entry } from './audit/entries.tsx'
import { useLive } from './audit/live.ts'
import { FirstSteps } from './first_steps.tsx'

export function Overview() {
  const workspace = useWorkspace()
  const { can, isKnown } = useStanding()
  const hasLedger = operation('audit_logs.list') !== undefined && isKnown && can('audit_logs:read')
  return (
    <Page title={workspace?.name ?? 'Overview'} about={workspace?.description ?? undefined}>
      <FirstSteps />
      {hasLedger && <ChangesOverTime />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {hasLedger && <Recent />}
        {can('api_keys:read') && <KeysByUse />}
      </SimpleGrid>
    </Page>
  )
}

function Recent() {
  const workspaceId = useWorkspaceId()
  const actions = useCall('audit_logs.actions', { workspaceId })
  const isLive = useLive(workspaceId, actionNames(actions.data))
  const log = useCall('audit_logs.list', { workspaceId, perPage: 8, orderBy: 'seq', order: 'desc' }, { keep: true })
  return (
    <Panel title="Recent activity" aside={isLive && <Badge color="green">Live</Badge>}>
      <Loaded query={log}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Activity} title="Nothing happened yet" text="Each change shows here as it happens." />
          ) : (
            <Stack gap="sm">
              {items.map(entry => (
                <Line key={entry.id} entry={entry} />
              ))}
              <LinkText to="/w/$workspaceId/audit_log" params={{ workspaceId }} size="sm">
                The whole audit log
              </LinkText>
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

const known = new WeakMap<object, string[]>()

/** The same array for the same answer, so that the stream is not opened anew at every look. */
function actionNames(answer: { actions: { action: string }[] } | undefined): string[] | undefined {
  if (!answer) return undefined
  const names = known.get(answer) ?? answer.actions.map(({ action }) => action)
  known.set(answer, names)
  return names
}

function Line({ entry }: { entry: Entry }) {
  const workspaceId = useWorkspaceId()
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <div>
        <LinkName to="/w/$workspaceId/audit_log" params={{ workspaceId }} search={{ entry: entry.id }}>
          {actionWords(entry.action)}
        </LinkName>
        <Text size="sm" c="dimmed">
          {actorName(entry)}
          {entry.outcome === 'denied' && ' · refused'}
        </Text>
      </div>
      <div className="atrium-nowrap">
        <Moment at={entry.at} />
      </div>
    </Group>
  )
}

function KeysByUse() {
  const workspaceId = useWorkspaceId()
  const keys = useCall('api_keys.list', { workspaceId, perPage: 6, orderBy: 'lastActive', order: 'desc' })
  return (
    <Panel title="Keys by use">
      <Loaded query={keys}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title="No keys yet" text="Create one, and its use shows here." />
          ) : (
            <Stack gap="sm">
              {items.map(key => (
                <Group key={key.id} justify="space-between" gap="xs" wrap="nowrap">
                  <LinkName to="/w/$workspaceId/keys/$id" params={{ workspaceId, id: key.id }}>
                    {key.name}
                  </LinkName>
                  <div className="atrium-nowrap">
                    <Moment at={key.lastActive} none="Never used" />
                  </div>
                </Group>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}
