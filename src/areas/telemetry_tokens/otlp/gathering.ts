// Rows and reasons as they are gathered from a body, within its bounds.
import type { Attributes, Row } from '../../datasets/rows/row.ts'
import type { Around } from './envelope.ts'
import { BadItem, limits } from './faults.ts'
import { tooMany } from './fields.ts'
import type { Writable } from './values.ts'

export type Decoded = {
  rows: Row[]
  /** Items that were bad data. */
  rejected: number
  /** Why, of the first ones, at most 500 characters; null where none was. */
  why: string | null
}

export type Gathered = Decoded & { items: number }

export function nothingGathered(): Gathered {
  return { rows: [], rejected: 0, why: null, items: 0 }
}

/** Makes one row, or says why there is none. */
export function gather(gathered: Gathered, noun: string, around: Around, row: () => Row): void {
  const index = gathered.items++
  if (gathered.items > limits.items) throw tooMany()
  try {
    if (around.fault !== null) throw new BadItem(around.fault)
    gathered.rows.push(row())
  } catch (error) {
    if (!(error instanceof BadItem)) throw error
    reject(gathered, `${noun} ${index}: ${error.message}`)
  }
}

function reject(gathered: Gathered, reason: string): void {
  gathered.rejected++
  if (gathered.why === null) gathered.why = reason
  else if (gathered.why.length + reason.length + 2 <= 500) gathered.why += `; ${reason}`
}

/** 2200-01-01. */
const latest = BigInt(Date.UTC(2200, 0, 1)) * 1_000_000n

export function checkedTime(nanoseconds: bigint, name: string): bigint {
  if (nanoseconds > latest) throw new BadItem(`${name} is after the year 2199`)
  return nanoseconds
}

/** The detail of a row with its scope, which most rows share; nothing where there is nothing to show. */
export function detailOf(around: Around, detail: Writable): Attributes | undefined {
  for (const _name in detail) return { ...detail, ...around.detail }
  return around.detail ?? undefined
}
