// Definitions of tools as strangers write them: recognised when they change, and checked in a bounded time.
import { describe, expect, it } from 'vitest'
import {
  argumentsFault,
  differences,
  digestOf,
  effectOf,
  type ToolDefinition,
} from '../../src/areas/integrations/mcp/definitions.ts'

const definition: ToolDefinition = {
  name: 'forecast',
  title: 'Forecast',
  description: 'Tells the weather.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' }, days: { enum: [1, 3] } }, required: ['city'] },
  outputSchema: null,
  annotations: { readOnlyHint: true },
}

describe('the digest', () => {
  it('is the same in whatever order the fields come, and says so of nothing else', () => {
    const { annotations, ...rest } = definition
    const inputSchema = {
      required: ['city'],
      properties: { days: { enum: [1, 3] }, city: { type: 'string' } },
      type: 'object',
    }
    const digest = digestOf(definition)
    expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect(digestOf({ annotations, ...rest, inputSchema })).toBe(digest)
    const changes: Partial<ToolDefinition>[] = [
      { name: 'forecast2' },
      { title: null },
      { description: 'Tells the weather. ' },
      { inputSchema: { ...definition.inputSchema, required: [] } },
      { outputSchema: {} },
      { annotations: {} },
    ]
    const digests = changes.map(change => digestOf({ ...definition, ...change }))
    expect(new Set([digest, ...digests]).size).toBe(changes.length + 1)
  })
})

describe('differences', () => {
  it('name each place, down into the schemas', () => {
    const after: ToolDefinition = {
      ...definition,
      title: null,
      inputSchema: { type: 'object', properties: { city: { type: 'number' }, days: { enum: [1, 7] }, 'a b': {} } },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: true },
    }
    expect(differences(definition, definition)).toEqual([])
    expect(differences(definition, after)).toEqual([
      { path: 'title', before: 'Forecast', after: null },
      { path: 'inputSchema.properties.city.type', before: 'string', after: 'number' },
      { path: 'inputSchema.properties.days.enum[1]', before: '3', after: '7' },
      { path: 'inputSchema.properties["a b"]', before: null, after: '{}' },
      { path: 'inputSchema.required', before: '["city"]', after: null },
      { path: 'outputSchema', before: null, after: '{"type":"object"}' },
      { path: 'annotations.destructiveHint', before: null, after: 'true' },
    ])
  })

  it('are bounded', () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, 'x'.repeat(900)]))
    const wide = differences(
      { ...definition, inputSchema: { properties: {} } },
      { ...definition, inputSchema: { properties } },
    )
    expect(wide).toHaveLength(100)
    expect(wide[0]?.after).toHaveLength(500)
  })
})

it('the suggested effect is the worst that the hints leave', () => {
  expect(effectOf({})).toBe('write')
  expect(effectOf({ readOnlyHint: true })).toBe('read')
  expect(effectOf({ readOnlyHint: false, destructiveHint: false })).toBe('write')
  expect(effectOf({ destructiveHint: true })).toBe('destructive')
  expect(effectOf({ readOnlyHint: true, destructiveHint: true })).toBe('destructive')
})

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

