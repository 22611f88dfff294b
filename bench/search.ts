// The search over memories at a thousand and at a hundred thousand: it must take no more than three times as long.
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { onBothEngines, printGrowth } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium } from './load/servers.ts'

const sizes = [1_000, Number(process.env.BENCH_MEMORIES ?? 100_000)]
const times = 40
const mostGrowth = 3

async function fill(database: Database, { workspaceId }: Person, from: number, to: number): Promise<void> {
  const step = 10_000
  for (let start = from + 1; start <= to; start += step) {
    const numbers = sql`generate_series(${start}::int, ${Math.min(start + step - 1, to)}::int) n`
    await database.query(sql`
      insert into memories (id, workspace_id, owner_id, title, markdown, hash, source_type, visibility, status, pinned,
        confidence, expires_at, version, created, updated)
      select 'mem_' || substr(md5(n || ${workspaceId}), 1, 24), ${workspaceId}, 'system',
        'Service' || n % 997 || ' of customer' || n % 4001,
        'Since deployment ' || md5(n::text) || ' the pool of service' || n % 997 || ' holds ' || n % 50 || ' connections.',
        md5(n::text), 'manual', 'workspace', case when n % 20 = 0 then 'archived' else 'active' end, n % 100 = 0,
        (n % 10 + 1) / 10.0, case when n % 25 = 0 then now() - interval '1 day' end, 1, at, at
      from ${numbers}, lateral (select now() - make_interval(mins => n * 5) as at) t`)
  }
  for (const table of ['memories']) await database.plain(`vacuum analyze ${table}`)
}

/** One that few have, one that all have, several that some have, and one that begins a word. */
const asks: Readonly<Record<string, (round: number) => string>> = {
  'a rare word': round => `service${round * 17}`,
  'a word of all': () => 'pool',
  'several words': round => `pool holds ${round % 50} connections`,
  'a phrase': round => `"pool of service${round}"`,
  'the beginning of a word': round => `custom${round % 2 ? 'er12' : 'er'}`,
}

async function median(base: string, { session, workspaceId }: Person, q: (round: number) => string): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < times; round++) {
    const url = `${base}/v1/memories/${workspaceId}/search?q=${encodeURIComponent(q(round))}`
    const began = performance.now()
    const answer = await fetch(url, { headers: session })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${text}`)
    found.push(performance.now() - began)
  }
  return found.sort((one, other) => one - other)[times / 2] ?? 0
}

async function measure(name: string, env: Record<string, string>, open: () => Promise<Database>): Promise<boolean> {
  const made = await atrium(env)
  const person = await atriumPerson(made.base, 20)
  await made.stop()
  const results: Map<string, number>[] = []
  for (const [index, size] of sizes.entries()) {
    const database = await open()
    await fill(database, person, index === 0 ? 0 : (sizes[index - 1] ?? 0), size).finally(() => database.close())
    const server = await atrium(env)
    try {
      const found = new Map<string, number>()
      for (const [what, q] of Object.entries(asks)) {
        await median(server.base, person, q)
        found.set(what, await median(server.base, person, q))
      }
      results.push(found)
    } finally {
      await server.stop()
    }
  }
  return printGrowth(`${name}: what | at ${sizes.join(' | at ')} memories`, results, mostGrowth)
}

await onBothEngines('search', measure)
