// Spans taken in for a while, beside a bare sink that only inflates and decodes them; how long others wait meanwhile; and
// a grouped hour over a million rows. Sender, service and database share the machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { plain } from '../src/kit/clickhouse.ts'
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { openClickHouse } from '../src/server/backends/clickhouse.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { toProtobuf } from '../test/telemetry/protobuf.ts'
import { onBothEngines } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, folder, ownDatabase, removeFolder, type Server, telemetrySink } from './load/servers.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 60)
const rowsAsked = Number(process.env.BENCH_ROWS ?? 1_000_000)
/** Requests at the same time: what a collector has is written in batches, and each request waits for its batch. */
const senders = { embedded: 4, PostgreSQL: 16, ClickHouse: 64 }
const spansInBody = 500
const least = { embedded: 8_000, PostgreSQL: 20_000, ClickHouse: 40_000 }
const longestAsked = { embedded: 1_500, PostgreSQL: 700, ClickHouse: 200 }
const longestWait = 50

type EngineName = keyof typeof least

const hex = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('')
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
const whole = (key: string, intValue: string) => ({ key, value: { intValue } })

/** As an instrumented web service sends them: ten attributes a span, five spans a trace. */
function bodyOf(number: number): Buffer {
  const now = BigInt(Date.now()) * 1_000_000n
  let traceId = ''
  const spans = Array.from({ length: spansInBody }, (_, n) => {
    if (n % 5 === 0) traceId = hex(32)
    const begin = now - BigInt(n) * 1_000_000n
    return {
      traceId,
      spanId: hex(16),
      name: `GET /route/${n % 50}`,
      kind: 2,
      startTimeUnixNano: String(begin),
      endTimeUnixNano: String(begin + BigInt(1 + ((n * 7_919) % 400)) * 1_000_000n),
      status: { code: n % 20 ? 1 : 2 },
      attributes: [
        text('http.request.method', 'GET'),
        text('http.route', `/route/${n % 50}`),
        text('url.path', `/route/${n}`),
        whole('http.response.status_code', n % 20 ? '200' : '500'),
        text('server.address', 'shop.example.com'),
        whole('server.port', '443'),
        text('network.protocol.version', '1.1'),
        text('user_agent.original', 'Mozilla/5.0 (X11; Linux x86_64)'),
        text('client.address', `10.0.${number % 256}.${n % 256}`),
        whole('thread.id', String(n % 16)),
      ],
    }
  })
  const attributes = [
    text('service.name', `service-${number % 8}`),
    text('host.name', 'node-1'),
    text('telemetry.sdk.language', 'nodejs'),
  ]
  const request = { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'http' }, spans }] }] }
  return gzipSync(toProtobuf('traces', request))
}

/** Spans a second that were answered with 200, and the answers that were not. */
async function send(url: string, headers: Record<string, string>, forSeconds: number, atOnce: number) {
  const bodies = Array.from({ length: 20 }, (_, number) => bodyOf(number))
  const until = performance.now() + forSeconds * 1_000
  const began = performance.now()
  let taken = 0
  let refused = 0
  let next = 0
  const one = async () => {
    while (performance.now() < until) {
      const body = bodies[next++ % bodies.length] as Buffer
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip', ...headers },
        body: new Uint8Array(body),
      })
      await answer.arrayBuffer()
      if (answer.ok) taken += spansInBody
      else refused++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return { rate: (taken / (performance.now() - began)) * 1_000, refused, taken }
}

async function waits(base: string, { session }: Person, signal: AbortSignal): Promise<number> {
  const found: number[] = []
  while (!signal.aborted) {
    const began = performance.now()
    await (await fetch(`${base}/v1/auth/whoami`, { headers: session })).arrayBuffer()
    found.push(performance.now() - began)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return found.sort((one, other) => one - other)[Math.floor(found.length * 0.99)] ?? 0
}

async function ask<T>(url: string, headers: Record<string, string>, body?: object): Promise<T> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { result: T }).result
}

const memoryOf = ({ child }: Server) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

type Prepared = { person: Person; token: string; ingest: string; asked: string }

