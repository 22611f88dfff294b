// Imports where plans limit: no more comes with an archive than could be made here, and what was used elsewhere is free.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bytesSince } from '../../src/areas/telemetry_tokens/usage/store.ts'
import { usedSince } from '../../src/areas/threads/runs/store.ts'
import { putPlan } from '../../src/areas/workspaces/limits/store.ts'
import { sql } from '../../src/kit/sql.ts'
import { automationIn } from '../automations/calls.ts'
import { type World, world } from '../calls.ts'
import { datasetIn } from '../datasets/calls.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { exported } from './zips.ts'

let p: TestPlatform
let w: World
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000', BILLING_PROVIDERS: 'manual' } })
  w = await world(p)
  await putPlan(p.database, w.workspaceId, { provider: 'manual', plan: 'team', seats: 5 }, null)
})
afterAll(() => p.close())

const archive = async () => ({ kind: 'zip', bytes: await exported(w, w.owner) })
const workspaces = async () => (await p.database.query(sql`select id from workspaces`)).length

it('imports what was used elsewhere without counting it', async () => {
  await p.run(w.owner, 'private')
  await p.database.query(sql`update agent_runs set usage = '{"in": 5}'::jsonb where workspace_id = ${w.workspaceId}`)
  const since = new Date(p.now().getTime() - 86_400_000)
  expect(await usedSince(p.database, w.workspaceId, since)).toMatchObject({ runs: 1, tokens: 5 })
  const { status, result } = await p.call('workspaces.import', { content: await archive() }, w.owner)
  expect([status, result.beyondPlan]).toEqual([201, []])
  expect(await p.database.query(sql`select id from agent_runs where workspace_id = ${result.id}`)).toHaveLength(1)
  expect(await usedSince(p.database, result.id, since)).toMatchObject({ runs: 0, tokens: 0 })
  expect(await bytesSince(p.database, result.id, since)).toBe(0)
})

it('refuses what is more than a new workspace may have, and says so before', async () => {
  for (let count = 0; count < 6; count++) await automationIn(w, w.owner)
  await datasetIn(w, w.owner)
  await p.database.query(sql`update datasets set retention_days = 365 where workspace_id = ${w.workspaceId}`)
  const content = await archive()
  const dry = await p.call('workspaces.import', { dryRun: true, content }, w.owner)
  const beyond = [
    { dimension: 'automations', limit: 5, current: 6 },
    { dimension: 'retentionDays', limit: 30, current: 365 },
  ]
  expect([dry.status, dry.result.beyondPlan]).toEqual([200, beyond])
  const before = await workspaces()
  const real = await p.call('workspaces.import', { content }, w.owner)
  expect([real.status, real.error?.metadata]).toEqual([402, beyond[0]])
  expect(await workspaces()).toBe(before)
})
