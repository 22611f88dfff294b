// What the explorer asks of a dataset, as the address has it: an address that is kept or shared asks the same again.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { InputOf, ItemOf, ResultOf } from '../../../../src/client/catalogue.ts'

export type Dataset = ItemOf<'datasets.list'>
export type DatasetRow = ResultOf<'datasets.rows.list'>['items'][number]
export type Answer = ResultOf<'datasets.query'>
export type Fn = NonNullable<InputOf<'datasets.query'>['aggregates']>[number]['fn']

export const minuteMs = 60_000
const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Spans that end now. */
export const lasts: Readonly<Record<string, { title: string; ms: number }>> = {
  '15m': { title: 'Last 15 minutes', ms: 15 * minuteMs },
  '1h': { title: 'Last hour', ms: hourMs },
  '6h': { title: 'Last 6 hours', ms: 6 * hourMs },
  '24h': { title: 'Last 24 hours', ms: dayMs },
  '7d': { title: 'Last 7 days', ms: 7 * dayMs },
}
const usualLast = '1h'

const functions: readonly Fn[] = ['count', 'sum', 'avg', 'min', 'max', 'p50', 'p95', 'p99', 'distinct']

const names = ['filter', 'last', 'from', 'to', 'view', 'fn', 'of', 'chart', 'live', 'trace', 'span'] as const

/** As it stands in the address; `by` is a list. */
export type Asked = Partial<Record<(typeof names)[number], string>> & { by?: readonly string[] }

export type Question = {
  filter: string
  /** One of `lasts`; null where the span has a beginning and an end of its own. */
  last: string | null
  from: string
  to: string
  isGrouped: boolean
  by: readonly string[]
  fn: Fn
  of: string | null
  chart: 'time' | 'groups'
  isLive: boolean
  trace: string | null
  span: string | null
}

/** What somebody typed into the address may be anything. */
export function questionOf(search: Readonly<Record<string, unknown>>): Question {
  const text = (name: (typeof names)[number]) => (search[name] === undefined ? '' : String(search[name]))
  const [from, to] = [momentIn(text('from')), momentIn(text('to'))]
  const isOwn = from !== '' && to !== ''
  const last = text('last') in lasts ? text('last') : usualLast
  const by = [search.by ?? []].flat().map(String).slice(0, 3)
  const fn = functions.find(name => name === text('fn')) ?? 'count'
  return {
    filter: text('filter'),
    last: isOwn ? null : last,
    from,
    to,
    isGrouped: text('view') === 'groups',
    by,
    fn,
    of: fn === 'count' ? null : text('of') || null,
    chart: text('chart') === 'groups' ? 'groups' : 'time',
    isLive: !isOwn && text('live') !== '',
    trace: /^[0-9a-f]{32}$/.test(text('trace')) ? text('trace') : null,
    span: text('span') || null,
  }
}

function momentIn(text: string): string {
  const at = new Date(text)
  return text === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

export type Ask = (changed: { [K in keyof Asked]: Asked[K] | undefined }) => void

/** Who asks on stays where they are on the page, as another address is no other page here. */
export function useQuestion(): [Question, Ask] {
  const navigate = useNavigate()
  const search: Record<string, unknown> = useSearch({ strict: false })
  const ask: Ask = changed =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, ...changed }) as never,
      resetScroll: false,
    })
  return [questionOf(search), ask]
}

export type Span = { from: string; to: string }

/** The span in times. One that ends now is reckoned anew by `refresh`, not with each drawing. */
export function useSpan({ last, from, to }: Question): { span: Span; refresh: () => void } {
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another now
  const span = useMemo(() => {
    if (last === null) return { from, to }
    const now = Date.now()
    const { ms } = lasts[last] ?? { ms: hourMs }
    return { from: new Date(now - ms).toISOString(), to: new Date(now).toISOString() }
  }, [last, from, to, turn])
  return { span, refresh: () => setTurn(before => before + 1) }
}

export const lengthOf = ({ from, to }: Span) => new Date(to).getTime() - new Date(from).getTime()

const steps: readonly [string, number][] = [
  ['1s', 1_000],
  ['5s', 5_000],
  ['15s', 15_000],
  ['30s', 30_000],
  ['1m', minuteMs],
  ['2m', 2 * minuteMs],
  ['5m', 5 * minuteMs],
  ['10m', 10 * minuteMs],
  ['15m', 15 * minuteMs],
  ['30m', 30 * minuteMs],
  ['1h', hourMs],
  ['3h', 3 * hourMs],
  ['6h', 6 * hourMs],
  ['12h', 12 * hourMs],
  ['1d', dayMs],
  ['7d', 7 * dayMs],
  ['30d', 30 * dayMs],
]

/** So that at most this many buckets are drawn. */
export function intervalFor(ms: number, most = 72): { interval: string; stepMs: number } {
  const [interval, stepMs] = steps.find(([, step]) => ms / step <= most) ?? ['365d', 365 * dayMs]
  return { interval, stepMs }
}

export const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone
