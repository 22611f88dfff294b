// How single values of rows are written and coloured.
import { dayMs, minuteMs } from './question.ts'

const tones: Readonly<Record<string, string>> = {
  fatal: 'red',
  error: 'red',
  warn: 'orange',
  info: 'blue',
  ok: 'green',
}

/** The colour of a severity or the status of a span. */
export function toneOf(value: unknown): string {
  return tones[String(value)] ?? 'gray'
}

const moment = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})
const second = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minute = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const hour = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** "17 Nov, 10:05:07.123" */
export const exactOf = (at: string) => moment.format(new Date(at))

/** As exact as buckets of this length need; the day where they cover more than one. */
export function tickOf(at: number, stepMs: number): string {
  if (stepMs < minuteMs) return second.format(at)
  if (stepMs <= 10 * minuteMs) return minute.format(at)
  return (stepMs < dayMs ? hour : day).format(at)
}

/** 1234 → "1.23 s", 12.3 → "12.3 ms", 0.05 → "50 µs". */
export function durationWords(ms: number): string {
  if (ms >= 60_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
  if (ms >= 1000) return `${short(ms / 1000)} s`
  return ms >= 1 || ms === 0 ? `${short(ms)} ms` : `${short(ms * 1000)} µs`
}

const short = (value: number) => Number(value.toPrecision(3)).toLocaleString('en')

/** Numbers as they are read, texts as they are. */
export function figureOf(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en', { maximumFractionDigits: 3 })
  if (value === null || value === undefined) return 'not set'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
