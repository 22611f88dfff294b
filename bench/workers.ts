// Requests a second and CPU per request with 1, 2 and 4 workers on PostgreSQL and Redis, driven by wrk on loopback.
// SECONDS (5) is the length of a run and ROUNDS (3) how often each is repeated, in turns; the table shows medians.
// A hundred credentials ask in turns: what one process reads once for many who ask the same, several read several times.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, root, startArguments } from './load/servers.ts'
import { drive as ask } from './load/wrk.ts'

type Run = { requests: number; perSecond: number; microseconds: number; failed: number }
type Figures = Record<string, Run[]>

const { BENCH_DATABASE_URL, BENCH_REDIS_URL, SECONDS = '5', ROUNDS = '3' } = process.env
/** Per worker, so that each has as much to do at once, however many there are. */
const connections = 64
/** Per worker, before it is measured: until its code is compiled, a process is several times slower. */
const warmUp = 10_000
const mostWarmUps = 8
/** Of the kernel's clock for CPU time; the same on every Linux. */
const ticksPerSecond = 100

function statOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** User and system time of the process and of those that it started. */
function cpuSeconds(pid: number): number {
  let ticks = 0
  for (const id of readdirSync('/proc').filter(entry => /^\d+$/.test(entry))) {
    try {
      const stat = statOf(id)
      if (Number(id) === pid || Number(stat[1]) === pid) ticks += Number(stat[11]) + Number(stat[12])
    } catch {
      // It ended while we looked.
    }
  }
  return ticks / ticksPerSecond
}

async function started(env: Record<string, string>, workers: number): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort()
  const child = spawn(process.execPath, startArguments, {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), WORKERS: String(workers), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', chunk => {
    said += chunk
  })
  // The greeting comes when all of them answer.
  for (const since = performance.now(); !said.includes('Atrium is running'); ) {
    if (child.exitCode !== null || performance.now() - since > 60_000) throw new Error('the service did not start')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return { child, url: `http://127.0.0.1:${port}` }
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Record<string, string>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const { result } = (await answer.json()) as { result?: Record<string, string> }
  if (!result) throw new Error(`POST ${url} answered ${answer.status}`)
  return result
}

/** A workspace with a hundred keys that may list them. */
async function prepare(url: string, client: pg.Client): Promise<{ keys: string[]; workspaceId: string }> {
  const { token } = await post(`${url}/v1/auth/signup`, { email: 'bench@example.com', password: 'Correct4Horse!' })
  const headers = { authorization: `Bearer ${token}` }
  const listed = await fetch(`${url}/v1/workspaces`, { headers })
  const { result } = (await listed.json()) as { result: { items: { id: string }[] } }
  const workspaceId = result.items[0]?.id ?? ''
  const keys: string[] = []
  for (let index = 0; index < 100; index++) {
    const key = { workspaceId, name: `key ${index}`, scopes: ['api_keys:read'] }
    keys.push((await post(`${url}/v1/api_keys`, key, headers)).token ?? '')
  }
  await client.query('analyze')
  return { keys, workspaceId }
}

async function drive(child: ChildProcess, workers: number, url: string, path: string, keys: string[]): Promise<Run> {
  const before = cpuSeconds(child.pid as number)
  const requests = keys.map(key => ({ path, headers: { 'x-api-key': key } }))
  const seconds = Number(SECONDS)
  const { perSecond, failed } = await ask(url, requests, { seconds, connections: connections * workers })
  const used = cpuSeconds(child.pid as number) - before
  return { requests: perSecond * seconds, perSecond, microseconds: (used / (perSecond * seconds)) * 1e6, failed }
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

async function measure(env: Record<string, string>, client: pg.Client): Promise<Figures> {
  const figures: Figures = {}
  let prepared: Awaited<ReturnType<typeof prepare>> | undefined
  for (let round = 0; round < Number(ROUNDS); round++) {
    for (const workers of [1, 2, 4]) {
      const { child, url } = await started(env, workers)
      const ended = new Promise(resolve => child.on('close', resolve))
      try {
        prepared ??= await prepare(url, client)
        const cases = { whoami: '/v1/auth/whoami', list: `/v1/api_keys/${prepared.workspaceId}?perPage=20` }
        for (const [name, path] of Object.entries(cases)) {
          const { keys } = prepared
          const once = () => drive(child, workers, url, path, keys)
          for (let made = 0, runs = 0; made < warmUp * workers && runs < mostWarmUps; runs++) {
            made += (await once()).requests
          }
          const place = `${name}, ${workers}`
          figures[place] = [...(figures[place] ?? []), await once()]
        }
      } finally {
        child.kill('SIGTERM')
        await ended
      }
    }
  }
  return figures
}

function print(figures: Figures): void {
  const costOf = (place: string) => median((figures[place] ?? []).map(run => run.microseconds))
  const rows = Object.entries(figures).map(([place, runs]) => {
    const [name = '', workers = ''] = place.split(', ')
    return {
      case: name,
      workers: Number(workers),
      'requests/s': Math.round(median(runs.map(run => run.perSecond))),
      'CPU µs/request': Math.round(costOf(place)),
      'CPU to one worker': Number((costOf(place) / costOf(`${name}, 1`)).toFixed(2)),
      failed: runs.reduce((sum, run) => sum + run.failed, 0),
    }
  })
  console.table(rows.sort((one, other) => one.case.localeCompare(other.case) || one.workers - other.workers))
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model}), Node ${process.version}; wrk, PostgreSQL and Redis beside it\n`,
  )
  process.exitCode = rows.every(({ failed }) => failed === 0) ? 0 : 1
}

if (!BENCH_DATABASE_URL || !BENCH_REDIS_URL) {
  process.stdout.write('Left out: set BENCH_DATABASE_URL and BENCH_REDIS_URL\n')
} else {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  const name = `atrium_bench_${process.pid}`
  const admin = new pg.Client({ connectionString: BENCH_DATABASE_URL })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(BENCH_DATABASE_URL)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    const env = {
      DATA_DIR: folder,
      DATABASE_URL: url.href,
      REDIS_URL: BENCH_REDIS_URL,
      RATE_LIMIT: '1000000',
      ANONYMOUS_RATE_LIMIT: '1000000',
    }
    print(await measure(env, client))
  } finally {
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
    rmSync(folder, { recursive: true, force: true })
  }
}
