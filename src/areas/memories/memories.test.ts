import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

let count = 0
const text = () => ({ title: `Fact ${count++}`, markdown: `Something that is so, ${count}.` })

async function made(fields: object = {}, caller = owner) {
  const answer = await p.call('memories.post', { workspaceId, ...text(), ...fields }, caller)
  expect(answer.error).toBeNull()
  return answer.result
}

const patch = (id: string, fields: object, caller = owner) =>
  p.call('memories.patch', { workspaceId, id, ...fields }, caller)

const revert = (id: string, version: number | string, caller = owner) =>
  p.call('memories.versions.revert', { workspaceId, id, version: String(version) }, caller)

const get = async (id: string, caller = owner) => (await p.call('memories.get', { workspaceId, id }, caller)).result

async function searched(q: string, more: object = {}, caller = owner) {
  const answer = await p.call('memories.search', { workspaceId, q, ...more }, caller)
  expect(answer.error).toBeNull()
  return answer.result.items as {
    memory: { id: string }
    score: number
    why: Record<string, number>
    snippet: object[]
  }[]
}

async function listed(more: object = {}, caller = owner): Promise<string[]> {
  const answer = await p.call('memories.list', { workspaceId, perPage: 100, ...more }, caller)
  return answer.result.items.map(({ id }: { id: string }) => id)
}

const inMinutes = (minutes: number) => new Date(p.now().getTime() + minutes * 60_000).toISOString()

describe('where a memory comes from', () => {
  it('is a thread and messages that its writer may read, and forgets them when they go', async () => {
    const thread = (await p.call('threads.post', { workspaceId, type: 'chat', visibility: 'private' }, owner)).result
    const parts = [{ type: 'text', markdown: 'It holds 20.' }]
    const said = (await p.call('messages.post', { workspaceId, threadId: thread.id, role: 'user', parts }, owner))
      .result
    const source = { sourceThreadId: thread.id, sourceMessageIds: [said.id] }
    const memory = await made({ title: 'From a thread', markdown: 'It holds 20.', ...source })
    expect(memory).toMatchObject(source)
    const { items } = (await p.call('memories.list', { workspaceId, sourceThreadId: thread.id }, owner)).result
    expect(items.map(({ id }: { id: string }) => id)).toEqual([memory.id])

    const other = await p.as('admin', workspaceId)
    const write = async (fields: object) =>
      (await p.call('memories.post', { workspaceId, title: 'x', markdown: 'y', ...fields }, other)).body
    const absent = { sourceThreadId: `thrd_${'0'.repeat(24)}`, sourceMessageIds: [`msg_${'0'.repeat(24)}`] }
    for (const name of ['sourceThreadId', 'sourceMessageIds'] as const) {
      const refused = await write({ [name]: source[name] })
      expect(refused.error.message).toBe('Bad Request')
      expect(await write({ [name]: absent[name] })).toEqual(refused)
    }

    const run = await p.run(owner, 'investigation', { threadId: thread.id })
    const ofRun = await p.call('memories.post', { workspaceId, title: 'Of a run', markdown: 'z' }, run)
    expect(ofRun.result).toMatchObject({ sourceThreadId: thread.id, sourceMessageIds: [] })

    expect((await p.call('threads.del', { workspaceId, id: thread.id }, owner)).status).toBe(200)
    const { result } = await p.call('memories.get', { workspaceId, id: memory.id }, owner)
    expect(result).toMatchObject({ sourceThreadId: null, sourceMessageIds: [] })
  })
})

