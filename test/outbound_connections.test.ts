// Calls with an authority of their own, with a client certificate, and over a unix socket: each for that call only.
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ForbiddenAddress } from '../src/kit/context.ts'
import { readConfig } from '../src/server/config.ts'
import { outbound, outboundFrom } from '../src/server/work/outbound.ts'
import { authority } from './helpers/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-sockets-'))
const path = join(folder, 'engine.sock')
const [ours, theirs] = [authority('ours'), authority('theirs')]
const servers: { close(): unknown; closeAllConnections(): void }[] = []
const allowed = outbound({ allow: ['127.0.0.1'], sockets: [path] })

async function listening(options: object): Promise<string> {
  const server: Server = createTlsServer({ ...ours.server, ...options }, (request, response) => {
    response.end((request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? 'nobody')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

let [open, closed] = ['', '']
beforeAll(async () => {
  open = await listening({})
  closed = await listening({ ca: ours.ca, requestCert: true, rejectUnauthorized: true })
  const engine = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`)).listen(
    path,
  )
  await once(engine, 'listening')
  servers.push(engine)
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  rmSync(folder, { recursive: true, force: true })
})

describe('a call with an authority of its own', () => {
  it('trusts that one, and no other, for that call alone', async () => {
    expect(await (await allowed(open, { tls: { ca: ours.ca } })).text()).toBe('nobody')
    await expect(allowed(open)).rejects.toThrow(/unable to verify|self-signed/)
    await expect(allowed(open, { tls: { ca: theirs.ca } })).rejects.toThrow(/unable to verify|signature/)
    // What the operator trusts elsewhere has no say where the call names an authority.
    const trusting = outbound({ allow: ['127.0.0.1'], ca: ours.ca })
    expect((await trusting(open)).status).toBe(200)
    await expect(trusting(open, { tls: { ca: theirs.ca } })).rejects.toThrow(/unable to verify|signature/)
    await expect(trusting(open, { tls: { ca: 'no certificate' } })).rejects.toThrow()
  })

  it('shows a client certificate where it brings one, beside the usual authorities or its own', async () => {
    const tls = { ca: ours.ca, ...ours.caller }
    expect(await (await allowed(closed, { tls })).text()).toBe('atrium')
    await expect(allowed(closed, { tls: { ca: ours.ca } })).rejects.toThrow()
    await expect(allowed(closed, { tls: { ...tls, ...theirs.caller } })).rejects.toThrow()
    const trusting = outbound({ allow: ['127.0.0.1'], ca: ours.ca })
    expect(await (await trusting(closed, { tls: ours.caller })).text()).toBe('atrium')
  })

  it('fails without a word of the key where that is none', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0IGJ5dGVz\n-----END PRIVATE KEY-----\n'
    const error: Error = await allowed(closed, { tls: { ca: ours.ca, cert: ours.caller.cert, key } }).then(
      () => new Error('it went through'),
      cause => cause,
    )
    expect(error.message).not.toMatch(/c2VjcmV0|BEGIN|went through/)
  })

  it('reaches no address that would not be reached without it, and needs https', async () => {
    await expect(outbound()(open, { tls: { ca: ours.ca } })).rejects.toThrow('the address is not public')
    await expect(allowed(open.replace('https:', 'http:'), { tls: ours.caller })).rejects.toThrow('are for https')
  })
})

describe('a call over a unix socket', () => {
  it('goes to the paths that the operator names, exactly', async () => {
    expect(await (await allowed('http://docker/info', { socketPath: path })).text()).toBe('docker /info')
    expect((await allowed('http://docker/info', { socketPath: path, isRehearsal: true })).status).toBe(204)
    const other = join(folder, 'other.sock')
    symlinkSync(path, other)
    const detours = [other, `${folder}/./engine.sock`, `${folder}//engine.sock`, `${path}/`, 'engine.sock', folder, '']
    for (const socketPath of detours) {
      const error = await allowed('http://docker/info', { socketPath }).catch(cause => cause)
      expect([socketPath, error instanceof ForbiddenAddress, error.message]).toEqual([
        socketPath,
        true,
        expect.stringContaining('DOCKER_SOCKETS'),
      ])
    }
    await expect(outbound()('http://docker/', { socketPath: path })).rejects.toThrow('DOCKER_SOCKETS')
    await expect(allowed('https://docker/', { socketPath: path })).rejects.toThrow('DOCKER_SOCKETS')
  })

  it('opens no other address: without the path, the same url is looked up as ever', async () => {
    const onlySockets = outbound({ sockets: [path] })
    expect((await onlySockets('http://127.0.0.1/', { socketPath: path })).status).toBe(200)
    await expect(onlySockets('http://127.0.0.1/')).rejects.toThrow('plain http')
  })

  it('takes the paths from DOCKER_SOCKETS', async () => {
    const guardOf = (DOCKER_SOCKETS: string) => outboundFrom(readConfig({ SECRET_KEY: 'k'.repeat(40), DOCKER_SOCKETS }))
    const guard = guardOf(`/var/run/docker.sock, ${path}`)
    expect((await guard('http://docker/', { socketPath: path })).status).toBe(200)
    expect(() => guardOf('docker.sock')).toThrow('DOCKER_SOCKETS must be a list of sockets, each from the root on')
  })
})
