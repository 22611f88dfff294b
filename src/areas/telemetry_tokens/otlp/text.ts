// Strings as PostgreSQL can hold them, and times as text.
import { isoOf } from '../../../kit/nanoseconds.ts'

/** jsonb holds neither NUL nor half of a surrogate pair. */
export function clean(text: string): string {
  return withoutNul(text.isWellFormed() ? text : text.toWellFormed())
}

export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
}

/** The first characters, never half of a pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}

/** Null for zero, which is how OTLP says that there is no time. */
export function isoTime(nanoseconds: bigint): string | null {
  return nanoseconds === 0n ? null : isoOf(nanoseconds)
}
