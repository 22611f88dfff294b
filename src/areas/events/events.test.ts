import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let base: string
beforeAll(async () => {
  p = await platform()
  base = await p.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => p.close())

type Event = { id: string; event: string; data: { seq: number; action: string } }

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

  it('needs audit_logs:read', async () => {
    const owner = await p.user()
    expect((await follow(await p.key(owner, { scopes: ['teams:read'] }))).status).toBe(403)
    expect((await follow(await p.as('member', owner.workspaceId))).status).toBe(403)
  })

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
    const { append } = await import('../../server/ledger.ts')
    const actor = { type: 'session', id: owner.userId, credentialId: null, callerKind: null, surface: 'rest' }
    const entry = {
      at: new Date().toISOString(),
      action: 'teams.post',
      outcome: 'success' as const,
      actor,
      target: null,
      changes: [],
      requestId: null,
    }
    await append(p.database, p.platform.ledgerKey, workspaceId, entry, { address: null, userAgent: null, changes: [] })
    expect(await stream.next()).toMatchObject({ id: '1', event: 'teams.post' })
    stream.close()
  })
})
