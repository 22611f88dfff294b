import { describe, expect, it } from 'vitest'
import { people } from '../../../test/helpers/accounts.ts'
import { ownClient } from '../../../test/helpers/oauth.ts'
import type { TestCaller } from '../../../test/helpers/platform.ts'
import { issueDesk } from '../../../test/issues/desk.ts'

const { p, owner, workspaceId, make, on, patch, timeline } = await issueDesk()

describe('issues.notes', () => {
  it('are written into the timeline, changed by their author for 15 minutes, and deleted by their author', async () => {
    const mate = await p.as('admin', workspaceId)
    const { id } = await make()
    const { result: note, status } = await on('issues.notes.post', id, { text: 'First *thought*' })
    expect([status, note.type, note.text]).toEqual([201, 'note', 'First *thought*'])
    const change = (text: string, caller = owner) => on('issues.notes.patch', id, { noteId: note.id, text }, caller)
    expect((await change('Not mine', mate)).status).toBe(404)
    expect((await on('issues.notes.del', id, { noteId: note.id }, mate)).status).toBe(404)
    p.advance(14 * 60_000)
    expect((await change('Second thought')).result).toMatchObject({
      text: 'Second thought',
      edited: expect.any(String),
    })
    p.advance(2 * 60_000)
    expect((await change('Too late')).status).toBe(409)
    const created = (await timeline(id))[0] as { id: string }
    expect((await on('issues.notes.patch', id, { noteId: created.id, text: 'History' })).status).toBe(404)
    expect((await on('issues.notes.del', id, { noteId: note.id })).status).toBe(200)
    expect((await timeline(id)).map(({ type }) => type)).toEqual(['created'])
  })

  it('with a milestone make that move, or none', async () => {
    const { id } = await make()
    expect((await on('issues.notes.post', id, { text: 'Better', milestone: 'mitigated' })).status).toBe(201)
    expect((await on('issues.get', id)).result.status).toBe('mitigated')
    await patch(id, { status: 'resolved' })
    const refused = await on('issues.notes.post', id, { text: 'Worse', milestone: 'mitigated' })
    expect([refused.status, refused.error.metadata.moves]).toEqual([409, ['open']])
    expect((await timeline(id)).map(({ type }) => type)).toEqual(['created', 'milestone', 'status', 'status'])
  })

  it('of an OAuth client that acts for itself name the client, until it is deleted', async () => {
    const { id } = await make()
    const client = await ownClient(p, owner, ['issues:read', 'issues:write'])
    const { result } = await on('issues.notes.post', id, { text: 'Checked nightly.' }, client.caller)
    expect(result.actor).toEqual({ type: 'client', id: client.id })
    expect((await p.call('oauth_clients.del', { workspaceId, id: client.id }, owner)).status).toBe(200)
    expect((await timeline(id)).at(-1)?.actor).toEqual({ type: 'client', id: null })
  })

  it('of agents are findings', async () => {
    const { id } = await make()
    const run = await p.run(owner, 'investigation')
    const { result } = await on('issues.notes.post', id, { text: 'The pool is full.' }, run)
    expect([result.type, result.actor.type]).toEqual(['agent', 'run'])
  })
})

describe('the timeline', () => {
  it('comes in pages, each behind the one before', async () => {
    const { id } = await make()
    for (let number = 0; number < 7; number++) await on('issues.notes.post', id, { text: `Note ${number}` })
    const seen: string[] = []
    let after: string | null = null
    do {
      const page = { order: 'asc', perPage: 3, ...(after && { after }) }
      const { result } = await on('issues.timeline.list', id, page)
      seen.push(...result.items.map(({ type, text }: { type: string; text: string }) => text ?? type))
      after = result.next
    } while (after)
    expect(seen).toEqual(['created', ...Array.from({ length: 7 }, (_, number) => `Note ${number}`)])
  })
})

describe('people', () => {
  const inbox = async (caller: TestCaller) => {
    await people(p).settled()
    const { result } = await p.call('auth.inbox.list', { order: 'asc' }, caller)
    return result.items.map(({ type, target }: { type: string; target: { id: string } }) => [type, target.id])
  }

  it('are told when an issue is theirs, and when a note mentions them', async () => {
    const [grace, alan] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    await p.call('auth.patch', { username: 'grace.h' }, grace)
    await p.call('auth.patch', { username: 'alan_t' }, alan)
    const one = await make({ assigneeId: grace.userId })
    const { result: note } = await on('issues.notes.post', one.id, {
      text: 'Ask @Grace.H. Not `@alan_t`, nor a@alan_t.',
    })
    expect(await inbox(grace)).toEqual([
      ['issues.assigned', one.id],
      ['issues.mentioned', one.id],
    ])
    expect(await inbox(alan)).toEqual([])
    await on('issues.notes.patch', one.id, { noteId: note.id, text: '@grace.h and @alan_t and @nobody' })
    expect((await inbox(grace)).length).toBe(2)
    expect(await inbox(alan)).toEqual([['issues.mentioned', one.id]])
    await patch(one.id, { assigneeId: alan.userId })
    await patch(one.id, { assigneeId: alan.userId, severity: 'low' })
    expect((await inbox(alan)).at(-1)).toEqual(['issues.assigned', one.id])
    expect((await inbox(alan)).length).toBe(2)
    expect((await inbox(owner)).length).toBe(0)
  })

  it('see on an issue where it was mentioned, by number or by link', async () => {
    const [one, two, three] = [await make(), await make(), await make()]
    const text = `As in #${two.number}, see https://example.com/issues/${three.id} and #999999`
    await on('issues.notes.post', one.id, { text })
    for (const { id } of [two, three]) {
      expect((await timeline(id)).at(-1)).toMatchObject({
        type: 'linked',
        data: { relation: 'mentioned_in', number: one.number },
      })
    }
  })

  it('see labels that were put on from elsewhere', async () => {
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Elsewhere' }, owner)
    const { id } = await make()
    await p.call('labels.apply', { workspaceId, id: label.id, add: [{ object: 'issue', id }] }, owner)
    for (let tries = 0; tries < 400 && (await timeline(id)).length < 2; tries++) {
      await new Promise(resolve => setTimeout(resolve, 25))
    }
    expect((await timeline(id))[1]).toMatchObject({ type: 'labels', data: { added: ['Elsewhere'], removed: [] } })
  })
})
