// How numbers, times and groups of a series are written.
import { areaOfId } from '../../contract.ts'
import { useNames, type Wanted } from '../../table/references.ts'
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

export type Names = ReadonlyMap<string, string>

/** The titles of records among these values; of those that are gone there is none. */
export function useValueNames(values: readonly (string | null)[]): Names {
  const wanted = new Map<string, Wanted>()
  for (const value of new Set(values)) {
    const id = value?.replace(/^!/, '') ?? ''
    const area = areaOfId(id)
    if (area) wanted.set(area.name, { area, ids: [...(wanted.get(area.name)?.ids ?? []), id] })
  }
  return useNames([...wanted.values()])
}

export function useGroupNames(series: readonly Series[]): Names {
  return useValueNames(series.flatMap(({ groups }) => groups.flatMap(({ by }) => Object.values(by))))
}

export function valueName(value: string | null, names: Names): string {
  return value === null ? 'none' : (names.get(value) ?? value)
}

export function nameOf({ by, isOther }: Pick<Group, 'by' | 'isOther'>, names: Names): string {
  if (isOther) return 'All others'
  return Object.values(by)
    .map(value => valueName(value, names))
    .join(' · ')
}

/** What tells a group apart from the others of its series. */
export function keyOf({ by, isOther }: Pick<Group, 'by' | 'isOther'>): string {
  return JSON.stringify([Object.values(by), isOther])
}
