// Bodies that are not OTLP, items that are bad data, and bodies that want too much.
import { describe, expect, it } from 'vitest'
import { Undecodable } from '../../src/areas/telemetry_tokens/otlp/decode.ts'
import {
  decoded,
  decodedBytes,
  decodedJson,
  encodings,
  pair,
  request,
  signals,
  span,
  spanId,
  start,
  text,
  traceId,
} from './bodies.ts'
import { delimited, toProtobuf, varint } from './protobuf.ts'

const mebibyte = 1024 * 1024

/** What was thrown, and that it did not take long: 10 MiB are to be refused or read in well under this. */
function refusal(work: () => unknown): string | null {
  const began = performance.now()
  try {
    work()
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(Undecodable)
    return (error as Error).message
  } finally {
    expect(performance.now() - began).toBeLessThan(8_000)
  }
}

describe('a body that is not OTLP', () => {
  it.each([
    '',
    'x',
    '5',
    'null',
    '"text"',
    '[]',
    '{"resourceSpans":{}}',
    '{"resourceSpans":"x"}',
    '{"resourceSpans":[5]}',
    '{"resourceSpans":[{"resource":[]}]}',
    '{"resourceSpans":[{"scopeSpans":{}}]}',
    '{"resourceSpans":[{"scopeSpans":[null]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"scope":5}]}]}',
    '{"resourceSpans":[{"scopeSpans":[{"spans":{}}]}]}',
  ])('is undecodable: %s', body => {
    expect(refusal(() => decodedJson('traces', body))).toMatch(/^[\x20-\x7e]{5,200}$/)
  })

  it.each([
    ['a cut message', [0x0a, 5, 1]],
    ['a cut tag', [0x8a]],
    ['a length beyond its message', [0x0a, 2, 0x12, 9]],
    ['a length of 2^63', [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 127]],
    ['a varint of 11 bytes', [0x20, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]],
    ['field 0', [0x02, 0]],
    ['a group', [0x0b, 0x0c]],
    ['the end of a group', [0x0c]],
    ['wire type 6', [0x0e]],
    ['wire type 7', [0x0f]],
    ['cut fixed numbers', [0x21, 1, 2, 3]],
    ['text', [...Buffer.from('{"resourceSpans":[]}')]],
  ])('is undecodable: %s', (_name, bytes) => {
    expect(refusal(() => decodedBytes('traces', Buffer.from(bytes)))).not.toBeNull()
  })
})

