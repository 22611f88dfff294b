// The client as a library: types, paging, patience, and nothing of the server behind it.

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
    const allowed = /^(client\/|contract\/|registry\.ts|operations\.ts|areas\/\w+\/(\w+\/)?contract\.ts)/
    expect(names.filter(name => !allowed.test(name))).toEqual([])
    expect([...packages].sort()).toEqual(['typebox'])
  })
})
