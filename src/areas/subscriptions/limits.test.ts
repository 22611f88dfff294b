// Limits of a plan, where something is made: exact, however many make it at once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { automationIn } from '../../../test/automations/calls.ts'
import { payingBy } from '../../../test/billing/calls.ts'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { tokenHash } from '../../kit/tokens.ts'
import { takeInvite } from '../auth/accounts.ts'
import { putPlan } from '../workspaces/limits/store.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())
beforeEach(async () => {
  owner = await p.key(await p.user())
  workspaceId = owner.workspaceId
  await payingBy(p, workspaceId, 'manual')
})

const call = (verb: string, input: Record<string, unknown> = {}) =>
  p.call(`subscriptions.${verb}`, { workspaceId, ...input }, owner)

describe('limits of a plan', () => {
  const held = (plan: string, seats = 1) => putPlan(p.database, workspaceId, { provider: 'manual', plan, seats }, null)
  const repository = (n: number) =>
    p.call('repositories.post', { workspaceId, url: `https://git.example.com/r${n}.git`, enabled: false }, owner)

  it('stop what is made beyond them, and leave alone what is there', async () => {
    await held('team')
    const w: World = { ...(await world(p)), workspaceId, owner }
    for (let count = 0; count < 7; count++) await automationIn(w, owner)
    await held('free')
    const steps = [{ id: 'pause', do: 'wait', with: { seconds: 60 } }]
    const more = { workspaceId, name: 'One more', triggers: [{ on: 'manual' }], steps, grants: [] }
    const made = await p.call('automations.post', more, owner)
    expect([made.status, made.error?.metadata]).toEqual([402, { dimension: 'automations', limit: 5, current: 7 }])
    const template = { workspaceId, template: 'failed-deploys', enabled: false }
    const installed = await p.call('automations.templates.install', template, owner)
    expect([installed.status, installed.error?.metadata.dimension]).toEqual([402, 'automations'])
    const { result } = await p.call('automations.list', { workspaceId }, owner)
    expect(result.count).toBe(7)
    const { id } = result.items[0]
    expect((await p.call('automations.patch', { workspaceId, id, name: 'Renamed' }, owner)).status).toBe(200)
    expect((await p.call('automations.del', { workspaceId, id }, owner)).status).toBe(200)
    const { warnings } = (await call('get')).result
    expect(warnings).toMatchObject([{ dimension: 'automations', limit: 5, current: 6 }])
  })

  it('are exact when several add the last one at once', async () => {
    await held('free')
    const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => repository(index)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter(status => status === 201)).toHaveLength(5)
    expect(statuses.filter(status => status === 402)).toHaveLength(4)
    expect((await call('get')).result.current.repositories).toBe(5)
  })

  it('count seats where a viewer becomes a member, and not where one becomes a viewer', async () => {
    await held('team', 2)
    const viewer = await p.as('viewer', workspaceId)
    const first = await p.call(
      'workspace_members.patch',
      { workspaceId, userId: viewer.userId, position: 'member' },
      owner,
    )
    expect(first.status).toBe(200)
    const other = await p.as('viewer', workspaceId)
    const second = await p.call(
      'workspace_members.patch',
      { workspaceId, userId: other.userId, position: 'member' },
      owner,
    )
    expect([second.status, second.error?.metadata]).toEqual([402, { dimension: 'members', limit: 2, current: 2 }])
    await held('team', 1)
    const back = await p.call(
      'workspace_members.patch',
      { workspaceId, userId: viewer.userId, position: 'viewer' },
      owner,
    )
    expect(back.status).toBe(200)
  })

  it('let a viewer in, who takes no seat, where all seats are taken', async () => {
    await held('team', 1)
    await p.as('member', workspaceId)
    const inviting = async (position: string) => {
      const { result } = await p.call('workspace_members.invites.post', { workspaceId, position }, owner)
      const guest = await p.user()
      return (await p.call('workspace_members.invites.accept', { token: result.token }, guest)).status
    }
    expect(await inviting('viewer')).toBe(200)
    expect(await inviting('member')).toBe(402)
  })

  it('are exact when several runs of agents begin at once', async () => {
    await held('free')
    const threads = await Promise.all(
      Array.from({ length: 24 }, () => p.call('threads.post', { workspaceId, type: 'chat' }, owner)),
    )
    const begin = ({ result: { id } }: (typeof threads)[number]) =>
      p.call('threads.runs.post', { workspaceId, id, runner: 'external', instructions: 'Look' }, owner)
    const statuses = (await Promise.all(threads.map(begin))).map(({ status }) => status)
    expect(statuses.filter(status => status === 402)).toHaveLength(4)
    expect((await call('get')).result.current.agentRunsPerDay).toBe(20)
  })

  it('are exact when several sign up by invites, or accept them, at once', async () => {
    await held('team', 3)
    const { settings } = p.platform
    const inviting = { workspaceId, position: 'member', maxUses: 50 }
    const { token } = (await p.call('workspace_members.invites.post', inviting, owner)).result
    const guests = await Promise.all(Array.from({ length: 8 }, () => p.user()))
    const joining = guests.map(async (guest, index) => {
      if (index % 2 === 0) return void (await p.call('workspace_members.invites.accept', { token }, guest))
      const user = { id: guest.userId, provenEmail: null } as never
      await p.database.transaction(db => takeInvite({ db, now: p.now, settings }, tokenHash(token), user))
    })
    await Promise.all(joining)
    expect((await call('get')).result).toMatchObject({ seats: expect.any(Number), seatsUsed: 3 })
  })

  it('bound how long rows are kept, where that is said', async () => {
    await held('free')
    const dataset = (retentionDays: number) =>
      p.call('datasets.post', { workspaceId, slug: `d${retentionDays}`, kind: 'logs', retentionDays }, owner)
    expect((await dataset(30)).status).toBe(201)
    expect((await dataset(31)).error.metadata.dimension).toBe('retentionDays')
    // Also where something is kept longer already; less than before is always good.
    await held('business')
    const { id } = (await dataset(200)).result
    await held('team')
    expect((await dataset(100)).status).toBe(402)
    const patch = (retentionDays: number) => p.call('datasets.patch', { workspaceId, id, retentionDays }, owner)
    expect((await patch(365)).status).toBe(402)
    expect((await patch(150)).status).toBe(200)
    expect((await dataset(90)).status).toBe(201)
  })
})
