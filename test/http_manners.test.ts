// What callers over HTTP expect: HEAD where GET is, the right header named, every fault at once, and a challenge to ask by.
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestOf } from '../src/client/request.ts'
import { methodOf, type Operation, pathOf } from '../src/contract/operation.ts'
import { scopes as allScopes } from '../src/contract/scopes.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { mayCompress } from '../src/server/request/compression.ts'
import { bearer, listeningPlatform, tokensFor } from './helpers/oauth.ts'
import type { TestCaller, TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await listeningPlatform()
  owner = await p.user()
})
afterAll(() => p.close())

describe('HEAD', () => {
  const got = operationIds.filter(id => methodOf(lookUp(id) as Operation) === 'GET')

  it.each(got)('of %s answers as GET does, without a body', async id => {
    const operation = lookUp(id) as Operation
    const path = pathOf(operation)
      .replace('{workspaceId}', owner.workspaceId)
      .replace(/\{\w+\}/g, 'x')
    const isStream = operation.produces?.[0] === 'text/event-stream'
    const url = `${p.config.PUBLIC_URL}${path}${id === 'access.explain' ? '?operation=api_keys.list' : ''}`
    const head = await fetch(url, { method: 'HEAD', headers: owner.headers })
    expect(await head.text()).toBe('')
    // No record is called x.
    if (isStream) return expect(head.status).toBe(path.includes('/x/') ? 404 : 200)
    const get = await fetch(url, { headers: owner.headers })
    await get.text()
    expect(head.status).toBe(get.status)
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  it.each(['/v1/openapi.json', '/healthz', '/'])('of %s answers too', async path => {
    const head = await fetch(`${p.config.PUBLIC_URL}${path}`, { method: 'HEAD' })
    const get = await fetch(`${p.config.PUBLIC_URL}${path}`)
    await get.text()
    expect(head.status).toBe(get.status)
  })
})

describe('a large answer', () => {
  const asking = async (id: string, input: object, caller: TestCaller, headers: Record<string, string>) => {
    const { method, path } = requestOf(lookUp(id) as Operation, input as Record<string, unknown>)
    const all = { ...caller.headers, ...headers }
    return await p.app.inject({ method: method as 'GET', url: path, headers: all })
  }

  it('is compressed as the client takes it, and is the same then', async () => {
    const { workspaceId } = owner
    const scopes = [...allScopes]
    for (let count = 0; count < 20; count++) {
      await p.call('api_keys.post', { workspaceId, name: `Key ${count}`, scopes }, owner)
    }
    const list = (headers: Record<string, string>) => asking('api_keys.list', { workspaceId }, owner, headers)
    const plain = await list({})
    expect([plain.headers['content-encoding'], plain.rawPayload.length > 16_384]).toEqual([undefined, true])
    const ways = { br: brotliDecompressSync, gzip: gunzipSync } as const
    for (const [encoding, opened] of Object.entries(ways)) {
      const sent = await list({ 'accept-encoding': encoding })
      expect(sent.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      expect(sent.headers['content-length']).toBe(String(sent.rawPayload.length))
      expect(opened(sent.rawPayload).toString()).toBe(plain.payload)
    }
    // A page of another site that makes the browser ask learns nothing from the length.
    const foreign = await list({ 'accept-encoding': 'br', 'sec-fetch-site': 'cross-site' })
    expect(foreign.headers['content-encoding']).toBeUndefined()
  })

  it('is never compressed where it can hold a secret, or repeats what was sent', () => {
    const compressed = operationIds.filter(id => mayCompress(lookUp(id) as Operation))
    expect(compressed).toContain('api_keys.list')
    for (const id of compressed) {
      const { result, route } = lookUp(id) as Operation
      expect([id, route.startsWith('GET ')]).toEqual([id, true])
      expect([id, JSON.stringify(result).includes('x-secret')]).toEqual([id, false])
    }
    for (const id of ['api_keys.post', 'api_keys.rotate', 'auth.login', 'oauth_clients.post']) {
      expect(mayCompress(lookUp(id) as Operation)).toBe(false)
    }
  })
})

describe('a key sent as bearer', () => {
  it('is told the right header', async () => {
    const key = await p.key(owner)
    const { status, body } = await p.call('workspaces.list', {}, { headers: { authorization: `Bearer ${key.token}` } })
    expect(status).toBe(401)
    expect(body.error.detail).toBe('This is an API key: send it in the header x-api-key, not as a bearer token.')
  })
})

describe('faults of the input', () => {
  it('are all told, those of a password rule by rule and without the password', async () => {
    const { body } = await p.call('auth.signup', { email: 'nobody', password: 'short é', forename: 7 } as never)
    const { issues } = body.error.metadata as { issues: { path: string; expected: string }[] }
    expect(new Set(issues.map(({ path }) => path))).toEqual(new Set(['email', 'password', 'forename']))
    const expected = issues.filter(({ path }) => path === 'password').map(one => one.expected)
    expect(expected).toEqual([
      'at least 8 characters',
      'an uppercase letter',
      'a digit',
      'one of @$!%*?&',
      'no other characters than letters, digits and @$!%*?&',
    ])
    expect(JSON.stringify(body)).not.toContain('short é')
  })

  it('name all values that may stand there, or say that there are more', async () => {
    const { workspaceId } = owner
    const expectedOf = async (id: string, input: object) => {
      const { body } = await p.call(id, input as never, owner)
      return (body.error.metadata.issues as { expected: string }[])[0]?.expected
    }
    const integration = { workspaceId, name: 'Unknown', type: 'unknown' }
    expect(await expectedOf('integrations.post', integration)).toMatch(/^one of webhook, .*, mcp, custom$/)
    const key = { workspaceId, name: 'Unknown', scopes: ['unknown'] }
    expect(await expectedOf('api_keys.post', key)).toMatch(/, or 50 more that the reference lists$/)
  })

  it('of a query are all told', async () => {
    const query = { perPage: 'many', page: '0', order: 'up' }
    const { body } = await p.call('workspaces.list', query as never, owner)
    const { issues } = body.error.metadata as { issues: { path: string }[] }
    expect(issues.map(({ path }) => path).sort()).toEqual(['order', 'page', 'perPage'])
  })
})

describe('a key', () => {
  it('names the person who made it beside the credential', async () => {
    const { workspaceId, userId } = owner
    const made = await p.call('api_keys.post', { workspaceId, name: 'By a person', scopes: [] }, owner)
    expect(made.result).toMatchObject({ createdByUserId: userId, createdBy: expect.stringMatching(/^\w+/) })
    const maker = await p.key(owner)
    const byKey = await p.call('api_keys.post', { workspaceId, name: 'By a key', scopes: [] }, maker)
    expect(byKey.result).toMatchObject({ createdByUserId: userId, createdBy: maker.id })
  })
})

describe('an application that lacks a scope', () => {
  it('is challenged with all that it should ask for', async () => {
    const tokens = await tokensFor(p, owner, { scope: 'teams:read', resource: `${p.config.PUBLIC_URL}/v1` })
    const { workspaceId } = owner
    const { status, headers } = await p.call('api_keys.list', { workspaceId }, bearer(tokens.access_token))
    expect(status).toBe(403)
    expect(headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="teams:read api_keys:read", ' +
        `resource_metadata="${p.config.PUBLIC_URL}/.well-known/oauth-protected-resource/v1"`,
    )
    const key = await p.key(owner, { scopes: [] })
    expect((await p.call('api_keys.list', { workspaceId }, key)).headers['www-authenticate']).toBeUndefined()
  })
})
