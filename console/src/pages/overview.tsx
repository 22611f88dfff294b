// The start of a workspace, by what the person may see: first steps, what happens lately, keys by use, the areas.
import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { Activity, KeyRound } from 'lucide-react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import { useCall } from '../api.ts'
import { ChangesOverTime } from '../audit/changes_over_time.tsx'
import { type Entry, EntryLine } from '../audit/sentence.tsx'
import { LinkName, LinkText } from '../parts/links.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Page, Panel, Rows } from '../parts/page.tsx'
import { useStanding, useWorkspace, useWorkspaceId } from '../session.ts'
import { menuGroups } from '../shell/places.ts'
import { FirstSteps } from './first_steps.tsx'

const shown = 8
const read = 100

/** What was done; refusals have their place in the audit log. */
function useRecent() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const input = { workspaceId, outcome: 'success', perPage: read, orderBy: 'seq' as const, order: 'desc' as const }
  return useCall('audit_logs.list', input, { enabled: may('audit_logs.list'), keep: true })
}

function useKeys() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const input = { workspaceId, perPage: 6, orderBy: 'lastActive' as const, order: 'desc' as const }
  return useCall('api_keys.list', input, { enabled: may('api_keys.list') })
}

export function Overview() {
  const workspace = useWorkspace()
  const { may, isKnown, role } = useStanding()
  const log = useRecent()
  const keys = useKeys()
  if (!isKnown) return <Rows />
  const mayLog = may('audit_logs.list')
  const mayKeys = may('api_keys.list')
  return (
    <Page
      title={workspace?.name ?? 'Overview'}
      about={workspace?.description ?? (mayLog ? undefined : aboutRole(role))}
    >
      {keys.data && log.data && <FirstSteps keys={keys.data} entries={log.data.items} />}
      {log.data && <ChangesOverTime entries={log.data.items} isAll={log.data.count <= read} />}
      {(mayLog || mayKeys) && (
        <SimpleGrid cols={{ base: 1, md: mayLog && mayKeys ? 2 : 1 }}>
          {mayLog && <Recent entries={log.data?.items} />}
          {mayKeys && <KeysByUse keys={keys.data} />}
        </SimpleGrid>
      )}
      {!mayLog && <Places />}
    </Page>
  )
}

function aboutRole(role: string | null): string {
  return role === 'viewer'
    ? 'You are a viewer here: you can look at everything below, and change nothing.'
    : `You are a ${role ?? 'guest'} here.`
}

/** Where a person without the log goes next. */
function Places() {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const open = menuGroups.flatMap(({ places }) => places).filter(({ needs }) => needs === undefined || may(needs))
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
      {open.map(({ title, to, icon: Icon }) => (
        <Panel key={to} padding="md">
          <Group gap="sm" wrap="nowrap">
            <Icon size={20} aria-hidden />
            <LinkName to={`/w/${workspaceId}${to}` as '/'}>{title}</LinkName>
          </Group>
        </Panel>
      ))}
    </SimpleGrid>
  )
}

function Recent({ entries }: { entries: readonly Entry[] | undefined }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="Recent activity">
      {!entries && <Rows count={5} />}
      {entries?.length === 0 && (
        <Empty icon={Activity} title="Nothing happened yet" text="Each change shows here as it happens." />
      )}
      {entries && entries.length > 0 && (
        <Stack gap="sm">
          {entries.slice(0, shown).map(entry => (
            <EntryLine key={entry.id} entry={entry} />
          ))}
          <LinkText to={`/w/${workspaceId}/audit_log` as '/'} size="sm">
            The whole audit log
          </LinkText>
        </Stack>
      )}
    </Panel>
  )
}

function KeysByUse({ keys }: { keys: ResultOf<'api_keys.list'> | undefined }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="Keys by use">
      {!keys && <Rows count={5} />}
      {keys?.items.length === 0 && (
        <Empty icon={KeyRound} title="No keys yet" text="Create one, and its use shows here." />
      )}
      {keys && keys.items.length > 0 && (
        <Stack gap="sm">
          {keys.items.map(key => (
            <Group key={key.id} justify="space-between" gap="xs" wrap="nowrap">
              <Group gap="xs" miw={0}>
                <LinkName to={`/w/${workspaceId}/keys/${key.id}` as '/'}>{key.name}</LinkName>
                {!key.enabled && <Badge color="gray">Disabled</Badge>}
              </Group>
              <Text className="atrium-nowrap" component="div">
                <Moment at={key.lastActive} none="Never used" />
              </Text>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  )
}
