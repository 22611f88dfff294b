// Figures by group: which fields, which figure, as a table and as a chart over time or by group.
import { Group, MultiSelect, SegmentedControl, Select, Stack, Table, Text } from '@mantine/core'
import { ChartNoAxesColumn } from 'lucide-react'
import { useCall } from '../../api.ts'
import { Empty, Loaded, Panel } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useWorkspaceId } from '../../session.ts'
import { both, celValue, narrowed, ofGroups } from './cel.ts'
import { figureOf, tickOf } from './look_of.ts'
import { type Answer, type Fn, intervalFor, lengthOf, timezone } from './question.ts'
import type { ViewProps } from './row_list.tsx'

const figures: readonly { value: Fn; label: string }[] = [
  { value: 'count', label: 'Count' },
  { value: 'sum', label: 'Sum' },
  { value: 'avg', label: 'Average' },
  { value: 'min', label: 'Least' },
  { value: 'max', label: 'Most' },
  { value: 'p50', label: 'Median (p50)' },
  { value: 'p95', label: '95th percentile (p95)' },
  { value: 'p99', label: '99th percentile (p99)' },
  { value: 'distinct', label: 'Different values' },
]

const mostGroups = 100
const mostDrawn = 6
const column = 'value'

export function Groups(props: ViewProps) {
  const { question } = props
  const isReady = question.fn === 'count' || question.of !== null
  return (
    <Panel padding="md">
      <Stack>
        <Choices {...props} />
        {isReady ? (
          <Figures {...props} />
        ) : (
          <Empty icon={ChartNoAxesColumn} title="Of which field?" text="Choose the field that holds the numbers." />
        )}
      </Stack>
    </Panel>
  )
}

/** Columns by their names, attributes by theirs. */
function Choices({ dataset, question, ask }: ViewProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useCall('datasets.fields', { workspaceId, id: dataset.id })
  const fields = (data?.fields ?? []).filter(({ name }) => name !== '*')
  const known = (names: readonly string[], more: readonly string[]) => [...new Set([...names, ...more])]
  const numbers = fields.filter(({ type }) => question.fn === 'distinct' || type === 'number' || type === 'json')
  return (
    <Group align="start" gap="sm">
      <MultiSelect
        label="Group by"
        flex="1 1 18rem"
        maw={480}
        maxValues={3}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the groups' }}
        placeholder={question.by.length === 0 ? 'Up to three fields' : ''}
        nothingFoundMessage="No row had such a field"
        data={known(
          fields.map(({ name }) => name),
          question.by,
        )}
        value={[...question.by]}
        onChange={by => ask({ by: by.length > 0 ? by : undefined })}
      />
      <Select
        label="Figure"
        w={190}
        data={[...figures]}
        allowDeselect={false}
        value={question.fn}
        onChange={fn => ask({ fn: fn === 'count' ? undefined : (fn ?? undefined) })}
      />
      {question.fn !== 'count' && (
        <Select
          label="Of"
          flex="1 1 12rem"
          maw={280}
          searchable
          placeholder="A field"
          nothingFoundMessage="No row had such a field with numbers"
          data={known(
            numbers.map(({ name }) => name),
            question.of ? [question.of] : [],
          )}
          value={question.of}
          onChange={of => ask({ of: of ?? undefined })}
        />
      )}
    </Group>
  )
}

function useInput({ dataset, question, span }: ViewProps) {
  const workspaceId = useWorkspaceId()
  const { filter, by, fn, of } = question
  const aggregates = [{ fn, as: column, ...(of !== null && { field: of }) }]
  const groupBy = by.length > 0 ? { groupBy: [...by] } : {}
  return { workspaceId, id: dataset.id, ...span, ...(filter && { filter }), ...groupBy, aggregates }
}

