import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { newEmail, people } from '../../../../test/helpers/accounts.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../../test/helpers/platform.ts'
import { notify } from '../../../kit/notify.ts'
import { sql } from '../../../kit/sql.ts'
import { notifications } from '../../../operations.ts'
import { insertMember } from '../../teams/store.ts'

const day = 86_400_000

let p: TestPlatform
let on: ReturnType<typeof people>
beforeAll(async () => {
  p = await platform()
  on = people(p)
})
afterAll(() => p.close())

type Entry = {
  id: string
  type: string
  text: string
  isRead: boolean
  target: object | null
  workspace: object | null
}

async function inboxOf(caller: TestCaller, query: object = {}): Promise<Entry[]> {
  await on.settled()
  return (await on.call('auth.inbox.list', { order: 'asc', ...query }, caller)).result.items
}

const textsOf = async (caller: TestCaller) => (await inboxOf(caller)).map(({ text }) => text)

/** Without those who were there before. */
async function mailsTo(caller: TestCaller): Promise<{ subject: string; text: string }[]> {
  await on.settled()
  const { result } = await p.call('auth.whoami', {}, caller)
  return await p.mails(result.email, 0)
}

async function named(caller: TestCaller, forename: string): Promise<TestCaller> {
  await p.call('auth.patch', { forename, surname: null }, caller)
  return caller
}

type Channels = { web: boolean; email: boolean }

async function setFor(
  caller: TestCaller,
  settings: { all?: Channels; preferences?: Record<string, Channels>; digest?: boolean },
) {
  const { all = { web: true, email: true }, preferences = {}, digest = false } = settings
  const updates = { digest, product: false, security: true }
  const body = { globalChannels: all, preferences, updates }
  expect((await p.call('auth.notification_settings.put', body, caller)).status).toBe(200)
}

/** A workspace of Ada's with a member who was made admin by her. */
async function promoted() {
  const ada = await named(await p.user(), 'Ada')
  const { workspaceId } = ada
  await p.call('workspaces.patch', { workspaceId, name: 'Engines' }, ada)
  const grace = await p.as('member', workspaceId)
  const promote = async (position: string) => {
    const { status } = await p.call('workspace_members.patch', { workspaceId, userId: grace.userId, position }, ada)
    expect(status).toBe(200)
  }
  return { ada, grace, workspaceId, promote }
}

