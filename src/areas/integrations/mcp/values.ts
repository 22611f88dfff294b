// Values that strangers send, made fit to be stored and shown.
import type { Hide } from '../hiding.ts'

export function objectIn(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Halves of surrogate pairs and NUL cannot be stored; secrets that the server repeats are not for its readers. */
export function cleanText(text: string, hide: Hide): string {
  return hide(text).toWellFormed().replaceAll('\0', '\ufffd')
}

export function textIn(value: unknown, longest: number, hide: Hide): string | null {
  return typeof value === 'string' ? cut(cleanText(value, hide), longest) : null
}

export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** The same value with its texts cleaned. It is at most 64 levels deep, which was looked at before it was parsed. */
export function cleaned(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return cleanText(value, hide)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(part => cleaned(part, hide))
  // From entries, so that a field called __proto__ is a field.
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [cleanText(name, hide), cleaned(part, hide)]))
}
