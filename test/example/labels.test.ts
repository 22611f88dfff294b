// How records carry labels, seen from an area: groups, limits, filters, merging and what happens at the same moment.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LabelId } from '../../src/areas/labels/contract.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { inputFor, type World, world } from '../calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { ExampleId } from './areas/examples/contract.ts'

let p: TestPlatform
let here: World
let elsewhere: World
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

type Named = { id: string; name: string }
let count = 0

async function label(fields: object = {}, w = here): Promise<Named> {
  const input = { workspaceId: w.workspaceId, name: `Label ${count++}`, ...fields }
  return (await p.call('labels.post', input, w.owner)).result
}

const labelsOf = (number: number, fields: object = {}) =>
  Promise.all(Array.from({ length: number }, () => label(fields)))

async function example(labels: Named[] = [], fields: object = {}, caller = here.member): Promise<string> {
  const input = { workspaceId: here.workspaceId, name: `Labelled ${count++}`, labels: labels.map(({ id }) => id) }
  const { result, text } = await p.call('examples.post', { ...input, ...fields }, caller)
  if (!result) throw new Error(text)
  return result.id
}

const carried = async (id: string): Promise<string[]> =>
  (await p.call('examples.get', { workspaceId: here.workspaceId, id }, here.member)).result.labels
const set = (id: string, labels: string[], caller = here.member) =>
  p.call('examples.patch', { workspaceId: here.workspaceId, id, labels }, caller)
const call = (verb: string, { id }: { id: string }, fields: object, caller: TestCaller = here.member) =>
  p.call(`labels.${verb}`, { workspaceId: here.workspaceId, id, ...fields }, caller)
const records = (...ids: string[]) => ids.map(id => ({ object: 'example', id }))
const listed = async (labels: string | string[]): Promise<string[]> => {
  const { result } = await p.call('examples.list', { workspaceId: here.workspaceId, labels, perPage: 100 }, here.member)
  return result.items.map(({ id }: Named) => id).sort()
}

