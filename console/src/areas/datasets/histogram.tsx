// How many rows there are over the span, coloured by how bad they are. A bar, or some of them, narrows the span.
import { Group, Text, VisuallyHidden } from '@mantine/core'
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { useCall } from '../../api.ts'
import { countOf } from '../../format.ts'
import { useWorkspaceId } from '../../session.ts'
import { bytesOf } from '../../units.ts'
import { tickOf, toneOf } from './look_of.ts'
import { type Answer, type Ask, type Dataset, intervalFor, lengthOf, type Span, timezone } from './question.ts'

const height = 88
const width = 1000

/** What tells good rows from bad ones. */
const toneField: Readonly<Record<string, string>> = { logs: 'severity', traces: 'status' }
const worstFirst = ['fatal', 'error', 'warn', 'info', 'ok', 'debug', 'trace']

export function useHistogram(dataset: Dataset, filter: string, span: Span) {
  const workspaceId = useWorkspaceId()
  const { interval } = intervalFor(lengthOf(span))
  const by = toneField[dataset.kind]
  return useCall(
    'datasets.query',
    {
      workspaceId,
      id: dataset.id,
      ...span,
      ...(filter && { filter }),
      interval,
      timezone,
      ...(by && { groupBy: [by] }),
      limit: 1_000,
    },
    { keep: true },
  )
}

type Bucket = { at: number; count: number; parts: readonly { tone: string; name: string; count: number }[] }

/** Worst at the bottom, where it is seen first. */
export function bucketsOf({ columns, rows }: Answer): Bucket[] {
  const isToned = columns.length === 3
  const byTime = Map.groupBy(rows, ([at]) => new Date(String(at)).getTime())
  return [...byTime].map(([at, own]) => {
    const parts = own.map(row => {
      const name = isToned && row[1] !== null ? String(row[1]) : ''
      return { name, tone: isToned ? toneOf(row[1]) : 'iris', count: Number(row.at(-1)) }
    })
    const rank = ({ name }: { name: string }) => worstFirst.indexOf(name) + 1 || worstFirst.length + 1
    parts.sort((one, other) => rank(one) - rank(other))
    return { at, parts, count: parts.reduce((sum, { count }) => sum + count, 0) }
  })
}

type HistogramProps = { found: ReturnType<typeof useHistogram>; span: Span; onNarrow: Ask }

