// Threads: how many runs a second eight runners take up, with none given out twice; how soon a second listener hears the
// first word of a streamed message; and whether a thread of ten thousand messages opens as fast as one of a hundred.
import { join } from 'node:path'
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, folder, ownDatabase, removeFolder } from './load/servers.ts'

const { BENCH_DATABASE_URL } = process.env
const runners = 8
const queued = Number(process.env.BENCH_RUNS ?? 2_000)
const sizes = [100, Number(process.env.BENCH_MESSAGES ?? 10_000)] as const
const times = 40
/** The embedded engine has one session; no number is promised for it. */
const leastClaims = { embedded: 0, PostgreSQL: 200 }
const mostFirstTokenMs = 300
/** As fast as the short one, but for what two measurements of the same thing differ by. */
const mostGrowth = 1.5

type Engine = keyof typeof leastClaims

async function makeRuns(database: Database, { workspaceId }: Person, ownerId: string): Promise<void> {
  const numbers = sql`generate_series(1, ${queued}::int) n`
  const idOf = sql`substr(md5(n || ${workspaceId}), 1, 24)`
  await database.query(sql`
    insert into threads (id, workspace_id, owner_id, name, is_named, type, visibility, status, created, updated)
    select 'thrd_' || ${idOf}, ${workspaceId}, ${ownerId}, 'Investigation ' || n, true, 'investigation', 'workspace',
      'queued', now(), now() from ${numbers}`)
  await database.query(sql`
    insert into agent_runs (id, workspace_id, thread_id, owner_id, caller_kind, is_attended, scopes, runner, status,
      created, updated)
    select 'agent_run_' || ${idOf}, ${workspaceId}, 'thrd_' || ${idOf}, ${ownerId}, 'investigation', true,
      array['threads:read'], 'external', 'queued', now(), now() from ${numbers}`)
}

const threadIdOf = (size: number) => `thrd_${String(size).padStart(24, '0')}`

async function makeMessages(database: Database, { workspaceId }: Person, ownerId: string): Promise<void> {
  for (const size of sizes) {
    await database.query(sql`
      insert into threads (id, workspace_id, owner_id, name, is_named, type, visibility, status, last_seq, created, updated)
      values (${threadIdOf(size)}, ${workspaceId}, ${ownerId}, 'Long conversation', true, 'chat', 'workspace', 'idle',
        ${size}, now(), now())`)
    await database.query(sql`
      insert into messages (id, workspace_id, thread_id, seq, role, status, parts, title, text, author_user_id, created,
        updated)
      select 'msg_' || substr(md5(n || ${threadIdOf(size)}), 1, 24), ${workspaceId}, ${threadIdOf(size)}, n, 'user',
        'complete', jsonb_build_array(jsonb_build_object('type', 'text', 'markdown', 'Line ' || n || repeat(' word', 60))),
        'Line ' || n, 'Line ' || n || repeat(' word', 60), ${ownerId}, now(), now()
      from generate_series(1, ${size}::int) n`)
  }
  for (const table of ['threads', 'messages', 'agent_runs']) await database.plain(`vacuum analyze ${table}`)
}

async function send(base: string, method: string, path: string, headers: object, body?: object): Promise<Response> {
  const answer = await fetch(`${base}/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`)
  return answer
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads the few fields it needs
async function resultOf(answer: Response): Promise<any> {
  return ((await answer.json()) as { result: unknown }).result
}

type Claims = { perSecond: number; claimed: number; doubled: number }

async function claims(base: string, { workspaceId, session }: Person): Promise<Claims> {
  const ids: string[] = []
  const work = async () => {
    for (;;) {
      const answer = await send(base, 'POST', `/threads/${workspaceId}/runs/claim`, session, {})
      if (answer.status === 204) return
      ids.push((await resultOf(answer)).run.id)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: runners }, work))
  const seconds = (performance.now() - began) / 1_000
  return { perSecond: ids.length / seconds, claimed: ids.length, doubled: ids.length - new Set(ids).size }
}

/** Calls back with each piece of the stream; ends with the signal. */
async function listen(base: string, path: string, headers: object, signal: AbortSignal, hear: (text: string) => void) {
  const answer = await fetch(`${base}/v1${path}`, { headers: { ...headers }, signal })
  if (!answer.ok || !answer.body) throw new Error(`${path} was answered with ${answer.status}`)
  const decoder = new TextDecoder()
  const reading = async () => {
    for await (const part of answer.body ?? []) hear(decoder.decode(part, { stream: true }))
  }
  return reading().catch(() => {})
}

