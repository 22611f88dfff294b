// Buttons that are pressed in Slack: who may press them, what that does, in whose name, and what Slack is told.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { PayloadId } from '../../src/areas/integrations/inbound/contract.ts'
import { takeInteraction } from '../../src/areas/integrations/inbound/slack.ts'
import * as payloads from '../../src/areas/integrations/inbound/store.ts'
import * as integrations from '../../src/areas/integrations/store.ts'
import type { JobContext } from '../../src/kit/jobs.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { jobContexts } from '../../src/server/work/job_context.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { receiver } from './receivers.ts'

// Nobody outside is called: on this machine nobody listens where Slack would.
vi.mock('node:dns/promises', async original => ({
  ...(await original<typeof import('node:dns/promises')>()),
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
}))

const signingSecret = '8f742231b10e8888abcd99yyyzzz85a5'
const account = 'U0123ABCD'

let p: TestPlatform
let owner: TestCaller
let slack: { id: string; inboundUrl: string }
let answers: Awaited<ReturnType<typeof receiver>>

beforeAll(async () => {
  p = await platform()
  answers = await receiver()
}, 60_000)
afterAll(async () => {
  await p.close()
  answers.close()
})
beforeEach(async () => {
  answers.received.length = 0
  owner = await p.user()
  slack = await slackOf(owner)
  await link(owner, account)
})

async function slackOf(by: TestCaller, config: object = { buttons: true, signingSecret }) {
  const given = { webhookUrl: 'https://hooks.slack.com/services/T0/B0/x', ...config }
  const { result, status } = await p.call(
    'integrations.post',
    { workspaceId: by.workspaceId, name: 'Operations', type: 'slack', config: given },
    by,
  )
  expect(status).toBe(201)
  return result as typeof slack
}

const link = (by: TestCaller, externalId: string, id = slack.id) =>
  p.call('integrations.people.put', { workspaceId: by.workspaceId, id, externalId }, by)

async function newIssue(by = owner): Promise<string> {
  const { result } = await p.call('issues.post', { workspaceId: by.workspaceId, title: 'Checkout answers 502' }, by)
  return result.id
}
const issue = async (id: string, by = owner) =>
  (await p.call('issues.get', { workspaceId: by.workspaceId, id }, by)).result

/** A call of an agent that waits for somebody. */
async function newApproval(by = owner): Promise<{ id: string; agent: TestCaller }> {
  const agent = await p.run(by, 'private')
  const { result, status } = await p.call('teams.post', { workspaceId: by.workspaceId, name: 'Engines' }, agent)
  expect(status).toBe(202)
  return { id: result.approvalId, agent }
}
const approval = async (approvalId: string, by = owner) =>
  (await p.call('agent_tools.approvals.get', { workspaceId: by.workspaceId, approvalId }, by)).result

const buttons = {
  acknowledge: (issueId: string) => ({ action_id: 'acknowledge', value: JSON.stringify({ issueId }) }),
  approve: (approvalId: string) => ({ action_id: 'approve', value: JSON.stringify({ approvalId }) }),
  deny: (approvalId: string) => ({ action_id: 'deny', value: JSON.stringify({ approvalId }) }),
}

type Terms = { user?: string; responseUrl?: string }

function bodyOf(
  action: object,
  { user = account, responseUrl = 'https://hooks.slack.com/actions/T0/1/x' }: Terms = {},
) {
  const payload = {
    type: 'block_actions',
    team: { id: 'T0123ABCD' },
    user: { id: user, team_id: 'T0123ABCD' },
    container: { message_ts: '1751364000.000100' },
    response_url: responseUrl,
    actions: [{ type: 'button', ...action }],
  }
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
}

/** As Slack sends it. */
async function press(
  body: string,
  { at = p.now(), secret = signingSecret, to = slack.inboundUrl }: { at?: Date; secret?: string; to?: string } = {},
) {
  const time = String(Math.floor(at.getTime() / 1_000))
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': time,
    'x-slack-signature': signature,
  }
  return await p.request({ method: 'POST', url: new URL(to).pathname, headers, payload: body })
}

const outcomes = async (id = slack.id, by = owner) => {
  const { result } = await p.call('integrations.payloads.list', { workspaceId: by.workspaceId, id }, by)
  return result.items.map(({ outcome }: { outcome: string }) => outcome) as string[]
}
const settled = async (count = 1) => {
  await expect.poll(async () => (await outcomes()).filter(one => one !== 'waiting').length).toBe(count)
  return await outcomes()
}

