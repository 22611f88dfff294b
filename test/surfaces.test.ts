// The same operations on every surface: no more, no fewer.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { example } from '../src/contract/examples.ts'
import { methodOf, type Operation, pathOf } from '../src/contract/operation.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

/** Addresses that are not operations. What stands here is for machines and people around the API, never the API. */
const operational = [
  /^\/healthz$/,
  /^\/readyz$/,
  /^\/metrics$/,
  /^\/v1\/openapi\.json$/,
  /^\/openapi\.json$/,
  /^\/docs(\/search\.js)?$/,
  /^\/mcp(\/.*)?$/,
  /^\/oauth\/.*$/,
  /^\/\.well-known\/.*$/,
  /^\/dev\/mailbox$/,
  /^\/undo_email_change$/,
  /^\/p\/:id$/,
  // The console: its page and its files.
  /^\/(\*|assets\/.*|[\w-]+\.(svg|png|ico|webmanifest|txt))?$/,
]

type Mounted = { method: string; url: string; id: string | undefined }

const mounted: Mounted[] = []
let p: TestPlatform

beforeAll(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, config }) => {
      for (const one of [method].flat()) mounted.push({ method: one, url, id: config?.id })
    })
  }
  subscribe('fastify.initialization', watch)
  p = await platform()
  unsubscribe('fastify.initialization', watch)
})
afterAll(() => p.close())

const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)

describe('the server', () => {
  it('mounts every operation once, at its route', () => {
    const routes = mounted.filter(({ id, method }) => id !== undefined && method !== 'HEAD')
    const expected = table.map(([id, operation]) => `${id} ${operation.route.replace(/\{(\w+)\}/g, ':$1')}`)
    expect(routes.map(({ id, method, url }) => `${id} ${method} ${url}`).sort()).toEqual(expected.sort())
  })

  it('answers HEAD wherever an operation is got', () => {
    const heads = mounted.filter(({ id, method }) => id !== undefined && method === 'HEAD')
    const got = table.filter(([, { route }]) => route.startsWith('GET ')).map(([id]) => id)
    expect(heads.map(({ id }) => id).sort()).toEqual(got.sort())
  })

  it('has no other route than those listed above', () => {
    const others = mounted.filter(({ id, url }) => id === undefined && !operational.some(known => known.test(url)))
    expect(others).toEqual([])
  })
})

describe('the document', () => {
  it('describes every operation once, at its route', async () => {
    const { body } = await p.request({ url: '/v1/openapi.json' })
    const paths = Object.entries(body.paths as Record<string, Record<string, { operationId: string }>>)
    const described = paths.flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual(table.map(([id, { route }]) => `${id} ${route}`).sort())
  })

  it('is the same under both addresses', async () => {
    const [one, other] = await Promise.all([
      p.request({ url: '/v1/openapi.json' }),
      p.request({ url: '/openapi.json' }),
    ])
    expect(one.text).toBe(other.text)
  })
})

describe('the reference page', () => {
  it('is served from here alone, under a policy that lets nothing else in', async () => {
    const page = await p.request({ url: '/docs' })
    expect(page.headers['content-security-policy']).toContain(
      "default-src 'none'; script-src 'self'; style-src 'sha256-",
    )
    const sources = [...page.text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(match => match[1])
    expect(new Set(sources)).toEqual(new Set(['/docs/search.js', '/', '/v1/openapi.json']))
    const script = await p.request({ url: '/docs/search.js' })
    expect(script.headers['content-type']).toMatch(/javascript/)
  })
})

describe('the client', () => {
  it.each(table)('sends %s to its route', async (id, operation) => {
    const sent: string[] = []
    const client = createClient({
      baseUrl: 'http://atrium.test',
      retries: 0,
      send: async (url, init) => {
        sent.push(`${init?.method} ${new URL(String(url)).pathname}`)
        return Response.json({ success: true, message: null, error: null, result: {} })
      },
    })
    const path = (operation.path ? example(operation.path) : {}) as Record<string, string>
    // `client.api_keys.list` is reached name by name.
    let branch: unknown = client
    for (const name of id.split('.')) branch = (branch as Record<string, unknown>)[name]
    const answer = (branch as (input: object) => Promise<unknown> | AsyncIterable<unknown>)(path)
    // A file or a stream is asked for when it is read.
    if (operation.produces) await (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]().next()
    else await answer
    const filled = pathOf(operation).replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
    expect(sent).toEqual([`${methodOf(operation)} ${filled}`])
  })

  it('knows no other operation', async () => {
    const client = createClient({ baseUrl: 'http://atrium.test', send: () => Promise.reject(new Error('sent')) })
    const call = client.call as (id: string) => Promise<unknown>
    await expect(call('workspaces.unknown')).rejects.toThrow('no operation')
  })
})