describe.each(encodings)('an item of bad data, %s', encoding => {
  it.each([
    [{ traceId: traceId.slice(2) }, /id/i],
    [{ traceId: '0'.repeat(32) }, /traceId is empty or all zeros/],
    [{ traceId: '' }, /traceId is empty or all zeros/],
    [{ spanId: `${spanId}00` }, /id/i],
    [{ spanId: '0'.repeat(16) }, /spanId is empty or all zeros/],
    [{ parentSpanId: 'ab' }, /id/i],
    [{ startTimeUnixNano: '0' }, /startTimeUnixNano is zero/],
    [{ endTimeUnixNano: '0' }, /ends before it starts/],
    [{ endTimeUnixNano: String(BigInt(start) - 1n) }, /ends before it starts/],
    [{ endTimeUnixNano: '18446744073709551615' }, /year 2199/],
    [{ links: [{ traceId: 'ab', spanId }] }, /id/i],
    [{ events: [{ attributes: [text('k'.repeat(300), 'v')] }] }, /256/],
  ])('is refused alone: %j', (bad, reason) => {
    const { rows, rejected, why } = decoded('traces', encoding, request('traces', [span(), span(bad), span()]))
    expect([rows.length, rejected]).toEqual([2, 1])
    expect(why).toMatch(/^span 1: /)
    expect(why).toMatch(reason)
  })

  it('is refused alone: logs and points', () => {
    const logs = [{ traceId: 'abcd' }, { spanId: 'abcd' }, { timeUnixNano: '18446744073709551615' }, {}]
    expect(decoded('logs', encoding, request('logs', logs))).toMatchObject({ rejected: 3, rows: [{}] })
    const dataPoints = [{ asInt: '1' }, { timeUnixNano: '8000000000000000000' }, { timeUnixNano: start }]
    const metrics = decoded('metrics', encoding, request('metrics', [{ name: 'm', gauge: { dataPoints } }]))
    expect(metrics).toMatchObject({ rejected: 2, rows: [{}] })
    expect(metrics.why).toBe('data point 0: timeUnixNano is zero; data point 1: timeUnixNano is after the year 2199')
  })

  it('has its reasons told within 500 characters', () => {
    const spans = Array.from({ length: 1_000 }, () => span({ traceId: '' }))
    const { rejected, why } = decoded('traces', encoding, request('traces', spans))
    expect(rejected).toBe(1_000)
    expect(why!.length).toBeLessThanOrEqual(500)
    expect(why!.length).toBeGreaterThan(400)
  })

  it('is every item of a bad resource or scope, and none of another', () => {
    const many = Array.from({ length: 129 }, (_, index) => text(`k${index}`, 'v'))
    const good = request('traces', [span()]) as { resourceSpans: object[] }
    for (const around of [{ resource: { attributes: many } }, { scope: { name: 's', attributes: many } }]) {
      const bad = request('traces', [span(), span()], around) as { resourceSpans: object[] }
      const both = { resourceSpans: [...bad.resourceSpans, ...good.resourceSpans] }
      const { rows, rejected, why } = decoded('traces', encoding, both)
      expect([rows.length, rejected]).toEqual([1, 2])
      expect(why).toMatch(/^span 0: (resource|scope): more than 128 attributes/)
    }
  })

  it('has a name of at most 1,024 characters, never half a pair', () => {
    const names = ['n'.repeat(2_000), `${'n'.repeat(1_023)}😀`]
    const { rows } = decoded(
      'traces',
      encoding,
      request(
        'traces',
        names.map(name => span({ name })),
      ),
    )
    expect(rows.map(row => row.name)).toEqual(['n'.repeat(1_024), 'n'.repeat(1_023)])
  })
})

it('counts a metric that cannot be read as one point', () => {
  const json = JSON.stringify(
    request('metrics', [{ name: 5 }, { name: 'm', gauge: { dataPoints: [{ timeUnixNano: 1 }] } }]),
  )
  expect(decodedJson('metrics', json)).toMatchObject({
    rejected: 1,
    why: 'data point 0: name is not a string',
    rows: [{}],
  })
})

