// Moments in nanoseconds, as callers read and write them.

const msNs = 1_000_000n

/** Beyond any row, and within what engines can hold. */
export const endOfTime = 1n << 62n

export function nanosOf(date: Date): bigint {
  return bounded(BigInt(date.getTime()) * msNs)
}

/** With nanoseconds where there are any, else with milliseconds. */
export function isoOf(at: bigint): string {
  const rest = at % msNs
  const text = new Date(Number(at / msNs)).toISOString()
  return rest === 0n ? text : `${text.slice(0, -1)}${String(rest).padStart(6, '0')}Z`
}

const isoForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/i

/** Undefined where the text is no moment with a time zone. */
export function parseIso(text: string): bigint | undefined {
  const parts = isoForm.exec(text)
  if (!parts) return undefined
  const [, seconds, fraction = '', zone] = parts
  const ms = Date.parse(`${seconds}${zone}`)
  return Number.isNaN(ms) ? undefined : bounded(BigInt(ms) * msNs + BigInt(fraction.padEnd(9, '0')))
}

function bounded(at: bigint): bigint {
  return at < 0n ? 0n : at > endOfTime ? endOfTime : at
}
