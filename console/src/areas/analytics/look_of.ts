// How numbers, times and groups of a series are written.
import type { Granularity, Group, Series } from './question.ts'

export function figureOf(value: number | null | undefined, unit: Series['unit']): string {
  if (value === null || value === undefined) return '–'
  if (unit === 'ratio') return `${(value * 100).toLocaleString('en', { maximumFractionDigits: 1 })} %`
  if (unit === 'seconds') return durationOf(value)
  return value.toLocaleString('en', { maximumFractionDigits: unit === 'count' ? 0 : 2 })
}

function durationOf(seconds: number): string {
  if (seconds < 1) return `${(seconds * 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} ms`
  if (seconds < 60) return `${seconds.toLocaleString('en', { maximumFractionDigits: 1 })} s`
  if (seconds < 3_600) return `${(seconds / 60).toLocaleString('en', { maximumFractionDigits: 1 })} min`
  if (seconds < 172_800) return `${(seconds / 3_600).toLocaleString('en', { maximumFractionDigits: 1 })} h`
  return `${(seconds / 86_400).toLocaleString('en', { maximumFractionDigits: 1 })} d`
}

const formats: Readonly<Record<Granularity, Intl.DateTimeFormatOptions>> = {
  minute: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  hour: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
  month: { month: 'short', year: 'numeric' },
}

/** Where a bucket begins, by the clocks that it was asked for. */
export function tickOf(at: string, granularity: Granularity, timeZone: string): string {
  return new Intl.DateTimeFormat('en', { ...formats[granularity], timeZone }).format(new Date(at))
}

export function nameOf({ by, isOther }: Pick<Group, 'by' | 'isOther'>): string {
  if (isOther) return 'All others'
  return Object.values(by)
    .map(value => value ?? 'none')
    .join(' · ')
}

/** Of counts and sums what the points make up; of the others the newest that is known. */
export function totalOf(points: Group['points'], kind: string): number | null {
  if (kind === 'count' || kind === 'sum') return points.reduce((sum, { value }) => sum + (value ?? 0), 0)
  return points.findLast(({ value }) => value !== null)?.value ?? null
}