describe('a record', () => {
  it('carries the labels that it is given, and only those', async () => {
    const [a, b, c] = (await labelsOf(3)) as [Named, Named, Named]
    const id = await example([a, b])
    expect(await carried(id)).toEqual([a.id, b.id].sort())
    expect((await set(id, [b.id, c.id, c.id])).result.labels).toEqual([b.id, c.id].sort())
    expect((await call('get', b, {})).result.usage).toEqual({ example: 1 })
    expect((await call('get', a, {})).result.usage).toEqual({})
  })

  it('refuses a 21st label, by whichever way', async () => {
    const many = await labelsOf(21)
    const [last, ...first] = many as [Named, ...Named[]]
    const id = await example(first)
    expect(
      (
        await set(
          id,
          many.map(one => one.id),
        )
      ).status,
    ).toBe(400)
    const { status, error } = await call('apply', last, { add: records(id) })
    expect([status, error.detail]).toEqual([400, expect.stringContaining('at most 20')])
    expect(await carried(id)).toHaveLength(20)
  })

  it('refuses a label that is unknown or of another workspace, alike, and names it', async () => {
    const id = await example()
    const strangers = [newId(LabelId), (await label({}, elsewhere)).id]
    for (const stranger of strangers) {
      const { status, error } = await set(id, [stranger])
      expect([status, error.detail.replace(stranger, '…')]).toEqual([
        400,
        '"labels" takes labels of this workspace; "…" is none.',
      ])
    }
  })

  it('carries one label of a group', async () => {
    const group = `Group ${count++}`
    const [a, b] = [await label({ group }), await label({ group: group.toUpperCase() })]
    const id = await example([a])
    expect((await set(id, [a.id, b.id])).status).toBe(400)
    const { result } = await call('apply', b, { add: records(id) })
    expect(result).toMatchObject({
      added: records(id),
      replaced: [{ object: 'example', id, labelId: a.id }],
    })
    expect(await carried(id)).toEqual([b.id])
  })

  it('carries one label of a group also when several are added at once', async () => {
    const group = `Group ${count++}`
    const siblings = await labelsOf(6, { group })
    const id = await example()
    const answers = await Promise.all(siblings.map(one => call('apply', one, { add: records(id) })))
    expect(answers.map(({ status }) => status)).toEqual(siblings.map(() => 200))
    expect(await carried(id)).toHaveLength(1)
  })

  it('carries at most 20 also when many are added at once', async () => {
    const id = await example(await labelsOf(18))
    const answers = await Promise.all((await labelsOf(6)).map(one => call('apply', one, { add: records(id) })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await carried(id)).toHaveLength(20)
  })
})

describe('labels.apply', () => {
  it('labels 200 records in one call, and says which are new to it', async () => {
    const one = await label()
    const { workspaceId, member } = here
    const ids = Array.from({ length: 200 }, () => newId(ExampleId))
    await p.database.query(sql`
      insert into examples (id, workspace_id, owner_id, name, visibility, created, updated)
      select id, ${workspaceId}, ${member.userId}, id, 'workspace', now(), now() from unnest(${ids}::text[]) id`)
    await call('apply', one, { add: records(...ids.slice(0, 5)) })
    const { result } = await call('apply', one, { add: records(...ids) })
    expect([result.added.length, result.removed, result.replaced]).toEqual([195, [], []])
    expect((await call('get', one, {})).result.usage).toEqual({ example: 200 })
    const off = await call('apply', one, { remove: records(...ids.slice(0, 150)), add: records(...ids.slice(150)) })
    expect([off.result.added, off.result.removed.length]).toEqual([[], 150])
    const id = await example()
    expect((await call('apply', one, { add: records(...ids), remove: records(id) })).status).toBe(400)
  })

  it('changes nothing where one of the records is not there, is hidden, elsewhere or of no such kind', async () => {
    const one = await label()
    const good = await example()
    const hidden = await example([], { visibility: 'private' }, here.owner)
    const foreign = String((await inputFor('examples.get', elsewhere)).id)
    const wrong = [records(newId(ExampleId)), records(hidden), records(foreign), records('nonsense')].flat()
    const answers = await Promise.all(wrong.map(record => call('apply', one, { add: [...records(good), record] })))
    expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 400))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const team = { object: 'team', id: String((await inputFor('teams.get', here)).id) }
    expect((await call('apply', one, { add: [...records(good), team] })).status).toBe(400)
    expect((await call('apply', one, { add: records(good), remove: records(good) })).status).toBe(400)
    expect(await carried(good)).toEqual([])
  })

  it('needs the right to change the records too', async () => {
    const one = await label()
    const id = await example()
    const key = await p.key(here.member, { scopes: ['labels:write', 'issues:read'] })
    const { status, error } = await call('apply', one, { add: records(id) }, key)
    expect([status, error.metadata.missing]).toEqual([403, ['issues:write']])
    const able = await p.key(here.member, { scopes: ['labels:write', 'issues:read', 'issues:write'] })
    expect((await call('apply', one, { add: records(id) }, able)).status).toBe(200)
  })

  it('leaves no entry in the ledger where nothing changes', async () => {
    const one = await label()
    const id = await example([one])
    const entries = async () =>
      (await p.call('audit_logs.list', { workspaceId: here.workspaceId, action: 'labels.apply' }, here.owner)).result
        .count
    const before = await entries()
    expect((await call('apply', one, { add: records(id) })).status).toBe(200)
    expect(await entries()).toBe(before)
    await call('apply', one, { remove: records(id) })
    expect(await entries()).toBe(before + 1)
  })
})

describe('the filter by labels', () => {
  it('takes names in any case, ids, several and exclusions', async () => {
    const [a, b] = [await label({ name: `Ärger ${count++}` }), await label()]
    const [first, second, both] = [await example([a]), await example([b]), await example([a, b])]
    expect(await listed(a.id)).toEqual([first, both].sort())
    expect(await listed(a.name.toUpperCase())).toEqual([first, both].sort())
    expect(await listed([a.name, b.id])).toEqual([first, second, both].sort())
    expect(await listed([a.name, `!${b.name}`])).toEqual([first])
    expect(await listed('no such label')).toEqual([])
    expect(await listed((await label({ name: 'Only there' }, elsewhere)).id)).toEqual([])
  })
})

