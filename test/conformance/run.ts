// Runs the official conformance suite against the MCP server, for both revisions: `node test/conformance/run.ts`.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, dirname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { readConfig } from '../../src/server/config.ts'
import { mountMcp } from '../../src/server/doors/mcp.ts'
import { memoryLimiter } from '../../src/server/request/limits.ts'
import { startPlatform } from '../../src/server/start.ts'
import { withFixtures } from './fixtures.ts'

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const revisions = ['2026-07-28', '2025-11-25']
/** Further options for the suite, such as `--scenario http-header-validation`. */
const more = process.argv.slice(2)

async function main(): Promise<number> {
  const env = { SECRET_KEY: randomBytes(32).toString('hex'), MCP_RATE_LIMIT: '100000', LOG_LEVEL: 'silent' }
  const running = await startPlatform({
    config: readConfig(env),
    database: await openEmbedded({}),
    limiter: memoryLimiter(),
    logger: pino({ level: 'silent' }),
  })
  const { app, platform } = running
  await mountMcp(app, platform, { at: '/fixtures/mcp', build: withFixtures })
  const target = new URL('/fixtures/mcp', await app.listen({ port: 0, host: '127.0.0.1' }))
  const proxy = await proxyTo(target, await firstKey(app))
  const { port } = proxy.address() as AddressInfo
  let failures = 0
  for (const revision of revisions) failures += await conform(`http://127.0.0.1:${port}/mcp`, revision)
  proxy.close()
  await running.close()
  return failures
}

/** A key without scopes, made the way that anybody makes one. */
async function firstKey(app: FastifyInstance): Promise<string> {
  const account = { email: 'conformance@example.com', password: 'Correct4Horse!' }
  const signup = await app.inject({ method: 'POST', url: '/v1/auth/signup', payload: account })
  const headers = { authorization: `Bearer ${signup.json().result.token}` }
  const workspaces = await app.inject({ url: '/v1/workspaces', headers })
  const workspaceId = workspaces.json().result.items[0].id
  const payload = { workspaceId, name: 'conformance', scopes: [] }
  const key = await app.inject({ method: 'POST', url: '/v1/api_keys', headers, payload })
  return key.json().result.token
}

/** The suite cannot send a credential; this adds one. Foreign hosts and origins go through as they are. */
async function proxyTo(target: URL, key: string): Promise<Server> {
  const proxy = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { port } = proxy.address() as AddressInfo
    const ours = (value: string | undefined) =>
      value?.replace(new RegExp(`^((?:http://)?(?:127\\.0\\.0\\.1|localhost)):${port}$`), `$1:${target.port}`)
    const { host, origin } = incoming.headers
    const headers = {
      ...incoming.headers,
      'x-api-key': key,
      host: ours(host),
      ...(origin && { origin: home(ours(origin)) }),
    }
    const forwarded = request(target, { method: incoming.method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  /** The platform knows itself by PUBLIC_URL, whose port is not the one that this run happened to get. */
  const home = (origin: string | undefined) => origin?.replace(`:${target.port}`, ':3000')
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  return proxy
}

function conform(url: string, revision: string): Promise<number> {
  const options = more.length > 0 ? more : ['--requirements', revision]
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  const child = spawn('npx', ['--yes', suite, 'server', '--url', url, ...options], {
    stdio: 'inherit',
    env: { ...process.env, PATH },
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', code => resolve(code === 0 ? 0 : 1))
  })
}

process.exitCode = await main()
