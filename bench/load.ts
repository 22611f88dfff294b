// Requests a second as a share of a bare node:http server that is asked the same and answers the same bytes, headers
// and all; beside it, Better Auth.
// Interleaved rounds and medians, because machines are noisy. Writes bench/results.md and bench/results.svg.
import { writeFileSync } from 'node:fs'
import { arch, cpus } from 'node:os'
import { join } from 'node:path'
import { type Case, cases } from './load/cases.ts'
import { atriumPerson, betterAuthPerson } from './load/people.ts'
import { plot } from './load/plot.ts'
import {
  atrium,
  bare,
  betterAuth,
  folder,
  ownDatabase,
  processorTime,
  removeFolder,
  type Server,
} from './load/servers.ts'
import { drive, type Request, type Round } from './load/wrk.ts'

const { BENCH_DATABASE_URL, BENCH_REDIS_URL } = process.env
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const only = process.env.BENCH_ONLY
const warmUp = 6
const keys = 1_000

type Target = { name: string; server: Server; requestsFor(one: Case): Request[] | undefined }

/** `cost` is processor time for each request, in microseconds: it says the same on a busy machine. */
export type Row = {
  name: string
  ratios: Record<string, number>
  spread: Record<string, number>
  cost: Record<string, number>
  p99: string
}

async function targets(): Promise<Target[]> {
  const found = [await atriumTarget('embedded', { DATA_DIR: join(folder, 'embedded') })]
  if (!BENCH_DATABASE_URL) return found
  const own = await ownDatabase(BENCH_DATABASE_URL, 'atrium')
  cleanups.push(own.drop)
  const env = {
    DATABASE_URL: own.url,
    DATA_DIR: join(folder, 'postgres'),
    ...(BENCH_REDIS_URL && { REDIS_URL: BENCH_REDIS_URL }),
  }
  found.push(await atriumTarget('PostgreSQL', env))
  const rivals = await ownDatabase(BENCH_DATABASE_URL, 'rival')
  cleanups.push(rivals.drop)
  const server = await betterAuth(rivals.url)
  const person = await betterAuthPerson(server.base, keys)
  found.push({ name: 'Better Auth', server, requestsFor: one => one.rival?.(person) })
  return found
}

async function atriumTarget(name: string, env: Record<string, string>): Promise<Target> {
  const server = await atrium(env)
  const person = await atriumPerson(server.base, keys)
  return { name, server, requestsFor: one => one.atrium(person) }
}

async function answerOf({ server }: Target, { method = 'GET', path, headers, body }: Request): Promise<Response> {
  const answer = await fetch(server.base + path, { method, ...(headers && { headers }), ...(body && { body }) })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
  return answer
}

/** Node's own, which the bare server gets from it too. */
const ofConnection = ['connection', 'keep-alive', 'date', 'transfer-encoding']

/** Gives the bare server the same to answer under the path, headers and all. */
async function teach(yardstick: Server, path: string, answer: Response): Promise<void> {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ofConnection.includes(name)))
  const body = JSON.stringify({ status: answer.status, headers, body: await answer.text() })
  await fetch(yardstick.base + path, { method: 'PUT', body })
}