describe('a notification', () => {
  it('tells in the inbox and by mail what happened, to whom it happened', async () => {
    const { ada, grace, workspaceId, promote } = await promoted()
    await promote('admin')
    const [entry] = await inboxOf(grace)
    expect(entry).toEqual({
      id: expect.stringMatching(/^inbox_[0-9a-z]{24}$/),
      type: 'workspace_members.patch',
      text: 'Ada changed your role in Engines to admin',
      workspace: { id: workspaceId, name: 'Engines' },
      target: { object: 'workspace_member', id: grace.userId, title: expect.any(String) },
      actor: { id: ada.userId, name: 'Ada' },
      isRead: false,
      created: expect.any(String),
      _object: 'inbox_entry',
    })
    const [mail] = await mailsTo(grace)
    expect(mail?.subject).toBe('Ada changed your role in Engines to admin')
    expect(mail?.text).toContain('Ada changed your role in Engines to admin.')
    expect(mail?.text).toContain(`${p.config.PUBLIC_URL}/w/${workspaceId}/workspace_members/${grace.userId}`)
    expect(mail?.text).toContain(`${p.config.PUBLIC_URL}/me/notifications`)
    expect(await inboxOf(ada)).toEqual([])
  })

  it('is not made of one’s own act, nor of a change that changes no role', async () => {
    const { ada, grace, workspaceId } = await promoted()
    await p.call('workspace_members.patch', { workspaceId, userId: grace.userId, position: 'member' }, ada)
    await p.call('workspace_members.del', { workspaceId, userId: grace.userId }, grace)
    const key = await p.key(ada, { scopes: [] })
    await p.call('api_keys.patch', { workspaceId, id: key.id, enabled: false }, ada)
    await p.call('api_keys.del', { workspaceId, id: key.id }, ada)
    expect([await inboxOf(grace), await inboxOf(ada)]).toEqual([[], []])
  })

  it('tells of keys of mine that others change, take over or delete', async () => {
    const { ada, grace, workspaceId } = await promoted()
    const keys = [await p.key(grace, { scopes: [] }), await p.key(grace, { scopes: [] })]
    const [first, second] = keys.map(({ id }) => ({ workspaceId, id }))
    await p.call('api_keys.patch', { ...first, name: 'Nightly export' }, grace)
    await p.call('api_keys.patch', { ...first, enabled: false }, ada)
    expect((await inboxOf(grace)).at(-1)?.target).toMatchObject({ object: 'api_key', title: 'Nightly export' })
    await p.call('api_keys.patch', { ...first, expires: new Date(p.now().getTime() + day).toISOString() }, ada)
    await inboxOf(grace)
    await p.call('api_keys.transfer', { ...second, ownerId: 'system' }, ada)
    await inboxOf(grace)
    expect(await textsOf(grace)).toEqual([
      'Ada disabled your API key Nightly export in Engines',
      'Ada changed your API key Nightly export in Engines',
      'Ada took over your API key test key in Engines; its secret has ended',
    ])
    // What happened to a record goes with it.
    await p.call('api_keys.del', first, ada)
    expect(await textsOf(grace)).toEqual([
      'Ada took over your API key test key in Engines; its secret has ended',
      'Ada deleted your API key Nightly export in Engines',
    ])
  })

  it('tells once of a key that is about to expire, a week before', async () => {
    const ada = await p.user()
    const at = (days: number) => new Date(p.now().getTime() + days * day).toISOString()
    await p.key(ada, { scopes: [], expires: at(30) })
    const short = await p.key(ada, { scopes: [], expires: at(5) })
    await p.database.query(sql`update api_keys set name = 'short lived' where id = ${short.id}`)
    const look = () => p.platform.jobs.runNow('api_keys.tellExpiring')
    await look()
    expect(await inboxOf(ada)).toEqual([])
    p.advance(24 * day)
    const later = { ...(await p.session(ada.userId)), workspaceId: ada.workspaceId }
    await look()
    await on.settled()
    await look()
    expect(await textsOf(later)).toEqual([expect.stringMatching(/^Your API key test key in .* expires on \d{4}-/)])
    expect(await mailsTo(later)).toHaveLength(1)
  })

  it('reaches the verified account of an invited address, and a member who is removed', async () => {
    const { ada, grace, workspaceId } = await promoted()
    const guest = await p.user()
    const { result: me } = await p.call('auth.whoami', {}, guest)
    const invite = { workspaceId, position: 'viewer', email: me.email }
    expect((await p.call('workspace_members.invites.post', invite, ada)).status).toBe(201)
    await p.call('workspace_members.del', { workspaceId, userId: grace.userId }, ada)
    const [invited] = await inboxOf(guest)
    expect(invited).toMatchObject({
      workspace: null,
      target: null,
      actor: null,
      type: 'workspace_members.invites.post',
    })
    expect(invited?.text).toContain('You are invited to Engines as viewer')
    // The invite's own mail has the link; there is no second one.
    expect((await mailsTo(guest)).map(({ subject }) => subject)).toEqual(['You are invited to a workspace'])
    await p.call('workspaces.patch', { workspaceId, name: 'Renamed since' }, ada)
    expect(await textsOf(grace)).toEqual(['You were removed from Engines'])
  })

  it('reaches members of a team, each once, and nobody who may not read what it is about', async () => {
    const { ada, grace, workspaceId } = await promoted()
    const viewer = await p.as('viewer', workspaceId)
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Crew' }, ada)
    for (const { userId } of [grace, viewer]) {
      await p.database.transaction(tx => insertMember(tx, team, userId, p.now()))
    }
    const key = await p.key(ada, { scopes: [] })
    const target = { object: 'api_key', id: key.id }
    const enqueue = p.platform.jobs.enqueue()
    const stranger = await p.user()
    const to = [team.id, grace.userId, stranger.userId, 'system', null]
    const facts = { did: 'changed' }
    // As a job would, so that the same may come twice.
    for (let tries = 0; tries < 2; tries++) {
      await notify(
        { enqueue, id: 'job 1' },
        { type: 'api_keys.patch', to, workspaceId, target: { object: 'team', id: team.id }, facts },
      )
      await notify({ enqueue, id: 'job 2' }, { type: 'api_keys.patch', to, workspaceId, target, facts })
      await on.settled()
    }
    const told = 'Somebody changed your API key Crew in Engines'
    expect([await textsOf(grace), await textsOf(viewer), await textsOf(stranger)]).toEqual([[told], [told], []])
  })

  it('of an unknown type is the fault of who sends it', async () => {
    const { grace, workspaceId } = await promoted()
    const enqueue = p.platform.jobs.enqueue()
    const sending = notify({ enqueue, id: 'job' }, { type: 'api_keys.unheard', to: grace.userId, workspaceId })
    await expect(sending).rejects.toThrow('the payload of auth.notify')
  })
})