async function prepare(env: Record<string, string>): Promise<Prepared> {
  const server = await atrium(env)
  try {
    const person = await atriumPerson(server.base, 20)
    const { workspaceId, session } = person
    const make = (slug: string) =>
      ask<{ id: string }>(`${server.base}/v1/datasets`, session, { workspaceId, slug, kind: 'traces' })
    const [ingest, asked] = [await make('ingest'), await make('asked')]
    const { token } = await ask<{ token: string }>(`${server.base}/v1/telemetry_tokens`, session, {
      workspaceId,
      name: 'Bench',
      routes: { traces: ingest.id },
    })
    return { person, token, ingest: ingest.id, asked: asked.id }
  } finally {
    await server.stop()
  }
}

async function ingest(
  engine: EngineName,
  env: Record<string, string>,
  { person, token, ingest: id }: Prepared,
): Promise<boolean> {
  const server = await atrium(env)
  try {
    const { workspaceId, session } = person
    const ended = new AbortController()
    const waiting = waits(server.base, person, ended.signal)
    const { rate, refused, taken } = await send(
      `${server.base}/v1/otlp/v1/traces`,
      { authorization: `Bearer ${token}` },
      seconds,
      senders[engine],
    )
    ended.abort()
    const p99 = await waiting
    const { rows } = await ask<{ rows: number }>(`${server.base}/v1/datasets/${workspaceId}/${id}`, session)
    console.log(
      `${engine} | ${Math.round(rate)} spans a second for ${seconds} s (${least[engine]}) | ${refused} refused | ` +
        `whoami p99 ${p99.toFixed(1)} ms (${longestWait}) | ${Math.round(memoryOf(server))} MiB at most | ` +
        `${rows === taken ? 'each span there once' : `${rows} rows of ${taken} spans`}`,
    )
    return rate >= least[engine] && (engine !== 'embedded' || p99 < longestWait) && rows === taken
  } finally {
    await server.stop()
  }
}

/** An hour of spans, written past the door. */
async function fill(database: Database, id: string): Promise<void> {
  const [row] = await database.query<{ no: number }>(sql`select no from datasets where id = ${id}`)
  const no = row?.no ?? 0
  const end = BigInt(Date.now()) * 1_000_000n
  const step = 3_600_000_000_000n / BigInt(rowsAsked)
  for (let from = 0; from < rowsAsked; from += 20_000) {
    await database.query(sql`
      insert into dataset_traces (dataset_no, at, id, bytes, service, name, duration_ms, status, kind, trace_id, span_id, attributes, resource)
      select ${no}::int, ${String(end)}::bigint - n * ${String(step)}::bigint, n, 400, 'service-' || n % 8, 'GET /route/' || n % 50,
        1 + (n::bigint * 7919) % 400, case when n % 20 = 0 then 'error' else 'ok' end, 'server', md5((n / 5)::text), substr(md5(n::text), 1, 16),
        jsonb_build_object('http.request.method', 'GET', 'http.route', '/route/' || n % 50, 'http.response.status_code', 200,
          'server.address', 'shop.example.com', 'server.port', 443), '{"service.name": "shop", "host.name": "node-1"}'
      from generate_series(${from}::int, ${Math.min(from + 20_000, rowsAsked) - 1}::int) n`)
  }
  await database.query(sql`
    insert into dataset_hours (dataset_no, hour, rows, bytes, first_at, last_at)
    select dataset_no, at - at % 3600000000000, count(*), sum(bytes), min(at), max(at) from dataset_traces
    where dataset_no = ${no}::int group by 1, 2`)
  await database.plain('vacuum analyze dataset_traces')
}

