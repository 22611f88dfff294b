// How a node fares by its telemetry: requests and errors over time, how long they take, and the last errors.
import { Alert, Group, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { momentOf } from '../../format.ts'
import type { Row } from '../../named.ts'
import { LinkText } from '../../parts/links.tsx'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useStanding, useWorkspaceId } from '../../session.ts'
import { tickOf } from '../datasets/look_of.ts'
import type { InfraNode, Telemetry } from './node.ts'

const hourMs = 3_600_000
const spans: Readonly<Record<string, readonly [string, number]>> = {
  hour: ['Last hour', hourMs],
  quarter: ['Last 6 hours', 6 * hourMs],
  day: ['Last day', 24 * hourMs],
  week: ['Last 7 days', 7 * 24 * hourMs],
}

export function TelemetryTab({ record }: { record: Row }) {
  const { may } = useStanding()
  if (!may('cloud_infra.telemetry')) {
    return (
      <Panel title="Telemetry">
        <Text size="sm">It comes from datasets, which you may not read.</Text>
      </Panel>
    )
  }
  return <Asked node={record as InfraNode} />
}

function Asked({ node: { id } }: { node: InfraNode }) {
  const workspaceId = useWorkspaceId()
  const [span, setSpan] = useState('hour')
  const [end] = useState(() => Date.now())
  const [, lengthMs = hourMs] = spans[span] ?? []
  const asked = { from: new Date(end - lengthMs).toISOString(), to: new Date(end).toISOString() }
  const found = useCall('cloud_infra.telemetry', { workspaceId, id, ...asked }, { keep: true })
  const choose = (
    <NativeSelect
      aria-label="How far back"
      size="xs"
      value={span}
      data={Object.entries(spans).map(([value, [label]]) => ({ value, label }))}
      onChange={event => setSpan(event.currentTarget.value)}
    />
  )
  return (
    <Panel title="Telemetry" aside={choose}>
      <Loaded query={found}>{told => <Told told={told} lengthMs={lengthMs} />}</Loaded>
    </Panel>
  )
}

const about =
  'Spans are matched by the tag service.name, or by the name of the node. Send traces to a dataset to see them here.'

function Told({ told, lengthMs }: { told: Telemetry; lengthMs: number }) {
  const { service, requests, errors, errorRate, p95Ms, partial } = told
  if (service === null) {
    return (
      <Empty icon={ChartLine} title="No telemetry goes with this node" text="It is no service, and no tag names one." />
    )
  }
  if (requests === 0) return <Empty icon={ChartLine} title={`No spans of ${service}`} text={about} />
  const failed = errorRate === null ? '' : ` (${(errorRate * 100).toFixed(1)} %)`
  return (
    <Stack>
      {partial && <Alert color="yellow">Not all of it could be looked at in time.</Alert>}
      <Group gap="xl">
        <Figure label={`Requests of ${service}`} value={requests.toLocaleString('en')} />
        <Figure label="Failed" value={`${errors.toLocaleString('en')}${failed}`} />
        <Figure label="95 % within" value={p95Ms === null ? '–' : `${Math.round(p95Ms)} ms`} />
      </Group>
      <Charts told={told} lengthMs={lengthMs} />
      {told.lastErrors.length > 0 && <LastErrors told={told} />}
    </Stack>
  )
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fw={600}>{value}</Text>
    </div>
  )
}

function Charts({ told: { series }, lengthMs }: { told: Telemetry; lengthMs: number }) {
  const [first, second] = series
  const stepMs = first && second ? Date.parse(second.at) - Date.parse(first.at) : lengthMs / 60
  const rows = series.map(({ at, requests, errors, p95Ms }) => ({
    Time: tickOf(Date.parse(at), stepMs),
    ...{ fine: requests - errors, errors },
    ...(p95Ms !== null && { p95: Math.round(p95Ms) }),
  }))
  return (
    <>
      <Chart
        kind="stacked"
        label="Requests over time"
        by="Time"
        height={180}
        rows={rows}
        series={[
          { name: 'fine', label: 'Fine', color: 'iris.6' },
          { name: 'errors', label: 'Failed', color: 'red.6' },
        ]}
      />
      <Chart
        kind="line"
        label="95 % of the requests took at most"
        by="Time"
        height={180}
        unit=" ms"
        none="–"
        rows={rows}
        series={[{ name: 'p95', label: '95 % within' }]}
      />
    </>
  )
}

function LastErrors({ told: { lastErrors } }: { told: Telemetry }) {
  const workspaceId = useWorkspaceId()
  return (
    <RowTable label="The last errors" heads={['Failed span', 'At', 'Trace']} minWidth={420} hasCards>
      {lastErrors.map(({ at, name, traceId, datasetId }) => (
        <Table.Tr key={`${at} ${traceId} ${name}`}>
          <Table.Td fz="sm" data-label="Failed span" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Table.Td>
          <Table.Td fz="sm" data-label="At">
            {momentOf(at)}
          </Table.Td>
          <Table.Td data-label="Trace">
            {traceId ? (
              <LinkText
                to={`/w/${workspaceId}/datasets/${datasetId}` as '/'}
                search={{ tab: 'rows', trace: traceId } as never}
                size="sm"
                ff="monospace"
              >
                {traceId.slice(0, 8)}
              </LinkText>
            ) : (
              '–'
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </RowTable>
  )
}
