// `atrium analytics rebuild`, as an operator runs it: beside a service that runs it refuses, without one it counts all again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sql } from '../../src/kit/sql.ts'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { signUp } from '../helpers/persistent.ts'
import { type Service, start } from '../helpers/service.ts'
import { commandLine, failureIn } from '../helpers/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'atrium-rebuild-'))
const env = { DATA_DIR: join(folder, 'data') }
let line: Awaited<ReturnType<typeof commandLine>>
let service: Service
let workspaceId: string
beforeAll(async () => {
  line = await commandLine('http://127.0.0.1:9')
  service = await start(env)
  const account = await signUp(service)
  workspaceId = account.workspaceId
  const headers = { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' }
  const send = async (path: string, body: object) => {
    const answer = await fetch(`${service.url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as { result: { series: { groups: { points: { value: number }[] }[] }[] } }
  }
  for (const title of ['Leak', 'Noise', 'Heat']) await send('issues', { workspaceId, title })
  const span = {
    from: new Date(Date.now() - 86_400_000).toISOString(),
    to: new Date(Date.now() + 86_400_000).toISOString(),
  }
  const query = { ...span, metrics: ['issues.opened'], granularity: 'day' }
  const opened = async () => {
    const { result } = await send(`analytics/${workspaceId}/query`, query)
    return result.series[0]?.groups[0]?.points.reduce((sum, { value }) => sum + value, 0)
  }
  await vi.waitFor(async () => expect(await opened()).toBe(3), { timeout: 30_000, interval: 500 })
}, 240_000)
afterAll(async () => {
  await service.stop()
  await line.remove()
  rmSync(folder, { recursive: true, force: true })
})

/** What is counted, as it stands in the tables. */
async function figures(change = sql`select 1 as one`): Promise<unknown[]> {
  const database = await openEmbedded({ directory: env.DATA_DIR })
  try {
    const rows = await database.query(sql`
      select metric, dimension, name, weight::int, value::float from analytics_hours where workspace_id = ${workspaceId}
      order by 1, 2, 3`)
    await database.query(change)
    return rows
  } finally {
    await database.close()
  }
}

it('refuses beside a service that runs', async () => {
  const ran = await line.atrium('analytics rebuild', { env })
  expect(failureIn(ran)).toMatchObject({ code: 1, message: expect.stringContaining('in use by another process') })
})

it('counts the whole ledger again, says how much that was, and has the same figures', {
  timeout: 120_000,
}, async () => {
  await service.stop()
  const before = await figures(sql`delete from analytics_hours`)
  expect(before.length).toBeGreaterThan(2)
  expect(await figures(sql`delete from analytics_facts`)).toEqual([])
  const ran = await line.atrium('analytics rebuild', { env })
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${workspaceId}: \\d+ entries are counted again\\.\\n$`)),
  ])
  expect(await figures()).toEqual(before)
})
