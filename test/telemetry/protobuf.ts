// Writes the JSON form of OTLP as protobuf, from a table of its own: a wrong number in the decoder shows.

type Field = readonly [number: number, type: string]
type Table = { readonly [name: string]: Field }

const items = (item: string): { [name: string]: Table } => ({
  Request: { resourceSpans: [1, 'Resources[]'], resourceLogs: [1, 'Resources[]'], resourceMetrics: [1, 'Resources[]'] },
  Resources: {
    resource: [1, 'Resource'],
    scopeSpans: [2, 'Scopes[]'],
    scopeLogs: [2, 'Scopes[]'],
    scopeMetrics: [2, 'Scopes[]'],
    schemaUrl: [3, 'text'],
  },
  Scopes: {
    scope: [1, 'Scope'],
    spans: [2, `${item}[]`],
    logRecords: [2, `${item}[]`],
    metrics: [2, `${item}[]`],
    schemaUrl: [3, 'text'],
  },
})

const tables: { [name: string]: Table } = {
  Resource: { attributes: [1, 'Pair[]'], droppedAttributesCount: [2, 'varint'] },
  Scope: { name: [1, 'text'], version: [2, 'text'], attributes: [3, 'Pair[]'], droppedAttributesCount: [4, 'varint'] },
  Pair: { key: [1, 'text'], value: [2, 'Any'] },
  Any: {
    stringValue: [1, 'text'],
    boolValue: [2, 'varint'],
    intValue: [3, 'varint'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'List'],
    kvlistValue: [6, 'Map'],
    bytesValue: [7, 'base64'],
  },
  List: { values: [1, 'Any[]'] },
  Map: { values: [1, 'Pair[]'] },
  Span: {
    traceId: [1, 'hex'],
    spanId: [2, 'hex'],
    traceState: [3, 'text'],
    parentSpanId: [4, 'hex'],
    name: [5, 'text'],
    kind: [6, 'varint'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, 'Pair[]'],
    droppedAttributesCount: [10, 'varint'],
    events: [11, 'Event[]'],
    droppedEventsCount: [12, 'varint'],
    links: [13, 'Link[]'],
    droppedLinksCount: [14, 'varint'],
    status: [15, 'Status'],
    flags: [16, 'fixed32'],
  },
  Event: {
    timeUnixNano: [1, 'fixed64'],
    name: [2, 'text'],
    attributes: [3, 'Pair[]'],
    droppedAttributesCount: [4, 'varint'],
  },
  Link: {
    traceId: [1, 'hex'],
    spanId: [2, 'hex'],
    traceState: [3, 'text'],
    attributes: [4, 'Pair[]'],
    droppedAttributesCount: [5, 'varint'],
    flags: [6, 'fixed32'],
  },
  Status: { message: [2, 'text'], code: [3, 'varint'] },
  LogRecord: {
    timeUnixNano: [1, 'fixed64'],
    severityNumber: [2, 'varint'],
    severityText: [3, 'text'],
    body: [5, 'Any'],
    attributes: [6, 'Pair[]'],
    droppedAttributesCount: [7, 'varint'],
    flags: [8, 'fixed32'],
    traceId: [9, 'hex'],
    spanId: [10, 'hex'],
    observedTimeUnixNano: [11, 'fixed64'],
    eventName: [12, 'text'],
  },
  Metric: {
    name: [1, 'text'],
    description: [2, 'text'],
    unit: [3, 'text'],
    gauge: [5, 'Numbers'],
    sum: [7, 'Numbers'],
    histogram: [9, 'Histogram'],
    exponentialHistogram: [10, 'Exponential'],
    summary: [11, 'Summary'],
  },
  Numbers: { dataPoints: [1, 'NumberPoint[]'], aggregationTemporality: [2, 'varint'], isMonotonic: [3, 'varint'] },
  Histogram: { dataPoints: [1, 'HistogramPoint[]'], aggregationTemporality: [2, 'varint'] },
  Exponential: { dataPoints: [1, 'ExponentialPoint[]'], aggregationTemporality: [2, 'varint'] },
  Summary: { dataPoints: [1, 'SummaryPoint[]'] },
  NumberPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    asDouble: [4, 'double'],
    exemplars: [5, 'Exemplar[]'],
    asInt: [6, 'fixed64'],
    attributes: [7, 'Pair[]'],
    flags: [8, 'varint'],
  },
  HistogramPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    count: [4, 'fixed64'],
    sum: [5, 'double'],
    bucketCounts: [6, 'fixed64 packed'],
    explicitBounds: [7, 'double packed'],
    exemplars: [8, 'Exemplar[]'],
    attributes: [9, 'Pair[]'],
    flags: [10, 'varint'],
    min: [11, 'double'],
    max: [12, 'double'],
  },
  ExponentialPoint: {
    attributes: [1, 'Pair[]'],
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    count: [4, 'fixed64'],
    sum: [5, 'double'],
    scale: [6, 'zigzag'],
    zeroCount: [7, 'fixed64'],
    positive: [8, 'Buckets'],
    negative: [9, 'Buckets'],
    flags: [10, 'varint'],
    exemplars: [11, 'Exemplar[]'],
    min: [12, 'double'],
    max: [13, 'double'],
    zeroThreshold: [14, 'double'],
  },
  Buckets: { offset: [1, 'zigzag'], bucketCounts: [2, 'varint packed'] },
  SummaryPoint: {
    startTimeUnixNano: [2, 'fixed64'],
    timeUnixNano: [3, 'fixed64'],
    count: [4, 'fixed64'],
    sum: [5, 'double'],
    quantileValues: [6, 'Quantile[]'],
    attributes: [7, 'Pair[]'],
    flags: [8, 'varint'],
  },
  Quantile: { quantile: [1, 'double'], value: [2, 'double'] },
  Exemplar: {
    timeUnixNano: [2, 'fixed64'],
    asDouble: [3, 'double'],
    spanId: [4, 'hex'],
    traceId: [5, 'hex'],
    asInt: [6, 'fixed64'],
    filteredAttributes: [7, 'Pair[]'],
  },
}