/** Asks beside the load, ten times a second: a fast wrong answer would be worth nothing. */
function watch(target: Target, requests: readonly Request[]): () => Promise<void> {
  let isOver = false
  const watching = (async () => {
    const shape = async () => {
      const answer = (await (await answerOf(target, requests[0] as Request)).json()) as object
      return Object.keys(answer).join()
    }
    const expected = await shape()
    while (!isOver) {
      const found = await shape()
      if (found !== expected) throw new Error(`${target.name} answered ${found} instead of ${expected}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  })()
  watching.catch(() => {})
  return async () => {
    isOver = true
    await watching
  }
}

async function measure(one: Case, all: readonly Target[], yardstick: Server): Promise<Row> {
  const [first] = all as [Target]
  const path = `/${encodeURIComponent(one.name)}`
  const asked = first.requestsFor(one) ?? []
  await teach(yardstick, path, await answerOf(first, asked[0] as Request))
  const found = new Map<string, (Round & { cost: number })[]>()
  const run = async (name: string, server: Server, requests: readonly Request[]) => {
    const before = processorTime(server)
    const round = await drive(server.base, requests, { seconds })
    if (round.failed > 0) throw new Error(`${one.name}, ${name}: ${round.failed} requests failed`)
    const cost = ((processorTime(server) - before) / (round.perSecond * seconds)) * 1e6
    found.set(name, [...(found.get(name) ?? []), { ...round, cost }])
  }
  for (let round = 0; round <= rounds; round++) {
    // The first round warms up and is not counted.
    if (round === 1) found.clear()
    await run(
      'bare',
      yardstick,
      asked.map(request => ({ ...request, path })),
    )
    for (const target of all) {
      const requests = target.requestsFor(one)
      if (!requests) continue
      const end = watch(target, requests)
      await run(target.name, target.server, requests)
      await end()
    }
  }
  const rate = (name: string) => median((found.get(name) ?? []).map(({ perSecond }) => perSecond))
  const names = [...found.keys()].filter(name => name !== 'bare')
  const spread = (name: string) => {
    const rates = (found.get(name) ?? []).map(({ perSecond }) => perSecond)
    return (Math.max(...rates) - Math.min(...rates)) / rate(name) / 2
  }
  const [embedded] = found.get('embedded') ?? []
  return {
    name: one.name,
    ratios: Object.fromEntries([
      ['bare', rate('bare')],
      ...names.map(name => [name, rate(name) / rate('bare')] as const),
    ]),
    spread: Object.fromEntries(['bare', ...names].map(name => [name, spread(name)])),
    cost: Object.fromEntries(
      ['bare', ...names].map(name => [name, median((found.get(name) ?? []).map(({ cost }) => cost))]),
    ),
    p99: embedded ? `${embedded.p50.toFixed(1)} / ${embedded.p99.toFixed(1)} ms` : '',
  }
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

function faults(rows: readonly Row[]): string[] {
  return cases.flatMap(one => {
    const row = rows.find(({ name }) => name === one.name)
    if (!row) return []
    const { embedded = 0, PostgreSQL: postgres, 'Better Auth': rival } = row.ratios
    const under = (what: string, found: number, least: number | undefined) =>
      least !== undefined && found < least ? [`${one.name}, ${what}: ${found.toFixed(3)} is under ${least}`] : []
    return [
      ...under('embedded', embedded, one.least),
      ...(postgres === undefined ? [] : under('PostgreSQL', postgres, one.leastOnPostgres)),
      ...(postgres && rival ? under('PostgreSQL to Better Auth', postgres / rival, one.leastOfRival) : []),
    ]
  })
}

function table(rows: readonly Row[]): string {
  const names = ['embedded', 'PostgreSQL', 'Better Auth']
  const cell = (row: Row, name: string) => {
    const ratio = row.ratios[name]
    if (ratio === undefined) return ''
    return `${ratio.toFixed(3)} ±${((row.spread[name] ?? 0) * 100).toFixed(0)} %, ${row.cost[name]?.toFixed(0)} µs`
  }
  const lines = [
    ['Case', 'bare, requests/s', ...names, 'at least', 'embedded, median / p99'],
    ...rows.map(row => [
      row.name,
      `${row.ratios.bare?.toFixed(0)}, ${row.cost.bare?.toFixed(0)} µs`,
      ...names.map(name => cell(row, name)),
      String(cases.find(({ name }) => name === row.name)?.least ?? ''),
      row.p99,
    ]),
  ]
  // Written as the formatter would: the file is checked like the rest.
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? []
  const written = (line: string[]) => `| ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [...lines.slice(0, 1), widths.map(width => '-'.repeat(width)), ...lines.slice(1)].map(written).join('\n')
}

const cleanups: (() => Promise<void>)[] = []
const running: Server[] = []
try {
  const yardstick = await bare()
  running.push(yardstick)
  const all = await targets()
  running.push(...all.map(({ server }) => server))
  // Until its code is compiled, a process is several times slower; the first cases would pay for all of them.
  for (const target of all) {
    for (const one of cases.slice(0, 2))
      await drive(target.server.base, target.requestsFor(one) ?? [], { seconds: warmUp })
  }
  const rows: Row[] = []
  for (const one of cases.filter(({ name }) => !only || name.includes(only))) {
    const row = await measure(one, all, yardstick)
    rows.push(row)
    process.stdout.write(`${row.name}\n${table([row]).split('\n').at(-1)}\n`)
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? arch()}, Node ${process.version}, ${rounds} rounds of ${seconds} s, 32 connections`
  process.stdout.write(`\n${machine}\n\n${table(rows)}\n`)
  if (!only) {
    const text = `# Requests a second, as a share of a bare node:http server\n\nWritten by \`npm run bench -- load\`. ${machine}. Better Auth 1.7.5 on PostgreSQL.\n\n${table(rows)}\n\n![The same as bars](results.svg)\n`
    writeFileSync(join(import.meta.dirname, 'results.md'), text)
    writeFileSync(join(import.meta.dirname, 'results.svg'), plot(rows))
  }
  const found = faults(rows)
  for (const fault of found) process.stdout.write(`${fault}\n`)
  if (!BENCH_DATABASE_URL) process.stdout.write('Left out: PostgreSQL and Better Auth (set BENCH_DATABASE_URL)\n')
  process.exitCode = found.length === 0 ? 0 : 1
} finally {
  for (const server of running) await server.stop()
  for (const clean of cleanups) await clean()
  removeFolder()
}