function contextOf(more: Partial<JobContext> = {}): JobContext {
  const { settings, ledger, feed, outbound, git, log } = p.platform
  const never = () => Promise.reject(new Error('not for buttons'))
  const make = jobContexts({
    ...{
      config: p.config,
      database: p.database,
      settings,
      ledger,
      feed,
      outbound,
      git,
      clickhouse: null,
      carriers: [],
    },
    ...{ call: never, tools: never, tracer: undefined, now: p.now },
  })
  const { signal } = new AbortController()
  return { ...make('job_test', log, signal), enqueue: p.platform.jobs.enqueue(), attempt: 0, signal, ...more }
}

/** The same without a job, so that the answer can go to a receiver of this test. */
async function take(action: object, terms: Terms = {}, more: Partial<JobContext> = {}, of = slack, by = owner) {
  const id = newId(PayloadId)
  const body = bodyOf(action, { responseUrl: `${answers.url}/actions`, ...terms })
  const { workspaceId } = by
  const kept = {
    id,
    workspaceId,
    integrationId: of.id,
    outcome: 'waiting' as const,
    reason: null,
    headers: {},
    body,
    bytes: 1,
  }
  await payloads.keep(p.database, kept, p.now())
  const connection = await integrations.connection(p.database, workspaceId, of.id)
  const again = async () => {
    const waiting = { id, received: '', outcome: 'waiting' as const, headers: {}, body }
    await takeInteraction(contextOf(more), connection!, waiting, ({ origin }) => origin === answers.url)
  }
  await again()
  const { result } = await p.call('integrations.payloads.get', { workspaceId, id: of.id, payloadId: id }, by)
  const said = answers.received.map(one => JSON.parse(one.body))
  return { outcome: result.outcome as string, reason: result.reason as string | null, said, again }
}

const entries = async (action: string, by = owner) =>
  (await p.call('audit_logs.list', { workspaceId: by.workspaceId, action }, by)).result.items

async function memberOf(role: 'admin' | 'member' | 'viewer', externalId: string): Promise<TestCaller> {
  const someone = await p.as(role, owner.workspaceId)
  expect((await link(someone, externalId)).status).toBe(200)
  return someone
}

describe('acknowledge', () => {
  it('moves a new issue to triaging, in the name of who pressed it', async () => {
    const id = await newIssue()
    const answer = await press(bodyOf(buttons.acknowledge(id)))
    expect(answer.status).toBe(200)
    expect(await settled()).toEqual(['taken'])
    expect(await issue(id)).toMatchObject({ status: 'triaging', triagedAt: expect.any(String) })
    const { result } = await p.call('issues.timeline.list', { workspaceId: owner.workspaceId, id }, owner)
    expect(result.items.find(({ type }: { type: string }) => type === 'status')).toMatchObject({
      actor: { type: 'session', id: owner.userId },
      data: { from: 'new', to: 'triaging' },
    })
    expect(await entries('issues.patch')).toMatchObject([
      {
        actor: { type: 'user', id: owner.userId, surface: 'slack', credentialId: null },
        target: { object: 'issue', id },
        cause: slack.id,
        changes: expect.arrayContaining([{ path: 'status', before: 'new', after: 'triaging' }]),
      },
    ])
  })

  it('tells the channel who did it', async () => {
    const id = await newIssue()
    const { outcome, said } = await take(buttons.acknowledge(id))
    expect(outcome).toBe('taken')
    const { number } = await issue(id)
    expect(said).toMatchObject([
      { response_type: 'in_channel', replace_original: false, text: `acknowledged the issue #${number}.` },
    ])
    expect(JSON.stringify(said[0].blocks)).toContain(`{"type":"user","user_id":"${account}"}`)
  })

  it('is done once, though it is taken twice at the same time, and pressed again', async () => {
    const id = await newIssue()
    const { again } = await take(buttons.acknowledge(id))
    await Promise.all([again(), again()])
    expect(answers.received).toHaveLength(1)
    const { outcome, reason, said } = await take(buttons.acknowledge(id))
    expect([outcome, reason]).toEqual(['ignored', expect.stringContaining('triaging')])
    expect(said.at(-1)).toMatchObject({ response_type: 'ephemeral' })
    expect(await entries('issues.patch')).toHaveLength(1)
  })

  it('is not done by whoever lost the right since, by role or by scopes', async () => {
    const member = await memberOf('member', 'U0MEMBER')
    const viewer = await memberOf('viewer', 'U0VIEWER')
    const narrowed = await memberOf('admin', 'U0NARROW')
    const { workspaceId } = owner
    await p.database.query(sql`
      update workspace_members set scopes = ${['integrations:read', 'issues:read']}
      where workspace_id = ${workspaceId} and user_id = ${narrowed.userId}`)
    const id = await newIssue()
    for (const user of ['U0VIEWER', 'U0NARROW']) {
      const { outcome, said } = await take(buttons.acknowledge(id), { user })
      expect(outcome).toBe('ignored')
      expect(said.at(-1)).toMatchObject({ response_type: 'ephemeral', text: expect.stringContaining('issues:write') })
    }
    expect(await issue(id)).toMatchObject({ status: 'new' })
    expect((await take(buttons.acknowledge(id), { user: 'U0MEMBER' })).outcome).toBe('taken')
    expect((await entries('issues.patch')).map((one: { actor: { id: string } }) => one.actor.id)).toEqual([
      member.userId,
    ])
    expect(viewer.userId).not.toBe(member.userId)
  })

  it('ends with the membership', async () => {
    const member = await memberOf('member', 'U0MEMBER')
    const id = await newIssue()
    await p.call('workspace_members.del', { workspaceId: owner.workspaceId, userId: member.userId }, owner)
    const { said } = await take(buttons.acknowledge(id), { user: 'U0MEMBER' })
    expect(said.at(-1)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('linked to no member'),
    })
    expect(await issue(id)).toMatchObject({ status: 'new' })
  })
})