describe('memories.post', () => {
  it('makes a memory that the workspace sees, with its first version', async () => {
    const memory = await made({ title: 'The pool holds 20', markdown: 'More **wait**.' })
    expect(memory).toMatchObject({
      workspaceId,
      ownerId: owner.userId,
      title: 'The pool holds 20',
      sourceType: 'manual',
      visibility: 'workspace',
      teamId: null,
      status: 'active',
      pinned: false,
      confidence: 1,
      expiresAt: null,
      supersededById: null,
      version: 1,
      useCount: 0,
      lastUsedAt: null,
      about: [],
      labels: [],
    })
    expect(memory.id).toMatch(/^mem_[0-9a-z]{24}$/)
  })

  it('says where it comes from when an agent makes it', async () => {
    for (const [kind, sourceType] of [
      ['investigation', 'investigation'],
      ['automation', 'automation'],
      ['autofix', 'observation'],
    ] as const) {
      expect((await made({}, await p.run(owner, kind))).sourceType).toBe(sourceType)
    }
  })

  it('refuses an expiry that is past, a strange team, and a team where none sees it', async () => {
    const strange = await p.user()
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Own team' }, owner)
    const other = await p.call('teams.post', { workspaceId: strange.workspaceId, name: 'Other team' }, strange)
    const refused = async (fields: object) =>
      (await p.call('memories.post', { workspaceId, ...text(), ...fields }, owner)).error?.metadata?.issues?.[0]?.path
    expect(await refused({ expiresAt: inMinutes(-1) })).toBe('expiresAt')
    expect(await refused({ visibility: 'team' })).toBe('teamId')
    expect(await refused({ teamId: team.id })).toBe('teamId')
    expect(await refused({ visibility: 'team', teamId: other.result.id })).toBe('teamId')
    expect(await refused({ visibility: 'team', teamId: team.id })).toBeUndefined()
  })

  it('is about records that are there and that the caller may read', async () => {
    const { result: issue } = await p.call('issues.post', { workspaceId, title: 'Checkout fails' }, owner)
    const about = [{ object: 'issue', id: issue.id }]
    const memory = await made({ about })
    expect(memory.about).toEqual(about)
    const strange = await p.user()
    const theirs = await p.call('issues.post', { workspaceId: strange.workspaceId, title: 'Not ours' }, strange)
    for (const object of ['issue', 'repository', 'node']) {
      const wrong = { ...text(), about: [{ object, id: theirs.result.id }] }
      const answer = await p.call('memories.post', { workspaceId, ...wrong }, owner)
      expect([answer.status, answer.error.metadata.issues[0].path]).toEqual([400, 'about.0'])
    }
    expect(await listed({ about: `issue:${issue.id}` })).toEqual([memory.id])
    expect(await listed({ about: 'issue:none' })).toEqual([])
    await p.call('issues.del', { workspaceId, id: issue.id }, owner)
    expect((await get(memory.id)).about).toEqual([])
  })
})

