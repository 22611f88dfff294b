// The functions of expressions on the values that they are given, and what stands for a value that there is not.
import { celBounds } from './cel_types.ts'
import { patternOf } from './patterns.ts'

const faultKey = Symbol('fault')
const spanKey = Symbol('span')

/** In place of a value: why there is none. */
export type Fault = { readonly [faultKey]: string }

/** A span of time, in milliseconds. */
export type Span = { readonly [spanKey]: number }

/** Steps that are left: one for each node, one for each element and each 16 characters that are looked at. */
export type Budget = { left: number }

export class TooMuchWork extends Error {}

export function fault(reason: string): Fault {
  return { [faultKey]: reason }
}

export function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && faultKey in value
}

export function reasonOf(value: Fault): string {
  return value[faultKey]
}

export function span(milliseconds: number): Span {
  return { [spanKey]: milliseconds }
}

/** Undefined where the value is no span of time. */
export function millisecondsOf(value: unknown): number | undefined {
  return typeof value === 'object' && value !== null && spanKey in value ? (value as Span)[spanKey] : undefined
}

export function spend(budget: Budget, work: number): void {
  budget.left -= work
  if (budget.left < 0) throw new TooMuchWork()
}

/** Undefined where the function does not take such a value. None of the values is null. */
export function applied(name: string, [value, other]: readonly unknown[], budget: Budget): unknown {
  if (typeof value === 'string') {
    spend(budget, value.length >> 4)
    return typeof other === 'string' ? ofTexts(name, value, other, budget) : ofText(name, value)
  }
  return value instanceof Date ? ofTime(name, value) : ofOther(name, value)
}

function ofTexts(name: string, text: string, part: string, budget: Budget): unknown {
  if (name === 'startsWith') return text.startsWith(part)
  if (name === 'endsWith') return text.endsWith(part)
  return name === 'contains' ? text.includes(part) : matches(text, part, budget)
}

/** RE2 takes time in proportion to the text and the pattern, whatever both are: that is what is spent. */
function matches(text: string, pattern: string, budget: Budget): unknown {
  spend(budget, pattern.length)
  const made = patternOf(pattern, celBounds.pattern)
  if ('fault' in made) return fault(`A pattern must be ${made.fault}.`)
  spend(budget, (text.length * made.regex.programSize()) >> 3)
  return made.regex.matcher(text).find()
}

function ofText(name: string, text: string): unknown {
  switch (name) {
    case 'size':
      return codePoints(text)
    case 'lowerAscii':
      return text.replace(/[A-Z]+/g, letters => letters.toLowerCase())
    case 'upperAscii':
      return text.replace(/[a-z]+/g, letters => letters.toUpperCase())
    case 'trim':
      return text.trim()
    case 'string':
      return text
    case 'int':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
    case 'double':
      return /^-?\d{1,30}(\.\d{1,30})?$/.test(text) ? Number(text) : undefined
    case 'timestamp':
      return momentOf(text)
    case 'duration':
      return spanOf(text)
    default:
      return undefined
  }
}

function codePoints(text: string): number {
  let pairs = 0
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) pairs++
  return text.length - pairs
}

const partsOfTime: Readonly<Record<string, (time: Date) => unknown>> = {
  string: time => time.toISOString(),
  timestamp: time => time,
  int: time => Math.floor(+time / 1000),
  getFullYear: time => time.getUTCFullYear(),
  getMonth: time => time.getUTCMonth(),
  getDate: time => time.getUTCDate(),
  getDayOfWeek: time => time.getUTCDay(),
  getHours: time => time.getUTCHours(),
  getMinutes: time => time.getUTCMinutes(),
  getSeconds: time => time.getUTCSeconds(),
}

function ofTime(name: string, time: Date): unknown {
  return Number.isNaN(+time) ? undefined : partsOfTime[name]?.(time)
}

function ofOther(name: string, value: unknown): unknown {
  if (name === 'size' && typeof value === 'object' && value !== null) return Object.keys(value).length
  if (name === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  if (typeof value !== 'number') return undefined
  if (name === 'double') return value
  if (name === 'int') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : undefined
  return name === 'timestamp' ? momentOf(new Date(value * 1000)) : undefined
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** Undefined where it is no time of the years 1 to 9999. */
export function momentOf(value: string | Date): Date | undefined {
  if (typeof value === 'string' && !timeForm.test(value)) return undefined
  const time = new Date(value)
  return +time >= -62_135_596_800_000 && +time <= 253_402_300_799_999 ? time : undefined
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

export function spanOf(text: string): Span | undefined {
  if (text.length > 40 || !/^-?(\d{1,9}(\.\d{1,6})?(ms|s|m|h))+$/.test(text)) return undefined
  let spanMs = 0
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g))
    spanMs += Number(amount) * (units[unit ?? ''] ?? 0)
  return span(text.startsWith('-') ? -spanMs : spanMs)
}
