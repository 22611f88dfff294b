// Security headers, held against every route that is mounted and every answer that no route gives.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { example } from '../src/contract/examples.ts'
import { operation as lookUp } from '../src/operations.ts'
import { type Answer, platform, platformForTest, type TestCaller, type TestPlatform } from './helpers/platform.ts'

type Mounted = { method: string; url: string; id: string | undefined }

const mounted: Mounted[] = []
let p: TestPlatform
let owner: TestCaller

beforeAll(async () => {
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url, config }) => {
      for (const one of [method].flat()) mounted.push({ method: one, url, id: config?.id })
    })
  }
  subscribe('fastify.initialization', watch)
  p = await platform({ env: { CORS_ORIGINS: 'https://app.example.com', OAUTH_DYNAMIC_REGISTRATION: 'true' } })
  unsubscribe('fastify.initialization', watch)
  owner = await p.user()
})
afterAll(() => p.close())

const everywhere = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
  'referrer-policy': expect.stringMatching(/^(no-referrer|same-origin)$/),
  'cross-origin-resource-policy': 'same-origin',
}

function expectSafe({ headers }: Pick<Answer, 'headers'>, url: string): void {
  expect(headers, url).toMatchObject(everywhere)
  // Scripts are ours or none; nothing may be written into a page by a stranger's markup.
  expect(headers['content-security-policy'], url).not.toMatch(/script-src[^;]*'unsafe|(default|object)-src[^;]*\*/)
  expect(headers, url).not.toHaveProperty('server')
  expect(headers, url).not.toHaveProperty('x-powered-by')
  if (!String(headers['content-type'] ?? '').startsWith('text/html')) return
  expect(headers['permissions-policy'], url).toContain('camera=()')
  expect(headers['content-security-policy'], url).toContain("base-uri 'none'")
  if (!url.startsWith('/oauth')) expect(headers['cross-origin-opener-policy'], url).toBe('same-origin')
}

function pathOf({ url, id }: Mounted): string {
  const path = (id && lookUp(id)?.path ? example(lookUp(id)?.path as never) : {}) as Record<string, string>
  const values = { ...path, workspaceId: owner.workspaceId } as Record<string, string>
  return url.replace(/:(\w+)/g, (_, name: string) => values[name] ?? 'x').replace('*', '')
}

describe('every route', () => {
  it('sends them, to a caller and to nobody', async () => {
    expect(mounted.length).toBeGreaterThan(70)
    for (const route of mounted) {
      const url = pathOf(route)
      for (const headers of [{ accept: 'text/html' }, owner.headers]) {
        expectSafe(await p.request({ method: route.method as 'GET', url, headers }), `${url} (${route.method})`)
      }
    }
  }, 120_000)

  it('lets no other site see where a person was, but the forms that must say so', async () => {
    const [api, form] = [await p.request({ url: '/v1/scopes' }), await p.request({ url: '/oauth/device' })]
    expect([api, form].map(({ headers }) => headers['referrer-policy'])).toEqual(['no-referrer', 'same-origin'])
  })
})

describe('answers that no route gives', () => {
  it('carry them too: a page of the authorization that has expired', async () => {
    const answer = await p.request({ url: '/oauth/device/unknown', headers: { accept: 'text/html' } })
    expect(answer.status).toBe(400)
    expectSafe(answer, '/oauth/device/unknown')
  })

  const odd: [name: string, options: Parameters<TestPlatform['request']>[0], status: number][] = [
    ['an unknown address', { url: '/v1/nothing' }, 404],
    ['an address that cannot be read', { url: '/v1/%zz' }, 400],
    ['a body that is too long', { method: 'POST', url: '/v1/auth/login', payload: 'x'.repeat(1_100_000) }, 413],
    ['a body that is not JSON', { method: 'POST', url: '/v1/auth/login', payload: '{' }, 400],
    [
      'a preflight',
      {
        method: 'OPTIONS',
        url: '/v1/scopes',
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'GET' },
      },
      204,
    ],
  ]

  it.each(odd)('carry them too: %s', async (_, options, status) => {
    const answer = await p.request({ ...options, headers: { 'content-type': 'application/json', ...options.headers } })
    expect(answer.status).toBe(status)
    expectSafe(answer, String(options.url))
  })

  it('carry them too: what is no HTTP', async () => {
    await p.app.listen({ port: 0, host: '127.0.0.1' })
    const socket = connect((p.app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.end('NONSENSE\r\n\r\n')
    const [bytes] = await once(socket, 'data')
    const [head = ''] = String(bytes).split('\r\n\r\n')
    const lines = head.split('\r\n').slice(1)
    const headers = Object.fromEntries(lines.map(line => line.split(/: (.*)/).slice(0, 2) as [string, string]))
    expectSafe({ headers }, 'NONSENSE')
  })
})

describe('Strict-Transport-Security', () => {
  it('is sent where the platform is reached by https, and only there', async () => {
    const env = { PUBLIC_URL: 'https://atrium.example.com', SMTP_URL: 'smtp://127.0.0.1:9' }
    const q = await platformForTest({ env })
    for (const url of ['/', '/v1/scopes', '/v1/%zz', '/oauth/jwks', '/docs']) {
      expect((await q.request({ url })).headers['strict-transport-security'], url).toBe('max-age=31536000')
      expect((await p.request({ url })).headers, url).not.toHaveProperty('strict-transport-security')
    }
  })
})
