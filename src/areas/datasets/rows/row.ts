// A row as it comes in and goes out, whatever the kind of its dataset and whichever engine keeps it.

/** JSON as it is stored. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

export type Attributes = { readonly [name: string]: Json }

export const kinds = ['logs', 'traces', 'metrics', 'table'] as const

export type DatasetKind = (typeof kinds)[number]

export const severities = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export type Severity = (typeof severities)[number]

/** Columns that the kind of the dataset does not have are not set: `columns.ts` says which has which. */
export type Row = {
  /** Nanoseconds since 1970. */
  at: bigint
  attributes: Attributes
  /** Of the sender, such as service.name and host.name. */
  resource?: Attributes
  /** `service.name` of the resource. */
  service?: string | null
  /** Of the span or the metric, or the event of the log. */
  name?: string | null
  /** Hexadecimal, in lower case. */
  traceId?: string | null
  spanId?: string | null
  severity?: Severity | null
  /** The text of a log; JSON where the sender had no text. */
  body?: string | null
  parentSpanId?: string | null
  durationMs?: number | null
  /** internal, server, client, producer or consumer. */
  kind?: string | null
  /** unset, ok or error. */
  status?: string | null
  statusMessage?: string | null
  /** gauge, sum, histogram, exponential_histogram or summary. */
  type?: string | null
  unit?: string | null
  value?: number | null
  /** Shown with the row and never asked for: events and links of a span, buckets of a point, flags, the scope. */
  detail?: Attributes
}
