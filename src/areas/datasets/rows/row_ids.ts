// Ids of rows: they tell when a row came in, and keep rows of one moment in the order in which they came.
import { randomInt } from 'node:crypto'

/** 2020: leaves room in 53 bits until 2089. */
const epochMs = Date.UTC(2020)
const idsOfMs = 4_096
let lastId = 0
let lastMs = 0

/** Counts up; where a millisecond begins is random, which keeps processes apart. */
export function newRowId(nowMs: number): number {
  const least = nowMs === lastMs ? 0 : firstIdAt(nowMs) + randomInt(idsOfMs / 4)
  lastMs = nowMs
  lastId = Math.max(lastId + 1, least)
  return lastId
}

/** What came in since then has this id or a higher one. */
export function firstIdAt(ms: number): number {
  return (ms - epochMs) * idsOfMs
}
