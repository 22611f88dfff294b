// What the rows of each kind have beside `at`, `attributes`, `resource` and `detail`.
import type { DatasetKind } from './row.ts'

export type ColumnType = 'text' | 'number'

export type Column = { readonly name: ColumnName; readonly sql: string; readonly type: ColumnType }

export type ColumnName =
  | 'service'
  | 'name'
  | 'traceId'
  | 'spanId'
  | 'severity'
  | 'body'
  | 'parentSpanId'
  | 'durationMs'
  | 'kind'
  | 'status'
  | 'statusMessage'
  | 'type'
  | 'unit'
  | 'value'

const text = (name: ColumnName, sql: string = name): Column => ({ name, sql, type: 'text' })
const number = (name: ColumnName, sql: string = name): Column => ({ name, sql, type: 'number' })

const inTrace = [text('traceId', 'trace_id'), text('spanId', 'span_id')]

export const columnsOf: Readonly<Record<DatasetKind, readonly Column[]>> = {
  logs: [text('severity'), text('service'), text('name'), text('body'), ...inTrace],
  traces: [
    text('service'),
    text('name'),
    number('durationMs', 'duration_ms'),
    text('status'),
    text('statusMessage', 'status_message'),
    text('kind'),
    ...inTrace,
    text('parentSpanId', 'parent_span_id'),
  ],
  metrics: [text('service'), text('name'), text('type'), text('unit'), number('value')],
  table: [],
}

/** One table for each kind, on whichever engine. */
export const tableOf: Readonly<Record<DatasetKind, string>> = {
  logs: 'dataset_logs',
  traces: 'dataset_traces',
  metrics: 'dataset_metrics',
  table: 'dataset_tables',
}
