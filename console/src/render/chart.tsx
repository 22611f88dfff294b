// Lines or bars over time or kinds: axes, a tooltip, a legend, and the same as a table for those who do not see it.
import '@mantine/charts/styles.layer.css'
import { BarChart, LineChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'

export type ChartProps = {
  kind: 'line' | 'bar' | 'stacked'
  /** What it shows, in a few words; also the name of the table. */
  label: string
  /** One row for each place on the axis. */
  rows: readonly Readonly<Record<string, string | number>>[]
  /** The field of a row that stands on the axis. */
  by: string
  /** The fields that are drawn, each with its name. */
  series: readonly { name: string; label?: string; color?: string }[]
  unit?: string
  height?: number
  /** What the table says where a series has no value. */
  none?: string
}

/** The table is read out; the drawing itself takes no focus. */
const silent = { accessibilityLayer: false }
const colours = ['iris.6', 'teal.7', 'orange.7', 'grape.6', 'red.6', 'cyan.7']

export function Chart({ kind, label, rows, by, series, unit, height = 240, none = '0' }: ChartProps) {
  // Half a record is no place on the axis of counts.
  const isWhole = rows.every(row => series.every(({ name }) => Number.isInteger(row[name] ?? 0)))
  const shared = {
    h: height,
    data: rows.map(row => ({ ...row })),
    dataKey: by,
    series: series.map((one, index) => ({
      name: one.name,
      label: one.label ?? one.name,
      color: one.color ?? colours[index % colours.length] ?? 'gray.6',
    })),
    withLegend: series.length > 1,
    tickLine: 'y' as const,
    yAxisProps: { allowDecimals: !isWhole },
    ...(unit && { unit }),
  }
  return (
    <figure aria-label={label} style={{ margin: 0 }}>
      <div aria-hidden>
        {kind === 'line' ? (
          <LineChart {...shared} lineChartProps={silent} curveType="monotone" withDots={rows.length < 60} />
        ) : (
          <BarChart {...shared} barChartProps={silent} type={kind === 'stacked' ? 'stacked' : 'default'} />
        )}
      </div>
      <VisuallyHidden>
        <table aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{by}</th>
              {series.map(one => (
                <th key={one.name} scope="col">
                  {one.label ?? one.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(row => (
              <tr key={String(row[by])}>
                <th scope="row">{row[by]}</th>
                {series.map(one => (
                  <td key={one.name}>{row[one.name] ?? none}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}