describe('what is said twice', () => {
  it('is 409 with the id of the first, whatever its case and spaces', async () => {
    const first = await made({ title: 'Deploys  happen', markdown: 'On\nTuesdays.' })
    const again = await p.call(
      'memories.post',
      { workspaceId, title: ' deploys happen', markdown: 'on TUESDAYS. ' },
      owner,
    )
    expect([again.status, again.error.metadata.existingId]).toEqual([409, first.id])
    await patch(first.id, { status: 'archived' })
    const second = await made({ title: 'Deploys happen', markdown: 'On Tuesdays.' })
    const restored = await patch(first.id, { status: 'active' })
    expect([restored.status, restored.error.metadata.existingId]).toEqual([409, second.id])
    const third = await made()
    const reworded = await patch(third.id, { title: 'Deploys happen', markdown: 'on tuesdays.' })
    expect([reworded.status, reworded.error.metadata.existingId]).toEqual([409, second.id])
  })

  it('tells nothing of what is private to somebody else', async () => {
    const member = await p.as('member', workspaceId)
    const said = { title: 'The safe', markdown: 'opens to the left' }
    const theirs = await made({ ...said, visibility: 'private' }, member)
    const own = await p.call('memories.post', { workspaceId, ...said }, owner)
    expect(own.status).toBe(201)
    const again = await p.call('memories.post', { workspaceId, ...said, visibility: 'private' }, member)
    expect([again.status, again.error.metadata.existingId]).toEqual([409, theirs.id])
  })

  it('is made once when many say it at the same moment', async () => {
    const same = { workspaceId, title: 'Said by many', markdown: 'At once.' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => p.call('memories.post', same, owner)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })
})

describe('who sees it', () => {
  it('is its owner alone, its team, or everybody', async () => {
    const [mine, other] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Lookers' }, owner)
    await p.call('teams.members.post', { workspaceId, id: team.id, userId: mine.userId }, owner)
    const own = await made({ visibility: 'private', title: 'Zebra own' }, mine)
    const ofTeam = await made({ visibility: 'team', teamId: team.id, title: 'Zebra team' }, owner)
    const sees = async (caller: TestCaller) => {
      const found = (await searched('zebra', {}, caller)).map(({ memory }) => memory.id).sort()
      const inList = (await listed({}, caller)).filter(id => id === own.id || id === ofTeam.id).sort()
      const everywhere = await p.call('search.query', { workspaceId, q: 'zebra' }, caller)
      const hits = everywhere.result.items.map(({ id }: { id: string }) => id).sort()
      expect([inList, hits]).toEqual([found, found])
      return found
    }
    expect(await sees(mine)).toEqual([own.id, ofTeam.id].sort())
    expect(await sees(other)).toEqual([])
    expect(await sees(owner)).toEqual([ofTeam.id])
    for (const id of ['memories.get', 'memories.versions.list', 'memories.del']) {
      expect((await p.call(id, { workspaceId, id: own.id }, owner)).status).toBe(404)
    }
    expect((await patch(own.id, { pinned: true }, owner)).status).toBe(404)
    expect((await revert(own.id, 1, owner)).status).toBe(404)
  })

  it('is changed by its owner, or by admins, who cannot make it private', async () => {
    const [mine, other] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    const memory = await made({}, mine)
    expect((await patch(memory.id, { visibility: 'private' }, other)).status).toBe(403)
    expect((await patch(memory.id, { visibility: 'private' }, owner)).status).toBe(403)
    expect((await patch(memory.id, { pinned: true }, other)).result.pinned).toBe(true)
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Few' }, owner)
    const narrowed = await patch(memory.id, { visibility: 'team', teamId: team.id }, owner)
    expect(narrowed.result).toMatchObject({ visibility: 'team', teamId: team.id })
    const widened = await patch(memory.id, { visibility: 'workspace' }, mine)
    expect(widened.result).toMatchObject({ visibility: 'workspace', teamId: null })
    expect((await patch(memory.id, { visibility: 'private' }, mine)).result.visibility).toBe('private')
  })

  it('keeps what is private out of everybody else’s audit log and events, also when its owner leaves', async () => {
    const member = await p.as('member', workspaceId)
    const secret = { title: 'Quokka title', markdown: 'quokka text' }
    const memory = await made({ ...secret, visibility: 'private' }, member)
    await patch(memory.id, { markdown: 'quokka changed' }, member)
    await p.call('memories.del', { workspaceId, id: memory.id }, member)
    await made({ title: 'Quokka again', markdown: 'quokka', visibility: 'private' }, member)
    const log = await p.call('audit_logs.list', { workspaceId, perPage: 100 }, owner)
    expect(log.text).toContain('memories.patch')
    expect(log.text).toContain('[private, changed]')
    expect(log.text.toLowerCase()).not.toContain('quokka')
    const gone = { workspaceId, userId: member.userId }
    const preview = await p.call('workspace_members.del', { ...gone, preview: true }, owner)
    expect(preview.text.toLowerCase()).not.toContain('quokka')
    expect(preview.result.takesAlong.records).toContainEqual(
      expect.objectContaining({ object: 'memory', title: 'Private', ends: true }),
    )
    const shared = await made({ title: 'Shared by who leaves' }, member)
    await p.call('workspace_members.del', gone, owner)
    expect((await get(shared.id)).ownerId).toBe(owner.userId)
    const rows = await p.database.query(sql`select id from memory_versions where title ilike 'quokka%'`)
    expect(rows).toEqual([])
  })
})

describe('memories.patch', () => {
  it('keeps every text as a version, and only texts', async () => {
    const memory = await made({ title: 'First', markdown: 'one one' })
    await patch(memory.id, { markdown: 'two two' }, await p.run(owner, 'investigation'))
    await patch(memory.id, { pinned: true, confidence: 0.5 })
    const { result } = await patch(memory.id, { title: 'Third' })
    expect(result).toMatchObject({ version: 3, title: 'Third', markdown: 'two two', pinned: true, confidence: 0.5 })
    const versions = await p.call('memories.versions.list', { workspaceId, id: memory.id }, owner)
    const told = versions.result.items.map((one: Record<string, unknown>) => [
      one.version,
      one.title,
      one.markdown,
      one.authorId,
      one.callerKind,
    ])
    expect(told).toEqual([
      [3, 'Third', 'two two', owner.userId, null],
      [2, 'First', 'two two', owner.userId, 'investigation'],
      [1, 'First', 'one one', owner.userId, null],
    ])
  })

  it('refuses what was read too long ago', async () => {
    const memory = await made()
    const read = await p.call('memories.get', { workspaceId, id: memory.id }, owner)
    p.advance(1_000)
    await patch(memory.id, { pinned: true })
    const ifMatch = { ...owner, headers: { ...owner.headers, 'if-match': String(read.headers.etag) } }
    expect((await patch(memory.id, { pinned: false }, ifMatch)).status).toBe(409)
  })

  it('archives and restores', async () => {
    const memory = await made({ title: 'Heron fact' })
    expect((await patch(memory.id, { status: 'archived' })).result.status).toBe('archived')
    expect(await listed()).not.toContain(memory.id)
    expect(await listed({ status: 'archived' })).toContain(memory.id)
    expect(await searched('heron')).toEqual([])
    expect((await p.call('search.query', { workspaceId, q: 'heron' }, owner)).result.items).toEqual([])
    expect((await patch(memory.id, { status: 'active' })).result.status).toBe('active')
    expect(await searched('heron')).toHaveLength(1)
  })

  it('supersedes in one call, in no circle, and takes it back', async () => {
    const [a, b, c] = [await made(), await made(), await made()]
    expect((await patch(a.id, { supersededById: b.id })).result).toMatchObject({
      status: 'superseded',
      supersededById: b.id,
    })
    await patch(b.id, { supersededById: c.id })
    for (const [one, by] of [
      [a, a],
      [b, a],
      [c, a],
      [c, b],
    ]) {
      const answer = await patch(one.id, { supersededById: by.id })
      expect([answer.status, answer.error.metadata.issues[0].path]).toEqual([400, 'supersededById'])
    }
    const own = await made({ visibility: 'private' })
    expect((await patch(c.id, { supersededById: own.id })).status).toBe(400)
    expect((await patch(c.id, { supersededById: `mem_${'0'.repeat(24)}` })).status).toBe(400)
    expect((await patch(c.id, { supersededById: a.id, status: 'archived' })).status).toBe(400)
    expect((await patch(a.id, { supersededById: null })).result).toMatchObject({
      status: 'active',
      supersededById: null,
    })
    await p.call('memories.del', { workspaceId, id: c.id }, owner)
    expect(await get(b.id)).toMatchObject({ status: 'superseded', supersededById: null })
  })

  it('makes no circle when four supersede each other at once', async () => {
    for (let round = 0; round < 3; round++) {
      const ring = [await made(), await made(), await made(), await made()]
      const answers = await Promise.all(
        ring.map(({ id }, index) => patch(id, { supersededById: ring[(index + 1) % ring.length].id })),
      )
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400])
    }
  })
})

