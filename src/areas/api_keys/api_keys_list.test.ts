import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres } from '../../../test/helpers/engines.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { scopes as allScopes } from '../../contract/scopes.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

type Key = { id: string; name: string; ownerId: string; created: string; updated: string; lastActive: string | null }

/** Names, times and last uses repeat, so that there are ties and nulls everywhere. */
async function fill(owner: TestCaller, count: number): Promise<void> {
  const atOnce = 5_000
  for (let start = 1; start <= count; start += atOnce) await insert(owner, start, Math.min(start + atOnce - 1, count))
}

async function insert(owner: TestCaller, start: number, end: number): Promise<void> {
  await p.database.query(sql`
    insert into api_keys (id, workspace_id, owner_id, name, scopes, hint, last_active, created, updated)
    select 'key_' || md5(n || ${owner.workspaceId}) || md5(${owner.workspaceId} || n), ${owner.workspaceId},
      case n % 3 when 0 then 'system' else ${owner.userId} end, 'Key number ' || (n % 7), '{}', 'atr_…',
      case n % 4 when 0 then null else timestamptz '2026-01-01' + make_interval(mins => n % 5) end,
      timestamptz '2026-01-01' + make_interval(mins => n % 11), timestamptz '2026-01-01' + make_interval(mins => n % 13)
    from generate_series(${start}::int, ${end}::int) n`)
}

const list = (owner: TestCaller, query: object = {}) =>
  p.call('api_keys.list', { workspaceId: owner.workspaceId, ...query }, owner)

async function everyPage(owner: TestCaller, query: object): Promise<Key[]> {
  const items: Key[] = []
  for (let page = 1; ; page++) {
    const { result } = await list(owner, { perPage: 100, page, ...query })
    items.push(...result.items)
    if (result.items.length < 100) return items
  }
}

const orders = ['id', 'ownerId', 'name', 'lastActive', 'created', 'updated'] as const

/** Nulls lowest, ties by id, both in the direction asked for. */
function sorted(keys: readonly Key[], orderBy: (typeof orders)[number], order: 'asc' | 'desc'): string[] {
  const direction = order === 'asc' ? 1 : -1
  const compare = (a: string | null, b: string | null) =>
    a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1
  return [...keys]
    .sort((a, b) => direction * (compare(a[orderBy], b[orderBy]) || compare(a.id, b.id)))
    .map(key => key.id)
}

