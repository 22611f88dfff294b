// Everything that a few attackers can do at once, for a while: who is honest must hardly notice, and memory must not grow.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createClient } from '../../src/client/client.ts'
import type { Service } from '../helpers/service.ts'
import { pause, percentile } from './driver.ts'

type Asked = { method?: string; path: string; headers?: Record<string, string>; body?: string }

type Flood = { name: string; statuses: Map<number, number>; done: Promise<void> }

export type Report = { say(what: string, found: string): void; expectThat(isSo: boolean, otherwise: string): void }

/** The key is for /mcp, which takes no session. */
type Account = { workspaceId: string; headers: Record<string, string>; key: string }

const password = 'Correct4Horse!'
const json = { 'content-type': 'application/json' }
const mostReaders = 400
const idleSeconds = 5
const mostHealthMs = 250
export const mostWhoamiMs = 500

/** Attackers come from many addresses; the honest user has one of its own. */
export const hostileSettings = { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMIT: '100000', MCP_RATE_LIMIT: '100000' }
const someAddress = () => ({
  'x-forwarded-for': `203.0.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`,
})

export function mibOf({ child }: Service): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

export function send(url: string, agent: Agent, { method = 'GET', path, headers, body }: Asked): Promise<number> {
  return new Promise(resolve => {
    const sent = request(`${url}${path}`, { agent, method, headers: { ...headers, ...(body && json) } }, answer => {
      answer.resume().on('close', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', () => resolve(0)).end(body)
  })
}

/** As many at once, each again as soon as it is answered. */
function flood(
  url: string,
  name: string,
  atOnce: number,
  isOver: () => boolean,
  next: (index: number) => Asked,
): Flood {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const statuses = new Map<number, number>()
  let count = 0
  const line = async () => {
    while (!isOver()) {
      const status = await send(url, agent, next(count++))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // Who is refused does not get faster by asking faster.
      if (status === 0 || status === 429 || status === 503) await pause(20)
    }
  }
  const done = Promise.all(Array.from({ length: atOnce }, line)).then(() => agent.destroy())
  return { name, statuses, done }
}

/** Connections that ask for the largest file and never read; whichever is closed is opened again. */
function unreading(url: string, isOver: () => boolean): Flood {
  const port = Number(new URL(url).port)
  const statuses = new Map<number, number>()
  const held = new Set<Socket>()
  const open = () => {
    const source = someAddress()['x-forwarded-for']
    const asked = `GET /v1/openapi.json HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${source}\r\n\r\n`
    const socket = connect(port, '127.0.0.1', () => socket.write(asked.repeat(40)))
    held.add(socket)
    socket.on('error', () => {}).on('close', () => held.delete(socket))
    statuses.set(200, (statuses.get(200) ?? 0) + 1)
  }
  const holding = async () => {
    while (!isOver()) {
      for (let opened = 0; held.size < mostReaders && opened < 40; opened++) open()
      await pause(100)
      // A socket that never reads does not hear that it was closed: some are given up for new ones.
      for (const socket of [...held].slice(0, 4)) socket.destroy()
    }
    for (const socket of held) socket.destroy()
  }
  return { name: 'readers that do not read', statuses, done: holding() }
}

/** Under the crowd of sign-ups the first answers may be 503. */
export async function account(url: string, email: string): Promise<Account> {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${url}/v1/auth/signup`, {
      method: 'POST',
      headers: { ...json, 'x-forwarded-for': '192.0.2.1' },
      body: JSON.stringify({ email, password }),
    })
    const { result, error } = (await answer.json()) as { result?: { token: string }; error?: { detail: string } }
    if (result) {
      const client = createClient({ baseUrl: url, token: result.token })
      const workspaceId = (await client.workspaces.list({})).items[0]?.id as string
      const { token } = await client.api_keys.post({ workspaceId, name: 'for tools', scopes: ['workspaces:read'] })
      return { workspaceId, headers: { authorization: `Bearer ${result.token}` }, key: token }
    }
    if (answer.status !== 503 || tries > 300) throw new Error(`${email} could not sign up: ${error?.detail}`)
    await pause(200)
  }
}

/** Each with other filters, in another order: the statements are as many as there are shapes of them. */
function manyShapes({ workspaceId, headers }: Account): (index: number) => Asked {
  const lists: [path: string, sort: string[], filter: string[]][] = [
    ['/v1/workspaces', ['id', 'name', 'created'], ['id', 'name', 'slug', 'ownerId', 'status']],
    [`/v1/api_keys/${workspaceId}`, ['id', 'name', 'created'], ['id', 'ownerId', 'name']],
    [`/v1/audit_logs/${workspaceId}`, ['seq', 'at', 'action'], ['action', 'actorId', 'object', 'targetId', 'outcome']],
    [
      `/v1/workspace_members/${workspaceId}`,
      ['created', 'userId', 'position'],
      ['userId', 'position', 'status', 'email', 'username'],
    ],
  ]
  const names = ['forename', 'surname', 'username']
  return index => {
    if (index % 10 === 0) {
      const keys = [...names].sort(() => Math.random() - 0.5).slice(0, 1 + (index % 3))
      const body = JSON.stringify(Object.fromEntries(keys.map(name => [name, `hostile${index % 1_000}`])))
      return { method: 'PATCH', path: '/v1/auth/me', headers, body }
    }
    const [path, sort, filters] = lists[index % lists.length] as (typeof lists)[number]
    const parts = filters.flatMap(name => {
      const values = Array.from(
        { length: Math.floor(Math.random() * 4) },
        (_, at) => `${Math.random() < 0.5 ? '!' : ''}v${at}`,
      )
      return values.map(value => `${name}=${encodeURIComponent(value)}`)
    })
    const order = `orderBy=${sort[index % sort.length]}&order=${index % 2 ? 'asc' : 'desc'}&page=${1 + (index % 7)}`
    return { path: `${path}?${[order, ...parts.sort(() => Math.random() - 0.5)].join('&')}`, headers }
  }
}

function search(words: string, { key }: Account): Asked {
  const params = { name: 'search_operations', arguments: { query: words } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  return {
    method: 'POST',
    path: '/mcp',
    headers: { 'x-api-key': key, accept: 'application/json, text/event-stream' },
    body,
  }
}

function attacks(url: string, someone: Account, isOver: () => boolean): Flood[] {
  const start = (name: string, atOnce: number, next: (index: number) => Asked) => flood(url, name, atOnce, isOver, next)
  const { workspaceId, headers } = someone
  const words = Array.from({ length: 90_000 }, (_, index) => `word${index}`).join(' ')
  return [
    unreading(url, isOver),
    start('statement flood', 4, manyShapes(someone)),
    start('filter flood', 4, index => ({
      path: `/v1/api_keys/${workspaceId}?name=${index}${'x'.repeat(60_000)}`,
      headers,
    })),
    start('filter flood, within bounds', 4, index => ({
      path: `/v1/api_keys/${workspaceId}?name=${index}${'x'.repeat(400)}`,
      headers,
    })),
    start('verify flood', 20, () => ({ path: `/v1/audit_logs/${workspaceId}/verify`, headers })),
    start('search flood', 2, () => search(words, someone)),
    start('search flood, within bounds', 2, index => search(`invite a member ${index}`, someone)),
  ]
}

function signups(url: string, crowd: string, isOver: () => boolean): Flood {
  return flood(url, 'sign-up flood', 40, isOver, index => {
    const body = JSON.stringify({ email: `${crowd}${index}@example.com`, password })
    return { method: 'POST', path: '/v1/auth/signup', headers: someAddress(), body }
  })
}

type Seen = { whoami: number[]; health: number[]; memory: number[]; refused: number }

/** What somebody sees who asks ten times a second who they are, and how the service is. */
async function honest(service: Service, someone: Account, isOver: () => boolean): Promise<Seen> {
  const seen: Seen = { whoami: [], health: [], memory: [], refused: 0 }
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  const headers = { ...someone.headers, 'x-forwarded-for': '192.0.2.1' }
  const timed = async (path: string, times: number[]) => {
    const since = performance.now()
    if ((await send(service.url, agent, { path, headers })) !== 200) seen.refused++
    times.push(performance.now() - since)
  }
  while (!isOver()) {
    await Promise.all([timed('/v1/auth/whoami', seen.whoami), timed('/healthz', seen.health)])
    seen.memory.push(mibOf(service))
    await pause(100)
  }
  agent.destroy()
  return seen
}

/** One request of each kind: what they need is loaded now, as in any service that has been in use. */
async function warmUp(service: Service, someone: Account): Promise<number> {
  const agent = new Agent()
  const { workspaceId, headers } = someone
  const kinds = [
    manyShapes(someone)(1),
    search('invite a member', someone),
    { path: `/v1/audit_logs/${workspaceId}/verify`, headers },
    { path: '/docs' },
  ]
  for (const asked of kinds) await send(service.url, agent, asked)
  agent.destroy()
  await pause(idleSeconds * 1000)
  return mibOf(service)
}

/** First a crowd that signs up on a process that has hashed nothing yet; then all of them together, for so many minutes. */
export async function hostile(service: Service, minutes: number, { say, expectThat }: Report): Promise<void> {
  const { url } = service
  let isOver = false
  const ended = () => isOver
  const first = signups(url, 'first', ended)
  const [attacker, user] = [await account(url, 'attacker@example.com'), await account(url, 'honest@example.com')]
  isOver = true
  await first.done
  const idle = await warmUp(service, attacker)
  isOver = false
  const crowd = signups(url, 'crowd', ended)
  const floods = [crowd, ...attacks(url, attacker, ended)]
  setTimeout(() => {
    isOver = true
  }, minutes * 60_000)
  const seen = await honest(service, user, ended)
  await Promise.all(floods.map(({ done }) => done))
  for (const { name, statuses } of floods) {
    const counts = [...statuses]
      .sort(([one], [other]) => one - other)
      .map(([status, count]) => `${count} × ${status || 'cut'}`)
    say(name, counts.join(', '))
  }
  const [whoami, health] = [percentile(seen.whoami, 0.99), percentile(seen.health, 0.99)]
  const largest = Math.max(...seen.memory.slice(-Math.ceil(seen.memory.length / 3)))
  const bound = idle * 1.25 + 200
  say(
    "an honest user's whoami, median and p99",
    `${Math.round(percentile(seen.whoami, 0.5))} and ${Math.round(whoami)} ms`,
  )
  say('/healthz, median and p99', `${Math.round(percentile(seen.health, 0.5))} and ${Math.round(health)} ms`)
  say('honest requests, refused', `${seen.whoami.length + seen.health.length}, ${seen.refused}`)
  say(
    'memory idle, most in the last third, allowed',
    `${Math.round(idle)}, ${Math.round(largest)}, ${Math.round(bound)} MiB`,
  )
  expectThat(largest <= bound, 'memory grew beyond 25 % of idle + 200 MB')
  expectThat(health < mostHealthMs, `/healthz took ${mostHealthMs} ms or more (p99)`)
  expectThat(whoami < mostWhoamiMs, `whoami took ${mostWhoamiMs} ms or more (p99)`)
  expectThat(seen.refused === 0, 'an honest request was refused')
  expectThat(service.child.exitCode === null, 'the process ended')
}
