// The client as a library: types, paging, retries, and no server code in its imports.

import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../test/helpers/platform.ts'
import { listen } from '../../test/helpers/terminal.ts'
import { ConnectionError, createClient, RequestError } from './client.ts'

let running: TestPlatform
let baseUrl: string
let owner: TestCaller

beforeAll(async () => {
  running = await platform()
  baseUrl = await listen(running)
  owner = await running.user()
})
afterAll(() => running.close())

async function loopback(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const good = JSON.stringify({
  success: true,
  message: { message: 'Successful request' },
  error: null,
  result: { id: 1 },
})

describe('call', () => {
  it('takes an id or its words, and gives the result', async () => {
    const client = createClient({ baseUrl, token: owner.token })
    const { workspaceId } = owner
    const key = await client.api_keys.post({ workspaceId, name: 'from the client', scopes: ['workspaces:read'] })
    expect(key.token).toMatch(/^atr_/)
    expect(await client.call('api_keys.get', { workspaceId, id: key.id })).toMatchObject({ name: 'from the client' })
    const asKey = createClient({ baseUrl, apiKey: key.token })
    expect((await asKey.auth.whoami()).id).toBe(owner.userId)
    expect((await client.auth.notification_settings.get()).updates.security).toBe(true)
  })

  it('throws what the service said instead of a result', async () => {
    const client = createClient({ baseUrl, apiKey: 'atr_wrong' })
    const error = await client.auth.whoami().catch(error => error)
    expect(error).toBeInstanceOf(RequestError)
    expect(error).toMatchObject({ status: 401, title: 'Unauthorized' })
  })

  it('says where an answer is not the service’s', async () => {
    const elsewhere = await loopback((_, response) => void response.end('<html>'))
    await expect(createClient({ baseUrl: elsewhere }).scopes.list()).rejects.toThrow('is not from this service')
  })

  it('gives null where there is nothing to answer', async () => {
    const client = createClient({ baseUrl, token: owner.token })
    const claim = await client.threads.runs.claim({ workspaceId: owner.workspaceId })
    expect(claim).toBeNull()
    expectTypeOf(claim).extract<null>().toEqualTypeOf<null>()
    expectTypeOf<NonNullable<typeof claim>['token']>().toEqualTypeOf<string>()
  })

  it('is no promise by accident', async () => {
    const client = createClient({ baseUrl })
    expect(await client).toBe(client)
  })
})

describe('pages', () => {
  it('walks a list to its end, and stops there', async () => {
    const client = createClient({ baseUrl, token: owner.token })
    const { workspaceId } = owner
    for (let number = 0; number < 5; number++) {
      await client.api_keys.post({ workspaceId, name: `paged ${number}`, scopes: [] })
    }
    const all = await client.api_keys.list({ workspaceId, perPage: 100 })
    const names: string[] = []
    for await (const key of client.pages('api_keys.list', { workspaceId, perPage: 2 })) names.push(key.name)
    expect(names).toEqual(all.items.map(({ name }) => name))
  })
})

describe('a list that changes on the way', () => {
  async function withKeys(count: number) {
    const member = await running.user()
    const client = createClient({ baseUrl, token: member.token })
    const { workspaceId } = member
    for (let number = 0; number < count; number++) {
      await client.api_keys.post({ workspaceId, name: `number ${number}`, scopes: [] })
    }
    return { client, workspaceId, token: member.token }
  }

  it.each(['desc', 'asc'] as const)('gives every record to a caller that deletes each, %s', async order => {
    const { client, workspaceId } = await withKeys(25)
    for await (const { id } of client.pages('api_keys.list', { workspaceId, perPage: 4, order })) {
      await client.api_keys.del({ workspaceId, id })
    }
    expect((await client.api_keys.list({ workspaceId })).count).toBe(0)
  })

  it('misses none and gives none twice when another deletes some', async () => {
    const { client, workspaceId, token } = await withKeys(25)
    const other = createClient({ baseUrl, token })
    const names: string[] = []
    for await (const { id, name } of client.api_keys.list({
      workspaceId,
      perPage: 4,
      orderBy: 'created',
      order: 'asc',
    })) {
      names.push(name)
      if (names.length % 3 === 0) await other.api_keys.del({ workspaceId, id })
    }
    expect(names).toEqual(Array.from({ length: 25 }, (_, number) => `number ${number}`))
  })

  it('misses none when each record is replaced by a new one at the end', async () => {
    const { client, workspaceId } = await withKeys(10)
    const names = new Set<string>()
    for await (const { id, name } of client.api_keys.list({ workspaceId, perPage: 3, order: 'asc' })) {
      if (name.startsWith('new')) break
      names.add(name)
      await client.api_keys.post({ workspaceId, name: `new ${name}`, scopes: [] })
      await client.api_keys.del({ workspaceId, id })
    }
    expect(names.size).toBe(10)
  })

  it('is one page where it is awaited', async () => {
    const { client, workspaceId } = await withKeys(3)
    const { items, count } = await client.api_keys.list({ workspaceId, perPage: 2 })
    expect([items.length, count]).toEqual([2, 3])
  })
})

describe('files and streams', () => {
  it('reads a file by bytes, lines or whole', async () => {
    const { workspaceId } = owner
    const client = createClient({ baseUrl, token: owner.token })
    const text = await client.audit_logs.export({ workspaceId, format: 'ndjson' }).text()
    const lines: string[] = []
    for await (const line of client.audit_logs.export({ workspaceId }).lines()) lines.push(line)
    expect(lines.length).toBeGreaterThan(1)
    expect(JSON.parse(lines[0] ?? '')).toEqual(JSON.parse(text.split('\n')[0] ?? ''))
    let bytes = 0
    for await (const chunk of client.audit_logs.export({ workspaceId })) bytes += chunk.length
    expect(bytes).toBeGreaterThan(text.length - 1)
  })

  it('throws a refusal of a file', async () => {
    const client = createClient({ baseUrl })
    await expect(client.audit_logs.export({ workspaceId: owner.workspaceId }).text()).rejects.toMatchObject({
      status: 401,
    })
  })

  it('follows events until the caller leaves', async () => {
    const { workspaceId } = owner
    const client = createClient({ baseUrl, token: owner.token })
    const seen: string[] = []
    for await (const { event, data } of client.events.stream({ workspaceId, lastEventId: 0 })) {
      expect(data).toMatchObject({ action: event })
      seen.push(event)
      if (seen.length === 2) break
    }
    expect(seen.length).toBe(2)
  })

  it('goes on where a stream broke off', async () => {
    const asked: (string | undefined)[] = []
    const broken = await loopback((request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`retry: 1\nid: ${asked.length}\nevent: a.b\ndata: {"n":${asked.length}}\n\n`, () =>
        request.socket.destroy(),
      )
    })
    const numbers: unknown[] = []
    for await (const { data } of createClient({ baseUrl: broken }).events.stream({ workspaceId: 'ws_' })) {
      numbers.push(data)
      if (numbers.length === 3) break
    }
    expect(numbers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(asked).toEqual([undefined, '1', '2'])
  })

  it('ends a stream by its signal', async () => {
    const stop = new AbortController()
    const client = createClient({ baseUrl, token: owner.token })
    const follow = async () => {
      for await (const _ of client.events.stream({ workspaceId: owner.workspaceId }, { signal: stop.signal }));
    }
    setTimeout(() => stop.abort(new Error('enough')), 100)
    await expect(follow()).rejects.toThrow('enough')
  })
})

describe('what one call can say', () => {
  it('sends its own headers', async () => {
    const said: unknown[] = []
    const echo = await loopback((request, response) => {
      said.push(request.headers['if-match'], request.headers['x-own'])
      response.end(good)
    })
    const client = createClient({ baseUrl: echo, headers: { 'x-own': 'client' } })
    await client.scopes.list({}, { headers: { 'if-match': '"1"' } })
    await client.scopes.list({}, { headers: { 'x-own': 'call' } })
    expect(said).toEqual(['"1"', 'client', undefined, 'call'])
  })

  it('gives up after its time, also in the middle of an answer', async () => {
    const slow = await loopback((request, response) => {
      if (request.url?.includes('whoami')) response.write('{"success":')
    })
    const client = createClient({ baseUrl: slow, retries: 0 })
    await expect(client.scopes.list({}, { timeoutMs: 50 })).rejects.toThrow(/does not answer \(no answer within 50 ms/)
    await expect(client.auth.whoami({}, { timeoutMs: 50 })).rejects.toBeInstanceOf(ConnectionError)
  })

  it('sends a write again after a broken connection, under one Idempotency-Key', async () => {
    const keys: unknown[] = []
    const broken = await loopback((request, response) => {
      keys.push(request.headers['idempotency-key'])
      if (keys.length % 2 === 1) request.socket.destroy()
      else response.end(good)
    })
    const client = createClient({ baseUrl: broken })
    const input = { workspaceId: 'ws_', name: 'a team', slug: 'a-team' }
    await client.teams.post(input)
    await client.teams.post(input, { idempotencyKey: 'my own' })
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys).toEqual([keys[0], keys[0], 'my own', 'my own'])
    await expect(client.teams.post(input, { idempotencyKey: false })).rejects.toBeInstanceOf(ConnectionError)
    expect(keys.at(-1)).toBeUndefined()
  })

  it('names the request in an error', async () => {
    const error = await createClient({ baseUrl })
      .auth.whoami()
      .catch(error => error)
    expect(error.requestId).toMatch(/^[\w-]{8,}$/)
  })
})

describe('patience', () => {
  it.each([429, 503])('waits Retry-After on %i and sends any method again', async status => {
    const tried: string[] = []
    const busy = await loopback((request, response) => {
      tried.push(request.method ?? '')
      if (tried.length < 3) response.writeHead(status, { 'retry-after': '0' }).end('{}')
      else response.end(good)
    })
    const waits: number[] = []
    const client = createClient({ baseUrl: busy, onWait: ({ seconds }) => waits.push(seconds) })
    await client.auth.login({ email: 'ada@example.com', password: 'x' })
    expect(tried).toEqual(['POST', 'POST', 'POST'])
    expect(waits).toEqual([0, 0])
  })

  it('gives up after the retries it was allowed, with the refusal', async () => {
    const busy = await loopback((_, response) => {
      response.writeHead(429, { 'retry-after': '0' })
      response.end(JSON.stringify({ success: false, message: null, error: { message: 'Slow down' } }))
    })
    const error = await createClient({ baseUrl: busy, retries: 1 })
      .scopes.list()
      .catch(error => error)
    expect(error).toMatchObject({ status: 429, title: 'Slow down' })
  })

  it('sends a write whose connection broke only once, a read again', async () => {
    const tried: string[] = []
    const broken = await loopback(request => {
      tried.push(request.method ?? '')
      request.socket.destroy()
    })
    const client = createClient({ baseUrl: broken, retries: 2 })
    await expect(client.auth.login({ password: 'x' })).rejects.toBeInstanceOf(ConnectionError)
    expect(tried).toEqual(['POST'])
    await expect(client.scopes.list()).rejects.toBeInstanceOf(ConnectionError)
    expect(tried).toEqual(['POST', 'GET', 'GET', 'GET'])
  })

  it('stops at once when it is aborted, also while it waits', async () => {
    const busy = await loopback((_, response) => void response.writeHead(503, { 'retry-after': '3600' }).end())
    const stop = new AbortController()
    const client = createClient({ baseUrl: busy, onWait: () => stop.abort(new Error('enough')) })
    await expect(client.scopes.list({}, { signal: stop.signal })).rejects.toThrow('enough')
    await expect(client.scopes.list({}, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before')
  })
})

describe('types', () => {
  it('refuse what the service would', () => {
    const client = createClient({ baseUrl })
    const never = () => {
      // @ts-expect-error an id that is not there
      client.call('api_keys.lst', {})
      // @ts-expect-error a path field is missing
      client.api_keys.list({})
      // @ts-expect-error a sort key that is not one
      client.api_keys.list({ workspaceId: 'ws_', orderBy: 'colour' })
      // @ts-expect-error a scope that is not on the list
      client.api_keys.post({ workspaceId: 'ws_', name: 'name', scopes: ['everything'] })
      // @ts-expect-error no list
      client.pages('auth.whoami', {})
      // @ts-expect-error no list
      for (const _ of [client.auth.whoami()[Symbol.asyncIterator]]);
      // @ts-expect-error input that is required
      client.auth.login()
    }
    expect(never).toBeTypeOf('function')
    expectTypeOf(client.auth.whoami).returns.resolves.toHaveProperty('email').toEqualTypeOf<string | null>()
    expectTypeOf(client.workspaces.list).returns.resolves.toHaveProperty('count').toEqualTypeOf<number>()
  })
})

/** Every file that an import reaches; what is only a type is gone when it runs. */
function closureOf(file: string, found = new Set<string>()): { files: Set<string>; packages: Set<string> } {
  const packages = new Set<string>()
  const visit = (path: string) => {
    if (found.has(path)) return
    found.add(path)
    const text = readFileSync(path, 'utf8')
    for (const [, typeOnly, from = ''] of text.matchAll(
      /^(?:import|export)( type)?\s[^'"]*?from '([^']+)'|^import '([^']+)'/gm,
    )) {
      if (typeOnly) continue
      if (from.startsWith('.')) visit(resolve(dirname(path), from))
      else packages.add(from)
    }
  }
  visit(file)
  return { files: found, packages }
}

describe('import closure', () => {
  it('holds contracts and typebox, and no server code', () => {
    const source = resolve(import.meta.dirname, '..')
    const { files, packages } = closureOf(join(import.meta.dirname, 'client.ts'))
    expect(files.size).toBeGreaterThan(10)
    const names = [...files].map(file => relative(source, file))
    const allowed = /^(client\/|contract\/|registry\.ts|operations\.ts|areas\/\w+\/(\w+\/)*contract\.ts)/
    expect(names.filter(name => !allowed.test(name))).toEqual([])
    expect([...packages].sort()).toEqual(['typebox'])
  })
})
