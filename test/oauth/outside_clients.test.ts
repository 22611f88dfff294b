import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/kit/context.ts'
import { sql } from '../../src/kit/sql.ts'
import { isPublicAddress, outbound, outboundFrom } from '../../src/server/work/outbound.ts'
import { authorize, bearer, tokensFor } from '../helpers/oauth.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let user: TestCaller
let server: Server
let base: string
let read: Fetch
const folder = mkdtempSync(join(tmpdir(), 'atrium-oauth-'))
let hits = 0

beforeAll(async () => {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ],
    { stdio: 'ignore' },
  )
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    hits++
    const { port } = server.address() as AddressInfo
    const id = `https://localhost:${port}${request.url}`
    const document = {
      client_id: id,
      client_name: 'From a document',
      redirect_uris: ['http://127.0.0.1/callback', 'https://tool.example/cb'],
    }
    const answers: Record<string, [number, object | string, Record<string, string>?]> = {
      '/client.json': [200, document],
      '/bad-redirect.json': [200, { ...document, redirect_uris: ['http://evil.example/cb'] }],
      '/other-id.json': [200, { ...document, client_id: 'https://elsewhere.example/client.json' }],
      '/secret.json': [200, { ...document, client_secret: 'x' }],
      '/moved.json': [302, '', { location: '/client.json' }],
      '/long.json': [200, `"${'x'.repeat(200_000)}"`],
      '/nonsense.json': [200, 'nonsense'],
    }
    const [status, body, headers = {}] = answers[request.url ?? ''] ?? [404, '']
    if (request.url === '/slow.json') return
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `https://localhost:${(server.address() as AddressInfo).port}`
  const env = { OAUTH_DYNAMIC_REGISTRATION: 'true', OUTBOUND_ALLOW: '127.0.0.1, ::1', OUTBOUND_CA: cert }
  p = await platform({ env })
  read = outboundFrom(p.config)
  user = await p.user()
})
afterAll(async () => {
  await p.close()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

describe('a client that describes itself in a document', () => {
  it('is let in, named on the page with its host, and listed with the applications', async () => {
    const clientId = `${base}/client.json`
    const { page } = await authorize(p, user, { clientId, scope: 'teams:read' })
    expect(page.text).toContain('From a document')
    expect(page.text).toContain(`<strong>${new URL(base).host}</strong>`)
    const tokens = await tokensFor(p, user, {
      clientId,
      scope: 'teams:read',
      redirectUri: 'http://127.0.0.1:7777/callback',
    })
    expect((await p.call('teams.list', { workspaceId: user.workspaceId }, bearer(tokens.access_token))).status).toBe(
      200,
    )
    const { result } = await p.call('auth.grants.list', { clientId }, user)
    expect(result.items[0]).toMatchObject({ clientId, clientName: 'From a document', scopes: ['teams:read'] })
  })

  it.each(['bad-redirect', 'other-id', 'secret', 'moved', 'long', 'nonsense', 'missing', 'slow'])(
    'is refused on a page where the document is %s',
    async name => {
      const { page } = await authorize(p, user, { clientId: `${base}/${name}.json` })
      expect(page.status).toBe(400)
      expect(page.headers.location).toBeUndefined()
    },
  )
})

describe('the guard of requests to the outside', () => {
  it('knows public addresses from all others', () => {
    const refused =
      '127.0.0.1 127.8.8.8 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 192.0.2.1 198.18.0.1 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 ::7f00:1 ::a00:1 64:ff9b:1::a00:1 fec0::1 200::1 4000::1 2001:0:7f00::1 fe80::1%eth0 nonsense'
    for (const address of refused.split(' ')) expect([address, isPublicAddress(address)]).toEqual([address, false])
    for (const address of ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'])
      expect(isPublicAddress(address)).toBe(true)
  })

  it('connects to none but public addresses, however they are written', async () => {
    const guarded = outbound()
    const before = hits
    const { port } = server.address() as AddressInfo
    for (const host of [
      'localhost',
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '2130706433',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '169.254.169.254',
      '0.0.0.0',
    ]) {
      await expect(guarded(`https://${host}:${port}/client.json`)).rejects.toThrow('not public')
    }
    await expect(guarded('http://example.com/')).rejects.toThrow('https')
    await expect(guarded('https://user@example.com/')).rejects.toThrow('https')
    expect(hits).toBe(before)
  })

  it('cuts off what is too long or too slow, and follows nothing', async () => {
    await expect(read(`${base}/long.json`, { maxBytes: 100_000 })).rejects.toThrow('too long')
    await expect(read(`${base}/slow.json`, { timeoutMs: 500 })).rejects.toThrow()
    expect((await read(`${base}/moved.json`)).status).toBe(302)
  })

  it('stands before the metadata of an instance as it ships', async () => {
    const plain = await platform()
    const before = hits
    const someone = await plain.user()
    const { page } = await authorize(plain, someone, { clientId: `${base}/client.json` })
    expect(page.status).toBe(400)
    expect(hits).toBe(before)
    await plain.close()
  })
})

describe('a client that registers itself', () => {
  const register = (metadata: object) =>
    p.request({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(metadata),
    })

  it('is public, lives in the list of clients, and is written to the ledger', async () => {
    const { status, body } = await register({
      client_name: 'Self-made',
      redirect_uris: ['http://localhost/callback'],
      token_endpoint_auth_method: 'none',
    })
    expect(status).toBe(201)
    expect(body.client_id).toMatch(/^oauth_client_[0-9a-z]{24}$/)
    expect(body.client_secret).toBeUndefined()
    const tokens = await tokensFor(p, user, { clientId: body.client_id, redirectUri: 'http://localhost:5000/callback' })
    expect((await p.call('auth.whoami', {}, bearer(tokens.access_token))).status).toBe(200)
    const [entry] = await p.database.query<{ chain: string }>(
      sql`select chain from ledger where target_id = ${body.client_id}`,
    )
    expect(entry?.chain).toBe('instance')
  })

  it.each([
    [
      { redirect_uris: ['https://a.example/cb'], token_endpoint_auth_method: 'client_secret_basic' },
      'invalid_client_metadata',
    ],
    [{ redirect_uris: ['http://a.example/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://*.a.example/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://a.example/cb'], scope: 'everything' }, 'invalid_client_metadata'],
  ])('is refused with %j', async (metadata, error) => {
    const answer = await register(metadata)
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })

  it('is forgotten after a week in which nobody let it in; one that was let in stays', async () => {
    const make = async () =>
      (await register({ client_name: 'Self-made', redirect_uris: ['http://localhost/callback'] })).body.client_id
    const [unused, used] = [await make(), await make()]
    await tokensFor(p, user, { clientId: used, redirectUri: 'http://localhost:5000/callback' })
    p.advance(8 * 86_400_000)
    const { default: jobs } = await import('../../src/areas/oauth_clients/jobs.ts')
    await jobs['oauth_clients.sweep'].run({ db: p.database, now: p.now } as never, {})
    const rows = await p.database.query<{ id: string }>(
      sql`select id from oauth_clients where id in (${unused}, ${used}, 'atrium-cli')`,
    )
    expect(rows.map(row => row.id).sort()).toEqual(['atrium-cli', used])
  })
})
