// Everything that a row has, each value with a way to see only rows like it, or none of them; and the way to its trace.
import { ActionIcon, Group, Stack, Text, Tooltip } from '@mantine/core'
import { Minus, Plus, Waypoints } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAll } from '../../named.ts'
import { CopyIcon } from '../../parts/copy.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { Json } from '../../parts/render.tsx'
import { useWorkspaceId } from '../../session.ts'
import { celValue, narrowed } from './cel.ts'
import { exactOf, figureOf } from './look_of.ts'
import type { Ask, Dataset, DatasetRow } from './question.ts'

const columns = [
  'severity',
  'service',
  'name',
  'body',
  'status',
  'statusMessage',
  'durationMs',
  'kind',
  'type',
  'value',
  'unit',
  'traceId',
  'spanId',
  'parentSpanId',
] as const

type RowDetailProps = { dataset: Dataset; row: DatasetRow; filter: string; ask: Ask; children?: ReactNode }

export function RowDetail({ dataset, row, filter, ask, children }: RowDetailProps) {
  const own = columns.flatMap(name => (row[name] == null ? [] : [[name, row[name]] as const]))
  const named = (owner: 'attributes' | 'resource') =>
    Object.entries(row[owner] ?? {}).map(([name, value]) => [`${owner}.${name}`, value] as const)
  const onFilter = (name: string, value: unknown, isKept: boolean) =>
    ask({ filter: narrowed(filter, name, value, isKept), trace: undefined, span: undefined })
  const parts = [
    { title: 'Row', values: own },
    { title: 'Attributes', values: named('attributes') },
    { title: 'Resource', values: named('resource') },
  ]
  return (
    <Stack gap="sm" className="atrium-row-detail">
      <Group gap="xs">
        {children}
        <Text size="sm" c="dimmed">
          {exactOf(row.at)} ({row.at})
        </Text>
        {row.traceId && !children && <TraceLink dataset={dataset} row={row} />}
        <CopyIcon value={JSON.stringify(row, null, 2)} label="Copy the row as JSON" />
      </Group>
      {parts
        .filter(({ values }) => values.length > 0)
        .map(({ title, values }) => (
          <section key={title} aria-label={title}>
            <Text size="sm" fw={600} mb={4}>
              {title}
            </Text>
            <dl>
              {values.map(([name, value]) => (
                <OneValue key={name} name={name} value={value} onFilter={onFilter} />
              ))}
            </dl>
          </section>
        ))}
      {row.detail && Object.keys(row.detail).length > 0 && (
        <section aria-label="More">
          <Text size="sm" fw={600} mb={4}>
            More
          </Text>
          <Json value={row.detail} open={3} />
        </section>
      )}
    </Stack>
  )
}

type OneValueProps = { name: string; value: unknown; onFilter: (name: string, value: unknown, isKept: boolean) => void }

function OneValue({ name, value, onFilter }: OneValueProps) {
  const shown = name.replace(/^(attributes|resource)\./, '')
  const isAskable = value !== null && celValue(value) !== null
  return (
    <div>
      <dt>{shown}</dt>
      <dd>
        <span>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</span>
        {isAskable && (
          <span data-acts>
            <Tooltip label="Filter for it">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Filter for ${shown} ${figureOf(value)}`}
                onClick={() => onFilter(name, value, true)}
              >
                <Plus size={14} aria-hidden />
              </ActionIcon>
            </Tooltip>
            <Tooltip label="Filter it out">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                aria-label={`Filter out ${shown} ${figureOf(value)}`}
                onClick={() => onFilter(name, value, false)}
              >
                <Minus size={14} aria-hidden />
              </ActionIcon>
            </Tooltip>
          </span>
        )}
      </dd>
    </div>
  )
}

/** A span's trace is in its own dataset; that of a log in a dataset of traces, of which there may be several. */
function TraceLink({ dataset, row }: { dataset: Dataset; row: DatasetRow }) {
  const workspaceId = useWorkspaceId()
  const isOwn = dataset.kind === 'traces'
  const others = useAll<Dataset>('datasets.list', { workspaceId, kind: 'traces' }, { enabled: !isOwn })
  const places = isOwn ? [dataset] : (others.data?.items ?? [])
  return places.map(({ id, slug }) => (
    <LinkButton
      key={id}
      size="compact-sm"
      variant="default"
      leftSection={<Waypoints size={14} aria-hidden />}
      to={`/w/${workspaceId}/datasets/${id}` as '/'}
      search={
        ((before: object) => ({
          ...(isOwn && before),
          tab: 'rows',
          trace: row.traceId,
          span: row.spanId ?? undefined,
        })) as never
      }
    >
      {isOwn ? 'Show the trace' : `Show the trace in ${slug}`}
    </LinkButton>
  ))
}
