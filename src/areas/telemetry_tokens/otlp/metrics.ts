// Data points of metrics as rows.
import type { Attributes, Json, Row } from '../../datasets/rows/row.ts'
import { type Around, type Source, walker } from './envelope.ts'
import { BadItem, limits } from './faults.ts'
import type { AttributeList, Part } from './fields.ts'
import { checkedTime, detailOf, type Gathered, gather } from './gathering.ts'
import type { Read } from './message.ts'
import {
  type buckets,
  type exemplar,
  exponentialPoint,
  histogramPoint,
  metric,
  numberPoint,
  summaryPoint,
} from './points.ts'
import { cut, isoTime } from './text.ts'
import { doubleJson, integerJson, type Writable } from './values.ts'

export const walkMetrics = walker({ resources: 'resourceMetrics', scopes: 'scopeMetrics', items: 'metrics' })

type Metric = Read<typeof metric>

/** What a point says of its value. */
type Valued = { value: number | null; detail: Writable }

type AnyPoint = { startTimeUnixNano: bigint; timeUnixNano: bigint; attributes: AttributeList; flags: number }

/** What all points of a metric have in common. */
type Of = { metric: Metric; type: string; around: Around; detail: Attributes }

/** Takes each point of a metric. */
export function gatherMetric(gathered: Gathered, source: Source, part: Part, around: Around): void {
  const read = readMetric(gathered, source, part, around)
  if (read === null) return
  const [type, data, point] = dataOf(read, source)
  if (data === null) return
  const of = { metric: read, type, around, detail: sharedDetail(read, data) }
  for (const each of data.dataPoints) gather(gathered, 'data point', around, () => point(each, of))
}

/** A metric that cannot be read counts as one point: how many it has is not known. */
function readMetric(gathered: Gathered, source: Source, part: Part, around: Around): Metric | null {
  try {
    return source.read(metric, part, 'metric')
  } catch (error) {
    if (!(error instanceof BadItem)) throw error
    const { fault } = around
    gather(gathered, 'data point', { ...around, fault: fault ?? error.message }, () => {
      throw error
    })
    return null
  }
}

type Data = { dataPoints: Part[]; aggregationTemporality?: number; isMonotonic?: boolean }

function dataOf(read: Metric, source: Source): [string, Data | null, (part: Part, of: Of) => Row] {
  const name = 'a data point'
  if (read.gauge) return ['gauge', read.gauge, (part, of) => numberRow(source.read(numberPoint, part, name), of)]
  if (read.sum) return ['sum', read.sum, (part, of) => numberRow(source.read(numberPoint, part, name), of)]
  if (read.histogram)
    return ['histogram', read.histogram, (part, of) => histogramRow(source.read(histogramPoint, part, name), of)]
  if (read.exponentialHistogram)
    return [
      'exponential_histogram',
      read.exponentialHistogram,
      (part, of) => exponentialRow(source.read(exponentialPoint, part, name), of),
    ]
  return ['summary', read.summary, (part, of) => summaryRow(source.read(summaryPoint, part, name), of)]
}

const temporalities = [undefined, 'delta', 'cumulative']

function sharedDetail(read: Metric, data: Data): Attributes {
  const detail: Writable = {}
  if (read.description !== '') detail.description = read.description
  const temporality = temporalities[data.aggregationTemporality ?? 0]
  if (temporality !== undefined) detail.temporality = temporality
  if (data.isMonotonic !== undefined) detail.monotonic = data.isMonotonic
  return detail
}

function pointRow(point: AnyPoint, of: Of, { value, detail }: Valued): Row {
  if (point.timeUnixNano === 0n) throw new BadItem('timeUnixNano is zero')
  const start = isoTime(point.startTimeUnixNano)
  if (start !== null) detail.startAt = start
  // The lowest bit: the sender has no value at this time.
  const recorded = (point.flags & 1) === 0
  if (!recorded) detail.noRecordedValue = true
  const { metric, around } = of
  return {
    at: checkedTime(point.timeUnixNano, 'timeUnixNano'),
    attributes: point.attributes.values,
    resource: around.resource,
    service: around.service,
    name: cut(metric.name, limits.nameLength),
    type: of.type,
    unit: metric.unit || null,
    value: recorded ? value : null,
    detail: detailOf(around, { ...of.detail, ...detail }),
  }
}

function numberRow(point: Read<typeof numberPoint>, of: Of): Row {
  const detail = withExemplars({}, point.exemplars)
  const value = numberOf(point)
  if (typeof value === 'bigint') {
    const json = integerJson(value)
    if (typeof json === 'string') detail.exact = json
  } else if (value !== null && !Number.isFinite(value)) detail.value = String(value)
  return pointRow(point, of, { value: finite(value === null ? null : Number(value)), detail })
}

function numberOf(point: { asInt: bigint | null; asDouble: number | null }): bigint | number | null {
  return point.asInt ?? point.asDouble
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null
}

type Distribution = { count: number | string; sum: number | null; min: number | null; max: number | null }

function distributionDetail({ count, sum, min, max }: Distribution): Writable {
  const detail: Writable = { count }
  if (sum !== null) detail.sum = doubleJson(sum)
  if (min !== null) detail.min = doubleJson(min)
  if (max !== null) detail.max = doubleJson(max)
  return detail
}

function histogramRow(point: Read<typeof histogramPoint>, of: Of): Row {
  const detail = distributionDetail(point)
  detail.bucketCounts = point.bucketCounts
  detail.explicitBounds = point.explicitBounds.map(doubleJson)
  return pointRow(point, of, { value: finite(point.sum), detail: withExemplars(detail, point.exemplars) })
}

function exponentialRow(point: Read<typeof exponentialPoint>, of: Of): Row {
  const detail = distributionDetail(point)
  detail.scale = point.scale
  detail.zeroCount = point.zeroCount
  if (point.zeroThreshold !== 0) detail.zeroThreshold = doubleJson(point.zeroThreshold)
  if (point.positive) detail.positive = bucketsJson(point.positive)
  if (point.negative) detail.negative = bucketsJson(point.negative)
  return pointRow(point, of, { value: finite(point.sum), detail: withExemplars(detail, point.exemplars) })
}

function bucketsJson({ offset, bucketCounts }: Read<typeof buckets>): Json {
  return { offset, bucketCounts }
}

function summaryRow(point: Read<typeof summaryPoint>, of: Of): Row {
  const quantiles = point.quantileValues.map(each => ({
    quantile: doubleJson(each.quantile),
    value: doubleJson(each.value),
  }))
  const detail: Writable = { count: point.count, sum: doubleJson(point.sum), quantiles }
  return pointRow(point, of, { value: finite(point.sum), detail })
}

function withExemplars(detail: Writable, exemplars: Read<typeof exemplar>[]): Writable {
  if (exemplars.length > 0) detail.exemplars = exemplars.map(exemplarJson)
  return detail
}

function exemplarJson(read: Read<typeof exemplar>): Json {
  const value = numberOf(read)
  return {
    value: value === null ? null : typeof value === 'bigint' ? integerJson(value) : doubleJson(value),
    at: isoTime(read.timeUnixNano),
    traceId: read.traceId,
    spanId: read.spanId,
    attributes: read.filteredAttributes.values,
  }
}
