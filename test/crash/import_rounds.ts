// The service is killed while it imports a workspace: afterwards the workspace is whole or not there, and what was begun goes.
import { expect } from 'vitest'
import type { Database } from '../../src/kit/db.ts'
import { raw, sql } from '../../src/kit/sql.ts'
import { world } from '../calls.ts'
import { signUp } from '../helpers/persistent.ts'
import { platform } from '../helpers/platform.ts'
import { type Service, start } from '../helpers/service.ts'
import { fillEverything } from '../leaving/filling.ts'
import { exported, filesIn, linesOf } from '../leaving/zips.ts'
import { client } from './writers.ts'

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }

type Figures = Record<'rounds' | 'answered' | 'unanswered' | 'wholeUnanswered' | 'abandoned', number>
type Engine = { env: Record<string, string>; open(): Promise<Database> }
type Person = { token: string; workspaceId: string }

export async function killImports({ env, open }: Engine, rounds: number): Promise<Figures> {
  const zip = await archive()
  const rows = rowsIn(zip)
  const settings = { ...env, ...limits }
  const figures: Figures = { rounds, answered: 0, unanswered: 0, wholeUnanswered: 0, abandoned: 0 }
  let service: Service | undefined = await start(settings)
  try {
    const first = await signUp(service)
    const began = performance.now()
    expect(await send(service, first, zip)).toBe(201)
    const wholeMs = performance.now() - began
    await expectWhole(service, first, rows)
    for (let round = 1; round <= rounds; round++) {
      const person = await signUp(service)
      const sending = send(service, person, zip)
      await Promise.race([pause((wholeMs * (round - Math.random())) / rounds), sending])
      await service.stop('SIGKILL')
      const status = await sending
      service = await start(settings)
      const count = await expectWhole(service, person, rows)
      if (status === null) {
        figures.unanswered++
        figures.wholeUnanswered += count
      } else {
        figures.answered++
        expect([status, count]).toEqual([201, 1])
      }
    }
    await service.stop()
    figures.abandoned = await letTimePass(open)
    service = await start(settings)
    // The next import removes what earlier ones have left.
    expect(await send(service, await signUp(service), zip)).toBe(201)
    await service.stop()
    await expectNothingLeft(open)
    return figures
  } finally {
    await service?.stop('SIGKILL')
  }
}

async function archive(): Promise<Buffer> {
  const there = await platform({ env: { RATE_LIMIT: '1000000' } })
  try {
    const w = await world(there)
    await fillEverything(w, w.owner)
    return await exported(w, w.owner)
  } finally {
    await there.close()
  }
}

type Rows = Record<string, number>

function rowsIn(zip: Buffer): Rows {
  const [manifest] = linesOf(filesIn(zip), 'manifest.json') as [{ tables: { table: string; rows: number }[] }]
  return Object.fromEntries(manifest.tables.map(({ table, rows }) => [table, rows]))
}

/** The status, or null where no answer came. */
async function send({ url }: Service, { token }: Person, zip: Buffer): Promise<number | null> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/zip' }
  try {
    const answer = await fetch(`${url}/v1/workspaces/import`, { method: 'POST', headers, body: new Uint8Array(zip) })
    await answer.text()
    return answer.status
  } catch {
    return null
  }
}

/** Whoever imports has one more workspace or none; it exports as many records as came. */
async function expectWhole(service: Service, { token, workspaceId }: Person, rows: Rows): Promise<number> {
  const ask = client(service.url, token)
  const { items } = (await ask('GET', '/workspaces')).result as { items: { id: string }[] }
  const others = items.filter(({ id }) => id !== workspaceId)
  expect(others.length).toBeLessThanOrEqual(1)
  for (const { id } of others) {
    const back = rowsIn(await exportOf(service, token, id))
    // Who imports is one more member.
    expect(back).toEqual({ ...rows, workspace_members: (rows.workspace_members ?? 0) + 1 })
  }
  return others.length
}

async function exportOf({ url }: Service, token: string, workspaceId: string): Promise<Buffer> {
  const ask = client(url, token)
  const { id } = (await ask('POST', `/workspaces/${workspaceId}/exports`)).result
  const path = `/workspaces/${workspaceId}/exports/${id}`
  for (;;) {
    const { status, error } = (await ask('GET', path)).result
    if (status === 'failed') throw new Error(String(error))
    if (status === 'ready') break
    await pause(50)
  }
  const answer = await fetch(`${url}/v1${path}/file`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

/** As if the time were over for which an import is given to a process that may still live. Says how many there are. */
async function letTimePass(open: Engine['open']): Promise<number> {
  const database = await open()
  try {
    const left = await database.query(sql`
      update workspaces set delete_at = now() - interval '1 second' where status = 'deleting' returning id`)
    return left.length
  } finally {
    await database.close()
  }
}

/** In any table that has a workspace; rows of datasets are removed by a job of theirs. */
async function expectNothingLeft(open: Engine['open']): Promise<void> {
  const database = await open()
  try {
    const tables = await database.query<{ name: string }>(sql`
      select c.table_name as name from information_schema.columns c
      join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
      where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'
        and c.table_name not like 'dataset_%'`)
    expect(tables.length).toBeGreaterThan(50)
    for (const { name } of tables) {
      const lost = await database.query(sql`
        select r.workspace_id from ${raw(`"${name}"`)} r where r.workspace_id is not null
          and not exists (select from workspaces w where w.id = r.workspace_id) limit 1`)
      expect({ name, lost }).toEqual({ name, lost: [] })
    }
    expect(await database.query(sql`select id from workspaces where status = 'deleting'`)).toEqual([])
  } finally {
    await database.close()
  }
}
