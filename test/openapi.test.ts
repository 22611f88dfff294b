// The OpenAPI document: well formed, true to the registry, and the same as the snapshots say until someone means to change it.
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { declaredAnswers } from '../src/contract/answers.ts'
import { errors } from '../src/contract/errors.ts'
import { openapi } from '../src/contract/openapi.ts'
import { errorsOf, methodOf, type Operation, pathOf } from '../src/contract/operation.ts'
import { scopes } from '../src/contract/scopes.ts'
import { areas, operation as lookUp, operationIds } from '../src/operations.ts'

type Json = Record<string, unknown>
type Described = {
  operationId: string
  tags: string[]
  'x-required-scopes': string[]
  'x-restricted-callers'?: string[]
  security: Json[]
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Json }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Json; example: unknown }> }
  responses: Record<string, Json>
}

const document = openapi(areas, 'http://127.0.0.1:3000') as {
  openapi: string
  info: { version: string; description: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Json>; responses: Record<string, Json>; securitySchemes: Record<string, Json> }
}
const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)
const described = (operation: Operation): Described =>
  document.paths[pathOf(operation)]?.[methodOf(operation).toLowerCase()] as Described

const snapshots = join(import.meta.dirname, 'snapshots')

/** Schemas point into the document, so it is registered whole. */
const ajv = new Ajv.default({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(document, 'document')

function problems(pointer: string, value: unknown): unknown {
  const isValid = ajv.compile({ $ref: `document#${pointer}` })
  return isValid(value) ? [] : isValid.errors
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function* walk(value: unknown, path: string[] = []): Generator<[path: string[], value: Json]> {
  if (typeof value !== 'object' || value === null) return
  yield [path, value as Json]
  for (const [name, part] of Object.entries(value)) yield* walk(part, [...path, name])
}

describe('the document', () => {
  it('is OpenAPI 3.1 of version 0.0.1, and survives JSON', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(document.info.version).toBe('0.0.1')
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  it('points only at what is there', () => {
    const pointers = [...walk(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    const missing = pointers.filter(pointer => {
      const parts = pointer.replace(/^#\//, '').split('/')
      return parts.reduce<unknown>((value, part) => (value as Json | undefined)?.[part], document) === undefined
    })
    expect(missing).toEqual([])
  })

  it('has only schemas that are schemas, each named for one shape', () => {
    for (const name of Object.keys(document.components.schemas)) {
      expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/)
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow()
    }
    const shapes = new Map<string, string>()
    for (const [, operation] of table) {
      for (const [, schema] of walk([operation.path, operation.query, operation.body, operation.result])) {
        if (typeof schema.title !== 'string' || !schema.type) continue
        const shape = JSON.stringify(schema)
        expect(shapes.get(schema.title) ?? shape, `two schemas are called ${schema.title}`).toBe(shape)
        shapes.set(schema.title, shape)
      }
    }
  })

  it('names the three ways to carry a credential', () => {
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      bearer: { type: 'http', scheme: 'bearer' },
      cookie: { type: 'apiKey', in: 'cookie' },
    })
  })

  it('has a tag for every area, and says what the area is for', () => {
    expect(document.tags.map(({ name }) => name)).toEqual(areas.map(({ name }) => name).sort())
    expect(document.tags.filter(({ description }) => !description || /^Operations of/.test(description))).toEqual([])
  })

  it('begins with what is true of every operation', () => {
    for (const word of ['Envelope', 'Lists', 'Errors', 'Limits'])
      expect(document.info.description).toContain(`## ${word}`)
  })

  it('declares the scopes of OAuth, and asks for no other', () => {
    const { oauth2 } = document.components.securitySchemes as { oauth2: { flows: { authorizationCode: Json } } }
    const { scopes: declared, authorizationUrl } = oauth2.flows.authorizationCode as { scopes: Json } & Json
    expect(authorizationUrl).toBe('http://127.0.0.1:3000/oauth/authorize')
    expect(Object.keys(declared)).toEqual([...scopes])
    for (const [, operation] of table) {
      const asked = described(operation).security.flatMap(({ oauth2 }) => (oauth2 as string[] | undefined) ?? [])
      expect(asked).toEqual(typeof operation.access === 'string' ? [] : operation.access)
    }
  })

  it('shows failures in the envelope, with the texts of the table', () => {
    for (const [kind, { message }] of Object.entries(errors)) {
      const pointer = `/components/responses/${kind}/content/application~1json`
      const { content } = document.components.responses[kind] as { content: Record<string, { example: Json }> }
      const shown = content['application/json']?.example
      expect(shown).toMatchObject({ success: false, message: null, error: { message } })
      expect(problems(`${pointer}/schema`, shown)).toEqual([])
    }
  })

  it('prints no mark that only the platform reads', () => {
    const marks = [...walk(document)].flatMap(([, part]) => Object.keys(part).filter(key => key.startsWith('x-')))
    const forReaders = ['x-past', 'x-format', 'x-group', 'x-columns', 'x-moves', 'x-body-limit']
    const known = ['x-required-scopes', 'x-restricted-callers', 'x-reach', 'x-secret', ...forReaders]
    expect([...new Set(marks)].filter(mark => !known.includes(mark))).toEqual([])
  })
})

describe.each(table)('%s', (id, operation) => {
  const shown = described(operation)
  const place = `/paths/${pointerPart(pathOf(operation))}/${methodOf(operation).toLowerCase()}`

  it('says who may call it', () => {
    expect(shown['x-required-scopes']).toEqual(typeof operation.access === 'string' ? [] : operation.access)
    expect(shown['x-restricted-callers']).toEqual(operation.restricted)
    const names = shown.security.flatMap(Object.keys)
    expect(names.filter(name => !(name in document.components.securitySchemes))).toEqual([])
    if (operation.signal) expect(names).toEqual(['telemetryToken', 'bearer'])
    else if (operation.access !== 'public') expect(names).toEqual(expect.arrayContaining(['bearer', 'cookie']))
    if (operation.access === 'user') expect(names).not.toContain('apiKey')
  })

  it('answers with its success and every failure it may have, and no other', () => {
    const good = Object.keys(declaredAnswers(operation)).map(Number)
    if (operation.etag === 'own') good.push(304)
    const statuses = [...good, ...errorsOf(operation).map(kind => errors[kind].status), 413, 503]
    expect(Object.keys(shown.responses).map(Number).sort()).toEqual([...new Set(statuses)].sort())
  })

  it('shows examples that its schemas accept', () => {
    const body = shown.requestBody?.content['application/json']
    if (body) expect(problems(`${place}/requestBody/content/application~1json/schema`, body.example)).toEqual([])
    for (const [status, response] of Object.entries(shown.responses)) {
      const content = (response.content ?? {}) as Record<string, { example?: unknown }>
      const json = content['application/json']
      if (json)
        expect(problems(`${place}/responses/${status}/content/application~1json/schema`, json.example)).toEqual([])
    }
  })

  it('lists its parameters once, those of the path as required', () => {
    const parameters = shown.parameters ?? []
    const names = parameters.map(parameter => parameter.name)
    expect(new Set(names).size).toBe(names.length)
    for (const parameter of parameters) if (parameter.in === 'path') expect(parameter.required).toBe(true)
    expect(shown.operationId).toBe(id)
    expect(parameters.filter(({ description }) => !description)).toEqual([])
    expect(names.includes('If-Match')).toBe(Boolean(operation.etag) && methodOf(operation) !== 'GET')
  })

  it('names the headers of its answers', () => {
    const { headers = {} } = shown.responses[String(operation.status ?? 200)] as { headers?: Json }
    const always = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Policy', 'RateLimit']
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(always))
    expect('ETag' in headers).toBe(Boolean(operation.etag))
  })
})

describe('snapshots', () => {
  it('of the operations: one line each, to be read first in any review', async () => {
    const lines = table.map(([id, operation]) => {
      const access = typeof operation.access === 'string' ? operation.access : operation.access.join(' ')
      return `${id.padEnd(38)} ${methodOf(operation).padEnd(6)} ${pathOf(operation).padEnd(66)} ${access}`
    })
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(snapshots, 'operations.txt'))
  })

  it.each(areas.map(({ name }) => name))('of the shapes of %s', async name => {
    const own = table.filter(([id]) => id.startsWith(`${name}.`))
    const shapes = Object.fromEntries(own.map(([id, operation]) => [id, described(operation)]))
    const text = `${JSON.stringify({ operations: shapes, schemas: schemasOf(shapes) }, null, 2)}\n`
    await expect(text).toMatchFileSnapshot(join(snapshots, `openapi/${name}.json`))
  })
})

/** The components that a part of the document points at, also by way of others. */
function schemasOf(part: unknown): Json {
  const found: Json = {}
  const open = [part]
  while (open.length > 0) {
    for (const [, { $ref }] of walk(open.pop())) {
      const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined
      if (name === undefined || name in found) continue
      found[name] = document.components.schemas[name]
      open.push(found[name])
    }
  }
  return Object.fromEntries(Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)))
}
