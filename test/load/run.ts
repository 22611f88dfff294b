// Twice what the service can do, then clients that only hold on: what is refused, how long the rest takes, what is left.
// Then attackers, all of them together; then, on PostgreSQL, one workspace that reads deep into a long list. MINUTES of
// overload (0.5) and of attacks (1); PARTS=overload, hostile or deep for one of them; on PostgreSQL and Redis where
// TEST_DATABASE_URL and TEST_REDIS_URL are given.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '../../src/client/client.ts'
import { administer, isPostgres, postgresUrl, redisUrl, urlOf } from '../helpers/engines.ts'
import { type Service, start } from '../helpers/service.ts'
import { deepLists } from './deep_lists.ts'
import { type Asked, drive, type Outcome, pause, percentile } from './driver.ts'
import { hostile, hostileSettings, mibOf } from './hostile.ts'

const minutes = Number(process.env.MINUTES ?? '0.5')
const hostileMinutes = Number(process.env.MINUTES ?? '1')
const mostInFlight = 200
const mostRecoverySeconds = 30
const rows: { what: string; found: string }[] = []
const faults: string[] = []

function say(what: string, found: string): void {
  rows.push({ what, found })
  process.stdout.write(`${what}: ${found}\n`)
}

function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) faults.push(otherwise)
}

/** Six in ten ask who they are, three list, one makes a key (with its entry in the ledger). */
async function mix(url: string): Promise<{ asked: Asked[]; headers: Record<string, string> }> {
  const client = createClient({ baseUrl: url })
  const { token } = await client.auth.signup({ email: 'load@example.com', password: 'Correct4Horse!' })
  const own = createClient({ baseUrl: url, token: token as string })
  const workspaceId = (await own.workspaces.list({})).items[0]?.id as string
  for (let index = 0; index < 100; index++) await own.api_keys.post({ workspaceId, name: `key ${index}`, scopes: [] })
  const head = `host: a\r\nauthorization: Bearer ${token}\r\n`
  const body = JSON.stringify({ workspaceId, name: 'under load', scopes: [] })
  const whoami = { kind: 'whoami', bytes: `GET /v1/auth/whoami HTTP/1.1\r\n${head}\r\n` }
  const list = { kind: 'list', bytes: `GET /v1/api_keys/${workspaceId}?perPage=20 HTTP/1.1\r\n${head}\r\n` }
  const write = {
    kind: 'write',
    bytes: `POST /v1/api_keys HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  }
  const asked = [whoami, list, whoami, write, whoami, list, whoami, whoami, list, whoami]
  return { asked, headers: { authorization: `Bearer ${token}` } }
}

/** Looks at the service from outside for as long as `work` takes. */
async function watched<T>(service: Service, work: Promise<T>) {
  const memory: number[] = []
  const delays: number[] = []
  const health: number[] = []
  let isOver = false
  const done = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const since = performance.now()
    const answer = await fetch(`${service.url}/healthz`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
    health.push(performance.now() - since)
    expectThat(answer?.status === 200, '/healthz did not answer under load')
    const figures = await (await fetch(`${service.url}/metrics`)).text()
    delays.push(Number(/^nodejs_eventloop_lag_p99_seconds ([\d.e-]+)$/m.exec(figures)?.[1]) * 1000)
    memory.push(mibOf(service))
    await pause(1_000)
  }
  return { value: await done, memory, delays, health }
}

async function overload(service: Service, asked: Asked[], headers: Record<string, string>): Promise<void> {
  const port = Number(new URL(service.url).port)
  // Until its code is compiled, a process is several times slower.
  await drive({ port, asked, seconds: 5, connections: 50 })
  const closed = await drive({ port, asked, seconds: 5, connections: 50 })
  const capacity = closed.outcomes.filter(({ status }) => status < 300).length / closed.seconds
  say('capacity of the mix, 50 connections', `${Math.round(capacity)} requests/s`)
  const before = mibOf(service)
  const perSecond = 2 * capacity
  const driving = drive({ port, asked, seconds: minutes * 60, connections: 1_000, perSecond })
  const { value, memory, delays, health } = await watched(service, driving)
  const recovered = await recovery(service, headers)
  const total = value.outcomes.length
  const isServed = ({ status }: Outcome) => status === 200 || status === 201
  const served = value.outcomes.filter(isServed)
  const refused = value.outcomes.filter(({ status }) => status === 503)
  const strange = total - served.length - refused.length
  say(
    'offered',
    `${Math.round((total + value.unsent) / value.seconds)} requests/s for ${minutes} min, ${total} answered`,
  )
  say('served', `${Math.round(served.length / value.seconds)} requests/s`)
  say('refused with 503', `${((100 * refused.length) / total).toFixed(1)} %`)
  say('other answers, broken connections, not sent', `${strange}, ${value.broken}, ${value.unsent}`)
  for (const kind of ['whoami', 'list', 'write']) {
    const times = served.filter(outcome => outcome.kind === kind).map(({ ms }) => ms)
    say(
      `served ${kind}, median and p99`,
      `${Math.round(percentile(times, 0.5))} and ${Math.round(percentile(times, 0.99))} ms`,
    )
  }
  const refusals = refused.map(({ ms }) => ms)
  say(
    'refused, median and p99',
    `${Math.round(percentile(refusals, 0.5))} and ${Math.round(percentile(refusals, 0.99))} ms`,
  )
  say('/healthz meanwhile, longest', `${Math.round(Math.max(...health))} ms`)
  say('event loop delay p99, longest seen', `${Math.round(Math.max(...delays))} ms`)
  const thirds = Math.ceil(memory.length / 3)
  const largest = (part: number[]) => Math.round(Math.max(...part))
  say('memory before', `${Math.round(before)} MiB`)
  say(
    'memory, most in the first and last third',
    `${largest(memory.slice(0, thirds))} and ${largest(memory.slice(-thirds))} MiB`,
  )
  say('recovered after', `${recovered.toFixed(1)} s`)
  expectThat(refused.length > 0, 'nothing was refused: the load was none')
  expectThat(strange === 0 && value.broken === 0, 'answers other than 2xx and 503, or broken connections')
  expectThat(recovered < mostRecoverySeconds, 'it did not recover')
}

/** Seconds until 20 requests in a row are served. */
async function recovery({ url }: Service, headers: Record<string, string>): Promise<number> {
  const since = performance.now()
  const seconds = () => (performance.now() - since) / 1000
  for (let inARow = 0; inARow < 20 && seconds() < mostRecoverySeconds; ) {
    const { status } = await fetch(`${url}/v1/auth/whoami`, { headers })
    inARow = status === 200 ? inARow + 1 : 0
  }
  return seconds()
}

function mostFiles(): number {
  return Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
}

/** Connections that say `first` and then, each second, `drop`; how the others fare, and how long it lasts. */
async function holdOn(service: Service, what: string, wanted: number, first: string, drop: string): Promise<void> {
  const port = Number(new URL(service.url).port)
  const held = new Set<Socket>()
  const most = Math.min(wanted, mostFiles() - 500)
  const before = mibOf(service)
  const since = performance.now()
  for (let index = 0; index < most; index++) {
    const socket = connect(port, '127.0.0.1', () => first && socket.write(first))
    held.add(socket)
    socket
      .on('error', () => {})
      .on('close', () => held.delete(socket))
      .resume()
    // No faster than they are taken.
    if (index % 100 === 99) await pause(10)
  }
  const times: number[] = []
  let largest = 0
  while (held.size > 0 && performance.now() - since < 60_000) {
    const asked = performance.now()
    const answer = await fetch(`${service.url}/v1/scopes`)
    times.push(performance.now() - asked)
    expectThat(answer.status === 200, `others were answered ${answer.status} beside ${what}`)
    largest = Math.max(largest, mibOf(service))
    if (drop) for (const socket of held) socket.write(drop)
    await pause(500)
  }
  const seconds = ((performance.now() - since) / 1000).toFixed(0)
  say(
    `${most} ${what}`,
    `others' longest answer ${Math.round(Math.max(...times))} ms, memory +${Math.round(largest - before)} MiB, all let go after ${seconds} s`,
  )
  expectThat(held.size === 0, `${what} were not let go`)
  for (const socket of held) socket.destroy()
}

