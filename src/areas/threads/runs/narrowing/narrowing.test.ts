import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const skill = async (slug: string, allowedTools: string[]) =>
  (await p.call('skills.post', { workspaceId, slug, description: 'Sorts.', body: 'Sort.', allowedTools }, owner)).result
    .id as string
const atWork = async () => {
  const { id } = (await p.call('threads.post', { workspaceId, type: 'investigation' }, owner)).result
  return { threadId: id as string, run: await p.run(owner, 'investigation', { threadId: id }) }
}
const follow = (id: string, run: TestCaller) => p.call('skills.prompt', { workspaceId, id }, run)
const said = async (id: string, run: TestCaller, input: object = {}) =>
  (await p.call(id, { workspaceId, ...input }, run)).status

it('leaves a run what all skills that it follows allow, and its own work', async () => {
  const { threadId, run } = await atWork()
  const [both, one] = [await skill('both', ['issues_list', 'labels.list']), await skill('one', ['issues_list'])]
  expect([await said('issues.list', run), await said('labels.list', run), await said('teams.list', run)]).toEqual([
    200, 200, 200,
  ])
  expect((await follow(both, run)).status).toBe(200)
  expect([await said('issues.list', run), await said('labels.list', run), await said('teams.list', run)]).toEqual([
    200, 200, 403,
  ])
  await follow(one, run)
  expect([await said('issues.list', run), await said('labels.list', run)]).toEqual([200, 403])
  const refused = await p.call('teams.list', { workspaceId }, run)
  expect(refused.error).toMatchObject({ metadata: { reason: 'policy' } })
  expect(refused.error.detail).toContain('A skill that this run follows does not allow teams_list')
  expect(await said('messages.post', run, { threadId, text: 'Sorted.' })).toBe(201)
  expect(await said('teams.list', (await atWork()).run)).toBe(200)
})

it('holds for the runs that a run starts', async () => {
  const { threadId, run } = await atWork()
  await follow(await skill('narrow', ['issues_list']), run)
  const below = { workspaceId, type: 'hypothesis', parentThreadId: threadId }
  const { id } = (await p.call('threads.post', below, run)).result
  const steps = [{ call: { operation: 'teams.list', input: {} } }]
  const { result: child } = await p.call('threads.runs.post', { workspaceId, id, steps }, run)
  const state = async () => (await p.call('threads.runs.get', { workspaceId, id, runId: child.id }, owner)).result
  await vi.waitFor(async () => expect((await state()).ended).not.toBeNull(), { timeout: 20_000, interval: 50 })
  const { items } = (await p.call('messages.list', { workspaceId, threadId: id }, owner)).result
  expect([(await state()).error ?? '', JSON.stringify(items)].join()).toContain('does not allow teams_list')
})

it('gives agents no skill that is disabled', async () => {
  const id = await skill('asleep', [])
  const { run } = await atWork()
  await p.call('skills.patch', { workspaceId, id, enabled: false }, owner)
  expect([(await follow(id, run)).status, (await follow(id, owner)).status]).toEqual([404, 200])
  expect(await said('skills.files.read', run, { id, path: 'SKILL.md' })).toBe(404)
})
