// Values of attributes of all types, and the names and characters that would hurt.
import { describe, expect, it } from 'vitest'
import { decoded, decodedBytes, decodedJson, encodings, pair, request, span, text } from './bodies.ts'
import { delimited } from './protobuf.ts'

const nested = (depth: number): object =>
  depth === 0 ? { stringValue: 'deep' } : { arrayValue: { values: [nested(depth - 1)] } }
const maps = (depth: number): object =>
  depth === 0 ? { stringValue: 'deep' } : { kvlistValue: { values: [pair('k', maps(depth - 1))] } }

describe.each(encodings)('%s', encoding => {
  const valuesOf = (values: object[]) => {
    const attributes = values.map((value, index) => pair(`k${index}`, value))
    const { rows, why } = decoded('traces', encoding, request('traces', [span({ attributes })]))
    expect(why).toBeNull()
    return Object.values(rows[0]!.attributes)
  }
  const spanWith = (attributes: object[]) =>
    decoded('traces', encoding, request('traces', [span({ attributes }), span()]))

  it('reads every type', () => {
    expect(valuesOf([{ stringValue: 'ü€😀' }, { stringValue: '' }, {}])).toEqual(['ü€😀', '', null])
    expect(valuesOf([{ boolValue: true }, { boolValue: false }])).toEqual([true, false])
    expect(valuesOf([{ doubleValue: 1.5 }, { doubleValue: -0.1 }, { doubleValue: 5e-324 }])).toEqual([
      1.5, -0.1, 5e-324,
    ])
    expect(valuesOf([{ bytesValue: 'AAEC/w==' }, { bytesValue: '' }])).toEqual(['AAEC/w==', ''])
    const list = { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'x' }, {}, { arrayValue: {} }] } }
    expect(valuesOf([list, { arrayValue: {} }])).toEqual([[1, 'x', null, []], []])
    const map = { kvlistValue: { values: [text('a', 'b'), pair('c', list), { key: 'd' }] } }
    expect(valuesOf([map, { kvlistValue: {} }])).toEqual([{ a: 'b', c: [1, 'x', null, []], d: null }, {}])
  })

  it('reads integers of 64 bits, as text where a number is not exact', () => {
    const integers = [0, 1, 127, 128, -1, 2 ** 31, -(2 ** 31), 2 ** 49, 2 ** 53 - 1, -(2 ** 53 - 1)]
    expect(valuesOf(integers.map(integer => ({ intValue: String(integer) })))).toEqual(integers)
    const long = ['9007199254740992', '-9007199254740993', '9223372036854775807', '-9223372036854775808']
    expect(valuesOf(long.map(intValue => ({ intValue })))).toEqual(long)
  })

  it('names doubles that JSON does not have', () => {
    const doubles = ['NaN', 'Infinity', '-Infinity']
    expect(valuesOf(doubles.map(doubleValue => ({ doubleValue })))).toEqual(doubles)
  })

  it('takes names of the language for names', () => {
    const keys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '1', '']
    const all = keys.map(key => text(key, 'v'))
    const { rows } = spanWith([...all, pair('map', { kvlistValue: { values: all } })])
    const shown = JSON.parse(JSON.stringify(rows[0]!.attributes))
    expect(Object.keys(shown).sort()).toEqual([...keys, 'map'].sort())
    expect(Object.keys(shown.map).sort()).toEqual([...keys].sort())
    expect(Object.getPrototypeOf(rows[0]!.attributes)).toBe(Object.prototype)
    const polluted = decoded('traces', encoding, request('traces', [span()], { resource: { attributes: all } }))
    expect(Object.keys(polluted.rows[0]!.resource!).sort()).toEqual([...keys].sort())
    expect(Object.keys({})).toEqual([])
  })

  it('takes the last of equal keys', () => {
    expect(spanWith([text('a', '1'), text('a', '2')]).rows[0]?.attributes).toEqual({ a: '2' })
  })

  it('replaces NUL in texts and keys', () => {
    const dirty = 'a\0b'
    const attributes = [text(dirty, dirty), pair('m', { kvlistValue: { values: [text(dirty, dirty)] } })]
    const events = [{ name: dirty, attributes }]
    const whole = span({ name: dirty, traceState: dirty, attributes, events, status: { message: dirty } })
    const { rows } = decoded('traces', encoding, request('traces', [whole], { scope: { name: dirty } }))
    const shown = JSON.stringify(rows[0], (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(shown).not.toMatch(/\\u0000/)
    expect(rows[0]?.attributes).toEqual({ 'a\uFFFDb': 'a\uFFFDb', m: { 'a\uFFFDb': 'a\uFFFDb' } })
  })

  it('bounds depth at 16, and refuses the item alone', () => {
    for (const made of [nested, maps]) {
      expect(spanWith([pair('k', made(15))])).toMatchObject({ rejected: 0 })
      const { rows, rejected, why } = spanWith([pair('k', made(16))])
      expect([rows.length, rejected, why]).toEqual([1, 1, 'span 0: a value is nested deeper than 16 levels'])
    }
  })

  it('bounds keys and their number', () => {
    expect(spanWith([text('k'.repeat(256), 'v')])).toMatchObject({ rejected: 0 })
    expect(spanWith([text('k'.repeat(257), 'v')])).toMatchObject({ rejected: 1, why: expect.stringContaining('256') })
    const many = Array.from({ length: 129 }, (_, index) => text(`k${index}`, 'v'))
    expect(spanWith(many.slice(1))).toMatchObject({ rejected: 0 })
    expect(spanWith(many)).toMatchObject({ rejected: 1, why: 'span 0: more than 128 attributes' })
  })
})

describe('json', () => {
  const bodyOf = (value: unknown) =>
    decodedJson('logs', JSON.stringify(request('logs', [{ body: value }]))).rows[0]?.body ?? null

  it('replaces halves of surrogate pairs', () => {
    const { rows } = decodedJson(
      'logs',
      '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a\\ud800b"}}]}]}]}',
    )
    expect(rows[0]?.body).toBe('a\uFFFDb')
  })

  it('reads base64 of both alphabets, and doubles written as text', () => {
    expect([bodyOf({ bytesValue: '-_8' }), bodyOf({ doubleValue: '1.5e3' })]).toEqual(['+/8=', '1500'])
  })

  it.each([
    { stringValue: 5 },
    { boolValue: 'true' },
    { intValue: 1.5 },
    { intValue: '9223372036854775808' },
    { intValue: 'five' },
    { doubleValue: 'x' },
    { doubleValue: {} },
    { bytesValue: '%' },
    { arrayValue: [] },
    { arrayValue: { values: {} } },
    { kvlistValue: { values: [5] } },
    { kvlistValue: { values: [{ key: 5 }] } },
    'text',
    [],
  ])('refuses the item with %j', value => {
    const { rows, rejected, why } = decodedJson('logs', JSON.stringify(request('logs', [{ body: value }, {}])))
    expect([rows.length, rejected]).toEqual([1, 1])
    expect(why).toMatch(/^log record 0: /)
  })
})

it('replaces invalid UTF-8 of protobuf', () => {
  const record = delimited(5, delimited(1, Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62])))
  const { rows } = decodedBytes('logs', delimited(1, delimited(2, delimited(2, record))))
  expect(rows[0]?.body).toMatch(/^a\uFFFD+b$/)
  expect(rows[0]?.body?.isWellFormed()).toBe(true)
})
