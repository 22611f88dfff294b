// Requests to one operation: what is generated is kept apart from the records it is aimed at, so that it can be sent again.
import fc, { type Arbitrary } from 'fast-check'
import type { InjectOptions } from 'fastify'
import { type Content, mediaTypes } from '../../src/contract/content.ts'
import type { Document, FuzzedOperation, Schema } from './document.ts'
import { hostileText, hostileValue, nearValue, validValue } from './values.ts'

type Fields = Record<string, unknown>

export type FuzzRequest = {
  /**
   * The good input that it starts from: one of the caller's own workspace, one of another's, the caller's own with the
   * other's record ids, or none.
   */
  aim: 'own' | 'foreign' | 'crossed' | 'none'
  /** Laid over the good input. */
  path: Fields
  query: Fields
  body: Fields
  without: string[]
  /** Sent as it stands instead of a body. */
  raw?: string
  headers: Record<string, string>
  from: string
}

type Places = Record<'path' | 'query' | 'body', Record<string, Schema>>

const aims = ['own', 'own', 'own', 'foreign', 'crossed', 'none'] as const

const from = fc.nat({ max: 65_535 }).map(number => `10.1.${number >> 8}.${number & 255}`)

const strangeBodies = ['', '{', '[]', 'null', '"a"', '0', '{"a":1,}', '{"a":1}{"a":2}', '\ufeff{}', '{"__proto__":{}}']

/** As HTTP carries them: one byte a character, no line ends. */
const latin = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map(code => String.fromCharCode(code)) })

const strangeHeaders: Arbitrary<Record<string, string>> = fc.record(
  {
    'idempotency-key': fc.oneof(latin, fc.constantFrom('', 'k'.repeat(128), 'k'.repeat(129))),
    'if-match': fc.oneof(latin, fc.constantFrom('*', '""', 'W/"a"')),
    'last-event-id': fc.oneof(latin, fc.constantFrom('0', '-1', '999999999999999', '1e3')),
    'user-agent': fc.oneof(latin, fc.constant('u'.repeat(5_000))),
    origin: fc.constantFrom('https://evil.example', 'null', 'http://127.0.0.1:3000'),
    'sec-fetch-site': fc.constantFrom('cross-site', 'same-origin', 'none', 'nonsense'),
    'content-type': fc.constantFrom('text/plain', 'application/json; charset=utf-16', '', 'application/json'),
    'accept-language': latin,
    'x-forwarded-for': latin,
    cookie: fc.oneof(latin, fc.constantFrom('session=', 'session=a; session=b', 'session=%zz')),
  },
  { requiredKeys: [] },
)

export function placesOf(document: Document, operation: FuzzedOperation): Places {
  const of = (place: string) =>
    Object.fromEntries(
      (operation.parameters ?? []).filter(part => part.in === place).map(part => [part.name, part.schema]),
    )
  const { schema } = operation.requestBody?.content['application/json'] ?? {}
  return { path: of('path'), query: of('query'), body: schema ? (document.schema(schema).properties ?? {}) : {} }
}

function isIdentifier(document: Document, schema: Schema): boolean {
  return document.schema(schema).pattern?.includes('_[0-9a-z]{') ?? false
}

