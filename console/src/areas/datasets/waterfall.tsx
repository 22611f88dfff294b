// The lines of a waterfall, as a tree that is walked with the arrow keys.
import { VisuallyHidden } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronRight, CircleAlert } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import type { ResultOf } from '../../../../src/client/catalogue.ts'
import { durationWords } from './look_of.ts'
import { parentsOf, type TraceSpan } from './spans.ts'

const lineHeight = 30
const around = 12
/** Deeper spans are not moved further, or nothing of their names would be left. */
const deepest = 14

const colours = ['iris-5', 'teal-7', 'orange-7', 'grape-6', 'cyan-7', 'lime-8', 'pink-6', 'blue-6']

export const serviceColour = (index: number) => `var(--mantine-color-${colours[index % colours.length]})`

type WaterfallProps = {
  trace: ResultOf<'datasets.traces.get'>
  /** Places of the spans in sight. */
  shown: readonly number[]
  folded: ReadonlySet<number>
  /** The span on which the keys act. */
  at: number
  /** The span whose detail is open. */
  open: string | null
  onAt: (index: number) => void
  onFold: (index: number, isFolded: boolean) => void
  onOpen: (index: number) => void
}

export function Waterfall({ trace, shown, folded, at, open, onAt, onFold, onOpen }: WaterfallProps) {
  const { spans, durationMs, services } = trace
  const place = useRef<HTMLDivElement>(null)
  const treeId = useId()
  const list = useVirtualizer({
    count: shown.length,
    getScrollElement: () => place.current,
    estimateSize: () => lineHeight,
    overscan: around,
  })
  const line = Math.max(0, shown.indexOf(at))
  // By hand, since all lines are as high: the list may not know yet how much was unfolded.
  useEffect(() => {
    const tree = place.current
    if (!tree) return
    const [top, end] = [line * lineHeight, (line + 1) * lineHeight]
    if (top < tree.scrollTop) tree.scrollTop = top
    else if (end > tree.scrollTop + tree.clientHeight) tree.scrollTop = end - tree.clientHeight
  }, [line])
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -shown.length, End: shown.length }[
      event.key
    ]
    const isFoldable = (spans[at]?.children ?? 0) > 0
    if (move) onAt(shown[Math.min(shown.length - 1, Math.max(0, line + move))] ?? 0)
    else if (event.key === 'ArrowRight' && isFoldable) onFold(at, false)
    else if (event.key === 'ArrowLeft' && isFoldable && !folded.has(at)) onFold(at, true)
    else if (event.key === 'ArrowLeft') onAt(parentsOf(spans, at)[0] ?? at)
    else if (event.key === 'Enter' || event.key === ' ') onOpen(at)
    else return
    event.preventDefault()
  }
  return (
    <div className="atrium-waterfall">
      <Axis durationMs={durationMs} />
      <div
        ref={place}
        role="tree"
        aria-label="Spans of the trace"
        tabIndex={0}
        aria-activedescendant={`${treeId}-${at}`}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: list.getTotalSize(), position: 'relative' }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const own = shown[index] ?? 0
            const span = spans[own]
            if (!span) return null
            const isFolded = folded.has(own)
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the tree has the focus and the keys
              <div
                key={own}
                id={`${treeId}-${own}`}
                role="treeitem"
                aria-level={span.depth + 1}
                aria-selected={span.spanId === open}
                {...(span.children > 0 && { 'aria-expanded': !isFolded })}
                data-at={own === at || undefined}
                data-error={span.status === 'error' || undefined}
                style={{ height: lineHeight, transform: `translateY(${start}px)` }}
                onClick={() => {
                  onAt(own)
                  onOpen(own)
                }}
              >
                <Name span={span} isFolded={isFolded} onFold={() => onFold(own, !isFolded)} />
                <Bar span={span} whole={durationMs} colour={serviceColour(services.indexOf(span.service ?? ''))} />
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Four equal parts of the trace. */
function Axis({ durationMs }: { durationMs: number }) {
  return (
    <div className="atrium-axis" aria-hidden>
      {[0, 0.25, 0.5, 0.75].map(part => (
        <span key={part} style={{ insetInlineStart: `${part * 100}%` }}>
          {durationWords(durationMs * part)}
        </span>
      ))}
    </div>
  )
}

type NameProps = { span: TraceSpan; isFolded: boolean; onFold: () => void }

function Name({ span, isFolded, onFold }: NameProps) {
  const Icon = isFolded ? ChevronRight : ChevronDown
  return (
    <div data-part="name" style={{ paddingInlineStart: `${Math.min(span.depth, deepest) * 0.75}rem` }}>
      {span.children > 0 ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the arrow keys of the tree fold
        <span
          data-fold
          onClick={event => {
            event.stopPropagation()
            onFold()
          }}
        >
          <Icon size={14} aria-hidden />
        </span>
      ) : (
        <span data-fold />
      )}
      {span.status === 'error' && <CircleAlert size={14} aria-hidden />}
      <span data-text>{span.name ?? 'No name'}</span>
      <VisuallyHidden>
        , {span.service ?? 'no service'}
        {span.status === 'error' && ', error'},{' '}
      </VisuallyHidden>
    </div>
  )
}

/** In percent: behind the bar, before it, or, where there is no room on either side, at its end. */
function wordsBeside(from: number, to: number) {
  if (to <= 75) return { isOn: false, style: { insetInlineStart: `${to}%` } }
  if (from >= 25) return { isOn: false, style: { insetInlineEnd: `${100 - from}%` } }
  return { isOn: true, style: { insetInlineEnd: `${100 - to + 1}%` } }
}

/** The darker part is its own time, as much as it is of the whole. */
function Bar({ span, whole, colour }: { span: TraceSpan; whole: number; colour: string }) {
  const { offsetMs, durationMs, selfMs } = span
  const length = durationMs ?? 0
  const left = whole > 0 ? Math.min(100, Math.max(0, (offsetMs / whole) * 100)) : 0
  const width = whole > 0 ? Math.min(100 - left, (length / whole) * 100) : 100
  const own = length > 0 ? Math.min(100, (selfMs / length) * 100) : 100
  const ink = span.status === 'error' ? 'var(--mantine-color-red-filled)' : colour
  const place = wordsBeside(left, left + width)
  return (
    <div data-part="bar">
      <span data-bar style={{ insetInlineStart: `${left}%`, width: `${width}%`, color: ink }}>
        <span data-own style={{ width: `${own}%` }} />
      </span>
      <span data-words={place.isOn ? 'on' : 'beside'} style={place.style}>
        {durationWords(length)}
        <VisuallyHidden>, own time {durationWords(selfMs)}</VisuallyHidden>
      </span>
    </div>
  )
}
