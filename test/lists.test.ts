// What every list can be asked beyond filters and order: words, spans of time, cursors; and what does not compile.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageOfKeys } from '../src/areas/api_keys/store.ts'
import type { auditLogs } from '../src/areas/audit_logs/contract.ts'
import type { teams } from '../src/areas/teams/contract.ts'
import type { QueryOf } from '../src/contract/list.ts'
import type { Db } from '../src/kit/db.ts'
import { listOf } from '../src/kit/list_in_memory.ts'
import { listSql } from '../src/kit/list_sql.ts'
import { sql } from '../src/kit/sql.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const names = async (id: string, input: object, field = 'name') => {
  const { status, result, text } = await p.call(id, { workspaceId, ...input }, owner)
  expect(status, text).toBe(200)
  expect(result.items).toHaveLength(result.count)
  return result.items.map((item: Record<string, string>) => item[field])
}

describe('q', () => {
  it('finds parts of names in any case, and means what it says', async () => {
    for (const name of ['Difference Engine', 'Engine room', 'Bridge', '100% sure', 'under_score', 'back\\slash']) {
      await p.call('teams.post', { workspaceId, name }, owner)
    }
    const find = (q: string) => names('teams.list', { q, orderBy: 'name', order: 'asc' })
    expect(await find('eNgInE')).toEqual(['Difference Engine', 'Engine room'])
    expect(await find('100%')).toEqual(['100% sure'])
    expect(await find('%')).toEqual(['100% sure'])
    expect(await find('r_s')).toEqual(['under_score'])
    expect(await find('k\\s')).toEqual(['back\\slash'])
    expect(await find("'; --")).toEqual([])
    expect(await names('teams.list', { q: 'engine', name: '!Engine room' })).toEqual(['Difference Engine'])
  })

  it('finds members by any of their names and their address, and keys by theirs', async () => {
    const member = await p.as('member', workspaceId)
    await p.database.query(
      sql`update users set surname = 'Lovelace', username = 'countess' where id = ${member.userId}`,
    )
    for (const q of ['lovel', 'COUNTESS', 'ntes']) {
      expect(await names('workspace_members.list', { q }, 'userId')).toEqual([member.userId])
    }
    const key = await p.key(owner, { scopes: [] })
    expect(await names('api_keys.list', { q: 'EST K' }, 'id')).toEqual([key.id])
    expect(await names('api_keys.list', { q: 'elsewhere' }, 'id')).toEqual([])
  })

  it('sees nothing of other workspaces', async () => {
    const other = await p.user()
    const { result } = await p.call('teams.list', { workspaceId: other.workspaceId, q: 'engine' }, other)
    expect(result).toEqual({ items: [], count: 0 })
  })
})

describe('a filter of an array', () => {
  it('matches where the record holds any of the values, and takes away where it holds an unwanted one', async () => {
    const team = async (name: string) => (await p.call('teams.post', { workspaceId, name }, owner)).result.id
    const [one, two] = [await team('Array one'), await team('Array two')]
    const invite = async (teamIds: string[]) => {
      const sent = { workspaceId, position: 'viewer', teamIds }
      return (await p.call('workspace_members.invites.post', sent, owner)).result.id
    }
    const [first, both, none] = [await invite([one]), await invite([one, two]), await invite([])]
    const find = async (teamIds: string | string[]) =>
      new Set(await names('workspace_members.invites.list', { teamIds }, 'id'))
    expect(await find(one)).toEqual(new Set([first, both]))
    expect(await find([two, 'team_none'])).toEqual(new Set([both]))
    expect(await find(`!${two}`)).toEqual(new Set([first, none]))
    expect(await find([one, `!${two}`])).toEqual(new Set([first]))
  })
})

it('a filter of a boolean takes its two values and finds nothing by others', async () => {
  const { result } = await p.call(
    'oauth_clients.post',
    { workspaceId, name: 'Listed', type: 'public', scopes: [], redirectUris: ['https://app.example.com/back'] },
    owner,
  )
  const find = (isActive: string | string[]) => names('oauth_clients.list', { isActive }, 'id')
  expect(await find('true')).toEqual([result.id])
  expect(await find('!false')).toEqual([result.id])
  expect(await find(['false', 'true'])).toEqual([result.id])
  expect(await find('false')).toEqual([])
  expect(await find('perhaps')).toEqual([])
  expect(await find('!perhaps')).toEqual([result.id])
})

describe('from and to', () => {
  it('are half-open, and go together with filters', async () => {
    const { result } = await p.call('audit_logs.list', { workspaceId, perPage: 100, order: 'asc' }, owner)
    const times: string[] = result.items.map(({ at }: { at: string }) => at)
    const [from, to] = [times[2] as string, times[5] as string]
    const expected = times.filter(at => at >= from && at < to)
    expect(await names('audit_logs.list', { from, to, order: 'asc' }, 'at')).toEqual(expected)
    expect(await names('audit_logs.list', { from, to, action: 'nothing' }, 'at')).toEqual([])
    const zoned = new Date(Date.parse(from)).toISOString().replace('Z', '+00:00')
    expect(await names('audit_logs.list', { from: zoned, to, order: 'asc' }, 'at')).toEqual(expected)
  })
})