describe('the types', () => {
  it('are those that areas declare, with words for the settings and the inbox', async () => {
    const ada = await p.user()
    const { result } = await on.call('auth.notification_settings.types', {}, ada)
    expect(result.types.map(({ type }: Entry) => type).sort()).toEqual(Object.keys(notifications).sort())
    for (const { title, text, outside } of Object.values(notifications)) {
      expect(title).toMatch(/^[A-Z].*[^.]$/)
      expect(text).toMatch(/[^.]$/)
      if (outside) expect(text).not.toMatch(/\{(actor|target)\}/)
    }
  })

  it('can all be set', async () => {
    const preferences = Object.fromEntries(Object.keys(notifications).map(type => [type, { web: false, email: true }]))
    await setFor(await p.user(), { preferences })
  })
})

describe('the settings', () => {
  it.each([
    ['all on', {}, 1, 1],
    ['no mail', { all: { web: true, email: false } }, 1, 0],
    ['no inbox', { all: { web: false, email: true } }, 0, 1],
    ['the type off', { preferences: { 'workspace_members.patch': { web: false, email: false } } }, 0, 0],
    [
      'the type on and all else off',
      { all: { web: false, email: false }, preferences: { 'workspace_members.patch': { web: true, email: true } } },
      1,
      1,
    ],
  ])('with %s decide', async (_, settings, entries, mails) => {
    const { grace, promote } = await promoted()
    await setFor(grace, settings)
    await promote('admin')
    expect(await inboxOf(grace)).toHaveLength(entries)
    expect(await mailsTo(grace)).toHaveLength(mails)
  })

  it('with the digest gather the mails of a day into one, and send none where nothing happened', async () => {
    const { ada, grace, workspaceId, promote } = await promoted()
    await setFor(grace, { digest: true })
    await promote('admin')
    await on.settled()
    await promote('viewer')
    const left = await p.as('member', (await p.user()).workspaceId)
    await setFor(left, { digest: true })
    await on.settled()
    expect(await mailsTo(grace)).toEqual([])
    await p.platform.jobs.runNow('auth.startDigests')
    const [mail, ...more] = await mailsTo(grace)
    expect(more).toEqual([])
    expect(mail?.subject).toBe('2 notifications today')
    expect(mail?.text).toMatch(/to admin\.[\s\S]*to viewer\./)
    expect(mail?.text).toContain('/me/notifications')
    await p.platform.jobs.runNow('auth.startDigests')
    expect(await mailsTo(grace)).toHaveLength(1)
    expect(await mailsTo(left)).toEqual([])
    // What was turned off, or is of a workspace that was left, is not mailed any more.
    await promote('member')
    await on.settled()
    await p.call('workspace_members.del', { workspaceId, userId: grace.userId }, grace)
    await p.platform.jobs.runNow('auth.startDigests')
    expect(await mailsTo(grace)).toHaveLength(1)
    expect(ada.workspaceId).toBe(workspaceId)
  })

  it('are asked again before a mail goes out that waited', async () => {
    const { grace, promote } = await promoted()
    await setFor(grace, { digest: true })
    await promote('admin')
    await on.settled()
    await setFor(grace, { digest: true, preferences: { 'workspace_members.patch': { web: true, email: false } } })
    await p.platform.jobs.runNow('auth.startDigests')
    expect(await mailsTo(grace)).toEqual([])
  })

  it('let no more than twenty mails an hour out: the rest waits for the daily one', async () => {
    const { grace, promote } = await promoted()
    for (let index = 0; index < 22; index++) await promote(index % 2 === 0 ? 'admin' : 'member')
    expect(await mailsTo(grace)).toHaveLength(20)
    await p.platform.jobs.runNow('auth.startDigests')
    expect((await mailsTo(grace)).at(-1)?.subject).toBe('2 notifications today')
  })
})

