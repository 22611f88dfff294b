// Figures of a workspace that was imported: a level begins with what came, and nothing that came is counted as new.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rebuildOne } from '../../src/areas/analytics/rebuilding.ts'
import { asking, type Points, total } from '../analytics/asking.ts'
import { type World, world } from '../calls.ts'
import { platform, type TestPlatform } from '../helpers/platform.ts'
import { exported } from './zips.ts'

let p: TestPlatform
let came: World
let issues: { id: string; severity: string }[]

beforeAll(async () => {
  p = await platform()
  const q = asking(p)
  const w = await world(p)
  for (const severity of ['high', 'high', 'low']) await q.issue(w, { severity })
  await q.patch(w, await q.issue(w), { status: 'resolved' })
  const bytes = await exported(w, w.owner)
  const answer = await p.call('workspaces.import', { content: { kind: 'zip', bytes } }, w.owner)
  expect([answer.status, answer.error]).toEqual([201, null])
  came = { ...w, workspaceId: answer.result.id }
  const asked = { workspaceId: came.workspaceId, status: ['!resolved', '!dismissed'] }
  issues = (await p.call('issues.list', asked, w.owner)).result.items
})
afterAll(() => p.close())

async function openBySeverity() {
  const { groups } = await asking(p).series(came, 'issues.open', { groupBy: ['severity'] })
  return Object.fromEntries(
    groups.map(({ by, points }: { by: { severity: string }; points: Points }) => [
      by.severity,
      points.findLast(({ value }) => value !== null)?.value,
    ]),
  )
}

it('begins with as many open issues as the list has, none of which was opened here', async () => {
  const q = asking(p)
  await q.counted(came)
  expect(issues).toHaveLength(3)
  expect(await openBySeverity()).toEqual({ high: 2, low: 1 })
  expect(total((await q.series(came, 'issues.opened')).groups[0].points)).toBe(0)
  expect(total((await q.series(came, 'issues.resolved')).groups[0].points)).toBe(0)
})

it('goes on from there, and is the same when everything is counted again', async () => {
  const q = asking(p)
  const high = issues.find(({ severity }) => severity === 'high')
  await q.patch(came, high?.id ?? '', { status: 'resolved' })
  await q.issue(came, { severity: 'low' })
  await q.counted(came)
  expect(await openBySeverity()).toEqual({ high: 1, low: 2 })
  expect(total((await q.series(came, 'issues.resolved')).groups[0].points)).toBe(1)
  await p.database.transaction(tx => rebuildOne(tx, came.workspaceId))
  expect(await openBySeverity()).toEqual({ high: 1, low: 2 })
})
