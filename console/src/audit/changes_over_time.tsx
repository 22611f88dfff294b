// A bar per day with how much was changed lately; the same as a table for those who do not see it.
import { Text, VisuallyHidden } from '@mantine/core'
import { countOf, dateOf } from '../format.ts'
import { Panel } from '../parts/page.tsx'
import type { Entry } from './sentence.tsx'

const days = 14
const height = 72
const gap = 6
const width = 700

type Day = { from: string; count: number }

function startOfDay(at: Date): Date {
  const start = new Date(at)
  start.setHours(0, 0, 0, 0)
  return start
}

/** Whole days only: where the entries at hand do not reach back that far, the chart begins later. */
function daysOf(entries: readonly Entry[], isAll: boolean): Day[] {
  const oldest = entries.at(-1)
  const first = startOfDay(oldest && !isAll ? new Date(oldest.at) : new Date(0))
  return Array.from({ length: days }, (_, index) => {
    const start = startOfDay(new Date())
    start.setDate(start.getDate() - (days - 1 - index))
    const end = new Date(start)
    end.setDate(end.getDate() + 1)
    const count = entries.filter(({ at }) => new Date(at) >= start && new Date(at) < end).length
    return { from: start.toISOString(), count }
  }).filter(({ from }) => new Date(from) >= first)
}

type Props = { entries: readonly Entry[]; isAll: boolean }

export function ChangesOverTime({ entries, isAll }: Props) {
  const span = daysOf(entries, isAll)
  const total = span.reduce((sum, { count }) => sum + count, 0)
  if (span.length < 2) return null
  return (
    <Panel title="Changes over time" about={`${countOf(total, 'change')} in ${span.length} days`}>
      <Bars span={span} />
      <VisuallyHidden>
        <table aria-label="Changes per day">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Changes</th>
            </tr>
          </thead>
          <tbody>
            {span.map(({ from, count }) => (
              <tr key={from}>
                <th scope="row">{dateOf(from)}</th>
                <td>{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
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

function Bars({ span }: { span: readonly Day[] }) {
  const most = Math.max(1, ...span.map(({ count }) => count))
  const each = (width - gap * (span.length - 1)) / span.length
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width="100%" height={height} preserveAspectRatio="none" aria-hidden="true">
      {span.map(({ from, count }, index) => {
        const tall = count === 0 ? 2 : Math.max(4, (count / most) * height)
        return (
          <rect
            key={from}
            x={index * (each + gap)}
            y={height - tall}
            width={each}
            height={tall}
            rx={2}
            fill={count === 0 ? 'var(--atrium-line)' : 'var(--mantine-color-iris-filled)'}
          >
            <title>{`${dateOf(from)}: ${countOf(count, 'change')}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
