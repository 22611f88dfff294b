// The messages of metrics: a metric, its kinds of data, and their points.
import {
  attributes,
  bool,
  count,
  double,
  doubles,
  enumeration,
  fixed64,
  fixedCounts,
  id,
  optionalDouble,
  optionalInt,
  parts,
  sint32,
  text,
  uint32,
  varintCounts,
} from './fields.ts'
import { many, message, one } from './message.ts'

const temporality = (number: number) =>
  enumeration(
    number,
    ['UNSPECIFIED', 'DELTA', 'CUMULATIVE'].map(name => `AGGREGATION_TEMPORALITY_${name}`),
  )

const pointsOnly = message({ dataPoints: parts(1) })

const pointsOverTime = message({ dataPoints: parts(1), aggregationTemporality: temporality(2) })

const sum = message({ dataPoints: parts(1), aggregationTemporality: temporality(2), isMonotonic: bool(3) })

export const metric = message({
  name: text(1),
  description: text(2),
  unit: text(3),
  gauge: one(5, pointsOnly),
  sum: one(7, sum),
  histogram: one(9, pointsOverTime),
  exponentialHistogram: one(10, pointsOverTime),
  summary: one(11, pointsOnly),
})

export const exemplar = message({
  timeUnixNano: fixed64(2),
  asDouble: optionalDouble(3),
  spanId: id(4, 8),
  traceId: id(5, 16),
  asInt: optionalInt(6),
  filteredAttributes: attributes(7),
})

export const numberPoint = message({
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  asDouble: optionalDouble(4),
  exemplars: many(5, exemplar),
  asInt: optionalInt(6),
  attributes: attributes(7),
  flags: uint32(8),
})

export const histogramPoint = message({
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: count(4),
  sum: optionalDouble(5),
  bucketCounts: fixedCounts(6),
  explicitBounds: doubles(7),
  exemplars: many(8, exemplar),
  attributes: attributes(9),
  flags: uint32(10),
  min: optionalDouble(11),
  max: optionalDouble(12),
})

export const buckets = message({ offset: sint32(1), bucketCounts: varintCounts(2) })

export const exponentialPoint = message({
  attributes: attributes(1),
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: count(4),
  sum: optionalDouble(5),
  scale: sint32(6),
  zeroCount: count(7),
  positive: one(8, buckets),
  negative: one(9, buckets),
  flags: uint32(10),
  exemplars: many(11, exemplar),
  min: optionalDouble(12),
  max: optionalDouble(13),
  zeroThreshold: double(14),
})

const quantile = message({ quantile: double(1), value: double(2) })

export const summaryPoint = message({
  startTimeUnixNano: fixed64(2),
  timeUnixNano: fixed64(3),
  count: count(4),
  sum: double(5),
  quantileValues: many(6, quantile),
  attributes: attributes(7),
  flags: uint32(8),
})