export function Histogram({ found, span, onNarrow }: HistogramProps) {
  const buckets = found.data ? bucketsOf(found.data) : []
  const { stepMs } = intervalFor(lengthOf(span))
  const [pointed, setPointed] = useState<Bucket | null>(null)
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const words = (bucket: Bucket) =>
    `${tickOf(bucket.at, stepMs)}: ${countOf(bucket.count, 'row')}${bucket.parts
      .filter(({ name }) => name !== '')
      .map(({ name, count }) => `, ${count.toLocaleString('en')} ${name}`)
      .join('')}`
  return (
    <figure className="atrium-histogram" aria-label="Rows over time">
      <Group justify="space-between" gap="xs" mih={22}>
        <Text size="sm" role="status">
          {found.data ? (
            <>
              <strong>{countOf(total, 'row')}</strong>, {found.data.scanned.toLocaleString('en')} looked at (
              {bytesOf(found.data.scannedBytes)})
            </>
          ) : (
            'Counting …'
          )}
        </Text>
        <Text size="xs" c="dimmed">
          {pointed ? words(pointed) : 'Click a bar, or drag over some, to narrow the time.'}
        </Text>
      </Group>
      <Plot {...{ buckets, span, stepMs, pointed, setPointed, words }} onNarrow={onNarrow} />
      <Group justify="space-between" wrap="nowrap" gap="xs" aria-hidden>
        {[0, 0.5, 1].map(part => (
          <Text key={part} size="xs" c="dimmed">
            {tickOf(new Date(span.from).getTime() + part * lengthOf(span), stepMs)}
          </Text>
        ))}
      </Group>
      <VisuallyHidden>
        <table aria-label="Rows over time">
          <tbody>
            {buckets.map(bucket => (
              <tr key={bucket.at}>
                <td>{words(bucket)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}

type PlotProps = {
  buckets: readonly Bucket[]
  span: Span
  stepMs: number
  pointed: Bucket | null
  setPointed: (bucket: Bucket | null) => void
  words: (bucket: Bucket) => string
  onNarrow: Ask
}

const leastDrag = 6

function Plot({ buckets, span, stepMs, pointed, setPointed, words, onNarrow }: PlotProps) {
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null)
  const plot = useRef<HTMLDivElement>(null)
  const start = new Date(span.from).getTime()
  const length = lengthOf(span)
  const most = Math.max(1, ...buckets.map(({ count }) => count))
  const x = (at: number) => Math.min(width, Math.max(0, ((at - start) / length) * width))
  const partAt = ({ clientX }: PointerEvent) => {
    const { left, width: whole } = plot.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(1, Math.max(0, (clientX - left) / whole))
  }
  const bucketAt = (part: number) => {
    const at = start + part * length
    return buckets.find(bucket => bucket.at <= at && at < bucket.at + stepMs) ?? null
  }
  const narrow = (from: number, to: number) =>
    onNarrow({
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      last: undefined,
      live: undefined,
    })
  const open = (bucket: Bucket | null) => bucket && stepMs > 1_000 && narrow(bucket.at, bucket.at + stepMs)
  const release = (event: PointerEvent) => {
    if (!drag) return
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
    setDrag(null)
    const pixels = (to - from) * (plot.current?.clientWidth ?? 0)
    if (pixels < leastDrag) open(bucketAt(partAt(event)))
    else narrow(start + from * length, start + to * length)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const here = pointed ? buckets.indexOf(pointed) : -1
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step) setPointed(buckets[Math.min(buckets.length - 1, Math.max(0, here + step))] ?? null)
    else if (event.key === 'Enter') open(pointed)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={plot}
      className="atrium-plot"
      tabIndex={0}
      role="slider"
      aria-label="Bar of the histogram; Enter narrows the time to it"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, buckets.length - 1)}
      aria-valuenow={Math.max(0, pointed ? buckets.indexOf(pointed) : 0)}
      aria-valuetext={pointed ? words(pointed) : countOf(buckets.length, 'bar')}
      onKeyDown={onKeyDown}
      onPointerDown={event => {
        event.currentTarget.setPointerCapture(event.pointerId)
        setDrag({ from: partAt(event), to: partAt(event) })
      }}
      onPointerMove={event => {
        const part = partAt(event)
        setPointed(bucketAt(part))
        setDrag(before => before && { ...before, to: part })
      }}
      onPointerUp={release}
      onPointerCancel={() => setDrag(null)}
      onPointerLeave={() => setPointed(null)}
    >
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width="100%"
        height={height}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {buckets.map(bucket => (
          <Bar
            key={bucket.at}
            bucket={bucket}
            most={most}
            from={x(bucket.at)}
            to={x(bucket.at + stepMs)}
            isPointed={bucket.at === pointed?.at}
          />
        ))}
        {drag && (
          <rect
            className="atrium-drag"
            x={Math.min(drag.from, drag.to) * width}
            y={0}
            width={Math.abs(drag.to - drag.from) * width}
            height={height}
          />
        )}
      </svg>
    </div>
  )
}

type BarProps = { bucket: Bucket; most: number; from: number; to: number; isPointed: boolean }

function Bar({ bucket: { parts, count }, most, from, to, isPointed }: BarProps) {
  const tall = Math.max(3, (count / most) * height)
  let below = 0
  return parts.map(part => {
    const own = (part.count / Math.max(1, count)) * tall
    below += own
    return (
      <rect
        key={part.name}
        data-tone={part.tone}
        x={from + 1}
        y={height - below}
        width={Math.max(1, to - from - 2)}
        height={own}
        opacity={isPointed ? 1 : 0.85}
      />
    )
  })
}
