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
  const [intoId, id] = [await q.issue(w, { title: 'Root' }), await q.issue(w, { title: 'Merged' })]
  await p.call('issues.merge', { workspaceId: w.workspaceId, id, intoId }, w.owner)
  const thread = { workspaceId: w.workspaceId, type: 'investigation' }
  await ranIn(w, (await p.call('threads.post', thread, w.owner)).result.id)
  const bytes = await exported(w, w.owner)
  const answer = await p.call('workspaces.import', { content: { kind: 'zip', bytes } }, w.owner)
  expect([answer.status, answer.error]).toEqual([201, null])
  came = { ...w, workspaceId: answer.result.id }
  const asked = { workspaceId: came.workspaceId, status: ['!resolved', '!dismissed'] }
  issues = (await p.call('issues.list', asked, w.owner)).result.items
})
afterAll(() => p.close())

async function ranIn({ workspaceId, owner }: World, threadId: string): Promise<void> {
  const run = await p.run({ ...owner, workspaceId }, 'investigation', { threadId })
  const end = { workspaceId, id: threadId, runId: run.id, status: 'succeeded', usage: { in: 100, out: 5 } }
  expect((await p.call('threads.runs.finish', end, run)).status).toBe(200)
}

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
  expect(issues).toHaveLength(4)
  expect(await openBySeverity()).toEqual({ high: 2, low: 1, medium: 1 })
  expect(total((await q.series(came, 'issues.opened')).groups[0].points)).toBe(0)
  expect(total((await q.series(came, 'issues.resolved')).groups[0].points)).toBe(0)
})

it('goes on from there, and is the same when everything is counted again', async () => {
  const q = asking(p)
  const high = issues.find(({ severity }) => severity === 'high')
  await q.patch(came, high?.id ?? '', { status: 'resolved' })
  await q.issue(came, { severity: 'low' })
  await q.counted(came)
  expect(await openBySeverity()).toEqual({ high: 1, low: 2, medium: 1 })
  expect(total((await q.series(came, 'issues.resolved')).groups[0].points)).toBe(1)
  await p.database.transaction(tx => rebuildOne(tx, came.workspaceId))
  expect(await openBySeverity()).toEqual({ high: 1, low: 2, medium: 1 })
})

it('counts a run that ends here alone, not those that its thread came with', async () => {
  const q = asking(p)
  const { workspaceId, owner } = came
  const [{ id }] = (await p.call('threads.list', { workspaceId }, owner)).result.items
  expect((await p.call('threads.runs.list', { workspaceId, id }, owner)).result.items).toHaveLength(1)
  await ranIn(came, id)
  await q.counted(came)
  expect(total((await q.series(came, 'runs.finished')).groups[0].points)).toBe(1)
  expect(total((await q.series(came, 'agent.tokens')).groups[0].points)).toBe(105)
})

it('has an issue again that came merged, once the other is deleted', async () => {
  const q = asking(p)
  const all: { id: string; title: string }[] = (
    await p.call('issues.list', { workspaceId: came.workspaceId }, came.owner)
  ).result.items
  const idOf = (title: string) => all.find(one => one.title === title)?.id ?? ''
  expect((await p.call('issues.del', { workspaceId: came.workspaceId, id: idOf('Root') }, came.owner)).status).toBe(200)
  await q.counted(came)
  expect(await openBySeverity()).toEqual({ high: 1, low: 2, medium: 1 })
  await p.database.transaction(tx => rebuildOne(tx, came.workspaceId))
  expect(await openBySeverity()).toEqual({ high: 1, low: 2, medium: 1 })
})