const itemOf = { traces: 'Span', logs: 'LogRecord', metrics: 'Metric' } as const

/** Enums are to be numbers; lists are packed unless `packed` is false. */
export function toProtobuf(signal: keyof typeof itemOf, request: object, packed = true): Uint8Array {
  return messageBytes({ ...tables, ...items(itemOf[signal]) }, 'Request', request, packed)
}

function messageBytes(all: { [name: string]: Table }, name: string, value: object, packed: boolean): Buffer {
  const fields = Object.entries(value).flatMap(([key, field]) => {
    const [number, type] = all[name]![key]!
    if (type.endsWith('[]')) {
      const each = type.slice(0, -2)
      return (field as object[]).map(item => delimited(number, messageBytes(all, each, item, packed)))
    }
    if (type.endsWith(' packed')) return numbers(number, type.slice(0, -7), field as unknown[], packed)
    if (all[type]) return [delimited(number, messageBytes(all, type, field as object, packed))]
    return [scalar(number, type, field)]
  })
  return Buffer.concat(fields)
}

function numbers(number: number, type: string, values: unknown[], packed: boolean): Buffer[] {
  if (!packed) return values.map(value => scalar(number, type, value))
  return [delimited(number, Buffer.concat(values.map(value => scalar(1, type, value).subarray(1))))]
}

function scalar(number: number, type: string, value: unknown): Buffer {
  if (type === 'text') return delimited(number, Buffer.from(value as string))
  if (type === 'hex' || type === 'base64') return delimited(number, Buffer.from(value as string, type))
  if (type === 'varint') return Buffer.concat([varint(number << 3), varint(value as string)])
  if (type === 'zigzag') return Buffer.concat([varint(number << 3), varint(zigzag(Number(value)))])
  if (type === 'fixed32')
    return Buffer.concat([varint((number << 3) | 5), fixed(4, view => view.writeUInt32LE(Number(value)))])
  const write =
    type === 'double'
      ? (view: Buffer) => view.writeDoubleLE(Number(value))
      : (view: Buffer) => view.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value as string)))
  return Buffer.concat([varint((number << 3) | 1), fixed(8, write)])
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function fixed(bytes: number, write: (view: Buffer) => void): Buffer {
  const view = Buffer.alloc(bytes)
  write(view)
  return view
}

export function delimited(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
}

export function varint(value: number | string | boolean): Buffer {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, BigInt(value))
  for (; left >= 128n; left >>= 7n) bytes.push(Number(left & 127n) | 128)
  return Buffer.from([...bytes, Number(left)])
}