describe('a merge', () => {
  it('moves what carried the one, and filters by its name and id go on', async () => {
    const [old, into] = (await labelsOf(2)) as [Named, Named]
    const [one, both] = [await example([old]), await example([old, into])]
    const { result } = await call('merge', old, { intoId: into.id })
    expect(result).toMatchObject({ moved: 1, replaced: 0, replacedIds: [], usage: { example: 2 } })
    for (const word of [old.name, old.name.toUpperCase(), old.id, into.name]) {
      expect(await listed(word)).toEqual([one, both].sort())
    }
    expect(await listed([into.name, `!${old.name}`])).toEqual([])
  })

  it('after a merge leads on to the last', async () => {
    const [a, b, c] = (await labelsOf(3)) as [Named, Named, Named]
    const id = await example([a])
    await call('merge', a, { intoId: b.id })
    await call('merge', b, { intoId: c.id })
    for (const { name } of [a, b, c]) expect(await listed(name)).toEqual([id])
    expect(await carried(id)).toEqual([c.id])
    await call('del', c, {}, here.owner)
    for (const { name } of [a, b, c]) expect(await listed(name)).toEqual([])
  })

  it('redirects for 30 days, or until the name is used again', async () => {
    const [a, b, into] = (await labelsOf(3)) as [Named, Named, Named]
    const id = await example([a, b])
    await call('merge', a, { intoId: into.id })
    await call('merge', b, { intoId: into.id })
    const again = await label({ name: a.name.toUpperCase() })
    expect(await listed(a.name)).toEqual([])
    expect(await listed(a.id)).toEqual([id])
    const other = await example([again])
    expect(await listed(a.name)).toEqual([other])
    const older = async (days: number) => {
      await p.database.query(sql`
        update label_redirects set expires_at = expires_at - ${`${days} days`}::interval where label_id = ${into.id}`)
      await p.platform.jobs.runNow('platform.sweep')
    }
    await older(29)
    expect(await listed(b.name)).toEqual([id])
    await older(2)
    expect(await listed(b.name)).toEqual([])
  })

  it('takes the other labels of the group off', async () => {
    const group = `Group ${count++}`
    const [sibling, into, loose] = [await label({ group }), await label({ group }), await label()]
    const id = await example([sibling, loose])
    const { result } = await call('merge', loose, { intoId: into.id })
    expect([result.moved, result.replaced]).toEqual([1, 1])
    expect(await carried(id)).toEqual([into.id])
  })
})

describe('a change of a label', () => {
  it('of its name leaves filters by the old one working', async () => {
    const one = await label()
    const id = await example([one])
    await call('patch', one, { name: `Renamed ${count++}` })
    expect(await listed(one.name)).toEqual([id])
    await label({ name: one.name })
    expect(await listed(one.name)).toEqual([])
  })

  it('into a group is refused where a record carries another of it', async () => {
    const group = `Group ${count++}`
    const [one, sibling] = [await label(), await label({ group })]
    const id = await example([one, sibling])
    const { status, error } = await call('patch', one, { group })
    expect([status, error.metadata.records]).toEqual([409, 1])
    await call('apply', sibling, { remove: records(id) })
    expect((await call('patch', one, { group })).status).toBe(200)
  })
})

describe('labels of records', () => {
  it('end with the label and with the record', async () => {
    const [one, other] = (await labelsOf(2)) as [Named, Named]
    const id = await example([one, other])
    await call('del', one, {}, here.owner)
    expect(await carried(id)).toEqual([other.id])
    await p.call('examples.del', { workspaceId: here.workspaceId, id }, here.owner)
    const left = await p.database.query(sql`select 1 as one from label_assignments where record_id = ${id}`)
    expect(left).toEqual([])
  })

  it('change in parallel with merges, deletes and new groups without a failure', async () => {
    const group = `Group ${count++}`
    const some = await labelsOf(12, { group: null })
    const ids = await Promise.all(Array.from({ length: 4 }, () => example()))
    const work = some.flatMap((one, index) => [
      call('apply', one, { add: records(...ids) }),
      call('apply', one, { add: records(...ids.toReversed()) }),
      index % 3 === 0
        ? call('del', one, {}, here.owner)
        : index % 3 === 1
          ? call('merge', one, { intoId: (some[index - 1] as Named).id })
          : call('patch', one, { group }),
      call('apply', one, { remove: records(...ids) }),
    ])
    const answers = await Promise.all(work)
    expect(answers.filter(({ status }) => status >= 500).map(({ cause }) => cause)).toEqual([])
    const twice = await p.database.query(sql`
      select a.record_id from label_assignments a join labels l on l.id = a.label_id
      where l."group" is not null group by a.record_id, l."group" having count(*) > 1`)
    expect(twice).toEqual([])
  })
})