describe('auth.inbox', () => {
  it('list pages, counts what is unread, and filters', async () => {
    const { grace, workspaceId, promote } = await promoted()
    for (const position of ['admin', 'member', 'viewer']) {
      await promote(position)
      await on.settled()
      p.advance(1_000)
    }
    const { result } = await on.call('auth.inbox.list', { perPage: 2 }, grace)
    expect([result.count, result.items.length, result.items[0].text]).toEqual([3, 2, expect.stringContaining('viewer')])
    const next = await on.call('auth.inbox.list', { perPage: 2, after: result.next }, grace)
    expect(next.result.items.map(({ text }: Entry) => text)).toEqual([expect.stringContaining('admin')])
    await on.call('auth.inbox.patch', { id: result.items[0].id, isRead: true }, grace)
    expect((await on.call('auth.inbox.list', { isRead: 'false', perPage: 1 }, grace)).result.count).toBe(2)
    for (const query of [{ type: 'api_keys.del' }, { workspaceId: grace.userId }, { isRead: 'maybe' }]) {
      expect((await on.call('auth.inbox.list', query, grace)).result.count).toBe(0)
    }
    expect((await on.call('auth.inbox.list', { workspaceId }, grace)).result.count).toBe(3)
    expect((await on.call('auth.inbox.list', { perPage: 101 }, grace)).status).toBe(400)
  })

  it('is counted by whoami where that is asked for, for who is signed in and in workspaces of theirs', async () => {
    const { ada, grace, workspaceId, promote } = await promoted()
    const unread = async (caller: TestCaller, query: Record<string, unknown> = { unread: true }) => {
      const { status, result } = await on.call('auth.whoami', query, caller)
      expect(status).toBe(200)
      return result.unread
    }
    expect(await unread(grace)).toBe(0)
    await promote('admin')
    await promote('viewer')
    await on.settled()
    expect([await unread(grace), await unread(ada), await unread(grace, {})]).toEqual([2, 0, undefined])
    const [entry] = await inboxOf(grace)
    await on.call('auth.inbox.patch', { id: entry?.id, isRead: true }, grace)
    expect(await unread(grace)).toBe(1)
    const key = await p.key({ ...ada, workspaceId })
    expect(await unread({ token: key.token } as TestCaller)).toBeUndefined()
    await p.call('workspace_members.del', { workspaceId, userId: grace.userId }, ada)
    await on.settled()
    // What was told about a workspace goes with the membership; that it ended is told outside of it.
    expect(await unread(grace)).toBe((await inboxOf(grace)).length)
  })

  it('patch marks read and unread, one’s own alone', async () => {
    const { ada, grace, promote } = await promoted()
    await promote('admin')
    const [entry] = await inboxOf(grace)
    const mark = (caller: TestCaller, id: string | undefined, isRead: unknown) =>
      on.call('auth.inbox.patch', { id, isRead }, caller)
    expect((await mark(grace, entry?.id, true)).result).toEqual({ ...entry, isRead: true })
    expect((await mark(grace, entry?.id, false)).result).toEqual(entry)
    expect((await mark(grace, entry?.id, 'yes')).status).toBe(400)
    for (const [caller, id] of [
      [ada, entry?.id],
      [grace, 'inbox_000000000000000000000000'],
      [grace, 'nonsense'],
    ] as const) {
      expect((await mark(caller, id, true)).status).toBe(404)
    }
    expect((await inboxOf(grace))[0]?.isRead).toBe(false)
  })

  it('readAll marks what came until then', async () => {
    const { grace, promote } = await promoted()
    await promote('admin')
    const [seen] = (await inboxOf(grace)) as (Entry & { created: string })[]
    p.advance(1_000)
    await promote('member')
    await on.settled()
    expect((await on.call('auth.inbox.readAll', { until: seen?.created }, grace)).result).toEqual({ read: 1 })
    expect((await inboxOf(grace)).map(({ isRead }) => isRead)).toEqual([true, false])
    expect((await on.call('auth.inbox.readAll', {}, grace)).result).toEqual({ read: 1 })
    expect((await on.call('auth.inbox.readAll', {}, grace)).result).toEqual({ read: 0 })
  })

  it('is for signed-in people: keys are refused', async () => {
    const ada = await p.user()
    const key = await p.key(ada)
    for (const [id, input] of [
      ['auth.inbox.list', {}],
      ['auth.inbox.readAll', {}],
      ['auth.inbox.patch', { id: 'inbox_000000000000000000000000', isRead: true }],
    ] as const) {
      expect((await on.call(id, input, { token: key.token })).status).toBe(403)
    }
  })

  it('shows nothing of a workspace that I left, am suspended in, or that is gone', async () => {
    const { ada, grace, workspaceId, promote } = await promoted()
    await promote('admin')
    const [entry] = await inboxOf(grace)
    const suspend = (status: string) =>
      p.call('workspace_members.patch', { workspaceId, userId: grace.userId, status }, ada)
    await suspend('suspended')
    expect(await inboxOf(grace)).toEqual([])
    expect((await on.call('auth.inbox.patch', { id: entry?.id, isRead: true }, grace)).status).toBe(404)
    expect((await on.call('auth.inbox.readAll', {}, grace)).result).toEqual({ read: 0 })
    expect((await on.call('auth.export', {}, grace)).result.inbox).toEqual([])
    await suspend('active')
    expect(await inboxOf(grace)).toHaveLength(1)
    await p.call('workspace_members.del', { workspaceId, userId: grace.userId }, grace)
    expect(await inboxOf(grace)).toEqual([])
  })

  it('reads titles as they are, and only where they may be read', async () => {
    const { ada, grace, workspaceId } = await promoted()
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Old name' }, ada)
    const enqueue = p.platform.jobs.enqueue()
    const target = { object: 'team', id: team.id }
    const notice = { type: 'api_keys.patch', to: grace.userId, workspaceId, target, facts: { did: 'renamed' } }
    await notify({ enqueue, id: 'title' }, notice)
    expect(await textsOf(grace)).toEqual(['Somebody renamed your API key Old name in Engines'])
    await p.call('teams.patch', { workspaceId, id: team.id, name: 'New name' }, ada)
    expect(await textsOf(grace)).toEqual(['Somebody renamed your API key New name in Engines'])
    await p.call('workspace_members.patch', { workspaceId, userId: grace.userId, scopes: ['labels:read'] }, ada)
    const [entry] = await inboxOf(grace)
    expect(entry).toMatchObject({
      text: 'Somebody renamed your API key (no longer there) in a workspace',
      target: null,
      workspace: null,
    })
  })

  it('keeps a thousand entries and ninety days', async () => {
    const { grace, workspaceId, promote } = await promoted()
    await p.database.query(sql`
      insert into inbox_entries (id, user_id, workspace_id, type, is_outside, facts, source, is_shown, created)
      select 'old' || n, ${grace.userId}, ${workspaceId}, 'workspace_members.del', false, '{}', n::text, true,
        ${p.now()}::timestamptz - make_interval(days => 1, secs => n) from generate_series(1, 1005) n`)
    await promote('admin')
    await on.settled()
    const count = async () => (await on.call('auth.inbox.list', { perPage: 1 }, grace)).result.count
    expect(await count()).toBe(1_000)
    const age = sql`update inbox_entries set created = created - interval '90 days' where id like 'old%'`
    await p.database.query(age)
    await p.platform.jobs.runNow('platform.sweep')
    expect(await count()).toBe(1)
  })

  it('rings wherever the person looks, and for nobody else', async () => {
    const { ada, grace, promote } = await promoted()
    const heard: string[] = []
    const unhear = [grace, ada].map(({ userId }) => p.platform.feed.hear([userId], (_, id) => void heard.push(id)))
    await promote('admin')
    const [entry] = await inboxOf(grace)
    await vi.waitFor(() => expect(heard).toEqual([grace.userId]), { timeout: 20_000 })
    await on.call('auth.inbox.patch', { id: entry?.id, isRead: true }, grace)
    await on.call('auth.inbox.patch', { id: 'inbox_000000000000000000000000', isRead: true }, grace)
    expect(heard).toEqual([grace.userId, grace.userId])
    for (const end of unhear) end()
  })

  it('goes with the account, and is in its export', async () => {
    const { ada, grace, workspaceId, promote } = await promoted()
    const host = await p.user(newEmail('host'))
    await promote('admin')
    await inboxOf(grace)
    const { result } = await on.call('auth.export', {}, grace)
    expect(result.inbox).toMatchObject([{ type: 'workspace_members.patch', actor: { name: 'Ada' } }])
    // Who acted is erased from what others were told.
    await p.call('workspace_members.patch', { workspaceId, userId: grace.userId, position: 'owner' }, ada)
    await inboxOf(grace)
    expect((await p.call('auth.del', {}, ada)).status).toBe(200)
    expect((await textsOf(grace))[0]).toBe('Somebody changed your role in Engines to admin')
    expect(await mailsTo(grace)).toEqual([])
    await p.call('auth.del', {}, grace)
    const left = await p.database.query(sql`select 1 as one from inbox_entries where user_id = ${grace.userId}`)
    expect(left).toEqual([])
    expect(await inboxOf(host)).toEqual([])
  })
})
