// How long answers take: with 1 to 1,000 connections that ask as fast as they are answered (wrk), and at half of what the
// service can do (a driver that sends so many a second, whatever comes back).
import { join } from 'node:path'
import { type Asked, drive as offer, percentile } from '../test/load/driver.ts'
import { cases } from './load/cases.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, folder, ownDatabase, removeFolder } from './load/servers.ts'
import { drive, type Request, type Round } from './load/wrk.ts'

const { BENCH_DATABASE_URL, BENCH_REDIS_URL } = process.env
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const asked = ['whoami by session', 'api_keys.list, 20 of 1,000', 'api_keys.post'] as const
/** The slowest of a hundred, against the one in the middle, at half of the most. */
const most = 10

function requestsOf(name: string, person: Person): Request[] {
  return cases.find(one => one.name === name)?.atrium(person) ?? []
}

/** As it goes over the wire. */
function written(kind: string, { method = 'GET', path, headers = {}, body = '' }: Request): Asked {
  const lines = Object.entries({ host: 'bench', ...headers, ...(body && { 'content-length': String(body.length) }) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return { kind, bytes: `${method} ${path} HTTP/1.1\r\n${head}\r\n${body}` }
}

function middle(values: number[]): number {
  return percentile(values, 0.5)
}

async function byConnections(base: string, person: Person): Promise<void> {
  console.log('connections | requests/s | median, ms | p99, ms')
  // In turns, since a credential may ask a million times a minute and no more.
  const requests = ['whoami by session', 'whoami by key', 'whoami by OAuth token'].map(name => requestsOf(name, person))
  for (const [index, connections] of [1, 10, 100, 1_000].entries()) {
    const found: Round[] = []
    for (let round = 0; round < rounds; round++) {
      found.push(await drive(base, requests[(index + round) % 3] as Request[], { seconds, connections }))
    }
    if (found.some(({ failed }) => failed > 0)) throw new Error(`requests failed with ${connections} connections`)
    const of = (part: 'perSecond' | 'p50' | 'p99') => middle(found.map(round => round[part]))
    console.log(`${connections} | ${of('perSecond').toFixed(0)} | ${of('p50').toFixed(2)} | ${of('p99').toFixed(2)}`)
  }
}

async function atHalf(base: string, person: Person): Promise<boolean> {
  const port = Number(new URL(base).port)
  let holds = true
  console.log('at half of the most | requests/s | median, ms | p99, ms | p99 to median')
  for (const name of asked) {
    const requests = requestsOf(name, person)
    // Driven as it is measured: what one thread of JavaScript can send and read is part of the most.
    const load = { port, asked: requests.map(request => written(name, request)), seconds, connections: 32 }
    // What is due is sent every few milliseconds, so that more are on their way at once than there are askers above.
    const half = { ...load, connections: 1_000 }
    await offer(load)
    const full = await offer(load)
    const perSecond = full.outcomes.length / full.seconds / 2
    const ratios = []
    for (let round = 0; round < rounds; round++) {
      const { outcomes, broken, unsent } = await offer({ ...half, perSecond })
      const isWrong = outcomes.some(({ status }) => status >= 300)
      if (isWrong || broken > 0) throw new Error(`${name}: an answer was wrong, or ${broken} connections broke`)
      // What found every connection taken counts as answered at the end.
      const times = [...outcomes.map(({ ms }) => ms), ...Array<number>(unsent).fill(seconds * 1_000)]
      ratios.push({ p50: middle(times), p99: percentile(times, 0.99) })
    }
    const p50 = middle(ratios.map(round => round.p50))
    const p99 = middle(ratios.map(round => round.p99))
    console.log(`${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${(p99 / p50).toFixed(1)}`)
    holds &&= p99 / p50 <= most
  }
  return holds
}

async function measure(name: string, env: Record<string, string>): Promise<boolean> {
  const server = await atrium(env)
  try {
    const person = await atriumPerson(server.base, 1_000)
    console.log(`\n${name}, whoami`)
    await byConnections(server.base, person)
    console.log()
    return await atHalf(server.base, person)
  } finally {
    await server.stop()
  }
}

try {
  let holds = await measure('embedded', { DATA_DIR: join(folder, 'latency') })
  if (BENCH_DATABASE_URL) {
    const { url, drop } = await ownDatabase(BENCH_DATABASE_URL, 'latency')
    const redis = BENCH_REDIS_URL && { REDIS_URL: BENCH_REDIS_URL }
    const env = { DATABASE_URL: url, DATA_DIR: join(folder, 'latency_key'), ...redis }
    holds = (await measure('PostgreSQL', env).finally(drop)) && holds
  } else console.log('Left out: PostgreSQL (set BENCH_DATABASE_URL)')
  process.exitCode = holds ? 0 : 1
} finally {
  removeFolder()
}