describe('after', () => {
  type Entry = { seq: number }
  const walk = async (input: Record<string, unknown>) => {
    const seen: number[] = []
    let next: string | null = null
    do {
      const { status, result } = await p.call(
        'audit_logs.list',
        { workspaceId, perPage: 3, ...input, ...(next && { after: next }) },
        owner,
      )
      expect(status).toBe(200)
      seen.push(...result.items.map(({ seq }: Entry) => seq))
      next = result.next
    } while (next !== null)
    return seen
  }

  it.each(['seq', 'at', 'action'])('walks the whole list by %s, both ways, and each entry once', async orderBy => {
    for (const order of ['asc', 'desc']) {
      const { result } = await p.call('audit_logs.list', { workspaceId, orderBy, order, perPage: 100 }, owner)
      expect(await walk({ orderBy, order })).toEqual(result.items.map(({ seq }: Entry) => seq))
    }
  })

  it('stands still while entries are added before the place, goes with filters, and counts the whole', async () => {
    const ask = (input: object) => p.call('audit_logs.list', { workspaceId, perPage: 3, ...input }, owner)
    const first = (await ask({})).result
    await p.call('teams.post', { workspaceId, name: 'Added meanwhile' }, owner)
    const second = (await ask({ after: first.next })).result
    expect(second.items[0].seq).toBe(first.items[2].seq - 1)
    expect(second.count).toBe(first.count + 1)
    const posted = (await ask({ action: 'teams.post', perPage: 100 })).result
    expect(await walk({ action: 'teams.post' })).toEqual(posted.items.map(({ seq }: Entry) => seq))
    expect((await ask({ action: 'nothing', perPage: 1 })).result).toEqual({ items: [], count: 0, next: null })
  })

  it('that is made up, or of another order, is refused with what to do', async () => {
    const { result } = await p.call('audit_logs.list', { workspaceId, perPage: 3 }, owner)
    const made = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const wrong = [
      ['x', {}],
      [made(['seq', 'desc', '1; drop', '1']), {}],
      [made(['seq', 'desc', '99999999999999999999', '1']), {}],
      [made(['at', 'desc', 'a\0b', '1']), { orderBy: 'at' }],
      [made({}), {}],
      [result.next, { order: 'asc' }],
      [result.next, { orderBy: 'at' }],
    ] as const
    for (const [after, input] of wrong) {
      const { status, error } = await p.call('audit_logs.list', { workspaceId, after, ...input }, owner)
      expect([status, error?.detail]).toEqual([400, expect.stringContaining('without it')])
    }
  })
})

it('a scalar that is sent twice is refused, whether equal or not; a filter is not', async () => {
  const get = (query: string) =>
    p.request({ method: 'GET', url: `/v1/teams/${workspaceId}?${query}`, headers: owner.headers })
  for (const query of [
    'perPage=5&perPage=6',
    'perPage=5&perPage=5',
    'page=1&page[]=2',
    'order=asc&order=asc',
    'q=a&q=b',
  ]) {
    const { status, error } = await get(query)
    expect([query, status, error?.detail]).toEqual([query, 400, expect.stringContaining('send it once')])
  }
  expect((await get('name=a&name=b&name[]=c')).status).toBe(200)
})

it('a page of rows that are kept is the same object each time, so that its answer is written once', async () => {
  const reading = () => pageOfKeys(p.database, {}, workspaceId, null)
  await reading()
  const [one, other] = [await reading(), await reading()]
  if (p.database.engine === 'pglite') expect(one).toBe(other)
  expect(one).toEqual(other)
})

describe('what does not compile', () => {
  const db = {} as Db
  type Query = QueryOf<typeof teams, 'teams.list'>
  type Logs = QueryOf<typeof auditLogs, 'audit_logs.list'>
  const parts = { from: sql`teams t`, where: sql`true`, select: sql`t.id`, id: 't.id' }
  const sort = { id: 't.id', name: 't.name', slug: 't.slug', created: 't.created', updated: 't.updated' }
  const filter = { id: 't.id', name: 't.name', slug: 't.slug', lead: 't.lead_id' }
  const words = ['t.name']
  const { lead: _lead, ...withoutLead } = filter
  const { name: _name, ...withoutName } = sort

  it('a declared filter, sort, word search, span or cursor that no column serves', () => {
    // Never called: the compiler is what is tested here.
    const wrong = [
      // @ts-expect-error the filter `lead` has no column
      () => listSql<object, Query>(db, {}, { ...parts, words, sort, filter: withoutLead }),
      // @ts-expect-error the sort `name` has no column
      () => listSql<object, Query>(db, {}, { ...parts, words, filter, sort: withoutName }),
      // @ts-expect-error a column that no filter is declared for
      () => listSql<object, Query>(db, {}, { ...parts, words, sort, filter: { ...filter, colour: 't.color' } }),
      // @ts-expect-error `q` has no columns
      () => listSql<object, Query>(db, {}, { ...parts, sort, filter }),
      // @ts-expect-error `from`, `to` and `after` have nothing to go by
      () => listSql<object, Logs>(db, {}, { ...parts, sort: {}, filter: {} }),
      // @ts-expect-error the records have no field `colour`
      () => listOf([{ id: 'a' }], { colour: 'red' } as { colour?: string }, 'id'),
    ]
    expect(wrong).toHaveLength(6)
  })

  it('and an order that got past the contract is refused, not replaced by another', async () => {
    const query = { orderBy: 'color' } as unknown as Query
    await expect(listSql<object, Query>(p.database, query, { ...parts, words, sort, filter })).rejects.toThrow(
      'orderBy',
    )
  })
})
