// The metric behind an issue that an alert made, as a Prometheus of the workspace has it.
import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import { useState } from 'react'
import type { ItemOf } from '../../../../src/client/catalogue.ts'
import { useCall } from '../../api.ts'
import { useAll } from '../../named.ts'
import { Loaded, Panel } from '../../parts/page.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { Answered } from '../integrations/answered.tsx'
import type { Issue } from './issue.ts'

type Integration = ItemOf<'integrations.list'>

/** Shown where there is a Prometheus to ask, and asked only on demand: it is another system. */
export function Metric({ issue }: { issue: Issue }) {
  const workspaceId = useWorkspaceId()
  const { may } = useStanding()
  const isAsked = issue.occurrences > 0 && may('integrations.list') && may('integrations.prometheus.issue')
  const sources = useAll<Integration>(
    'integrations.list',
    { workspaceId, type: 'prometheus', orderBy: 'name', order: 'asc' },
    { enabled: isAsked },
  )
  const usable = (sources.data?.items ?? []).filter(({ status }) => status === 'active' || status === 'failing')
  const [chosen, setChosen] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const source = usable.find(({ id }) => id === chosen) ?? usable[0]
  if (!isAsked || !source) return null
  return (
    <Panel title="Metric" about="What the alert watches, from two hours before it to one after.">
      <Stack>
        <Group gap="xs" align="end">
          {usable.length > 1 && (
            <Select
              label="From"
              allowDeselect={false}
              data={usable.map(({ id, name }) => ({ value: id, label: name }))}
              value={source.id}
              onChange={setChosen}
            />
          )}
          {shown !== source.id && (
            <Button
              variant="default"
              leftSection={<ChartLine size={16} aria-hidden />}
              onClick={() => setShown(source.id)}
            >
              Show the metric
            </Button>
          )}
        </Group>
        {shown === source.id && <OfIssue id={source.id} issueId={issue.id} />}
      </Stack>
    </Panel>
  )
}

const stepMs = 60_000

function OfIssue({ id, issueId }: { id: string; issueId: string }) {
  const workspaceId = useWorkspaceId()
  const found = useCall('integrations.prometheus.issue', { workspaceId, id, issueId })
  return (
    <Loaded query={found}>
      {answer => (
        <>
          <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {answer.query}
          </Text>
          <Answered answer={answer} query={answer.query} stepMs={stepMs} />
        </>
      )}
    </Loaded>
  )
}
