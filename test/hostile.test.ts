// What a real, listening server says to requests that nobody should send: the envelope, 4xx, and it goes on.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let port: number
let owner: TestCaller
const logged: string[] = []

beforeAll(async () => {
  p = await platform({ logTo: line => void logged.push(line) })
  const address = await p.app.listen({ port: 0, host: '127.0.0.1' })
  port = Number(new URL(address).port)
  owner = await p.user()
})
afterAll(() => p.close())
afterEach(async () => {
  const faults = logged.filter(line => JSON.parse(line).level >= 50)
  logged.length = 0
  expect(faults).toEqual([])
  expect((await send({ path: '/v1/scopes' })).status).toBe(200)
})

type Sent = { method?: string; path?: string; headers?: Record<string, string>; body?: string | Buffer }
type Got = { status: number; headers: Record<string, string>; text: string }

/** Bytes as they stand: no client between that would mend them. */
function sendBytes(bytes: Buffer): Promise<Got> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')))
    socket.on('data', chunk => {
      chunks.push(chunk as Buffer)
      const got = read(Buffer.concat(chunks), bytes.subarray(0, 4).toString() === 'HEAD')
      if (!got) return
      socket.destroy()
      resolve(got)
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after ${Buffer.concat(chunks)}`)))
  })
}

/** The answer, once all of it is there. */
function read(bytes: Buffer, isHead: boolean): Got | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = bytes.subarray(end + 4)
  if (!isHead && body.length < Number(headers['content-length'] ?? 0)) return null
  return { status: Number(first.split(' ')[1]), headers, text: body.toString() }
}

function send({ method = 'GET', path = '/v1/auth/me', headers = {}, body = '' }: Sent): Promise<Got> {
  const bytes = Buffer.from(body)
  const all = { host: `127.0.0.1:${port}`, connection: 'close', ...headers }
  const length = bytes.length > 0 || method !== 'GET' ? { 'content-length': String(bytes.length) } : {}
  const lines = Object.entries({ ...length, ...all }).map(([name, value]) => `${name}: ${value}\r\n`)
  return sendBytes(Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes]))
}

const json = { 'content-type': 'application/json' }

function expectEnvelope({ status, headers, text }: Got, expected: number, message: string): void {
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  const answer = JSON.parse(text)
  expect(answer).toMatchObject({ success: false, message: null, error: { message } })
  expect(answer).not.toHaveProperty('result')
  expect(answer.error.detail).toMatch(/^\S.*\.$/)
  expect(status).toBe(expected)
}

function expectLimits({ headers }: Got): void {
  expect(headers['ratelimit-limit']).toMatch(/^\d+$/)
  expect(headers['ratelimit-policy']).toMatch(/^"(rest|anonymous)";q=\d+;w=60$/)
  expect(headers.ratelimit).toMatch(/^"(rest|anonymous)";r=\d+;t=\d+$/)
}

const deep = (open: string, close: string) => `{"forename":${open.repeat(50_000)}1${close.repeat(50_000)}}`

/** Sent as the body of PATCH /v1/auth/me, with a good credential. */
const bodies: [name: string, body: string | Buffer, status: number, message: string][] = [
  ['JSON that is cut off', '{"forename":', 400, 'Bad Request'],
  ['JSON with a trailing comma', '{"forename":"Ada",}', 400, 'Bad Request'],
  ['no JSON at all', 'forename=Ada', 400, 'Bad Request'],
  ['a byte order mark alone', Buffer.from([0xef, 0xbb, 0xbf]), 400, 'Bad Request'],
  ['a list instead of an object', '[]', 400, 'Bad Request'],
  ['a text instead of an object', '"Ada"', 400, 'Bad Request'],
  ['null instead of an object', 'null', 400, 'Bad Request'],
  ['an unknown property', '{"forname":"Ada"}', 400, 'Bad Request'],
  ['a number where a text belongs', '{"forename":12}', 400, 'Bad Request'],
  ['objects nested 50,000 deep', deep('{"a":', '}'), 400, 'Bad Request'],
  ['lists nested 50,000 deep', deep('[', ']'), 400, 'Bad Request'],
  ['lists nested 50,000 deep with an escape', deep('["\\u0041",', ']'), 400, 'Bad Request'],
  [
    'invalid UTF-8',
    Buffer.from([...Buffer.from('{"forename":"'), 0xc3, 0x28, ...Buffer.from('"}')]),
    400,
    'Bad Request',
  ],
  [
    'an overlong encoding',
    Buffer.from([...Buffer.from('{"forename":"'), 0xc0, 0x80, ...Buffer.from('"}')]),
    400,
    'Bad Request',
  ],
  ['a raw NUL', '{"forename":"a\0b"}', 400, 'Bad Request'],
  ['an escaped NUL', '{"forename":"a\\u0000b"}', 400, 'Bad Request'],
  ['half of a surrogate pair', '{"forename":"\\ud800"}', 400, 'Bad Request'],
  ['a surrogate pair the wrong way round', '{"forename":"\\udc00\\ud800"}', 400, 'Bad Request'],
  ['a NUL in a property name', '{"fore\\u0000name":"Ada"}', 400, 'Bad Request'],
  ['__proto__', '{"__proto__":{"forename":"Ada"}}', 400, 'Bad Request'],
  ['constructor', '{"constructor":{"prototype":{"isAdmin":true}}}', 400, 'Bad Request'],
  ['__proto__ inside', '{"forename":{"__proto__":{"x":1}}}', 400, 'Bad Request'],
  ['a number past all bounds', '{"forename":1e999}', 400, 'Bad Request'],
  ['UTF-16', Buffer.from('{"forename":"Ada"}', 'utf16le'), 400, 'Bad Request'],
  ['one byte over 1 MiB', `{"forename":"${'a'.repeat(1024 * 1024 - 14)}"}`, 413, 'Payload too large'],
  ['10 MB', Buffer.alloc(10_000_000, 0x20), 413, 'Payload too large'],
]

describe('a body', () => {
  it.each(bodies)('of %s is refused', async (_, body, status, message) => {
    const got = await send({ method: 'PATCH', headers: { ...owner.headers, ...json }, body })
    expectEnvelope(got, status, message)
    expectLimits(got)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a', ''])(
    'of type "%s" is refused',
    async type => {
      const headers = { ...owner.headers, 'content-type': type }
      const got = await send({ method: 'PATCH', headers, body: '{"forename":"Ada"}' })
      expectEnvelope(got, 400, 'Bad Request')
      expectLimits(got)
    },
  )

  it('without a type is refused', async () => {
    const got = await send({ method: 'PATCH', headers: owner.headers, body: '{"forename":"Ada"}' })
    expectEnvelope(got, 400, 'Bad Request')
  })

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])(
    'of type "%s" is read',
    async type => {
      const headers = { ...owner.headers, 'content-type': type }
      expect((await send({ method: 'PATCH', headers, body: '{"forename":"Ada"}' })).status).toBe(200)
    },
  )

  it('that is announced too large is refused before it comes', async () => {
    const headers = `${Object.entries(owner.headers).map(([name, value]) => `${name}: ${value}\r\n`)}content-type: application/json\r\n`
    const got = await sendBytes(
      Buffer.from(`PATCH /v1/auth/me HTTP/1.1\r\nhost: a\r\n${headers}content-length: 9999999999\r\n\r\n{`),
    )
    expectEnvelope(got, 413, 'Payload too large')
    expectLimits(got)
  })

  it('in chunks past 1 MiB is refused', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    const headers = `authorization: ${owner.headers.authorization}\r\ncontent-type: application/json\r\n`
    const got = await sendBytes(
      Buffer.from(
        `PATCH /v1/auth/me HTTP/1.1\r\nhost: a\r\n${headers}transfer-encoding: chunked\r\n\r\n${chunk.repeat(20)}`,
      ),
    )
    expectEnvelope(got, 413, 'Payload too large')
  })

  it('is not looked at for someone who may not come in', async () => {
    const got = await send({ method: 'PATCH', headers: json, body: '{"forename":' })
    expectEnvelope(got, 401, 'Unauthorized')
    expectLimits(got)
  })

  it('that is missing where none is needed is fine, whatever the type says', async () => {
    const someone = await p.user()
    const key = await p.key(someone)
    const path = `/v1/api_keys/${someone.workspaceId}/${key.id}`
    const got = await send({ method: 'DELETE', path, headers: { ...someone.headers, ...json } })
    expect(got.status).toBe(200)
    expect((await send({ method: 'POST', path: '/v1/auth/logout', headers: json })).status).toBe(200)
  })

  it('that nobody asked for is passed over', async () => {
    const headers = { ...owner.headers, ...json }
    expect((await send({ path: '/v1/auth/whoami', headers, body: '{"broken":' })).status).toBe(200)
  })

  it.each(['', ';', 'a', 'text/plain; charset'])('of type "%s" that nobody asked for is passed over', async type => {
    const headers = { 'content-type': type }
    expect((await send({ method: 'POST', path: '/v1/auth/logout', headers, body: 'x' })).status).toBe(200)
    expect((await send({ method: 'POST', path: '/v1/auth/logout', headers })).status).toBe(200)
  })
})

/** Sent as GET with a good credential. */
const addresses: [name: string, path: string, status: number, message: string][] = [
  ['that does not exist', '/v1/nothing', 404, 'Not found'],
  ['that is the root of the API', '/v1', 404, 'Not found'],
  ['with a slash at the end', '/v1/workspaces/', 403, 'Forbidden'],
  ['with two slashes', '/v1//workspaces', 404, 'Not found'],
  ['with dots', '/v1/../v1/nothing', 404, 'Not found'],
  ['with bad percent-encoding', '/v1/workspaces/%zz', 400, 'Bad Request'],
  ['with half a percent-encoding', '/v1/workspaces/%', 400, 'Bad Request'],
  ['with invalid UTF-8', '/v1/workspaces/%c3%28', 400, 'Bad Request'],
  ['with bad percent-encoding and no route', '/v1/nothing/%zz', 400, 'Bad Request'],
  ['with NUL in the workspace', '/v1/workspaces/ws_%00', 403, 'Forbidden'],
  ['with a surrogate half in the workspace', '/v1/workspaces/%ed%a0%80', 400, 'Bad Request'],
  ['with __proto__ as the workspace', '/v1/workspaces/__proto__', 403, 'Forbidden'],
  ['with a path of 5,000 characters', `/v1/workspaces/${'a'.repeat(5_000)}`, 403, 'Forbidden'],
  ['with SQL as the workspace', `/v1/workspaces/${encodeURIComponent("' or 1=1 --")}`, 403, 'Forbidden'],
  ['with NUL in the query', '/v1/workspaces?name=%00', 400, 'Bad Request'],
  ['with a fractional page', '/v1/workspaces?page=1.5', 400, 'Bad Request'],
  ['with a negative page', '/v1/workspaces?page=-1', 400, 'Bad Request'],
  ['with an empty page', '/v1/workspaces?page=', 400, 'Bad Request'],
  ['with too large a page', '/v1/workspaces?perPage=101', 400, 'Bad Request'],
  ['with an unknown order', '/v1/workspaces?orderBy=__proto__', 400, 'Bad Request'],
  ['with SQL as the order', '/v1/workspaces?orderBy=id;drop', 400, 'Bad Request'],
]

/** Times that their format allows, and that neither a Date nor the database can hold. */
const times = ['2016-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2026-11-15T09:30:00+01']

describe('an address', () => {
  it.each(addresses)('%s is refused', async (_, path, status, message) => {
    const got = await send({ path, headers: owner.headers })
    expectEnvelope(got, status, message)
    expectLimits(got)
  })

  it('that cannot be decoded is told what is wrong with it', async () => {
    const got = await send({ path: '/v1/workspaces/100%', headers: owner.headers })
    expect(JSON.parse(got.text).error.detail).toContain('after % come two hexadecimal digits')
  })

  it.each([
    ['an unknown name', '?nonsense=1&__proto__=2&constructor[prototype]=3'],
    ['bad percent-encoding', '?name=%zz'],
    ['invalid UTF-8', '?name=%c3%28'],
    ['half a surrogate pair', '?name=%ed%a0%80'],
    ['a page far past the end', '?page=9007199254740991'],
    ['a page past all numbers', '?page=1e400'],
    ['a filter of a name that objects have anyway', '?toString=1'],
  ])('with %s in the query is answered', async (_, query) => {
    const got = await send({ path: `/v1/workspaces${query}`, headers: owner.headers })
    expect(got.status).toBe(200)
    expectLimits(got)
  })

  it.each(times)('with the time %s is refused', async time => {
    const path = `/v1/audit_logs/${owner.workspaceId}?from=${encodeURIComponent(time)}`
    expectEnvelope(await send({ path, headers: owner.headers }), 400, 'Bad Request')
    const key = `/v1/api_keys/${owner.workspaceId}/${(await p.key(owner)).id}`
    const body = JSON.stringify({ expires: time })
    const got = await send({ method: 'PATCH', path: key, headers: { ...owner.headers, ...json }, body })
    expectEnvelope(got, 400, 'Bad Request')
  })

  it('with NUL as the record is not found', async () => {
    const path = `/v1/api_keys/${owner.workspaceId}/key_%00`
    expectEnvelope(await send({ path, headers: owner.headers }), 404, 'Not found')
  })

  it('with a hundred of the longest filters is answered', async () => {
    const filters = Array.from({ length: 100 }, (_, index) => `id=key_${String(index).padStart(64, '0')}`).join('&')
    const path = `/v1/api_keys/${owner.workspaceId}?${filters}`
    expect((await send({ path, headers: owner.headers })).status).toBe(200)
  })
})

describe('a method', () => {
  it.each(['PUT', 'OPTIONS', 'TRACE', 'PURGE', 'PROPFIND'])(
    '%s that a route does not have is not found',
    async method => {
      const got = await send({ method, path: '/v1/workspaces', headers: { ...owner.headers, ...json }, body: '' })
      expect(got.status).toBe(404)
      expectLimits(got)
    },
  )

  it('that HTTP does not know is refused', async () => {
    expectEnvelope(await send({ method: 'NONSENSE', path: '/v1/workspaces' }), 400, 'Bad Request')
  })
})

describe('headers', () => {
  it('that are too long are refused', async () => {
    const got = await send({ path: '/v1/workspaces', headers: { 'x-long': 'a'.repeat(100_000) } })
    expectEnvelope(got, 400, 'Bad Request')
  })

  it('with a credential of any length and kind are refused', async () => {
    for (const token of [
      'a'.repeat(50_000),
      'sess_',
      `sess_${'\xff'.repeat(43)}`,
      'sess_%00',
      'sess_ x',
      "' or 1=1 --",
    ]) {
      const got = await send({ path: '/v1/workspaces', headers: { authorization: `Bearer ${token}` } })
      expectEnvelope(got, 401, 'Unauthorized')
      expectLimits(got)
    }
  })

  it('without a host, or with two lengths, are refused', async () => {
    expectEnvelope(await sendBytes(Buffer.from('GET /v1/workspaces HTTP/1.1\r\n\r\n')), 400, 'Bad Request')
    const twice = 'POST /v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'
    expectEnvelope(await sendBytes(Buffer.from(twice)), 400, 'Bad Request')
  })

  it('that are no HTTP at all are refused', async () => {
    expectEnvelope(await sendBytes(Buffer.from('\x16\x03\x01\x02\x00\x01\x00')), 400, 'Bad Request')
    expectEnvelope(await sendBytes(Buffer.from('hello\r\n\r\n')), 400, 'Bad Request')
  })

  it('that are strange but allowed change nothing', async () => {
    const headers = { ...owner.headers, upgrade: 'h2c', 'user-agent': 'x'.repeat(9_000), 'x-forwarded-for': '1.2.3' }
    expect((await send({ path: '/v1/workspaces', headers })).status).toBe(200)
  })
})

/** Connects, says something, and hands the socket over once the server has it. */
async function said(text: string): Promise<{ socket: Socket; heard: () => string }> {
  let heard = ''
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  socket.on('data', more => {
    heard += more
  })
  socket.on('error', () => {})
  const taken = once(p.app.server, 'connection')
  await once(socket, 'connect')
  await taken
  socket.write(text)
  return { socket, heard: () => heard }
}

function connections(): Promise<number> {
  return new Promise(resolve => p.app.server.getConnections((_, count) => resolve(count)))
}

async function inFlight(): Promise<string | undefined> {
  return /^atrium_requests_in_flight (\d+)$/m.exec((await send({ path: '/metrics' })).text)?.[1]
}

const half =
  'POST /v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{"em'

describe('a connection', () => {
  it.each([
    ['says nothing', ''],
    ['stops in its headers', 'GET /v1/scopes HTTP/1.1\r\nx-half: '],
    ['stops in its body', half],
  ])('that %s and goes is let go without a trace', async (_, text) => {
    await expect.poll(connections).toBe(0)
    const { socket } = await said(text)
    expect(await connections()).toBeGreaterThan(0)
    socket.destroy()
    await expect.poll(connections).toBe(0)
    await expect.poll(inFlight).toBe('0')
    expect(logged.filter(line => JSON.parse(line).level >= 40)).toEqual([])
  })

  it('that sends nonsense behind a question is cut off: the refusal would be taken for the answer', async () => {
    const headers = `host: a\r\nauthorization: ${owner.headers.authorization}\r\n`
    // In one packet: the question is read, and not answered yet.
    const question = `GET /v1/api_keys/${owner.workspaceId} HTTP/1.1\r\n${headers}\r\n`
    const { socket, heard } = await said(`${question}NONSENSE\r\n\r\n`)
    await once(socket, 'close')
    expect(heard()).toBe('')
  })

  it('that sends nonsense while it reads a stream is cut off: nothing but events is in the stream', async () => {
    const headers = `host: a\r\nauthorization: ${owner.headers.authorization}\r\n`
    const { socket, heard } = await said(`GET /v1/events/${owner.workspaceId}/stream HTTP/1.1\r\n${headers}\r\n`)
    await expect.poll(heard).toContain('text/event-stream')
    const closed = once(socket, 'close')
    socket.write('NONSENSE\r\n\r\n')
    await closed
    expect(heard()).not.toContain('400')
  })
})

it('answers a failure outside /v1 in the envelope too', async () => {
  expectEnvelope(await send({ path: '/nothing' }), 404, 'Not found')
})