describe('api_keys.list', () => {
  it('counts exactly, whichever way keys come and go, before and after the changes are summed up', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const count = async () => (await list(owner)).result.count
    const rows = async () => {
      const counted = sql`select count(*)::int as n from api_key_counts where workspace_id = ${workspaceId}`
      return (await p.database.query<{ n: number }>(counted))[0]?.n
    }
    await fill(owner, 30)
    await p.key(owner)
    expect(await count()).toBe(31)
    const [first] = (await list(owner)).result.items
    await p.call('api_keys.del', { workspaceId, id: first.id }, owner)
    const member = await p.as('member', workspaceId)
    await p.key(member)
    await p.key(member)
    expect(await count()).toBe(32)
    // The keys of a member go with the member.
    await p.call('workspace_members.del', { workspaceId, userId: member.userId }, owner)
    expect(await count()).toBe(30)
    expect((await list(owner, { ownerId: ['system', owner.userId] })).result.count).toBe(30)
    expect(await rows()).toBeGreaterThan(1)
    await p.platform.jobs.runNow('api_keys.sumUpCounts')
    expect([await count(), await rows()]).toEqual([30, 1])
    await p.database.query(sql`delete from api_keys where workspace_id = ${workspaceId}`)
    await p.platform.jobs.runNow('api_keys.sumUpCounts')
    expect([await count(), await rows()]).toEqual([0, 0])
  })

  it('shows twenty, newest first, when nothing is asked', async () => {
    const owner = await p.user()
    await fill(owner, 25)
    const { status, body, result } = await list(owner)
    expect(status).toBe(200)
    expect(body.message).toEqual({ message: 'Successful request' })
    expect(Object.keys(result).sort()).toEqual(['count', 'items'])
    expect(result.count).toBe(25)
    expect(result.items).toHaveLength(20)
    const all = await everyPage(owner, {})
    expect(result.items.map((key: Key) => key.id)).toEqual(sorted(all, 'created', 'desc').slice(0, 20))
    expect(result.items[0]).toMatchObject({ workspaceId: owner.workspaceId, scopes: [], _object: 'api_key' })
  })

  it.each(orders)('sorts by %s both ways, with ties by id and nulls lowest', async orderBy => {
    const owner = await p.user()
    await fill(owner, 230)
    const all = await everyPage(owner, { orderBy: 'id' })
    expect(new Set(all.map(key => key.id)).size).toBe(230)
    for (const order of ['asc', 'desc'] as const) {
      const pages = await everyPage(owner, { orderBy, order })
      expect(pages.map(key => key.id)).toEqual(sorted(all, orderBy, order))
    }
    expect((await everyPage(owner, { orderBy })).map(key => key.id)).toEqual(sorted(all, orderBy, 'desc'))
  })

  it('shows the same pages deep inside a long list, from whichever end they are read', async () => {
    const owner = await p.user()
    await fill(owner, 2_345)
    const all = await everyPage(owner, { orderBy: 'id', id: '!none' })
    for (const orderBy of orders) {
      for (const order of ['asc', 'desc'] as const) {
        const pages = await everyPage(owner, { orderBy, order })
        expect(pages.map(key => key.id)).toEqual(sorted(all, orderBy, order))
      }
    }
    const { result } = await list(owner, { orderBy: 'id', order: 'asc', perPage: 7, page: 335 })
    expect(result).toMatchObject({ items: [{}, {}, {}, {}, {}, {}, {}], count: 2_345 })
  })

  it('has an empty page past the end, with the count', async () => {
    const owner = await p.user()
    await fill(owner, 5)
    for (const page of [2, 1000, Number.MAX_SAFE_INTEGER, '1e300']) {
      expect((await list(owner, { perPage: 5, page })).result).toEqual({ items: [], count: 5 })
    }
    expect((await list(await p.user(), {})).result).toEqual({ items: [], count: 0 })
  })

  it('refuses what is out of bounds and names it', async () => {
    const owner = await p.user()
    const wrong = {
      perPage: [0, 101, -1, 1.5, 'x', '', 'Infinity', '1e400'],
      page: [0, -1, 1.5, 'x', ''],
      orderBy: ['scopes', 'Name', '', 'hint', 'created;drop table api_keys'],
      order: ['up', '', 'ASC'],
    }
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const { status, error } = await list(owner, { [name]: value })
        expect({ name, value, status }).toEqual({ name, value, status: 400 })
        expect(error.detail).toContain(name)
      }
    }
    for (const perPage of [1, 100]) expect((await list(owner, { perPage })).status).toBe(200)
  })

  it('ignores query names that it does not know', async () => {
    const owner = await p.user()
    await fill(owner, 3)
    const url = `/v1/api_keys/${owner.workspaceId}?scopes=x&perpage=900&enabled=false&__proto__=1&workspaceId=ws_x`
    expect((await p.request({ method: 'GET', url, headers: owner.headers })).result.count).toBe(3)
  })

  it('filters by one value, by any of several, and by all but some', async () => {
    const owner = await p.user()
    await fill(owner, 70)
    const all = await everyPage(owner, {})
    const first = all[0] as Key
    const count = async (query: object) => (await list(owner, query)).result.count
    const having = (test: (key: Key) => boolean) => all.filter(test).length
    expect(await count({ id: first.id })).toBe(1)
    expect(await count({ id: [first.id, all[1]?.id, 'key_none', 'nonsense'] })).toBe(2)
    expect(await count({ id: `!${first.id}` })).toBe(69)
    expect(await count({ name: 'Key number 3' })).toBe(10)
    expect(await count({ name: 'key number 3' })).toBe(0)
    expect(await count({ name: ['Key number 3', 'Key number 4', 'Key number 3'] })).toBe(20)
    expect(await count({ name: ['!Key number 3', '!Key number 4'] })).toBe(50)
    expect(await count({ name: ['Key number 3', 'Key number 4', '!Key number 4'] })).toBe(10)
    expect(await count({ name: ['Key number 3', '!Key number 3'] })).toBe(0)
    expect(await count({ ownerId: 'system' })).toBe(having(key => key.ownerId === 'system'))
    expect(await count({ ownerId: '!system', name: 'Key number 1' })).toBe(
      having(key => key.ownerId !== 'system' && key.name === 'Key number 1'),
    )
    for (const value of ['%', "' or '1'='1", '*', '', '!', 'null']) {
      expect(await count({ name: value })).toBe(value === '!' ? 70 : 0)
    }
  })

  it('takes names that begin with ! by their own', async () => {
    const owner = await p.user()
    for (const name of ['!bang', 'bang']) {
      await p.call('api_keys.post', { workspaceId: owner.workspaceId, name, scopes: [] }, owner)
    }
    const names = async (name: string | string[]) =>
      (await list(owner, { name })).result.items.map((key: Key) => key.name)
    expect(await names('!!bang')).toEqual(['bang'])
    expect(await names('!bang')).toEqual(['!bang'])
  })

  it('takes repeated names and names with [] alike', async () => {
    const owner = await p.user()
    await fill(owner, 21)
    const ask = async (search: string) =>
      (await p.request({ method: 'GET', url: `/v1/api_keys/${owner.workspaceId}?${search}`, headers: owner.headers }))
        .result?.count
    const [one, two] = ['Key%20number%201', 'Key%20number%202']
    expect(await ask(`name=${one}`)).toBe(3)
    expect(await ask(`name=${one}&name=${two}`)).toBe(6)
    expect(await ask(`name[]=${one}&name[]=${two}`)).toBe(6)
    expect(await ask(`name%5B%5D=${one}`)).toBe(3)
    expect(await ask(`name=${one}&name[]=${two}`)).toBe(6)
    expect(await ask(`name[]=!${one}`)).toBe(18)
    expect(await ask('name=%00')).toBeUndefined()
  })

  it('sees all keys as an admin and its own as a member, a team or a member’s key', async () => {
    const owner = await p.user()
    const { workspaceId } = owner
    const team = (await p.call('teams.post', { workspaceId, name: 'Engine' }, owner)).result
    const [admin, member] = [await p.as('admin', workspaceId), await p.as('member', workspaceId)]
    await p.key(owner)
    const ofMember = await p.key(member)
    const ofTeam = await p.key(owner, { ownerId: team.id })
    const ofPlatform = await p.key(owner, { ownerId: 'system' })
    const seen = async (caller: TestCaller) => (await p.call('api_keys.list', { workspaceId }, caller)).result.count
    expect([await seen(owner), await seen(admin), await seen(ofPlatform)]).toEqual([4, 4, 4])
    expect([await seen(member), await seen(ofMember), await seen(ofTeam)]).toEqual([1, 1, 1])
    expect((await p.call('api_keys.list', { workspaceId }, await p.as('viewer', workspaceId))).status).toBe(403)
  })

  it('shows scopes as they were given', async () => {
    const owner = await p.user()
    const key = await p.key(owner)
    expect((await list(owner, { id: key.id })).result.items[0].scopes).toEqual(allScopes)
  })
})

