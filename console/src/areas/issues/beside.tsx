// Beside an issue: how often it occurred lately, and what was like it before, with how that ended.
import { Badge, Group, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useCall } from '../../api.ts'
import { countOf, wordsOf } from '../../format.ts'
import { LabelChips } from '../../parts/labels.tsx'
import { LinkName } from '../../parts/links.tsx'
import { Loaded, Panel } from '../../parts/page.tsx'
import { Sparkline } from '../../parts/sparkline.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type Issue, lastingOf, statusColors } from './issue.ts'

const days = 14
const dayMs = 86_400_000

export function Occurrences({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const start = useMemo(() => Math.floor(Date.now() / dayMs) * dayMs - (days - 1) * dayMs, [])
  const from = new Date(start).toISOString()
  const found = useCall('issues.occurrences.list', { workspaceId, id: issue.id, from, interval: 'day' })
  if (issue.occurrences === 0) return null
  return (
    <Panel title="Occurrences" padding="md">
      <Loaded query={found} rows={1}>
        {({ items }) => {
          const values = Array.from({ length: days }, () => 0)
          for (const { at, count } of items) {
            const day = Math.floor((new Date(at).getTime() - start) / dayMs)
            if (day >= 0 && day < days) values[day] = (values[day] ?? 0) + count
          }
          return (
            <>
              <Sparkline values={values} label={`Occurrences in ${days} days`} width={240} height={40} />
              <Text size="sm" c="dimmed">
                {countOf(issue.occurrences, 'time')} in all
              </Text>
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}

export function Similar({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const found = useCall('issues.similar', { workspaceId, id: issue.id })
  return (
    <Panel title="Similar issues" padding="md">
      <Loaded query={found} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing like it is known.
            </Text>
          ) : (
            <Stack gap="sm" component="ul" className="atrium-plain-list">
              {items.map(({ issue: other, outcome, shares }) => (
                <li key={other.id}>
                  <LinkName to={`/w/${workspaceId}/issues/${other.id}` as '/'}>
                    #{other.number} {other.title}
                  </LinkName>
                  <Group gap="xs" mt={2}>
                    <Badge size="xs" color={statusColors[outcome.status]}>
                      {wordsOf(outcome.dismissReason ?? outcome.status)}
                    </Badge>
                    {outcome.seconds !== null && <Text size="xs">{lastingOf(outcome.seconds)}</Text>}
                    {shares.resources.length > 0 && (
                      <Text size="xs" c="dimmed">
                        {shares.resources.join(', ')}
                      </Text>
                    )}
                    <LabelChips ids={shares.labels} />
                  </Group>
                  {outcome.note && (
                    <Text size="xs" lineClamp={2} mt={2}>
                      {outcome.note}
                    </Text>
                  )}
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  )
}