describe('expiry', () => {
  it('hides at the minute, deletes nothing, and can be taken back', async () => {
    const memory = await made({ title: 'Walrus fact', expiresAt: inMinutes(5) })
    const isFound = async () => [
      (await searched('walrus')).length === 1,
      (await listed()).includes(memory.id),
      (await p.call('search.query', { workspaceId, q: 'walrus' }, owner)).result.items.length === 1,
    ]
    p.advance(5 * 60_000 - 30_000)
    expect(await isFound()).toEqual([true, true, true])
    p.advance(30_000)
    expect(await isFound()).toEqual([false, false, false])
    expect((await get(memory.id)).status).toBe('expired')
    expect(await listed({ status: 'expired' })).toContain(memory.id)
    expect(await searched('walrus', { include: 'expired' })).toHaveLength(1)
    await patch(memory.id, { expiresAt: null })
    expect(await isFound()).toEqual([true, true, true])
  })
})

describe('memories.versions.revert', () => {
  it('writes an earlier title and text as a new version, and leaves the rest as it is', async () => {
    const memory = await made({ title: 'It holds 20', markdown: 'One two.' })
    await patch(memory.id, { title: 'It holds 40', markdown: 'Three four.', pinned: true, confidence: 0.5 })
    const run = await p.run(owner, 'investigation')
    const { result } = await revert(memory.id, 1, run)
    expect(result).toMatchObject({
      version: 3,
      title: 'It holds 20',
      markdown: 'One two.',
      pinned: true,
      confidence: 0.5,
    })
    const { items } = (await p.call('memories.versions.list', { workspaceId, id: memory.id }, owner)).result
    expect(
      items.map(({ version, title, callerKind }: Record<string, unknown>) => [version, title, callerKind]),
    ).toEqual([
      [3, 'It holds 20', 'investigation'],
      [2, 'It holds 40', null],
      [1, 'It holds 20', null],
    ])
    expect((await searched('one two')).map(found => found.memory.id)).toContain(memory.id)
  })

  it('changes nothing where the memory says that already', async () => {
    const memory = await made({ title: 'Said once', markdown: 'And again.' })
    p.advance(1_000)
    const { status, result } = await revert(memory.id, 1)
    expect([status, result.version, result.updated]).toEqual([200, 1, memory.updated])
    const { items } = (await p.call('audit_logs.list', { workspaceId, perPage: 1 }, owner)).result
    expect(items[0]).toMatchObject({ action: 'memories.post', target: { id: memory.id } })
  })

  it('is not found where the memory has no such version', async () => {
    const memory = await made()
    for (const version of [2, '0', '01', 'one', '999999999']) {
      expect((await revert(memory.id, version)).status).toBe(404)
    }
    expect((await get(memory.id)).version).toBe(1)
  })

  it('is 409 where another memory says that meanwhile', async () => {
    const memory = await made({ title: 'Nights are quiet', markdown: 'Nobody buys.' })
    await patch(memory.id, { markdown: 'Few buy.' })
    const other = await made({ title: 'Nights are quiet', markdown: 'Nobody buys.' })
    const refused = await revert(memory.id, 1)
    expect([refused.status, refused.error.metadata.existingId]).toEqual([409, other.id])
    expect((await get(memory.id)).markdown).toBe('Few buy.')
  })
})