describe('arguments', () => {
  it.each([
    ['a missing one', object({}, { required: ['city'] }), {}, "The arguments must have required property 'city'."],
    ['another type', object({ city: { type: 'string' } }), { city: 1 }, 'The argument city must be string.'],
    ['no object', object({}), 'text', 'The arguments must be object.'],
    [
      'a stray one',
      object({}, { additionalProperties: false }),
      { b: 1 },
      'The arguments must NOT have additional properties: "b".',
    ],
    [
      'another value',
      object({ a: { enum: ['x'] } }),
      { a: 'y' },
      'The argument a must be equal to one of the allowed values: ["x"].',
    ],
    [
      'a text that does not match',
      object({ a: { pattern: '^x+$' } }),
      { a: 'xy' },
      'The argument a must match pattern "^x+$".',
    ],
    [
      'a tuple of older drafts',
      object({ a: { items: [{ type: 'string' }] } }),
      { a: [1] },
      'The argument a/0 must be string.',
    ],
    [
      'a reference',
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { required: ['q'] } } },
      {},
      "The arguments must have required property 'q'.",
    ],
    [
      'a schema in itself',
      object({ n: { $ref: '#' } }, { required: ['v'] }),
      { v: 1, n: {} },
      "The argument n must have required property 'v'.",
    ],
  ])('with %s are told about', (_, schema, args, fault) => {
    expect(argumentsFault(schema, args)).toBe(fault)
  })

  it.each([
    ['that fit', definition.inputSchema, { city: 'Bern', days: 3 }],
    ['called as what every object has', object({ constructor: { type: 'number' }, toString: { type: 'number' } }), {}],
    [
      'under a schema of another draft',
      { $schema: 'http://json-schema.org/draft-04/schema#', $id: 'x:y', minimum: 'a' },
      {},
    ],
    [
      'under keywords of other languages',
      object({ a: { format: 'date', 'x-y': 1, exclusiveMinimum: true } }),
      { a: '!' },
    ],
    ['under a pattern that RE2 does not know', object({ a: { pattern: '(?=x)y' } }), { a: 'z' }],
    ['under code', object({ '"+process.exit(1)+"': { const: "'+process.exit(1)+'" } }), {}],
    [
      'under rows of a table',
      object({ a: { items: object({ b: { type: 'string', minLength: 1 } }) } }),
      { a: Array(3_000).fill({ b: 'x' }) },
    ],
  ])('%s are let through', (_, schema, args) => {
    expect(argumentsFault(schema, args)).toBeNull()
  })

  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `a${index}`,
      { allOf: Array(2).fill({ $ref: `#/$defs/a${index + 1}` }) },
    ]),
  )
  const names = Array.from({ length: 3_000 }, (_, index) => `r${index}`)
  const nested = Array(50)
    .fill(0)
    .reduce(inner => ({ n: inner }), {})
  const tooLong = 'The arguments cannot be held against the schema of the tool: that would take too long.'

  it.each([
    ['in themselves for ever', { $ref: '#' }, {}],
    ['twice as often with each level', { $ref: '#/$defs/a0', $defs: { ...doubling, a40: {} } }, {}],
    [
      'twice as often with each level of a long text',
      object({ a: { $ref: '#/$defs/a0' } }, { $defs: { ...doubling, a40: { minLength: 1 } } }),
      { a: 'x'.repeat(250_000) },
    ],
    [
      'twice as often with each level of the arguments',
      object({ n: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }),
      nested,
    ],
    ['with more errors than memory', object({ a: { items: { required: names } } }), { a: Array(50_000).fill({}) }],
    [
      'with patterns again and again',
      { patternProperties: { '(x+x+)+y': {} } },
      Object.fromEntries(names.map(name => [`${'x'.repeat(60)}${name}`, 1])),
    ],
  ])('that would be checked %s are refused in time', (_, schema, args) => {
    const begun = performance.now()
    expect(argumentsFault(schema, args)).toBe(tooLong)
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  it('are held against a pattern that would take for ever in a moment', () => {
    expect(argumentsFault(object({ a: { pattern: '^(a+)+$' } }), { a: `${'a'.repeat(4_000)}!` })).toContain(
      'must match pattern',
    )
  })

  it.each([
    ['refers to another document', { $ref: 'https://example.com/schema.json' }],
    ['refers to a part that is not there', { $ref: '#/$defs/none' }],
    ['has more than 500 parts', object(Object.fromEntries(names.map(name => [name, {}])))],
    ['has more than 500 parts', { dependentRequired: { a: names } }],
    [
      'has more than 100 patterns',
      { patternProperties: Object.fromEntries(names.slice(0, 101).map(name => [name, true])) },
    ],
    [
      'is nested more than 32 levels deep',
      Array(40)
        .fill(0)
        .reduce(inner => ({ not: inner }), {}),
    ],
  ])('are refused where the schema %s', (why, schema) => {
    expect(argumentsFault(schema, {})).toBe(`The input schema of the tool cannot be used: it ${why}.`)
  })

  it('are bounded', () => {
    expect(argumentsFault({}, { a: 'x'.repeat(300_000) })).toBe('The arguments are larger than 256 KiB.')
  })
})