function Figures(props: ViewProps) {
  const { question, ask } = props
  const { by, chart } = question
  const query = useCall('datasets.query', { ...useInput(props), limit: mostGroups }, { keep: true })
  const title = titleOf(question.fn, question.of)
  return (
    <Loaded query={query}>
      {answer => {
        // What is shown while the next answer comes may be of other groups.
        const isFitting = answer.columns.length === by.length + 1
        if (!isFitting) return null
        if (answer.rows.length === 0) {
          return <Empty icon={ChartNoAxesColumn} title="Nothing to group" text="No row is in this time and filter." />
        }
        return (
          <Stack>
            {by.length > 0 && (
              <SegmentedControl
                size="xs"
                aria-label="What the chart shows"
                style={{ alignSelf: 'flex-start' }}
                value={chart}
                onChange={value => ask({ chart: value === 'groups' ? value : undefined })}
                data={[
                  { value: 'time', label: 'Over time' },
                  { value: 'groups', label: 'By group' },
                ]}
              />
            )}
            {chart === 'groups' && by.length > 0 ? (
              <ByGroup answer={answer} title={title} />
            ) : (
              <OverTime {...props} groups={answer} title={title} />
            )}
            <GroupTable {...props} answer={answer} title={title} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

function titleOf(fn: Fn, of: string | null): string {
  const { label } = figures.find(({ value }) => value === fn) ?? { label: fn }
  return of === null ? label : `${label} of ${of}`
}

const nameOf = (group: readonly unknown[]) => group.map(figureOf).join(' · ')

function ByGroup({ answer, title }: { answer: Answer; title: string }) {
  const rows = answer.rows.slice(0, 20).map(row => ({ Group: nameOf(row.slice(0, -1)), value: Number(row.at(-1)) }))
  const series = [{ name: 'value', label: title }]
  return <Chart kind="bar" label={`${title} by group`} by="Group" rows={rows} series={series} />
}

/** Lines of the largest groups alone: more could not be told apart. */
function OverTime(props: ViewProps & { groups: Answer; title: string }) {
  const { question, span, groups, title } = props
  const { by, filter, fn } = question
  const { interval, stepMs } = intervalFor(lengthOf(span))
  const largest = groups.rows.slice(0, mostDrawn).map(row => row.slice(0, -1))
  const narrow = by.length === 0 ? '' : ofGroups(by, largest)
  const asked = { ...useInput(props), interval, timezone, limit: 10_000 }
  const wanted = narrow ? { ...asked, filter: both(filter, narrow) } : asked
  const query = useCall('datasets.query', wanted, { keep: true, enabled: narrow !== null })
  if (narrow === null) {
    return <Text size="sm">Groups of nested values cannot be drawn over time. The table has them all.</Text>
  }
  return (
    <Loaded query={query} rows={3}>
      {({ rows, columns }) => {
        if (columns.length !== by.length + 2) return null
        const names = by.length === 0 ? [''] : largest.map(nameOf)
        // A name with a dot in it would be taken for a path.
        const lineOf = (name: string) => `line${names.indexOf(name)}`
        const byTime = Map.groupBy(rows, ([at]) => String(at))
        const drawn = [...byTime].map(([at, own]) => ({
          Time: tickOf(new Date(at).getTime(), stepMs),
          ...(fn === 'count' && Object.fromEntries(names.map(name => [lineOf(name), 0]))),
          ...Object.fromEntries(
            own.filter(row => row.at(-1) !== null).map(row => [lineOf(nameOf(row.slice(1, -1))), Number(row.at(-1))]),
          ),
        }))
        return (
          <>
            <Chart
              kind="line"
              label={`${title} over time`}
              by="Time"
              none="–"
              rows={drawn}
              series={names.map(name => ({ name: lineOf(name), label: name || title }))}
            />
            {groups.rows.length > mostDrawn && (
              <Text size="xs" c="dimmed">
                The first {mostDrawn} groups of the table are drawn.
              </Text>
            )}
          </>
        )
      }}
    </Loaded>
  )
}

function GroupTable({ question, answer, title, ask }: ViewProps & { answer: Answer; title: string }) {
  const { by, filter } = question
  return (
    <>
      <RowTable label="Groups" heads={[...by, title]} minWidth={320}>
        {answer.rows.map(row => (
          <Table.Tr key={JSON.stringify(row.slice(0, -1))}>
            {by.map((field, index) => (
              <Table.Td key={field} fz="sm" style={{ overflowWrap: 'anywhere' }}>
                {celValue(row[index]) === null ? (
                  figureOf(row[index])
                ) : (
                  <button
                    type="button"
                    className="atrium-value"
                    title="Show rows like this"
                    onClick={() => ask({ filter: narrowed(filter, field, row[index], true), view: undefined })}
                  >
                    {figureOf(row[index])}
                  </button>
                )}
              </Table.Td>
            ))}
            <Table.Td fz="sm">{figureOf(row.at(-1))}</Table.Td>
          </Table.Tr>
        ))}
      </RowTable>
      {answer.rows.length === mostGroups && (
        <Text size="sm">The first {mostGroups} groups are shown. A narrower filter shows others.</Text>
      )}
    </>
  )
}
