// What a Prometheus answers: values over time as a chart, and the last of each series in a table.
import { Alert, Stack, Table, Text } from '@mantine/core'
import { ChartLine } from 'lucide-react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { countOf, momentOf } from '../../format.ts'
import { Empty } from '../../parts/page.tsx'
import { Chart } from '../../parts/render.tsx'
import { RowTable } from '../../parts/table.tsx'
import { tickOf } from '../datasets/look_of.ts'

type Answer = ResultOf<'integrations.prometheus.query'>
type Series = Answer['series'][number]

const mostDrawn = 6

/** `stepMs` is null where the values are of one moment. */
export function Answered({ answer, query, stepMs }: { answer: Answer; query: string; stepMs: number | null }) {
  return (
    <>
      {stepMs !== null && answer.series.length > 0 && <Lines series={answer.series} query={query} stepMs={stepMs} />}
      <Values answer={answer} />
    </>
  )
}

function nameOf({ metric }: Series): string {
  const { __name__: name = '', ...labels } = metric
  const inside = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return inside.length > 0 ? `${name}{${inside.join(', ')}}` : name || 'value'
}

function Lines({ series, query, stepMs }: { series: readonly Series[]; query: string; stepMs: number }) {
  const drawn = series.slice(0, mostDrawn)
  const times = [...new Set(drawn.flatMap(({ points: own }) => own.map(({ at }) => at)))].sort()
  const values = drawn.map(({ points: own }) => new Map(own.map(({ at, value }) => [at, Number(value)])))
  const rows = times.map(at => ({
    Time: tickOf(Date.parse(at), stepMs),
    // A name with a dot in it would be taken for a path.
    ...Object.fromEntries(
      values.flatMap((line, index) => {
        const value = line.get(at)
        return value !== undefined && Number.isFinite(value) ? [[`line${index}`, value]] : []
      }),
    ),
  }))
  return (
    <>
      <Chart
        kind="line"
        label={`${query} over time`}
        by="Time"
        none="–"
        rows={rows}
        series={drawn.map((one, index) => ({ name: `line${index}`, label: nameOf(one) }))}
      />
      {series.length > mostDrawn && (
        <Text size="xs" c="dimmed">
          The first {mostDrawn} series are drawn; the table has the last value of each.
        </Text>
      )}
    </>
  )
}

function Values({ answer: { series, left, warnings } }: { answer: Answer }) {
  return (
    <Stack gap="sm" role="status">
      {warnings.map(warning => (
        <Alert key={warning} color="yellow">
          {warning}
        </Alert>
      ))}
      {series.length === 0 ? (
        <Empty icon={ChartLine} title="No series" text="Nothing fits the query. Look at the name and the labels." />
      ) : (
        <RowTable label="Values" heads={['Series', 'Value', 'At']} minWidth={420}>
          {series.map(one => {
            const last = one.points.at(-1)
            return (
              <Table.Tr key={nameOf(one)}>
                <Table.Td fz="xs" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
                  {nameOf(one)}
                </Table.Td>
                <Table.Td fz="sm">{last?.value ?? '–'}</Table.Td>
                <Table.Td fz="sm">{last ? momentOf(last.at) : '–'}</Table.Td>
              </Table.Tr>
            )
          })}
        </RowTable>
      )}
      {left > 0 && <Text size="sm">{countOf(left, 'series', 'series')} more; ask for fewer to see them.</Text>}
    </Stack>
  )
}
