// The errors in a batch of rows, counted: one finding for each fingerprint and second.

import { isoOf } from '../../../kit/nanoseconds.ts'
import type { Row } from '../rows/row.ts'
import { lookAt, type Recognised, told, type Watched } from './recognising.ts'

/** A row that tells of it: the last of them. */
export type Example = { at: string; rowId: number; traceId: string | null; spanId: string | null }

/** Times are nanoseconds since 1970. */
export type Finding = Recognised & { first: bigint; last: bigint; count: number; example: Example }

const secondNs = 1_000_000_000n

/** A sender that makes up errors must not fill the workspace with issues: of a batch, so many are told apart. */
const mostApart = 100

export type NumberedRow = Row & { readonly id: number }

/** None where the dataset does not look for errors. */
export function findingsIn(watched: Watched, rows: readonly NumberedRow[]): Finding[] {
  return watched.detection.enabled ? [...addFindings(new Map(), watched, rows).values()] : []
}

/** By fingerprint and second. */
export type Found = Map<string, Finding>

export function addFindings(found: Found, watched: Watched, rows: readonly NumberedRow[]): Found {
  const apart = new Set([...found.values()].map(({ fingerprint }) => fingerprint))
  for (const row of rows) {
    const look = lookAt(watched, row)
    if (!look) continue
    const isOther = apart.size >= mostApart && !apart.has(look.fingerprint)
    const fingerprint = isOther ? othersOf(watched.id) : look.fingerprint
    if (!isOther) apart.add(fingerprint)
    const key = `${row.at / secondNs} ${fingerprint}`
    const known = found.get(key)
    if (known) count(known, row)
    else {
      const recognised = isOther ? asOther(watched.id, told(look, watched, row)) : told(look, watched, row)
      found.set(key, { ...recognised, first: row.at, last: row.at, count: 1, example: exampleOf(row) })
    }
  }
  return found
}

function count(known: Finding, row: NumberedRow): void {
  known.count++
  if (row.at < known.first) known.first = row.at
  if (row.at < known.last) return
  known.last = row.at
  known.example = exampleOf(row)
}

const hexadecimal = /^[0-9a-f]{1,32}$/

/** Ids that are none are left out: issues show them. */
function exampleOf({ at, id, traceId, spanId }: NumberedRow): Example {
  const idOf = (text: string | null | undefined) => (text && hexadecimal.test(text) ? text : null)
  return { at: isoOf(at), rowId: id, traceId: idOf(traceId), spanId: idOf(spanId) }
}

/** What is not told apart any more, of one dataset. */
export function othersOf(datasetId: string): string {
  return `${datasetId}:others`
}

export const othersTitle = 'More different errors than are told apart'

function asOther<F extends Recognised>(datasetId: string, finding: F): F {
  const { service = '' } = finding.fields
  const fields = { kind: 'others', ...(service && { service }) }
  return { ...finding, fingerprint: othersOf(datasetId), title: othersTitle, body: '', fields }
}

/** Not told apart, of each second one. */
export function summed(findings: readonly Finding[]): Finding[] {
  return [...Map.groupBy(findings, ({ first }) => first / secondNs).values()].map(group => {
    const latest = group.reduce((one, other) => (other.last > one.last ? other : one))
    const { first } = group.reduce((one, other) => (other.first < one.first ? other : one))
    const [datasetId = ''] = latest.fingerprint.split(':')
    const count = group.reduce((sum, one) => sum + one.count, 0)
    return { ...asOther(datasetId, latest), first, count }
  })
}
