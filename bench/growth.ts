// How the time of a list grows with the number of keys: the first page, the last, and a filter, each with its count.
// Every list is asked for right after a change, so that nothing of it can come from memory.
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { onBothEngines } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium } from './load/servers.ts'

const sizes = [100, 1_000, 10_000, 100_000, 1_000_000].slice(0, Number(process.env.BENCH_SIZES ?? 5))
const times = 40
/** The first page at the largest size, against the smallest. */
const most = 3

async function fill(database: Database, { workspaceId, keyId }: Person, from: number, to: number): Promise<void> {
  const atOnce = 10_000
  for (let start = from; start < to; start += atOnce) {
    const end = Math.min(start + atOnce, to) - 1
    await database.query(sql`
      insert into api_keys (id, workspace_id, owner_id, name, scopes, hint, created, updated)
      select 'key_' || md5(n || ${workspaceId}) || md5(${workspaceId} || n), workspace_id, 'system',
        'Key number ' || n, scopes, hint, created - make_interval(secs => n), updated - make_interval(secs => n)
      from api_keys, generate_series(${start}::int, ${end}::int) n where id = ${keyId}`)
  }
  await database.script('analyze api_keys')
}

async function median(base: string, person: Person, query: string): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < times; round++) {
    await fetch(`${base}/v1/api_keys/${person.workspaceId}/${person.keyId}`, {
      method: 'PATCH',
      headers: { ...person.session, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Nightly export ${round}` }),
    })
    const began = performance.now()
    const answer = await fetch(`${base}/v1/api_keys/${person.workspaceId}?${query}`, { headers: person.session })
    await answer.arrayBuffer()
    found.push(performance.now() - began)
    if (!answer.ok) throw new Error(`a list was answered with ${answer.status}`)
  }
  return found.sort((one, other) => one - other)[times / 2] ?? 0
}

async function grow(name: string, env: Record<string, string>, open: () => Promise<Database>): Promise<boolean> {
  const made = await atrium(env)
  const person = await atriumPerson(made.base, 20)
  await made.stop()
  let filled = 20
  const firsts: number[] = []
  console.log(`${name}: keys | first page | last page | by owner | in ms`)
  for (const size of sizes) {
    const database = await open()
    await fill(database, person, filled, size).finally(() => database.close())
    filled = size
    const server = await atrium(env)
    try {
      const first = await median(server.base, person, 'perPage=20')
      const last = await median(server.base, person, `perPage=20&page=${size / 20}`)
      const owner = await median(server.base, person, 'perPage=20&ownerId=system')
      firsts.push(first)
      console.log(`${size} | ${first.toFixed(1)} | ${last.toFixed(1)} | ${owner.toFixed(1)}`)
    } finally {
      await server.stop()
    }
  }
  const ratio = (firsts.at(-1) ?? 0) / (firsts[0] ?? 1)
  console.log(`${name}: the first page of ${sizes.at(-1)} takes ${ratio.toFixed(2)} times that of ${sizes[0]}`)
  return ratio <= most
}

await onBothEngines('growth', grow)
