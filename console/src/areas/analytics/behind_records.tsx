// The records that a number was counted from: their list where there is one, else by what they belong to.
import { Anchor, Button, Group as Line, Stack, Table, Title } from '@mantine/core'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { Loaded } from '../../parts/page.tsx'
import { RowTable } from '../../parts/table.tsx'
import { useStanding } from '../../session.ts'
import { Reference } from '../../table/reference.tsx'
import { figureOf, keyOf, useGroupNames, valueName } from './look_of.ts'
import type { Group, Metric, Query } from './question.ts'
import { RecordList, type Span } from './record_list.tsx'
import { filtersAt } from './spot.ts'

type RecordsProps = { query: Query; metric: Metric; by: Group['by']; at: string | null; points: Group['points'] }

/** Of a bucket that is cut, what lies in the time that is asked for. */
function spanOf({ query, at, points }: RecordsProps): Span {
  const { from, to } = query
  if (!at) return { from, to }
  const next = points[points.findIndex(point => point.at === at) + 1]?.at ?? to
  const [begin = from] = [from, at].sort().reverse()
  const [end = to] = [next, to].sort()
  return { from: begin, to: end }
}

/** The dimension that a list stands below: executions are those of one automation. */
const ownerOf = ({ list }: Metric) => Object.entries(list?.fields ?? {}).find(([, field]) => field === 'id')?.[0]

export function Records(props: RecordsProps) {
  const { query, metric, by } = props
  const { may } = useStanding()
  const [chosen, setChosen] = useState<string | null>(null)
  const span = spanOf(props)
  const owner = ownerOf(metric)
  const filters = filtersAt(query, chosen !== null && owner ? { ...by, [owner]: chosen } : by)
  const isFixed = !owner || (filters[owner]?.length === 1 && !filters[owner][0]?.startsWith('!'))
  if (metric.list && may(metric.list.operation) && isFixed) {
    return (
      <Stack>
        {chosen !== null && (
          <Line>
            <Button
              size="xs"
              variant="default"
              leftSection={<ArrowLeft size={14} aria-hidden />}
              onClick={() => setChosen(null)}
            >
              Back to all
            </Button>
          </Line>
        )}
        <RecordList list={metric.list} filters={filters} span={span} />
      </Stack>
    )
  }
  const open = metric.dimensions.filter(({ name }) => !(name in by) && (!metric.list || name === owner))
  return open.map(({ name }) => (
    <ByDimension
      key={name}
      query={{ ...query, ...span, filters }}
      metric={metric}
      dimension={name}
      onChoose={name === owner && metric.list && may(metric.list.operation) ? setChosen : null}
    />
  ))
}

type ByDimensionProps = {
  query: Query
  metric: Metric
  dimension: string
  /** Where the list of each can be opened. */
  onChoose: ((value: string) => void) | null
}

function ByDimension({ query, metric, dimension, onChoose }: ByDimensionProps) {
  const { compare: _, ...asked } = query
  const found = useCall('analytics.query', { ...asked, metrics: [metric.name], groupBy: [dimension], whole: true })
  const names = useGroupNames(found.data?.series ?? [])
  const label = `By ${dimension}`
  return (
    <Stack gap="xs">
      <Title order={3}>{label}</Title>
      <Loaded query={found}>
        {({ series: [series] }) => (
          <RowTable label={label} heads={[dimension, 'Value', ...(onChoose ? ['Records'] : [])]} minWidth={280}>
            {(series?.groups ?? []).map(group => {
              const value = group.isOther ? null : (group.by[dimension] ?? null)
              const name = group.isOther ? 'All others' : valueName(value, names)
              return (
                <Table.Tr key={keyOf(group)}>
                  <Table.Td fz="sm" style={{ overflowWrap: 'anywhere' }}>
                    {value !== null && names.has(value) ? <Reference id={value} name={name} /> : name}
                  </Table.Td>
                  <Table.Td fz="sm">{figureOf(group.points[0]?.value, series?.unit ?? metric.unit)}</Table.Td>
                  {onChoose && (
                    <Table.Td fz="sm">
                      {value !== null && (
                        <Anchor
                          component="button"
                          size="sm"
                          type="button"
                          aria-label={`Show those of ${name}`}
                          onClick={() => onChoose(value)}
                        >
                          Show
                        </Anchor>
                      )}
                    </Table.Td>
                  )}
                </Table.Tr>
              )
            })}
          </RowTable>
        )}
      </Loaded>
    </Stack>
  )
}
