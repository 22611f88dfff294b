// The requests that the documentation of OTLP tells people to try with curl.
import { expect, it } from 'vitest'
import { decode } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import { encoded, encodings, now } from './bodies.ts'

const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'my.service' } }] }
const scope = {
  name: 'my.library',
  version: '1.0.0',
  attributes: [{ key: 'my.scope.attribute', value: { stringValue: 'some scope attribute' } }],
}
const scopeShown = {
  name: 'my.library',
  version: '1.0.0',
  attributes: { 'my.scope.attribute': 'some scope attribute' },
}
const ofResource = { resource: { 'service.name': 'my.service' }, service: 'my.service' }

const traces = {
  resourceSpans: [
    {
      resource,
      scopeSpans: [
        {
          scope,
          spans: [
            {
              traceId: '5B8EFFF798038103D269B633813FC60C',
              spanId: 'EEE19B7EC3C1B174',
              parentSpanId: 'EEE19B7EC3C1B173',
              name: 'I am a server span',
              startTimeUnixNano: '1544712660000000000',
              endTimeUnixNano: '1544712661000000000',
              kind: 2,
              attributes: [{ key: 'my.span.attr', value: { stringValue: 'some value' } }],
            },
          ],
        },
      ],
    },
  ],
}

const logs = {
  resourceLogs: [
    {
      resource,
      scopeLogs: [
        {
          scope,
          logRecords: [
            {
              timeUnixNano: '1544712660300000000',
              observedTimeUnixNano: '1544712660300000000',
              severityNumber: 10,
              severityText: 'Information',
              traceId: '5B8EFFF798038103D269B633813FC60C',
              spanId: 'EEE19B7EC3C1B174',
              body: { stringValue: 'Example log record' },
              attributes: [
                { key: 'string.attribute', value: { stringValue: 'some string' } },
                { key: 'boolean.attribute', value: { boolValue: true } },
                { key: 'int.attribute', value: { intValue: '10' } },
                { key: 'double.attribute', value: { doubleValue: 637.704 } },
                {
                  key: 'array.attribute',
                  value: { arrayValue: { values: [{ stringValue: 'many' }, { stringValue: 'values' }] } },
                },
                {
                  key: 'map.attribute',
                  value: { kvlistValue: { values: [{ key: 'some.map.key', value: { stringValue: 'some value' } }] } },
                },
              ],
            },
          ],
        },
      ],
    },
  ],
}

const times = { startTimeUnixNano: '1544712660300000000', timeUnixNano: '1544712660300000000' }
const metrics = {
  resourceMetrics: [
    {
      resource,
      scopeMetrics: [
        {
          scope,
          metrics: [
            {
              name: 'my.counter',
              unit: '1',
              description: 'I am a Counter',
              sum: {
                aggregationTemporality: 1,
                isMonotonic: true,
                dataPoints: [
                  {
                    asDouble: 5,
                    ...times,
                    attributes: [{ key: 'my.counter.attr', value: { stringValue: 'some value' } }],
                  },
                ],
              },
            },
            {
              name: 'my.gauge',
              unit: '1',
              description: 'I am a Gauge',
              gauge: { dataPoints: [{ asDouble: 10, timeUnixNano: times.timeUnixNano }] },
            },
            {
              name: 'my.histogram',
              unit: '1',
              description: 'I am a Histogram',
              histogram: {
                aggregationTemporality: 1,
                dataPoints: [{ ...times, count: 2, sum: 2, bucketCounts: [1, 1], explicitBounds: [1], min: 0, max: 2 }],
              },
            },
            {
              name: 'my.exponential.histogram',
              unit: '1',
              description: 'I am an Exponential Histogram',
              exponentialHistogram: {
                aggregationTemporality: 1,
                dataPoints: [
                  {
                    ...times,
                    count: 3,
                    sum: 10,
                    scale: 0,
                    zeroCount: 1,
                    positive: { offset: 1, bucketCounts: [0, 2] },
                    min: 0,
                    max: 5,
                    zeroThreshold: 0,
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  ],
}

const options = { resourceDefaults: {}, now }

it.each(encodings)('takes the example of traces: %s', encoding => {
  expect(decode('traces', encoding, encoded('traces', encoding, traces), options)).toEqual({
    rejected: 0,
    why: null,
    rows: [
      {
        at: 1_544_712_660_000_000_000n,
        ...ofResource,
        name: 'I am a server span',
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
        parentSpanId: 'eee19b7ec3c1b173',
        durationMs: 1000,
        kind: 'server',
        status: 'unset',
        statusMessage: null,
        attributes: { 'my.span.attr': 'some value' },
        detail: { scope: scopeShown },
      },
    ],
  })
})

it.each(encodings)('takes the example of logs: %s', encoding => {
  expect(decode('logs', encoding, encoded('logs', encoding, logs), options)).toEqual({
    rejected: 0,
    why: null,
    rows: [
      {
        at: 1_544_712_660_300_000_000n,
        ...ofResource,
        name: null,
        traceId: '5b8efff798038103d269b633813fc60c',
        spanId: 'eee19b7ec3c1b174',
        severity: 'info',
        body: 'Example log record',
        attributes: {
          'string.attribute': 'some string',
          'boolean.attribute': true,
          'int.attribute': 10,
          'double.attribute': 637.704,
          'array.attribute': ['many', 'values'],
          'map.attribute': { 'some.map.key': 'some value' },
        },
        detail: { severityNumber: 10, severityText: 'Information', scope: scopeShown },
      },
    ],
  })
})

it.each(encodings)('takes the example of metrics: %s', encoding => {
  const { rows, rejected } = decode('metrics', encoding, encoded('metrics', encoding, metrics), options)
  expect(rejected).toBe(0)
  expect(rows.map(({ name, type, value, unit }) => [name, type, value, unit])).toEqual([
    ['my.counter', 'sum', 5, '1'],
    ['my.gauge', 'gauge', 10, '1'],
    ['my.histogram', 'histogram', 2, '1'],
    ['my.exponential.histogram', 'exponential_histogram', 10, '1'],
  ])
  expect(rows[0]).toMatchObject({ ...ofResource, attributes: { 'my.counter.attr': 'some value' } })
  expect(rows[2]?.detail).toMatchObject({ temporality: 'delta', count: 2, bucketCounts: [1, 1], explicitBounds: [1] })
  expect(rows[3]?.detail).toMatchObject({ scale: 0, zeroCount: 1, positive: { offset: 1, bucketCounts: [0, 2] } })
})