export function requestTo(document: Document, operation: FuzzedOperation): Arbitrary<FuzzRequest> {
  const places = placesOf(document, operation)
  const fields = Object.values(places).flatMap(part => Object.keys(part))
  const each = (make: (schema: Schema) => Arbitrary<unknown>, leaveIds: boolean) => {
    const record = (part: Record<string, Schema>) => {
      const chosen = Object.entries(part).filter(([, schema]) => !(leaveIds && isIdentifier(document, schema)))
      const made = Object.fromEntries(chosen.map(([name, schema]) => [name, make(schema)]))
      return fc.record(made, { requiredKeys: [] }) as Arbitrary<Fields>
    }
    return fc.record({ path: record(places.path), query: record(places.query), body: record(places.body) })
  }
  const valid = (schema: Schema) => validValue(document, schema)
  const aim = fc.constantFrom(...aims)
  const whole = each(valid, false)
  const sound = aim.chain(where =>
    (where === 'none' ? whole : each(valid, true)).map(made => ({ aim: where, ...made })),
  )
  const plain = fc.record({ headers: fc.constant({}), from, without: fc.constant<string[]>([]) })
  const missing = fields.length > 0 ? fc.subarray(fields, { maxLength: 1 }) : fc.constant<string[]>([])
  const near = fc.record({ headers: fc.constant({}), from, without: missing })
  const strange = fc.record({ headers: strangeHeaders, from, without: missing })
  const hostileBody = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    fc.constantFrom(...strangeBodies).map(raw => ({ raw })),
    hostileValue.map(value => ({ raw: JSON.stringify(value) })),
  )
  const extra = fc.dictionary(hostileText, hostileValue, { maxKeys: 1, noNullPrototype: true })
  const good: Arbitrary<FuzzRequest> = fc
    .tuple(aim, plain)
    .map(([where, rest]) => ({ aim: where, path: {}, query: {}, body: {}, ...rest }))
  const nearby = each(schema => fc.oneof(valid(schema), nearValue(document, schema)), true)
  const outlandish = each(() => hostileValue, false)
  return fc.oneof(
    { weight: 2, arbitrary: good },
    { weight: 4, arbitrary: fc.tuple(sound, plain).map(([made, rest]) => ({ ...made, ...rest })) },
    {
      weight: 4,
      arbitrary: fc.tuple(aim, nearby, near).map(([where, made, rest]) => ({ aim: where, ...made, ...rest })),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(aim, outlandish, strange, hostileBody, extra).map(([where, made, rest, body, more]) => {
        return { aim: where, ...made, body: { ...made.body, ...more }, ...rest, ...body }
      }),
    },
  )
}

/** The request on the wire; `goods` are the good inputs of the caller's workspace and of the other. */
export function toInject(
  places: Places,
  { method, path }: FuzzedOperation,
  request: FuzzRequest,
  goods: { own: Fields; foreign: Fields },
  credential: Record<string, string>,
): InjectOptions {
  const input: Fields = { none: {}, own: goods.own, foreign: goods.foreign, crossed: crossed(goods) }[request.aim]
  const take = (place: keyof Places): Fields => {
    const found = Object.keys(places[place]).flatMap(name => (name in input ? [[name, input[name]]] : []))
    const merged = Object.entries({ ...Object.fromEntries(found), ...request[place] })
    return Object.fromEntries(merged.filter(([name]) => place === 'path' || !request.without.includes(name)))
  }
  const params = take('path')
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) => pathPart(params[name]))
  const query = Object.entries(take('query')).flatMap(([name, value]) =>
    [value].flat().map(one => `${queryPart(name)}=${queryPart(one)}`),
  )
  const body = take('body')
  const { content } = input as { content?: Content }
  const file = request.raw === undefined ? content : undefined
  const hasBody =
    file !== undefined ||
    request.raw !== undefined ||
    Object.keys(body).length > 0 ||
    Object.keys(places.body).length > 0
  return {
    method: method.toUpperCase() as 'GET',
    url: query.length > 0 ? `${url}?${query.join('&')}` : url,
    remoteAddress: request.from,
    headers: { ...(hasBody && { 'content-type': typeOf(file) }), ...request.headers, ...credential },
    ...(hasBody && { payload: file ? Buffer.from(file.bytes) : (request.raw ?? JSON.stringify(body)) }),
  }
}

function typeOf(file: Content | undefined): string {
  return file ? mediaTypes[file.kind][0] : 'application/json'
}

/** The caller's own workspace with the records of the other. */
function crossed({ own, foreign }: { own: Fields; foreign: Fields }): Fields {
  return { ...foreign, ...('workspaceId' in own && { workspaceId: own.workspaceId }) }
}

/** Dots alone would be taken for steps in the path, and empty parts for another address. */
function pathPart(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')).toWellFormed()
  return /^\.{0,2}$/.test(text) ? 'none' : encodeURIComponent(text.slice(0, 3_000).toWellFormed())
}

/** Half a surrogate pair as the bytes that a careless client makes of it. */
function queryPart(value: unknown): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 5_000)
  return text.isWellFormed() ? encodeURIComponent(text) : `${encodeURIComponent(text.toWellFormed())}%ED%A0%80`
}