/** The same on ClickHouse. */
async function fillClickHouse(database: Database, address: string, id: string): Promise<void> {
  const [row] = await database.query<{ no: number }>(sql`select no from datasets where id = ${id}`)
  const clickhouse = await openClickHouse(address)
  const names = ['http.request.method', 'http.route', 'http.response.status_code', 'server.address', 'server.port']
  const values = ["'sGET'", "concat('s/route/', toString(n % 50))", "'s200'", "'sshop.example.com'", "'s443'"]
  await clickhouse.command(
    plain(`
    insert into dataset_traces (dataset_no, at, id, bytes, service, name, duration_ms, status, kind, trace_id, span_id,
      attribute_names, attribute_values, has_resource, resource_names, resource_values)
    select ${row?.no}, ${Date.now()}000000 - n * ${3_600_000_000_000n / BigInt(rowsAsked)}, n, 400,
      concat('service-', toString(n % 8)), concat('GET /route/', toString(n % 50)), 1 + (n * 7919) % 400,
      if(n % 20 = 0, 'error', 'ok'), 'server', lower(hex(MD5(toString(intDiv(n, 5))))),
      lower(substring(hex(MD5(toString(n))), 1, 16)), [${names.map(name => `'${name}'`)}], [${values}], 1,
      ['service.name', 'host.name'], ['sshop', 'snode-1']
    from (select number as n from system.numbers limit ${rowsAsked})`),
  )
  await clickhouse.close()
}

/** Asked twice: of these rows alone, which the bound is for, and beside the spans of another dataset of the same day. */
async function question(
  engine: EngineName,
  env: Record<string, string>,
  { person: { workspaceId, session }, asked: id }: Prepared,
  others: string,
): Promise<boolean> {
  const server = await atrium(env)
  try {
    const now = Date.now()
    const body = {
      from: new Date(now - 4_000_000).toISOString(),
      to: new Date(now + 60_000).toISOString(),
      interval: '5m',
      groupBy: ['service'],
      aggregates: [{ fn: 'count' }, { fn: 'avg', field: 'durationMs' }],
    }
    const found: number[] = []
    for (let round = 0; round < 7; round++) {
      const began = performance.now()
      await ask(`${server.base}/v1/datasets/${workspaceId}/${id}/query`, session, body)
      found.push(performance.now() - began)
    }
    const median = found.sort((one, other) => one - other)[3] ?? 0
    console.log(
      `${engine} | a grouped hour over ${rowsAsked} rows, ${others}: ${Math.round(median)} ms (${longestAsked[engine]})`,
    )
    return median < longestAsked[engine]
  } finally {
    await server.stop()
  }
}

async function measure(
  engine: EngineName,
  env: Record<string, string>,
  open: () => Promise<Database>,
  write: (database: Database, asked: string) => Promise<void>,
): Promise<boolean> {
  const prepared = await prepare(env)
  const database = await open()
  await write(database, prepared.asked).finally(() => database.close())
  const isFast = await question(engine, env, prepared, 'alone')
  const holds = await ingest(engine, env, prepared)
  await question(engine, env, prepared, 'beside the spans')
  return isFast && holds
}

const sink = await telemetrySink()
const { rate } = await send(`${sink.base}/`, {}, Math.min(seconds, 10), senders.embedded)
await sink.stop()
console.log(`bare sink | ${Math.round(rate)} spans a second`)
await onBothEngines('telemetry', (engine, env, open) => measure(engine, env, open, fill))

/** Records on PostgreSQL, rows on ClickHouse. */
async function onClickHouse(postgres: string, clickhouse: string): Promise<boolean> {
  const { url, drop } = await ownDatabase(postgres, 'telemetry')
  const address = new URL(clickhouse)
  address.pathname = `/bench_${hex(12)}`
  const env = { DATABASE_URL: url, CLICKHOUSE_URL: address.href, DATA_DIR: join(folder, 'telemetry_clickhouse') }
  try {
    return await measure(
      'ClickHouse',
      env,
      () => openPostgres({ url }),
      (database, asked) => fillClickHouse(database, address.href, asked),
    )
  } finally {
    const opened = await openClickHouse(address.href)
    await opened.command(plain(`drop database if exists ${address.pathname.slice(1)}`))
    await opened.close()
    await drop()
    removeFolder()
  }
}

const { BENCH_DATABASE_URL, BENCH_CLICKHOUSE_URL } = process.env
if (!BENCH_DATABASE_URL || !BENCH_CLICKHOUSE_URL) {
  console.log('Left out: ClickHouse (set BENCH_DATABASE_URL and BENCH_CLICKHOUSE_URL)')
} else if (!(await onClickHouse(BENCH_DATABASE_URL, BENCH_CLICKHOUSE_URL))) process.exitCode = 1
