// Labels themselves; how records carry them stands in test/example/labels.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type World, world } from '../../../test/calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { newId } from '../../kit/random.ts'
import { sql } from '../../kit/sql.ts'
import { LabelId } from './contract.ts'

let p: TestPlatform
let here: World
let elsewhere: World
beforeAll(async () => {
  p = await platform()
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

let count = 0
const post = (fields: object = {}, caller: TestCaller = here.member) =>
  p.call('labels.post', { workspaceId: here.workspaceId, name: `Label ${count++}`, ...fields }, caller)
const call = (verb: string, id: string, fields: object = {}, caller: TestCaller = here.member) =>
  p.call(`labels.${verb}`, { workspaceId: here.workspaceId, id, ...fields }, caller)

describe('labels.post', () => {
  it('makes a label, with a colour that depends on the name alone', async () => {
    const { status, result } = await post({ name: 'Database', description: 'What is stored', group: 'Component' })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      name: 'Database',
      description: 'What is stored',
      group: 'Component',
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      ownerId: here.member.userId,
      usage: {},
      _object: 'label',
    })
    const same = await p.call('labels.post', { workspaceId: elsewhere.workspaceId, name: 'DATABASE' }, elsewhere.owner)
    expect(same.result.color).toBe(result.color)
    expect((await post({ color: '#ABCDEF' })).result.color).toBe('#abcdef')
  })

  it('refuses a name that is taken, in whatever case and composition', async () => {
    await post({ name: 'Überlast' })
    for (const name of ['Überlast', 'ÜBERLAST', 'U\u0308berlast']) {
      const { status, error } = await post({ name })
      expect([status, error.metadata.field]).toEqual([409, 'name'])
    }
  })

  it.each([
    ['an empty name', { name: '' }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['a name that filters would take for an exclusion', { name: '!bug' }],
    ['a name with a space at its end', { name: 'bug ' }],
    ['a name of two lines', { name: 'bug\nfix' }],
    ['the id of a label as a name', { name: newId(LabelId) }],
    ['a colour that is none', { color: 'red' }],
    ['a description of 257 characters', { description: 'x'.repeat(257) }],
    ['a group of 33 characters', { group: 'x'.repeat(33) }],
  ])('refuses %s', async (_, fields) => {
    expect((await post(fields)).status).toBe(400)
  })

  it('is for members, and not for viewers', async () => {
    expect((await post({}, here.viewer)).status).toBe(403)
  })
})

describe('labels.list', () => {
  it('filters, sorts and finds parts of names', async () => {
    const group = 'Listed'
    for (const name of ['Beta thing', 'Alpha thing']) await post({ name, group })
    const { workspaceId } = here
    const listed = async (query: object) =>
      (await p.call('labels.list', { workspaceId, ...query }, here.viewer)).result.items.map(
        ({ name }: { name: string }) => name,
      )
    expect(await listed({ group, orderBy: 'name', order: 'asc' })).toEqual(['Alpha thing', 'Beta thing'])
    expect(await listed({ q: 'ALPHA TH' })).toEqual(['Alpha thing'])
    expect(await listed({ group, name: '!Beta thing' })).toEqual(['Alpha thing'])
  })
})

describe('labels.patch', () => {
  it('changes a label, whoever made it', async () => {
    const { id } = (await post()).result
    const fields = { name: 'Changed', color: '#112233', description: null, group: null }
    expect((await call('patch', id, fields, here.admin)).result).toMatchObject(fields)
    expect((await call('get', id)).result).toMatchObject(fields)
  })

  it('lets a name change its case, and refuses that of another', async () => {
    const { id, name } = (await post()).result
    const other = (await post()).result
    expect((await call('patch', id, { name: name.toUpperCase() })).status).toBe(200)
    expect((await call('patch', id, { name: other.name.toUpperCase() })).status).toBe(409)
  })
})

describe('labels.merge', () => {
  it('ends the one and answers with the other', async () => {
    const [one, other] = [(await post()).result, (await post()).result]
    const { status, result } = await call('merge', one.id, { intoId: other.id })
    expect(status).toBe(200)
    expect(result).toMatchObject({ id: other.id, mergedId: one.id, moved: 0, replaced: 0, replacedIds: [] })
    expect((await call('get', one.id)).status).toBe(404)
  })

  it('refuses itself, and names what is no label of the workspace', async () => {
    const { id } = (await post()).result
    expect((await call('merge', id, { intoId: id })).status).toBe(400)
    const stranger = await p.call(
      'labels.post',
      { workspaceId: elsewhere.workspaceId, name: 'Theirs' },
      elsewhere.owner,
    )
    for (const intoId of [newId(LabelId), stranger.result.id]) {
      const { status, error } = await call('merge', id, { intoId })
      expect(status).toBe(400)
      expect(error.detail).toContain(intoId)
    }
    expect((await call('merge', stranger.result.id, { intoId: id })).status).toBe(404)
    expect((await call('get', id)).status).toBe(200)
  })
})

describe('what holds the id of a label elsewhere', () => {
  it('points at the other after a merge, and loses one that is deleted', async () => {
    const [one, other] = [(await post({}, here.owner)).result, (await post({}, here.owner)).result]
    const { workspaceId } = here
    const rule = { name: 'Labels it', when: 'alert.severity == "low"', actions: { addLabels: [one.id, other.id] } }
    const made = await p.call('issues.rules.post', { workspaceId, ...rule }, here.owner)
    const held = async () =>
      (await p.call('issues.rules.get', { workspaceId, id: made.result.id }, here.owner)).result.actions.addLabels
    expect((await call('merge', one.id, { intoId: other.id })).status).toBe(200)
    expect(await held()).toEqual([other.id])
    expect((await call('del', other.id, {}, here.owner)).status).toBe(200)
    expect(await held()).toEqual([])
  })
})

describe('labels.del', () => {
  it('lets members delete their own, and admins all', async () => {
    const mine = (await post()).result
    const theirs = (await post({}, here.owner)).result
    expect((await call('del', theirs.id)).status).toBe(404)
    expect((await call('del', mine.id)).status).toBe(200)
    expect((await call('del', theirs.id, {}, here.admin)).status).toBe(200)
  })
})

describe('a label of another workspace', () => {
  it('is not found, and nothing happens to it', async () => {
    const { result } = await p.call(
      'labels.post',
      { workspaceId: elsewhere.workspaceId, name: 'Foreign' },
      elsewhere.owner,
    )
    const own = (await post()).result
    const inputs = { get: {}, patch: { name: 'Taken' }, apply: { add: [] }, merge: { intoId: own.id }, del: {} }
    for (const [verb, fields] of Object.entries(inputs)) {
      expect((await call(verb, result.id, fields, here.owner)).status, verb).toBe(404)
    }
    const [row] = await p.database.query<{ name: string }>(sql`select name from labels where id = ${result.id}`)
    expect(row?.name).toBe('Foreign')
  })
})