/** A process of its own, with a database of its own. */
async function withService(
  purpose: string,
  env: Record<string, string>,
  work: (service: Service, databaseUrl: string) => Promise<void>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-load-'))
  const name = `atrium_load_${purpose}_${process.pid}`
  if (isPostgres) await administer(`create database ${name}`)
  const engines = { ...(postgresUrl && { DATABASE_URL: urlOf(name) }), ...(redisUrl && { REDIS_URL: redisUrl }) }
  const service = await start({ DATA_DIR: folder, ...engines, ...env })
  try {
    await work(service, isPostgres ? urlOf(name) : '')
    expectThat((await service.stop()) === 0, `it did not stop well after ${purpose}`)
  } finally {
    await service.stop('SIGKILL')
    if (isPostgres) await administer(`drop database if exists ${name} with (force)`)
    rmSync(folder, { recursive: true, force: true })
  }
}

const engine = `${isPostgres ? 'PostgreSQL' : 'embedded'}, limits ${redisUrl ? 'in Redis' : 'in the process'}`
const parts = (process.env.PARTS ?? 'overload,hostile,deep').split(',')
const noLimits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000' }

if (parts.includes('overload')) {
  const env = { ...noLimits, MAX_REQUESTS_IN_FLIGHT: String(mostInFlight) }
  await withService('overload', env, async service => {
    say('engine', `${engine}, MAX_REQUESTS_IN_FLIGHT=${mostInFlight}`)
    const { asked, headers } = await mix(service.url)
    await overload(service, asked, headers)
    await holdOn(service, 'connections that say nothing', 10_000, '', '')
    await holdOn(service, 'connections that send a header drop by drop', 1_000, 'GET / HTTP/1.1\r\nx-slow: ', 'a')
  })
}
if (parts.includes('hostile')) {
  await withService('hostile', hostileSettings, async service => {
    say('hostile', `${engine}, all attacks together for ${hostileMinutes} min`)
    await hostile(service, hostileMinutes, { say, expectThat })
  })
}
if (parts.includes('deep') && isPostgres) {
  await withService('deep', hostileSettings, (service, databaseUrl) =>
    deepLists(service, databaseUrl, { say, expectThat }),
  )
}
console.table(rows)
for (const fault of new Set(faults)) process.stdout.write(`Fault: ${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
