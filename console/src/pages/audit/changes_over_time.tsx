// A bar per day with how much was changed; the same as a table for those who do not see it.
import { Table, Text, VisuallyHidden } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../api.ts'
import { countOf, dateOf } from '../../format.ts'
import { Panel, Rows } from '../../parts/page.tsx'
import { useWorkspaceId } from '../../session.ts'

const days = 14
const height = 96
const gap = 6
const width = 700

type Day = { from: string; to: string; isToday: boolean }

function lastDays(): Day[] {
  return Array.from({ length: days }, (_, index) => {
    const start = new Date()
    start.setHours(0, 0, 0, 0)
    start.setDate(start.getDate() - (days - 1 - index))
    const end = new Date(start)
    end.setDate(end.getDate() + 1)
    return { from: start.toISOString(), to: end.toISOString(), isToday: index === days - 1 }
  })
}

export function ChangesOverTime() {
  const workspaceId = useWorkspaceId()
  const span = useMemo(lastDays, [])
  const counts = useQueries({
    queries: span.map(({ from, to, isToday }) => ({
      queryKey: ['audit_logs.list', { workspaceId, from, to, perPage: 1 }],
      queryFn: () => call('audit_logs.list', { workspaceId, from, to, perPage: 1, outcome: 'success' }),
      // What lies behind us stays as it is.
      staleTime: isToday ? 0 : Number.POSITIVE_INFINITY,
    })),
  })
  if (counts.some(({ data, error }) => !data && !error)) {
    return (
      <Panel title="Changes over time">
        <Rows count={1} height={height + 24} />
      </Panel>
    )
  }
  const values = counts.map(({ data }) => data?.count ?? 0)
  const total = values.reduce((sum, value) => sum + value, 0)
  return (
    <Panel title="Changes over time" about={`${countOf(total, 'change')} in the last ${days} days`}>
      <Bars values={values} span={span} />
      <VisuallyHidden>
        <Table aria-label="Changes per day">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Day</Table.Th>
              <Table.Th scope="col">Changes</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {span.map(({ from }, index) => (
              <Table.Tr key={from}>
                <Table.Th scope="row">{dateOf(from)}</Table.Th>
                <Table.Td>{values[index]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
      <Text
        size="xs"
        c="dimmed"
        aria-hidden
        style={{ display: 'flex', justifyContent: 'space-between' }}
        component="div"
      >
        <span>{dateOf(span[0]?.from ?? '')}</span>
        <span>Today</span>
      </Text>
    </Panel>
  )
}

function Bars({ values, span }: { values: readonly number[]; span: readonly Day[] }) {
  const most = Math.max(1, ...values)
  const each = (width - gap * (days - 1)) / days
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width="100%" height={height} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, index) => {
        const tall = value === 0 ? 2 : Math.max(4, (value / most) * height)
        return (
          <rect
            key={span[index]?.from}
            x={index * (each + gap)}
            y={height - tall}
            width={each}
            height={tall}
            rx={2}
            fill={value === 0 ? 'var(--atrium-line)' : 'var(--mantine-color-iris-filled)'}
          >
            <title>{`${dateOf(span[index]?.from ?? '')}: ${countOf(value, 'change')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
