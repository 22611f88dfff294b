// Calls to the outside: where they may go, what is bounded, and that no transaction waits for one.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../src/server/config.ts'
import { outbound, outboundFrom } from '../src/server/work/outbound.ts'
import { freshDatabase } from './helpers/engines.ts'

/** What names mean here, each look-up by its turn; other names are looked up as ever. */
const names = new Map<string, string[][]>()
const lookedUp: string[] = []

vi.mock('node:dns/promises', async original => {
  const real = await original<typeof import('node:dns/promises')>()
  const lookup = async (host: string, options: { all: true }) => {
    const answers = names.get(host)
    if (!answers) return await real.lookup(host, options)
    lookedUp.push(host)
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { ...real, lookup }
})

let server: Server
let base: string
const seen: { method: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    seen.push({ method: request.method, headers: request.headers, body })
    if (request.url === '/silent') return
    if (request.url === '/dribble') return void response.write('{')
    if (request.url === '/long') return void response.end('x'.repeat(2_000_000))
    if (request.url === '/moved') return void response.writeHead(302, { location: `${base}/` }).end()
    if (request.url === '/empty') return void response.writeHead(204).end()
    response.writeHead(201, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('done')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const allowed = outbound({ allow: ['127.0.0.0/8'] })

describe('a call to the outside', () => {
  it('sends method, headers and body, and sets by itself what concerns the connection', async () => {
    const headers = { 'x-one': '1', host: 'other', 'transfer-encoding': 'chunked', 'content-length': '1' }
    const answer = await allowed(base, { method: 'POST', headers, body: 'hello' })
    expect([answer.status, await answer.text(), answer.headers.get('set-cookie')]).toEqual([201, 'done', null])
    const { method, headers: sent, body } = seen.at(-1) ?? { headers: {} as IncomingHttpHeaders }
    expect([method, body, sent['x-one'], sent.host, sent['content-length']]).toEqual([
      'POST',
      'hello',
      '1',
      new URL(base).host,
      '5',
    ])
    expect((await allowed(`${base}/empty`)).status).toBe(204)
  })

  it('goes to private addresses, and over http, only where the operator allows the address', async () => {
    const before = seen.length
    for (const guard of [outbound(), outbound({ allow: ['10.0.0.0/8'] })]) {
      await expect(guard(base)).rejects.toThrow('plain http is only for addresses that OUTBOUND_ALLOW names')
      await expect(guard(base.replace('http:', 'https:'))).rejects.toThrow('the address is not public')
    }
    // Public, and yet not over http.
    await expect(allowed('http://93.184.215.14/')).rejects.toThrow('plain http')
    for (const odd of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'http://user:pass@127.0.0.1/']) {
      await expect(allowed(odd)).rejects.toThrow('only http and https')
    }
    expect(seen.length).toBe(before)
  })

  it('goes to the address that was looked up and checked, whatever the name means a moment later', async () => {
    // The second answer would be refused: it is never asked for.
    names.set('turning.example', [['127.0.0.1'], ['169.254.169.254']])
    const address = base.replace('127.0.0.1', 'turning.example')
    const answer = await allowed(address)
    expect([answer.status, lookedUp, seen.at(-1)?.headers.host]).toEqual([
      201,
      ['turning.example'],
      new URL(address).host,
    ])
    await expect(allowed(address)).rejects.toThrow('plain http')
  })

  it('is refused where one of the addresses of a name is forbidden, wherever it stands', async () => {
    const before = seen.length
    const guard = outbound({ allow: ['127.0.0.1'] })
    for (const addresses of [['127.0.0.1', '10.0.0.1'], ['10.0.0.1', '127.0.0.1'], ['127.0.0.1', '::1'], []]) {
      names.set('several.example', [addresses])
      await expect(guard(base.replace('127.0.0.1', 'several.example'))).rejects.toThrow('plain http')
    }
    for (const forbidden of ['10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', 'fd00::1']) {
      names.set('several.example', [['93.184.215.14', forbidden]])
      await expect(outbound()('https://several.example/')).rejects.toThrow('the address is not public')
    }
    expect(seen.length).toBe(before)
  })

  it('is bounded in time and size and follows no redirect', async () => {
    await expect(allowed(`${base}/silent`, { timeoutMs: 200 })).rejects.toThrow()
    await expect(allowed(`${base}/dribble`, { timeoutMs: 200 })).rejects.toThrow()
    await expect(allowed(`${base}/long`)).rejects.toThrow('too long')
    expect((await (await allowed(`${base}/long`, { maxBytes: 3_000_000 })).text()).length).toBe(2_000_000)
    expect((await allowed(`${base}/moved`)).status).toBe(302)
    await expect(allowed(base, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow()
  })

  it('gives the body as it comes where that is asked for, within the same bounds', async () => {
    const dribbling = await allowed(`${base}/dribble`, { isStreamed: true, timeoutMs: 200 })
    const reader = dribbling.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('{')
    await expect(reader?.read()).rejects.toThrow()
    const long = await allowed(`${base}/long`, { isStreamed: true, maxBytes: 1_000 })
    await expect(long.text()).rejects.toThrow('too long')
  })

  it('may be left at any moment of a body that comes, which ends the connection', async () => {
    const isClosed = new Promise(resolve => server.once('connection', socket => socket.once('close', resolve)))
    for (const { body } of await Promise.all(
      Array.from({ length: 20 }, () => allowed(`${base}/long`, { isStreamed: true, maxBytes: 3_000_000 })),
    )) {
      await body?.cancel()
    }
    await isClosed
    const dribbling = await allowed(`${base}/dribble`, { isStreamed: true })
    const reader = dribbling.body?.getReader()
    await reader?.read()
    const pending = reader?.read()
    await reader?.cancel()
    expect(await pending).toEqual({ done: true, value: undefined })
  })

  it('is refused inside a transaction', async () => {
    const { database, drop } = await freshDatabase()
    const before = seen.length
    await expect(database.transaction(async () => await allowed(base))).rejects.toThrow('not a transaction')
    expect(seen.length).toBe(before)
    await database.close()
    await drop()
  })

  it('takes its limits from the configuration', async () => {
    const guardOf = (env: Record<string, string>) => outboundFrom(readConfig({ SECRET_KEY: 'k'.repeat(40), ...env }))
    expect((await guardOf({ OUTBOUND_ALLOW: '127.0.0.1' })(base)).status).toBe(201)
    await expect(guardOf({})(base)).rejects.toThrow('plain http')
    const turnstile = { TURNSTILE_SITE_KEY: 'a', TURNSTILE_SECRET_KEY: 'b' }
    expect((await guardOf({ ...turnstile, TURNSTILE_VERIFY_URL: `${base}/verify` })(base)).status).toBe(201)
    expect(() => guardOf({ OUTBOUND_ALLOW: 'everywhere' })).toThrow('OUTBOUND_ALLOW must be a list of IP addresses')
    expect(() => guardOf({ OUTBOUND_CA: '/nowhere.pem' })).toThrow('OUTBOUND_CA names /nowhere.pem')
  })
})