describe('a body that wants too much', () => {
  /** A request of protobuf around the bytes of its items. */
  const around = (items: Uint8Array) => delimited(1, delimited(2, items))
  /** 10 MiB of the same bytes. */
  const fill = (bytes: number[]) =>
    Buffer.alloc(Math.floor((10 * mebibyte) / bytes.length) * bytes.length, Buffer.from(bytes))

  it.each(encodings)('of more than 100,000 items, %s', encoding => {
    const logs = Array.from({ length: 100_001 }, () => ({}))
    expect(decoded('logs', encoding, request('logs', logs.slice(1))).rows).toHaveLength(100_000)
    expect(refusal(() => decoded('logs', encoding, request('logs', logs)))).toMatch(/send smaller batches/)
    const metric = { name: 'm', gauge: { dataPoints: Array.from({ length: 50_001 }, () => ({ timeUnixNano: '5' })) } }
    expect(refusal(() => decoded('metrics', encoding, request('metrics', [metric, metric])))).toMatch(/smaller/)
  })

  it('of many small things in protobuf', () => {
    expect(refusal(() => decodedBytes('traces', fill([0x0a, 0])))).toMatch(/smaller/)
    expect(refusal(() => decodedBytes('traces', delimited(1, fill([0x12, 0]))))).toMatch(/smaller/)
    expect(refusal(() => decodedBytes('traces', around(fill([0x12, 0]))))).toMatch(/smaller/)
    expect(refusal(() => decodedBytes('traces', around(delimited(2, fill([0x5a, 0])))))).toMatch(/smaller/)
    const log = (value: Uint8Array) => around(delimited(2, delimited(5, value)))
    expect(decodedBytes('logs', log(delimited(5, fill([0x0a, 0])))).rows).toHaveLength(1)
    expect(refusal(() => decodedBytes('logs', log(delimited(5, fill([0x0a, 2, 0x2a, 0])))))).toMatch(/smaller/)
    expect(decodedBytes('logs', log(delimited(6, fill([0x0a, 4, 0x0a, 2, 65, 66])))).rows[0]?.detail?.body).toEqual({
      AB: null,
    })
    expect(decodedBytes('logs', log(fill([0x2a, 0, 0x18, 1]).subarray(0, 400_000))).rows).toHaveLength(1)
    const unknown = around(delimited(2, fill([0xa0, 6, 1])))
    expect(decodedBytes('logs', unknown).rows).toHaveLength(1)
  })

  it('of distinct keys, long texts and deep nesting', () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => text(`k${index}`, ''))
    const body = { kvlistValue: { values: keys } }
    for (const encoding of encodings)
      expect(refusal(() => decoded('logs', encoding, request('logs', [{ body }])))).toBeNull()
    const long = request('logs', [
      { severityText: 'x'.repeat(5 * mebibyte), body: { stringValue: '\0'.repeat(mebibyte) } },
    ])
    for (const encoding of encodings) expect(refusal(() => decoded('logs', encoding, long))).toBeNull()
    let deep: Buffer = Buffer.alloc(0)
    for (let depth = 0; depth < 2_000; depth++) deep = delimited(5, delimited(1, deep))
    expect(decodedBytes('logs', around(delimited(2, delimited(5, deep))))).toMatchObject({ rejected: 1 })
  })

  it('of brackets, numbers and names in JSON', () => {
    const size = 10 * mebibyte
    const nested = `{"resourceSpans":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`
    expect(refusal(() => decodedJson('traces', nested))).toMatch(/deeper than 256/)
    expect(refusal(() => decodedJson('traces', '{"a":'.repeat(size / 8)))).toMatch(/deeper than 256/)
    const deepest = JSON.stringify(request('logs', [{ body: { stringValue: '[{"\\'.repeat(2_000_000) } }]))
    expect(decodedJson('logs', deepest).rows).toHaveLength(1)
    expect(refusal(() => decodedJson('traces', `{"resourceSpans":[${'{},'.repeat(size / 3)}{}]}`))).toMatch(/smaller/)
    expect(refusal(() => decodedJson('traces', `{"x":[${'[],'.repeat(size / 3)}[]]}`))).toMatch(/smaller/)
    for (const name of ['intValue', 'doubleValue', 'bytesValue']) {
      const json = JSON.stringify(request('logs', [{ body: { [name]: `${'1'.repeat(size)}%` } }]))
      expect(decodedJson('logs', json)).toMatchObject({ rejected: 1 })
    }
    const ids = JSON.stringify(request('traces', [span({ traceId: 'a'.repeat(size) })]))
    expect(decodedJson('traces', ids)).toMatchObject({ rejected: 1 })
  })

  it('of buckets', () => {
    const bucketCounts = Array.from({ length: 100_000 }, () => '1')
    const histogram = { dataPoints: [{ timeUnixNano: start, bucketCounts, explicitBounds: [1] }] }
    for (const packed of [true, false]) {
      const bytes = toProtobuf('metrics', request('metrics', [{ name: 'h', histogram }]), packed)
      expect(decodedBytes('metrics', bytes).rows[0]?.detail?.bucketCounts).toHaveLength(100_000)
    }
  })
})

it('never reads past a message within the body', () => {
  const name = Buffer.concat([varint((5 << 3) | 2), varint(50)])
  const bytes = Buffer.concat([delimited(1, delimited(2, delimited(2, name))), Buffer.alloc(100, 0x41)])
  expect(refusal(() => decodedBytes('traces', bytes))).toMatch(/cut off/)
})

it.each(signals)('takes the body of another signal for bad data or nothing: %s', signal => {
  for (const other of signals)
    for (const encoding of encodings) {
      const body = request(other, other === 'traces' ? [span({ attributes: [pair('a', { boolValue: true })] })] : [{}])
      const bytes = encoding === 'json' ? Buffer.from(JSON.stringify(body)) : toProtobuf(other, body)
      refusal(() => (encoding === 'json' ? decodedJson(signal, String(bytes)) : decodedBytes(signal, bytes)))
    }
})
