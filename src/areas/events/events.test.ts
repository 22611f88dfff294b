import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { ledgerKey } from '../../server/ledger/ledger.ts'
import { openLedger, systemEntry } from '../../server/ledger/writer.ts'

let p: TestPlatform
let base: string
beforeAll(async () => {
  p = await platform()
  base = await p.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => p.close())

type Event = {
  id: string
  event: string
  data: { seq: number; action: string; outcome?: string; changes?: object[] }
}
type Follower = Awaited<ReturnType<typeof follow>>

/** A connected reader: `next` waits for one event, `ended` for the end of the stream. */
async function follow(caller: TestCaller, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const answer = await fetch(`${base}/v1/events/${caller.workspaceId}/stream`, {
    headers: { ...caller.headers, ...headers },
    signal: controller.signal,
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<Event> {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const fields = Object.fromEntries(block.split('\n').map(line => line.split(/: (.*)/s) as [string, string]))
        if (fields.event) return { id: fields.id ?? '', event: fields.event, data: JSON.parse(fields.data ?? '') }
        continue
      }
      const { value, done } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) throw new Error('the stream has ended')
      text += value
    }
  }
  return { status: answer.status, headers: answer.headers, next, close: () => controller.abort() }
}

describe('events.stream', () => {
  it('tells what happens from now on, in order', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    await p.call('teams.post', { workspaceId, name: 'Before' }, owner)
    const stream = await follow(owner)
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    await p.call('teams.post', { workspaceId, name: 'One' }, owner)
    await p.call('teams.post', { workspaceId, name: 'Two' }, owner)
    expect(await stream.next()).toMatchObject({ id: '2', event: 'teams.post', data: { seq: 2 } })
    expect(await stream.next()).toMatchObject({ id: '3' })
    stream.close()
  })

  it('goes on after Last-Event-ID, without loss or doubles', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    for (let index = 0; index < 250; index++) await p.call('teams.post', { workspaceId, name: `Team ${index}` }, owner)
    const stream = await follow(owner, { 'last-event-id': '10' })
    for (let seq = 11; seq <= 250; seq++) expect((await stream.next()).data.seq).toBe(seq)
    stream.close()
  })

  it('tells each what they may read, and changes to who may read the audit log', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const [member, viewer] = [await p.as('member', workspaceId), await p.as('viewer', workspaceId)]
    const teamKey = await p.key(owner, { scopes: ['teams:read'] })
    const bareKey = await p.key(owner, { scopes: [] })
    const all = { owner, member, viewer, teamKey, bareKey }
    const streams = Object.fromEntries(
      await Promise.all(Object.entries(all).map(async ([name, caller]) => [name, await follow(caller)] as const)),
    )
    const invite = { workspaceId, email: 'invited@example.com', position: 'member' }
    await p.call('api_keys.post', { workspaceId, name: 'of the owner', scopes: [] }, owner)
    await p.call('api_keys.post', { workspaceId, name: 'of the member', scopes: [] }, member)
    expect((await p.call('teams.post', { workspaceId, name: 'Refused' }, viewer)).status).toBe(403)
    expect((await p.call('workspace_members.invites.post', invite, owner)).error).toBeNull()
    await p.call('teams.post', { workspaceId, name: 'Seen by many' }, owner)
    // Told last, and about nobody's secrets: whoever gets it has got all before it.
    p.platform.feed.tell(workspaceId, {
      action: 'workspaces.progress',
      target: { object: 'workspace', id: 'x' },
      data: 1,
    })
    expect((await p.call('workspaces.patch', { workspaceId, name: 'Last' }, owner)).status).toBe(200)
    const heard: Record<string, Event[]> = {}
    for (const name of ['owner', 'member', 'viewer']) {
      heard[name] = []
      do heard[name].push(await (streams[name] as Follower).next())
      while (heard[name].at(-1)?.event !== 'workspaces.patch')
    }
    const told = (name: string) =>
      heard[name]
        ?.filter(({ event }) => event !== 'ephemeral')
        .map(({ event, data }) => `${event} ${data.outcome ?? ''}`.trim())
    expect(told('owner')).toEqual([
      'api_keys.post success',
      'api_keys.post success',
      'teams.post denied',
      'workspace_members.invites.post success',
      'teams.post success',
      'workspaces.patch success',
    ])
    const invites = ['workspace_members.invites.post']
    expect(told('member')).toEqual(['api_keys.post', ...invites, 'teams.post', 'workspaces.patch'])
    expect(told('viewer')).toEqual([...invites, 'teams.post', 'workspaces.patch'])
    const of = (name: string) =>
      heard[name]?.find(({ event, data }) => event === 'teams.post' && data.outcome !== 'denied')?.data
    expect(of('owner')?.changes).toContainEqual({ path: 'name', after: 'Seen by many' })
    expect(Object.keys(of('viewer') ?? {}).sort()).toEqual(['action', 'actor', 'at', 'id', 'seq', 'target'])
    expect(of('viewer')).toMatchObject({ target: { object: 'team' }, actor: { id: owner.userId, type: 'session' } })
    // A key without the right to see members gets no names; one without scopes gets nothing but the connection.
    const byKey = await (streams.teamKey as Follower).next()
    expect(byKey).toMatchObject({ event: 'teams.post', data: { actor: { id: owner.userId, name: null } } })
    expect(streams.bareKey?.status).toBe(200)
    expect((await follow({ ...(await p.user()), workspaceId })).status).toBe(403)
    for (const stream of Object.values(streams)) stream.close()
  })

  it('passes on what is not stored, to who may see its target', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const stream = await follow(owner)
    const event = { action: 'teams.progress', target: { object: 'team', id: 'team_x' }, data: { percent: 40 } }
    p.platform.feed.tell(workspaceId, event)
    expect(await stream.next()).toMatchObject({ id: '', event: 'ephemeral', data: event })
    expect((await p.call('audit_logs.list', { workspaceId }, owner)).result.count).toBe(0)
    const key = await follow(await p.key(owner, { scopes: ['labels:read', 'api_keys:read'] }))
    p.platform.feed.tell(workspaceId, event)
    p.platform.feed.tell(workspaceId, { ...event, action: 'labels.progress' })
    expect((await key.next()).data.action).toBe('labels.progress')
    expect(() => p.platform.feed.tell(workspaceId, { ...event, data: 'x'.repeat(8_000) })).toThrow('split it')
    stream.close()
    key.close()
  })

  it('tells a signed-in person what is theirs, whichever workspace they follow, and no key of theirs', async () => {
    const [owner, other] = [await p.user(), await p.user()]
    const { workspaceId, userId } = owner
    const streams = [await follow(owner), await follow({ ...owner, workspaceId: await p.workspace(userId) })]
    const deaf = [await follow(await p.as('admin', workspaceId)), await follow(await p.key(owner))]
    const target = { object: 'user', id: userId }
    p.platform.feed.tell(userId, { action: 'auth.inbox.changed', target, data: null })
    p.platform.feed.tell(other.userId, { action: 'auth.inbox.changed', target, data: 'not theirs' })
    for (const stream of streams) {
      const { event, data } = await stream.next()
      expect([event, data]).toEqual(['ephemeral', { action: 'auth.inbox.changed', target, data: null }])
    }
    p.platform.feed.tell(workspaceId, { action: 'teams.progress', target, data: 'next' })
    for (const stream of [...deaf, streams[0]]) expect((await stream?.next())?.data.action).toBe('teams.progress')
    for (const stream of [...streams, ...deaf]) stream.close()
  })

  it('leaves no reader behind when many come and go', async () => {
    const owner = await p.user()
    const { feed } = p.platform
    await vi.waitFor(() => expect(feed.readers()).toBe(0), { timeout: 20_000 })
    const streams = await Promise.all(Array.from({ length: 200 }, () => follow(owner)))
    // All of one workspace share one wait, and one reading.
    await vi.waitFor(() => expect([feed.readers(), feed.waiting()]).toEqual([200, 1]), { timeout: 20_000 })
    for (const stream of streams) stream.close()
    await vi.waitFor(() => expect([feed.readers(), feed.waiting()]).toEqual([0, 0]), { timeout: 20_000 })
  })

  it('reads what is new once for all who follow', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const { readingFor } = p.database
    const texts: string[] = []
    const spying = vi.spyOn(p.database, 'readingFor').mockImplementation(key => {
      const db = readingFor(key)
      const query: typeof db.query = statement => {
        texts.push(statement.text)
        return db.query(statement)
      }
      return { query }
    })
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(owner)))
    texts.length = 0
    await p.call('teams.post', { workspaceId, name: 'For all' }, owner)
    for (const stream of streams) expect((await stream.next()).event).toBe('teams.post')
    const readings = texts.filter(text => /from ledger l where/.test(text))
    spying.mockRestore()
    expect(readings.length).toBeGreaterThan(0)
    expect(readings.length).toBeLessThan(4)
    for (const stream of streams) stream.close()
  })

  it('ends when the rights of the credential change', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const key = await p.key(owner, { scopes: ['teams:read'] })
    const stream = await follow(key)
    await p.call('api_keys.patch', { workspaceId, id: key.id, scopes: ['labels:read'] }, owner)
    await expect(stream.next()).rejects.toThrow('the stream has ended')
  }, 60_000)

  it('ends with the credential', async () => {
    const owner = await p.user()
    const key = await p.key(owner)
    const stream = await follow(key)
    await p.call('api_keys.del', { workspaceId: owner.workspaceId, id: key.id }, owner)
    expect((await stream.next()).event).toBe('api_keys.del')
    await expect(stream.next()).rejects.toThrow('the stream has ended')
  })

  it('hears what another process writes', async ({ skip }) => {
    if (p.database.engine !== 'postgres') skip('needs PostgreSQL')
    const owner = await p.user()
    const { workspaceId } = owner
    const stream = await follow(owner)
    // As if from elsewhere: written and announced by nobody here.
    const { alarm } = p.platform.ledger
    const elsewhere = openLedger({ key: ledgerKey(p.config.SECRET_KEY), alarm })
    const told = systemEntry('teams.post', { target: null, changes: [] })
    await p.database.transaction(tx => elsewhere.append(tx, [{ chain: workspaceId, ...told }]))
    expect(await stream.next()).toMatchObject({ id: '1', event: 'teams.post' })
    stream.close()
  })
})
