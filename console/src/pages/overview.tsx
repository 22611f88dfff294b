// The start of a workspace, by what the person may see: first steps, the dashboard, what happens lately, keys by use.
import { Badge, Box, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { Activity, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResultOf } from '../../../src/client/catalogue.ts'
import { useCall } from '../api.ts'
import { ChangesOverTime } from '../audit/changes_over_time.tsx'
import { EntryLine } from '../audit/sentence.tsx'
import { whenNeeded } from '../lazily.tsx'
import { useSeen } from '../parts/in_sight.ts'
import { LinkName, LinkText } from '../parts/links.tsx'
import { Moment } from '../parts/moment.tsx'
import { Empty, Loaded, Page, Panel, Rows } from '../parts/page.tsx'
import { useStanding, useWorkspace, useWorkspaceId } from '../session.ts'
import { menuGroups } from '../shell/places.ts'
import { FirstSteps, useFirstSteps } from './first_steps.tsx'

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
  const first = useFirstSteps(keys.data, log.data?.items)
  if (!isKnown) return <Rows />
  const mayLog = may('audit_logs.list')
  const mayKeys = may('api_keys.list')
  const mayFigures = may('analytics.query')
  // What comes first depends on both: nothing moves once it is shown.
  const isSettled = !(mayLog && log.isPending) && !(mayKeys && keys.isPending)
  return (
    <Page
      title={workspace?.name ?? 'Overview'}
      about={workspace?.description ?? (mayLog ? undefined : aboutRole(role))}
    >
      {!isSettled && <Rows />}
      {isSettled && first && <FirstSteps {...first} />}
      {isSettled && (
        <>
          {mayFigures && !first && <Figures />}
          {log.data && <ChangesOverTime entries={log.data.items} isAll={log.data.count <= read} />}
          {(mayLog || mayKeys) && (
            <SimpleGrid cols={{ base: 1, md: mayLog && mayKeys ? 2 : 1 }}>
              {mayLog && <Recent log={log} />}
              {mayKeys && <KeysByUse keys={keys} />}
            </SimpleGrid>
          )}
          {!mayLog && <Places />}
          {/* Whoever begins has no figures yet, and other things to do first. */}
          {mayFigures && first && <Figures />}
        </>
      )}
    </Page>
  )
}

const Dashboard = whenNeeded<{ title?: ReactNode }>(
  'Dashboard',
  async () => (await import('../areas/analytics/dashboard.tsx')).Dashboard,
  () => <Rows />,
)

/** The page itself has calls and code enough: these come when it stands, and when they are in sight. */
function Figures() {
  const { ref, isSeen } = useSeen()
  return (
    <Box component="section" aria-label="Dashboard" ref={ref} mih={200}>
      {isSeen && <Dashboard title={<Title order={2}>Dashboard</Title>} />}
    </Box>
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

function Recent({ log }: { log: UseQueryResult<ResultOf<'audit_logs.list'>, Error> }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel title="Recent activity">
      <Loaded query={log}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Activity} title="Nothing happened yet" text="Each change shows here as it happens." />
          ) : (
            <Stack gap="sm">
              {items.slice(0, shown).map(entry => (
                <EntryLine key={entry.id} entry={entry} />
              ))}
              <LinkText to={`/w/${workspaceId}/audit_log` as '/'} size="sm">
                The whole audit log
              </LinkText>
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}

function KeysByUse({ keys }: { keys: UseQueryResult<ResultOf<'api_keys.list'>, Error> }) {
  const workspaceId = useWorkspaceId()
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
          )
        }
      </Loaded>
    </Panel>
  )
}
