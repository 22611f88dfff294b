import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const make = async (fields: object = {}) =>
  (await p.call('issues.post', { workspaceId, title: 'Checkout answers 502', ...fields }, owner)).result
const investigate = (id: string, fields: object = {}, by = owner) =>
  p.call('issues.investigate', { workspaceId, id, ...fields }, by)

describe('issues.investigate', () => {
  it('makes a thread about the issue and those like it, and one for each hypothesis', async () => {
    const earlier = await make({ status: 'open' })
    const issue = await make({ resources: ['node/a'] })
    const hypotheses = ['The pool is full', 'The disk is full', 'The pool is full']
    const { status, result } = await investigate(issue.id, { prompt: 'Pool first.', hypotheses })
    expect(status).toBe(202)
    expect(result).toMatchObject({ type: 'investigation', issueId: issue.id, status: 'idle', run: null })
    expect(result.context[0]).toEqual({ type: 'issue', id: issue.id })
    expect(result.context).toContainEqual({ type: 'issue', id: earlier.id })
    expect(result.hypothesisThreadIds).toHaveLength(2)
    const below = await p.call('threads.list', { workspaceId, parentThreadId: result.id }, owner)
    const statements = below.result.items.map((one: { hypothesis: { statement: string } }) => one.hypothesis.statement)
    expect(statements.sort()).toEqual(['The disk is full', 'The pool is full'])
    const said = await p.call('messages.list', { workspaceId, threadId: result.id }, owner)
    expect(said.result.items[0].text).toMatch(/#\d+: Checkout answers 502[\s\S]*node\/a[\s\S]*Pool first\./)
    const many = Array.from({ length: 9 }, (_, index) => `Cause ${index}`)
    expect((await investigate(issue.id, { hypotheses: many })).status).toBe(400)
    const key = await p.key(owner, { scopes: ['issues:write'] })
    expect((await investigate(issue.id, {}, key)).error.metadata.missing).toEqual(['threads:write'])
  })

  it('starts runs where there is a runner, and the outcome lands on the timeline', async () => {
    const agent = { runner: 'external', maxRunsPerDay: null }
    await p.call('workspaces.settings.patch', { workspaceId, agent }, owner)
    const issue = await make()
    const { result } = await investigate(issue.id, { hypotheses: ['The pool is full'] })
    expect(result.run).toMatchObject({ kind: 'investigation', status: 'queued' })
    const claimed = await p.call('threads.runs.claim', { workspaceId, kinds: ['investigation'] }, owner)
    const caller = { headers: { authorization: `Bearer ${claimed.result.token}` } }
    const outcome = { kind: 'diagnosed', summary: 'The pool was full.' }
    const patched = await p.call('threads.patch', { workspaceId, id: result.id, outcome }, caller)
    expect(patched.error).toBeNull()
    await vi.waitFor(
      async () => {
        const timeline = await p.call('issues.timeline.list', { workspaceId, id: issue.id }, owner)
        const texts = timeline.result.items.map(({ text }: { text: string }) => text)
        expect(texts).toContain('Investigation: diagnosed. The pool was full.')
      },
      { timeout: 20_000 },
    )
  })
})
