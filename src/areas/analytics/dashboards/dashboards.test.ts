// Dashboards: the usual ones, those of a role, one's own, and tiles that nobody can ask for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type World, world } from '../../../../test/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { roles } from '../../../contract/permissions.ts'
import { refuseBadTiles } from './tiles.ts'
import { usualTiles } from './usual.ts'

let p: TestPlatform
let w: World
beforeAll(async () => {
  p = await platform()
  w = await world(p)
})
afterAll(() => p.close())

const call = (verb: string, fields: object, caller: TestCaller) =>
  p.call(`analytics.dashboards.${verb}`, { workspaceId: w.workspaceId, ...fields }, caller)
const mine = async (caller: TestCaller) => (await call('mine', {}, caller)).result
const tile = { show: 'line', last: '30d', metrics: ['issues.opened'], groupBy: ['severity'] }

describe('analytics.dashboards.mine', () => {
  it('shows what is usual for the role, and every usual tile can be asked for', async () => {
    for (const role of roles) {
      expect(await mine(w[role])).toMatchObject({ role, source: 'usual', tiles: usualTiles[role] })
      refuseBadTiles(usualTiles[role], p.now())
    }
  })
})

describe('analytics.dashboards.put', () => {
  it('changes what a role sees, and nobody else', async () => {
    const { status, result } = await call('put', { role: 'viewer', tiles: [tile] }, w.admin)
    expect([status, result]).toMatchObject([200, { role: 'viewer', source: 'workspace', tiles: [tile] }])
    expect(await mine(w.viewer)).toMatchObject({ source: 'workspace', tiles: [tile] })
    expect((await mine(w.member)).source).toBe('usual')
    expect((await call('put', { role: 'viewer', tiles: null }, w.admin)).result.source).toBe('usual')
    expect((await mine(w.viewer)).source).toBe('usual')
  })

  it('is for who may export, and of roles that there are', async () => {
    expect((await call('put', { role: 'viewer', tiles: [tile] }, w.member)).status).toBe(403)
    expect((await call('get', { role: 'guest' }, w.member)).status).toBe(404)
  })
})

describe('analytics.dashboards.putMine', () => {
  it('changes one’s own alone, which stays when that of the role changes', async () => {
    const own = [{ ...tile, title: 'Mine', filters: { severity: ['high'] } }]
    expect((await call('putMine', { tiles: own }, w.viewer)).result).toMatchObject({ source: 'own', tiles: own })
    await call('put', { role: 'viewer', tiles: [tile] }, w.owner)
    expect(await mine(w.viewer)).toMatchObject({ source: 'own', tiles: own })
    expect((await call('get', { role: 'viewer' }, w.viewer)).result.source).toBe('workspace')
    expect((await call('putMine', { tiles: null }, w.viewer)).result.source).toBe('workspace')
  })

  it('keeps no clocks that nobody chose: they are those of whoever looks', async () => {
    const own = [tile, { ...tile, timezone: 'Asia/Tokyo', granularity: 'week' }]
    const { result } = await call('putMine', { tiles: own }, w.admin)
    const kept = result.tiles.map(({ timezone, granularity }: Record<string, string>) => [timezone, granularity])
    expect(kept).toEqual([
      [undefined, undefined],
      ['Asia/Tokyo', 'week'],
    ])
  })

  it('takes an empty dashboard for what it is', async () => {
    expect((await call('putMine', { tiles: [] }, w.member)).result).toMatchObject({ source: 'own', tiles: [] })
    expect(await mine(w.member)).toMatchObject({ source: 'own', tiles: [] })
  })

  it.each([
    ['an unknown metric', { metrics: ['issues.opend'] }, 'tiles.1.metrics'],
    ['a dimension of another metric', { groupBy: ['model'] }, 'tiles.1.groupBy'],
    ['too many buckets', { last: '365d', granularity: 'minute' }, 'tiles.1.granularity'],
  ])('refuses %s, and says in which tile', async (_, fields, path) => {
    const { status, error } = await call('putMine', { tiles: [tile, { ...tile, ...fields }] }, w.owner)
    expect([status, error.metadata.issues[0].path]).toEqual([400, path])
  })

  it('refuses more than 24 tiles', async () => {
    expect((await call('putMine', { tiles: Array.from({ length: 25 }, () => tile) }, w.owner)).status).toBe(400)
  })
})