describe('approve and deny', () => {
  it('decide as a session of the member does, and the ledger names them', async () => {
    const { id, agent } = await newApproval()
    expect((await press(bodyOf(buttons.approve(id)))).status).toBe(200)
    expect(await settled()).toEqual(['taken'])
    expect(await approval(id)).toMatchObject({ status: 'approved', decidedBy: owner.userId, note: null })
    expect(await entries('agent_tools.approvals.decide')).toMatchObject([
      {
        actor: { type: 'user', id: owner.userId, surface: 'slack' },
        target: { object: 'agent_tool_approval', id },
        cause: slack.id,
        changes: expect.arrayContaining([{ path: 'status', before: 'pending', after: 'approved' }]),
      },
    ])
    const used = await p.call(
      'teams.post',
      { workspaceId: owner.workspaceId, name: 'Engines' },
      {
        headers: { ...agent.headers, 'approval-id': id },
      },
    )
    expect(used.status).toBe(201)
  })

  it('let the run that waits go on, with its thread', async () => {
    const { workspaceId } = owner
    const { result: thread } = await p.call('threads.post', { workspaceId, name: 'Why it is slow' }, owner)
    const agent = await p.run(owner, 'private', { threadId: thread.id })
    const { result } = await p.call('teams.post', { workspaceId, name: 'Engines' }, agent)
    const runs = () => p.database.query<{ status: string }>(sql`select status from agent_runs where id = ${agent.id}`)
    expect(await runs()).toEqual([{ status: 'parked' }])
    expect((await take(buttons.deny(result.approvalId))).outcome).toBe('taken')
    expect(await approval(result.approvalId)).toMatchObject({ status: 'denied', decidedBy: owner.userId })
    expect((await runs())[0]?.status).not.toBe('parked')
    expect(await entries('threads.runs.moved')).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ id: owner.userId, surface: 'slack' }),
        target: { object: 'thread', id: thread.id },
      }),
    )
  })

  it('are done once: a second press is told what was decided', async () => {
    const { id } = await newApproval()
    const { said, again } = await take(buttons.deny(id))
    expect(said[0]).toMatchObject({
      response_type: 'in_channel',
      text: expect.stringContaining('denied the call of teams_post'),
    })
    await again()
    expect(answers.received).toHaveLength(1)
    const second = await take(buttons.approve(id))
    expect([second.outcome, second.said.at(-1).text]).toEqual(['ignored', expect.stringContaining('decided already')])
    expect(await approval(id)).toMatchObject({ status: 'denied' })
    expect(await entries('agent_tools.approvals.decide')).toHaveLength(1)
  })

  it('are not for members, nor for an admin who was made one', async () => {
    const admin = await memberOf('admin', 'U0ADMIN')
    await memberOf('member', 'U0MEMBER')
    const { id } = await newApproval()
    const asMember = await take(buttons.approve(id), { user: 'U0MEMBER' })
    expect(asMember.said.at(-1)).toMatchObject({
      response_type: 'ephemeral',
      text: expect.stringContaining('agent_tools:write'),
    })
    const lower = { workspaceId: owner.workspaceId, userId: admin.userId, position: 'member' }
    expect((await p.call('workspace_members.patch', lower, owner)).status).toBe(200)
    expect((await take(buttons.approve(id), { user: 'U0ADMIN' })).outcome).toBe('ignored')
    expect(await approval(id)).toMatchObject({ status: 'pending' })
  })

  it('come too late for what has expired', async () => {
    const { id } = await newApproval()
    const later = new Date(p.now().getTime() + 2 * 3_600_000)
    const { outcome, said } = await take(buttons.approve(id), {}, { now: () => later })
    expect([outcome, said.at(-1).text]).toEqual(['ignored', expect.stringContaining('in time')])
  })
})

