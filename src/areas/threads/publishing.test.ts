import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let admin: TestCaller
let member: TestCaller
let other: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
  admin = await p.as('admin', workspaceId)
  member = await p.as('member', workspaceId)
  other = await p.as('member', workspaceId)
})
afterAll(() => p.close())

async function thread(fields: object = {}): Promise<string> {
  return (await p.call('threads.post', { workspaceId, name: 'Why is checkout slow?', ...fields }, member)).result.id
}

const say = async (threadId: string, parts: object[]) =>
  (await p.call('messages.post', { workspaceId, threadId, parts }, member)).result
const publish = (id: string, fields: object = {}, by = member) =>
  p.call('threads.publish', { workspaceId, id, ...fields }, by)
const content = async (id: string, format = 'html') =>
  (await p.call('pages.content', { workspaceId, id, format }, owner)).text

describe('threads.publish', () => {
  it('makes a page of what was said, without names, tools’ data and what was deleted', async () => {
    const id = await thread({ summary: 'The pool was *too small*.' })
    await say(id, [{ type: 'text', markdown: 'Since **noon**.' }])
    await say(id, [
      { type: 'tool_call', tool: 'issues_list', callId: 'one', args: { q: 'inside the call' } },
      { type: 'tool_result', callId: 'one', ok: true, output: 'inside the result' },
    ])
    const gone = await say(id, [{ type: 'text', markdown: 'Forget this.' }])
    await p.call('messages.del', { workspaceId, threadId: id, id: gone.id }, member)
    const { status, result } = await publish(id)
    expect(status).toBe(201)
    expect(result).toMatchObject({
      kind: 'thread_report',
      title: 'Why is checkout slow?',
      source: { object: 'thread', id },
      visibility: 'workspace',
      redactions: 0,
      createdBy: member.userId,
    })
    const html = await content(result.id)
    expect(html).toContain('Since <strong>noon</strong>.')
    expect(html).toContain('The pool was <em>too small</em>.')
    expect(html).toContain('Called <code>issues_list</code>.')
    expect(html).not.toMatch(/inside the (call|result)|Forget this/)
    expect(html).not.toContain(member.userId)
    expect(await content(result.id, 'md')).toContain('Since **noon**.')
  })

  it('takes out secrets, opens by link for everybody, and ends when it is revoked', async () => {
    const id = await thread()
    await say(id, [{ type: 'text', markdown: `The key is ghp_${'a1B2'.repeat(9)}.` }])
    const { result } = await publish(id, { visibility: 'link' })
    expect(result.redactions).toBe(1)
    const seen = await p.call('pages.public', { id: result.id })
    expect(seen.status).toBe(200)
    expect(seen.text).not.toContain('ghp_a1B2')
    await p.call('pages.del', { workspaceId, id: result.id }, member)
    expect((await p.call('pages.public', { id: result.id })).status).toBe(410)
  })

  it('leaves what not everybody sees to its owner and to admins', async () => {
    const hidden = await thread({ visibility: 'private' })
    expect((await publish(hidden, {}, other)).status).toBe(404)
    expect((await publish(hidden, {}, member)).status).toBe(201)
    const team = (await p.call('teams.post', { workspaceId, name: 'Engines' }, owner)).result
    for (const { userId } of [member, other]) {
      await p.call('teams.members.post', { workspaceId, id: team.id, userId }, owner)
    }
    const shared = await thread({ visibility: 'team', teamId: team.id })
    expect((await publish(shared, {}, other)).status).toBe(403)
    expect((await publish(shared, {}, admin)).status).toBe(201)
    expect((await publish('thrd_000000000000000000000000')).status).toBe(404)
  })

  it('cuts a long thread, and says where', async () => {
    const id = await thread()
    for (let count = 0; count < 2; count++) await say(id, [{ type: 'text', markdown: 'x'.repeat(110_000) }])
    const { status, result } = await publish(id)
    expect(status).toBe(201)
    expect(await content(result.id, 'md')).toContain('The thread goes on with message 2')
  })
})