/** From the moment in which the runner sends it until another connection has read it, for each of so many messages. */
async function firstTokens(base: string, { workspaceId, session }: Person): Promise<number[]> {
  const post = async (path: string, body: object) => await resultOf(await send(base, 'POST', path, session, body))
  const thread = await post('/threads', { workspaceId, name: 'Streaming', type: 'investigation' })
  await post(`/threads/${workspaceId}/${thread.id}/runs`, { runner: 'external' })
  const claim = await post(`/threads/${workspaceId}/runs/claim`, {})
  const agent = { authorization: `Bearer ${claim.token}` }
  const stop = new AbortController()
  let heard = ''
  let wake = () => {}
  const path = `/threads/${workspaceId}/${thread.id}/events`
  const listening = listen(base, path, session, stop.signal, text => {
    heard += text
    wake()
  })
  const found: number[] = []
  for (let round = 0; round < times; round++) {
    const body = { workspaceId, threadId: thread.id, text: ' ', status: 'streaming' }
    const message = await resultOf(await send(base, 'POST', '/messages', agent, body))
    const word = `token${round}x`
    const began = performance.now()
    const sent = send(base, 'PATCH', `/messages/${workspaceId}/${message.id}`, agent, { append: word })
    while (!heard.includes(word)) {
      if (performance.now() - began > 10_000) throw new Error('nothing was heard within 10 s')
      await new Promise<void>(resolve => {
        wake = resolve
        setTimeout(resolve, 100)
      })
    }
    found.push(performance.now() - began)
    await (await sent).arrayBuffer()
    await (await send(base, 'PATCH', `/messages/${workspaceId}/${message.id}`, agent, { status: 'complete' })).text()
    heard = ''
  }
  stop.abort()
  await listening
  return found.sort((one, other) => one - other)
}

/** As the console opens a thread: the thread itself and its newest messages, then the page before them. */
async function opening(base: string, { workspaceId, session }: Person, threadId: string): Promise<number> {
  const list = `/messages/${workspaceId}?threadId=${threadId}&orderBy=seq&order=desc&perPage=50`
  const found: number[] = []
  for (let round = 0; round < times; round++) {
    const began = performance.now()
    const [, newest] = await Promise.all([
      send(base, 'GET', `/threads/${workspaceId}/${threadId}`, session).then(answer => answer.arrayBuffer()),
      send(base, 'GET', list, session).then(resultOf),
    ])
    await (await send(base, 'GET', `${list}&after=${encodeURIComponent(newest.next)}`, session)).arrayBuffer()
    found.push(performance.now() - began)
  }
  return found.sort((one, other) => one - other)[times / 2] ?? 0
}

function verdict(holds: boolean, text: string): boolean {
  console.log(`${holds ? 'pass' : 'FAIL'}: ${text}`)
  return holds
}

async function measure(name: Engine, env: Record<string, string>, open: () => Promise<Database>): Promise<boolean> {
  const made = await atrium(env)
  const person = await atriumPerson(made.base, 20)
  const { id: ownerId } = await resultOf(await send(made.base, 'GET', '/auth/whoami', person.session))
  await made.stop()
  const database = await open()
  await makeRuns(database, person, ownerId)
    .then(() => makeMessages(database, person, ownerId))
    .finally(() => database.close())
  const server = await atrium(env)
  try {
    const { base } = server
    const { perSecond, claimed, doubled } = await claims(base, person)
    const rate = `${perSecond.toFixed(0)} claims a second by ${runners} runners, at least ${leastClaims[name]} wanted`
    const isWhole = claimed - doubled === queued && doubled === 0
    const results = [
      verdict(perSecond >= leastClaims[name], `${name}: ${rate}`),
      verdict(isWhole, `${name}: ${claimed} of ${queued} runs claimed, ${doubled} twice, none wanted`),
    ]
    const tokens = await firstTokens(base, person)
    const [middle = 0, late = 0] = [tokens[times / 2], tokens[Math.floor(times * 0.95)]]
    const soon = `first token heard after ${middle.toFixed(1)} ms, 95 of 100 within ${late.toFixed(1)} ms`
    results.push(verdict(late < mostFirstTokenMs, `${name}: ${soon}, less than ${mostFirstTokenMs} ms wanted`))
    const [short, long] = sizes
    for (const size of sizes) await opening(base, person, threadIdOf(size))
    const [quick, slow] = [
      await opening(base, person, threadIdOf(short)),
      await opening(base, person, threadIdOf(long)),
    ]
    const figures = `${short} messages open in ${quick.toFixed(1)} ms, ${long} in ${slow.toFixed(1)} ms`
    const growth = `${(slow / quick).toFixed(2)} times, at most ${mostGrowth} wanted`
    results.push(verdict(slow / quick <= mostGrowth, `${name}: ${figures}: ${growth}`))
    return results.every(Boolean)
  } finally {
    await server.stop()
  }
}

try {
  const directory = join(folder, 'threads')
  let holds = true
  if (process.env.BENCH_ENGINE !== 'postgres') {
    holds = await measure('embedded', { DATA_DIR: directory }, () => openEmbedded({ directory }))
  }
  if (BENCH_DATABASE_URL) {
    const { url, drop } = await ownDatabase(BENCH_DATABASE_URL, 'threads')
    const env = { DATABASE_URL: url, DATA_DIR: join(folder, 'threads_key') }
    holds = (await measure('PostgreSQL', env, () => openPostgres({ url })).finally(drop)) && holds
  } else console.log('Left out: PostgreSQL (set BENCH_DATABASE_URL)')
  process.exitCode = holds ? 0 : 1
} finally {
  removeFolder()
}