describe('a press', () => {
  it('with a forged signature, an old one, or one from the future does nothing', async () => {
    const id = await newIssue()
    const body = bodyOf(buttons.acknowledge(id))
    const answers = [
      await press(body, { secret: 'guessed' }),
      await press(body, { at: new Date(p.now().getTime() - 6 * 60_000) }),
      await press(body, { at: new Date(p.now().getTime() + 6 * 60_000) }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(await outcomes()).toEqual(['refused', 'refused', 'refused'])
    expect(await issue(id)).toMatchObject({ status: 'new' })
  })

  it('that is sent again within the minutes in which its signature holds changes nothing more', async () => {
    const { id } = await newApproval()
    const [body, at] = [bodyOf(buttons.approve(id)), p.now()]
    await press(body, { at })
    expect(await settled()).toEqual(['taken'])
    await press(body, { at })
    expect(await settled(2)).toEqual(['ignored', 'taken'])
    expect(await entries('agent_tools.approvals.decide')).toHaveLength(1)
  })

  it('for an issue or an approval of another workspace finds nothing, though the same person owns both', async () => {
    const elsewhere = { ...owner, workspaceId: await p.workspace(owner.userId) }
    await p.database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, created, updated)
      values (${elsewhere.workspaceId}, ${owner.userId}, 'owner', ${p.now()}, ${p.now()}) on conflict do nothing`)
    const issueId = await newIssue(elsewhere)
    const { id: approvalId } = await newApproval(elsewhere)
    for (const action of [buttons.acknowledge(issueId), buttons.approve(approvalId), buttons.deny(approvalId)]) {
      const { outcome, said } = await take(action)
      expect([outcome, said.at(-1).response_type]).toEqual(['ignored', 'ephemeral'])
      expect(JSON.stringify(said)).not.toContain('Checkout')
    }
    expect(await issue(issueId, elsewhere)).toMatchObject({ status: 'new' })
    expect(await approval(approvalId, elsewhere)).toMatchObject({ status: 'pending' })
  })

  it('by an account that is linked in another integration only is told where to link', async () => {
    const second = await slackOf(owner)
    const id = await newIssue()
    const { outcome, said } = await take(buttons.acknowledge(id), {}, {}, second)
    expect(outcome).toBe('ignored')
    const place = `${p.config.PUBLIC_URL}/w/${owner.workspaceId}/integrations/${second.id}`
    expect(said).toMatchObject([{ response_type: 'ephemeral', text: expect.stringContaining(place) }])
    expect(said[0].text).toContain(account)
    expect(await issue(id)).toMatchObject({ status: 'new' })
  })

  it('does nothing while buttons are switched off, or the integration is paused', async () => {
    const { workspaceId } = owner
    const id = await newIssue()
    await p.call('integrations.patch', { workspaceId, id: slack.id, config: { buttons: false } }, owner)
    expect((await take(buttons.acknowledge(id))).reason).toContain('switched off')
    await p.call(
      'integrations.patch',
      { workspaceId, id: slack.id, config: { buttons: true }, status: 'paused' },
      owner,
    )
    await press(bodyOf(buttons.acknowledge(id)))
    expect(await outcomes()).toEqual(['ignored', 'ignored'])
    expect(await issue(id)).toMatchObject({ status: 'new' })
  })

  it('is answered to Slack and to nobody else, and done whether or not Slack hears of it', async () => {
    const id = await newIssue()
    const foreign = await press(bodyOf(buttons.acknowledge(id), { responseUrl: `${answers.url}/actions` }))
    expect(foreign.status).toBe(200)
    expect(await settled()).toEqual(['unmapped'])
    expect(await issue(id)).toMatchObject({ status: 'new' })
    answers.replyWith(response => void response.writeHead(302, { location: `${answers.url}/moved` }).end())
    expect((await take(buttons.acknowledge(id))).outcome).toBe('taken')
    answers.replyWith(response => void response.writeHead(200).end())
    expect(answers.received).toHaveLength(1)
    expect(await issue(id)).toMatchObject({ status: 'triaging' })
  })

  it('leaves nothing half done where the ledger cannot be written', async () => {
    const id = await newIssue()
    const record = () => Promise.reject(new Error('no ledger'))
    await expect(take(buttons.acknowledge(id), {}, { record })).rejects.toThrow('no ledger')
    expect(await issue(id)).toMatchObject({ status: 'new' })
    expect(answers.received).toEqual([])
  })

  it('of something else is left alone', async () => {
    await press(bodyOf({ action_id: 'open', value: '' }))
    await press('payload=%7B')
    expect((await settled(2)).sort()).toEqual(['ignored', 'unmapped'])
  })
})

describe('integrations.people', () => {
  const put = (by: Parameters<typeof p.call>[2], externalId: string, id = slack.id) =>
    p.call('integrations.people.put', { workspaceId: owner.workspaceId, id, externalId }, by)
  const list = async (by = owner) =>
    (await p.call('integrations.people.list', { workspaceId: owner.workspaceId, id: slack.id }, by)).result.items
  const del = (by: TestCaller, userId: string) =>
    p.call('integrations.people.del', { workspaceId: owner.workspaceId, id: slack.id, userId }, by)

  it('links whoever is signed in, and nobody else', async () => {
    const key = await p.key(owner)
    expect((await put(key, 'U0OTHER')).status).toBe(403)
    expect((await put(await p.run(owner, 'private'), 'U0OTHER')).status).toBe(403)
    expect((await put(await p.user(), 'U0OTHER')).status).toBe(403)
    const viewer = await p.as('viewer', owner.workspaceId)
    expect((await put(viewer, 'U0VIEWER')).result).toMatchObject({ userId: viewer.userId, externalId: 'U0VIEWER' })
    expect((await list()).map(({ userId }: { userId: string }) => userId).sort()).toEqual(
      [owner.userId, viewer.userId].sort(),
    )
  })

  it('is one per member: another account replaces it, and the same again changes nothing', async () => {
    expect((await put(owner, 'U0SECOND')).status).toBe(200)
    expect((await put(owner, 'U0SECOND')).status).toBe(200)
    expect(await list()).toMatchObject([{ externalId: 'U0SECOND', userId: owner.userId }])
    const id = await newIssue()
    expect((await take(buttons.acknowledge(id))).outcome).toBe('ignored')
  })

  it('is not taken from somebody else', async () => {
    const member = await p.as('member', owner.workspaceId)
    expect((await put(member, account)).status).toBe(409)
    expect(await list()).toMatchObject([{ externalId: account, userId: owner.userId }])
    expect((await put(member, 'U0MEMBER')).status).toBe(200)
    expect((await put(member, account)).status).toBe(409)
    expect(await list()).toHaveLength(2)
  })

  it('is for Slack, in the form that Slack has', async () => {
    const { workspaceId } = owner
    const config = { url: 'https://example.com/hook' }
    const hook = await p.call('integrations.post', { workspaceId, name: 'Hook', type: 'webhook', config }, owner)
    expect((await put(owner, 'U0OTHER', hook.result.id)).status).toBe(409)
    expect((await put(owner, 'ada@example.com')).status).toBe(400)
    expect((await put(owner, 'U0OTHER', 'int_000000000000000000000000')).status).toBe(404)
    const stranger = await p.user()
    const foreign = await p.call(
      'integrations.people.put',
      { workspaceId: stranger.workspaceId, id: slack.id, externalId: 'U0X' },
      stranger,
    )
    expect(foreign.status).toBe(404)
  })

  it('is taken back by whose it is, and by admins', async () => {
    const member = await p.as('member', owner.workspaceId)
    await put(member, 'U0MEMBER')
    expect((await del(member, owner.userId)).status).toBe(403)
    expect((await del(member, member.userId)).status).toBe(200)
    expect((await del(member, member.userId)).status).toBe(404)
    await put(member, 'U0MEMBER')
    const admin = await p.as('admin', owner.workspaceId)
    expect((await del(admin, member.userId)).status).toBe(200)
    expect(await list()).toMatchObject([{ userId: owner.userId }])
    const [entry] = await entries('integrations.people.del')
    expect(entry).toMatchObject({ target: { object: 'integration', id: slack.id } })
  })
})