describe('memories.del', () => {
  it('erases every version, everywhere', async () => {
    const memory = await made({ title: 'Ocelot', markdown: 'ocelot one' })
    await patch(memory.id, { markdown: 'ocelot two' })
    expect((await p.call('memories.del', { workspaceId, id: memory.id }, owner)).status).toBe(200)
    for (const table of ['memories', 'memory_versions']) {
      const { rows } = await p.database.plain(`select 1 from ${table} where title ilike 'ocelot%'`)
      expect(rows).toEqual([])
    }
  })

  it('is for its owner, and for admins', async () => {
    const [mine, other] = [await p.as('member', workspaceId), await p.as('member', workspaceId)]
    const memory = await made({}, mine)
    expect((await p.call('memories.del', { workspaceId, id: memory.id }, other)).status).toBe(404)
    expect((await p.call('memories.del', { workspaceId, id: memory.id }, mine)).status).toBe(200)
  })
})

describe('memories.search', () => {
  it('ranks by five factors and shows each of them', async () => {
    const plain = await made({ title: 'Lemur plain' })
    const doubtful = await made({ title: 'Lemur doubtful', confidence: 0.2 })
    const pinned = await made({ title: 'Lemur pinned', pinned: true })
    const found = await searched('lemur')
    expect(found.map(({ memory }) => memory.id)).toEqual([pinned.id, plain.id, doubtful.id])
    for (const { score, why } of found) {
      expect(Object.keys(why).sort()).toEqual(['confidence', 'pinned', 'rating', 'recency', 'text'])
      expect(score).toBeCloseTo(
        Object.values(why).reduce((product, factor) => product * factor, 1),
        12,
      )
    }
    expect(found.map(({ why }) => [why.confidence, why.rating, why.pinned])).toEqual([
      [1, 1, 2],
      [1, 1, 1],
      [0.2, 1, 1],
    ])
    expect(found[0]?.snippet).toContainEqual({ text: 'Lemur', isMatch: true })
    await p.database.query(sql`update memories set updated = updated - interval '90 days' where id = ${plain.id}`)
    const later = (await searched('lemur')).find(({ memory }) => memory.id === plain.id)
    expect(later?.why.recency).toBeCloseTo(0.75, 3)
  })

  it('narrows by labels and by what it is about', async () => {
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Known well' }, owner)
    const { result: issue } = await p.call('issues.post', { workspaceId, title: 'Tapir fails' }, owner)
    const labelled = await made({ title: 'Tapir one', labels: [label.id] })
    const about = await made({ title: 'Tapir two', about: [{ object: 'issue', id: issue.id }] })
    const ids = async (more: object) => (await searched('tapir', more)).map(({ memory }) => memory.id)
    expect(await ids({ labels: 'known WELL' })).toEqual([labelled.id])
    expect(await ids({ labels: '!known well' })).toEqual([about.id])
    expect(await ids({ about: `issue:${issue.id}` })).toEqual([about.id])
    expect(await ids({ about: [`issue:${issue.id}`, 'issue:other'], labels: label.id })).toEqual([])
  })

  it('counts the uses of agents, and not those of people', async () => {
    const memory = await made({ title: 'Narwhal fact' })
    await searched('narwhal')
    const run = await p.run(owner, 'investigation')
    await searched('narwhal', {}, run)
    await searched('narwhal', {}, run)
    await expect.poll(async () => (await get(memory.id)).useCount).toBe(2)
    expect((await get(memory.id)).lastUsedAt).not.toBeNull()
    expect((await get(memory.id)).updated).toBe(memory.updated)
  })
})