describe('api_keys.list of very many keys', () => {
  // The embedded engine takes a minute to be filled with as many.
  const many = isPostgres ? 100_000 : 20_000

  it('loses none, doubles none, counts right, and filters by a hundred values', { timeout: 240_000 }, async () => {
    const owner = await p.user()
    await fill(owner, many)
    await p.database.query(sql`analyze api_keys`)
    for (const query of [{}, { orderBy: 'name', order: 'asc' }, { orderBy: 'lastActive' }]) {
      for (const page of [1, 2, many / 200, many / 100]) {
        const { result } = await list(owner, { ...query, perPage: 100, page })
        expect([result.count, result.items.length]).toEqual([many, 100])
      }
      expect((await list(owner, { ...query, perPage: 100, page: many / 100 + 1 })).result).toEqual({
        items: [],
        count: many,
      })
    }
    // A sort with nothing but ties, against the whole order as the database tells it.
    const rows = await p.database.query<{ id: string }>(sql`
      select id from api_keys where workspace_id = ${owner.workspaceId} order by owner_id desc, id desc`)
    const order = rows.map(row => row.id)
    expect(new Set(order).size).toBe(many)
    for (const page of [1, 2, 3, 77, 133, 134, many / 200, many / 100 - 1, many / 100]) {
      const { result } = await list(owner, { orderBy: 'ownerId', perPage: 100, page })
      expect(result.items.map((key: Key) => key.id)).toEqual(order.slice((page - 1) * 100, page * 100))
    }
    const some = order.slice(300, 400)
    const wanted = await list(owner, { id: some, perPage: 100 })
    expect(wanted.result.count).toBe(100)
    expect(wanted.result.items.map((key: Key) => key.id).sort()).toEqual([...some].sort())
    const others = await list(owner, { id: some.map(id => `!${id}`) })
    expect(others.result.count).toBe(many - 100)
    const mixed = await list(owner, { id: [...some.slice(0, 60), ...some.slice(20, 60).map(id => `!${id}`)] })
    expect(mixed.result.count).toBe(20)
  })

  it('reads a page from an index and not from a sort', async () => {
    const [busiest] = await p.database.query<{ id: string }>(sql`
      select workspace_id as id from api_keys group by 1 order by count(*) desc limit 1`)
    const plan = async (rest: string) => {
      const { rows } = await p.database.plain(
        `explain select k.id from api_keys k where k.workspace_id = '${busiest?.id}' ${rest} limit 20`,
      )
      return rows.map(row => String(Object.values(row)[0])).join('\n')
    }
    for (const column of ['created', 'updated', 'name', 'owner_id', 'last_active']) {
      for (const order of [`${column} desc nulls last, id desc`, `${column} asc nulls first, id asc`]) {
        const text = await plan(`order by ${order}`)
        expect(text, order).not.toMatch(/Sort/)
        expect(text, order).toContain('Index')
      }
    }
    // The cast of a filter costs a text column nothing.
    expect(await plan(`and k.id::text = any('{key_a,key_b}'::text[])`)).toMatch(/Index Cond: .*id = ANY/)
  })
})
