// What detection finds in the rows of the last hour.
import { isoOf, nanosOf } from '../../../kit/nanoseconds.ts'
import { type ColumnName, columnsOf } from '../rows/columns.ts'
import type { Condition, Field } from '../rows/condition.ts'
import { readPage } from '../rows/paging.ts'
import { type DatasetKind, type Severity, severities } from '../rows/row.ts'
import { hourNs, type Place, type RowQuery, type RowStore } from '../rows/row_store.ts'
import { mostTried } from './contract.ts'
import { countsSince } from './deciding.ts'
import { addFindings, type Finding, type Found } from './findings.ts'
import type { Detection, Watched } from './recognising.ts'

const pageOfRows = 1_000
const mostShown = 100

export async function tryDetection(rows: RowStore, dataset: Place & { id: string }, detection: Detection, now: Date) {
  const watched: Watched = { id: dataset.id, kind: dataset.kind, detection }
  const found: Found = new Map()
  let left = mostTried
  let partial = false
  for (const condition of conditionsOf(dataset.kind, detection.minSeverity)) {
    const read = await readInto(found, rows, dataset, watched, condition, left, now)
    left -= read.count
    partial ||= read.isCut
  }
  const errors = [...Map.groupBy(found.values(), ({ fingerprint }) => fingerprint).values()].map(group =>
    errorOf(group, detection),
  )
  errors.sort((one, other) => other.count - one.count || (one.fingerprint < other.fingerprint ? -1 : 1))
  const issues = errors.filter(({ isIssue }) => isIssue).length
  return { items: errors.slice(0, mostShown), errors: errors.length, issues, scanned: mostTried - left, partial }
}

/** The newest first, page by page. */
async function readInto(
  found: Found,
  rows: RowStore,
  place: Place,
  watched: Watched,
  condition: Condition,
  most: number,
  now: Date,
): Promise<{ count: number; isCut: boolean }> {
  const to = nanosOf(now) + 1n
  let count = 0
  let after: RowQuery['after'] = null
  for (;;) {
    // One more than may be read says whether there are more.
    const limit = Math.min(pageOfRows, most - count + 1)
    const query: RowQuery = { from: to - hourNs, to, condition, order: 'desc', after, limit }
    const { rows: page, next } = await readPage(rows, place, query)
    const taken = page.slice(0, most - count)
    addFindings(found, watched, taken)
    count += taken.length
    if (!next || taken.length < page.length) return { count, isCut: taken.length < page.length }
    after = next
  }
}

/** Rows that may tell of errors. Spans that did not fail may carry an exception, so they are read after those that did. */
function conditionsOf(kind: DatasetKind, least: Severity): Condition[] {
  if (kind === 'traces') {
    const status = column(kind, 'status')
    const failed: Condition = { is: 'equal', field: status, value: 'error' }
    const settled: Condition = { is: 'among', field: status, values: ['error', 'ok'] }
    return [failed, { is: 'not', part: settled }]
  }
  if (kind !== 'logs') return []
  const severity = column(kind, 'severity')
  const severe: Condition = { is: 'among', field: severity, values: severities.slice(severities.indexOf(least)) }
  const told = ['exception.type', 'exception.stacktrace'].map((key): Condition => {
    return { is: 'isSet', field: { is: 'attribute', of: 'attributes', key } }
  })
  return [{ is: 'or', parts: [severe, ...told] }]
}

function column(kind: DatasetKind, name: ColumnName): Field {
  const one = columnsOf[kind].find(known => known.name === name)
  if (!one) throw new Error(`${kind} have no ${name}`)
  return { is: 'column', ...one }
}

function errorOf(group: readonly Finding[], { thresholds }: Detection) {
  const last = group.reduce((one, other) => (other.last > one.last ? other : one))
  const first = group.reduce((one, other) => (other.first < one.first ? other : one))
  const { fingerprint, title, severity, example } = last
  const count = group.reduce((sum, one) => sum + one.count, 0)
  const isIssue = countsSince(thresholds, group) !== null
  return {
    fingerprint,
    title,
    severity,
    count,
    firstAt: isoOf(first.first),
    lastAt: isoOf(last.last),
    isIssue,
    example,
  }
}
