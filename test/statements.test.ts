// Whatever callers send, the platform runs a handful of texts: what engines keep of each can never fill their memory.
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { example } from '../src/contract/examples.ts'
import { methodOf, type Operation } from '../src/contract/operation.ts'
import { assignments, type Sql, sql } from '../src/kit/sql.ts'
import { operation as lookUp, type OperationId, operationIds } from '../src/operations.ts'
import { mostPrepared, preparedName } from '../src/server/backends/pg.ts'
import { rowOf, type World, world } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

type Properties = Record<string, TSchema & { 'x-filter'?: boolean; enum?: string[] }>

let p: TestPlatform
let w: World
let texts = new Set<string>()
let heard = (_: Sql) => {}
const prepared = new Set<string>()

beforeAll(async () => {
  const onStatement = (statement: Sql) => {
    heard(statement)
    texts.add(statement.text)
    if (!statement.isPlannedAnew) prepared.add(statement.text)
  }
  p = await platform({ env: { RATE_LIMIT: '1000000' }, onStatement })
  w = await world(p)
})
afterAll(() => p.close())

const propertiesOf = (schema: TSchema | undefined) =>
  ((schema as { properties?: Properties } | undefined)?.properties ?? {}) as Properties
const table = operationIds.map(id => [id, lookUp(id) as Operation] as const)
const lists = table.filter(([, { query }]) => 'orderBy' in propertiesOf(query))
const changes = table.filter(([, operation]) => ['PATCH', 'PUT'].includes(methodOf(operation)))

/** A fixed sequence, so that a failure can be seen again. */
function random() {
  let seed = 7
  return (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * most)
  }
}

const most = 150

/** Every way of choosing one of each, or as many of them as there is time for. */
function combinations<T>(choices: readonly (readonly T[])[]): T[][] {
  const total = choices.reduce((product, { length }) => product * length, 1)
  const pick = random()
  return Array.from({ length: Math.min(total, most) }, (_, number) => {
    let rest = number
    return choices.map(of => {
      const index = total <= most ? rest % of.length : pick(of.length)
      rest = Math.floor(rest / of.length)
      return of[index] as T
    })
  })
}

/** Runs the same operation with each input, and returns the texts that came of it; nothing may break. */
async function textsOf(id: OperationId, inputs: (fixed: Record<string, unknown>) => Record<string, unknown>[]) {
  const row = rowOf(id)
  const caller = (await row.by?.(w)) ?? w.owner
  const fixed = await row.input(w, caller)
  texts = new Set()
  for (const input of inputs(fixed)) {
    const { status, text } = await p.call(id, input, caller)
    expect(status, `${JSON.stringify(input)} ${text}`).toBeLessThan(500)
  }
  return [...texts]
}

describe('the number of texts does not grow with what is sent', () => {
  it.each(lists)('%s, filtered and sorted in every way', async (id, { query }) => {
    const properties = propertiesOf(query)
    const sorts = (properties.orderBy?.enum ?? []).length
    const choices = Object.entries(properties).map(([name, schema]) => {
      if (name === 'orderBy' || name === 'order') return (schema.enum ?? []).map(value => ({ [name]: value }))
      if (name === 'page') return [{}, { page: 2 }, { page: 5_000 }]
      if (name === 'perPage' || name === 'after') return [{}]
      if (!schema['x-filter']) return [{}, { [name]: example(schema) }]
      return [{}, { [name]: 'a' }, { [name]: ['a', 'b', 'true'] }, { [name]: '!a' }, { [name]: ['a', '!b', '!c'] }]
    })
    const found = await textsOf(id, fixed => combinations(choices).map(parts => Object.assign({}, fixed, ...parts)))
    // Each order has its plain text and the one for deep pages, the usual order one for each filter; the rest is the
    // credential's, and of what follows the ledger meanwhile. What is planned for its values each time is never kept.
    const filters = Object.values(properties).filter(schema => schema['x-filter']).length
    expect(found.filter(text => prepared.has(text)).length).toBeLessThanOrEqual(sorts * 2 * 2 + filters + 24)
  })

  it.each(changes)('%s, with any of its fields in any order', async (id, { body }) => {
    const names = Object.keys(propertiesOf(body))
    const pick = random()
    const shuffled = (fields: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(fields).sort(() => pick(3) - 1))
    const choices = names.map(name => [{}, { [name]: example(propertiesOf(body)[name] as TSchema) }])
    const path = Object.keys(propertiesOf(lookUp(id)?.path))
    const found = await textsOf(id as OperationId, fixed => {
      const place = Object.fromEntries(path.map(name => [name, fixed[name]]))
      return combinations(choices).map(parts => ({ ...place, ...shuffled(Object.assign({}, ...parts)) }))
    })
    // A call of many fields has its statements beside them; with a text for each set of fields there would be 64 and more.
    expect(found.length).toBeLessThanOrEqual(44)
  })

  it('and all that are prepared are fewer than a connection may hold', async () => {
    for (const [id] of table) {
      const ending = id === 'auth.logout' ? await p.session(w.owner.userId) : w.owner
      const row = rowOf(id)
      const caller = (await row.by?.(w)) ?? ending
      if (id !== 'events.stream') await p.call(id, await row.input(w, caller), caller)
    }
    expect(prepared.size).toBeGreaterThan(100)
    expect(prepared.size).toBeLessThan(mostPrepared / 2)
    // The engine's own list, of whichever connection answers.
    const [held] = await p.database.query<{ count: number }>(
      sql`select count(*)::int as count from pg_prepared_statements`,
    )
    expect(held?.count).toBeLessThan(mostPrepared / 2)
  }, 180_000)
})

it('beyond the bound, statements are parsed each time and nothing is kept of them', async () => {
  const named = new Set<string>()
  for (let index = 0; index < mostPrepared * 3; index++) {
    const strings = Object.assign([`select ${index} as n`], { raw: [] })
    const name = preparedName(sql(strings as unknown as TemplateStringsArray))
    if (name) named.add(name)
  }
  expect(named.size).toBeLessThanOrEqual(mostPrepared)
  const again = sql`select 'one more' as text`
  expect(preparedName(again)).toBeUndefined()
  expect(await p.database.query(again)).toEqual([{ text: 'one more' }])
})

describe('a filtered list', () => {
  it('is planned for its values: the index of the filter that was given is used', async () => {
    const { workspaceId, userId } = w.owner
    await p.database.query(sql`
      insert into api_keys (id, workspace_id, owner_id, name, scopes, hint, created_by, created, updated)
      select 'key_plan' || n, ${workspaceId}, ${userId}, 'planned ' || n, '{}', 'x', ${userId}, now(), now()
      from generate_series(1, 5000) n`)
    await p.database.script('analyze api_keys')
    const plan = async (input: object) => {
      let listed: Sql | undefined
      heard = statement => {
        if (statement.text.includes('list_count')) listed = statement
      }
      const { result } = await p.call('api_keys.list', { workspaceId, ...input }, w.owner)
      heard = () => {}
      const { rows } = await p.database.plain(`explain ${listed?.text}`, listed?.values)
      return { result, lines: rows.map(row => String(Object.values(row)[0])) }
    }
    const one = await plan({ name: 'planned 77' })
    expect(one.result).toMatchObject({ count: 1, items: [{ id: 'key_plan77' }] })
    expect(one.lines.filter(line => /Index Cond.*\bname\b/.test(line))).toHaveLength(2)
    expect(one.lines.filter(line => /IS NULL/.test(line))).toEqual([])
    const some = await plan({ id: ['key_plan5', 'key_plan6'], name: '!planned 6' })
    expect(some.result).toMatchObject({ count: 1, items: [{ id: 'key_plan5' }] })
    expect(some.lines.some(line => /Index Cond.*\bid = ANY/.test(line))).toBe(true)
  })
})

describe('assignments', () => {
  it('are the same text whichever fields are given, in whichever order', () => {
    const names = ['name', 'group', 'leadId'] as const
    const all = [{}, { group: 1 }, { leadId: 2, name: 1 }, { name: 1, leadId: 2 }, { name: null }]
    expect(new Set(all.map(fields => assignments(names, fields).text)).size).toBe(1)
  })

  it('set what is given and nothing else, also in columns that are words of SQL', async () => {
    await p.database.script('create table strange ("group" text, "order" int, lead_id text)')
    try {
      await p.database.query(sql`insert into strange values ('a', 1, 'x')`)
      const names = ['group', 'order', 'leadId'] as const
      const change = (fields: { group?: unknown; order?: unknown; leadId?: unknown }) =>
        p.database.query(sql`update strange set ${assignments(names, fields)} returning *`)
      expect(await change({ order: 2 })).toEqual([{ group: 'a', order: 2, leadId: 'x' }])
      expect(await change({ leadId: null, group: 'b' })).toEqual([{ group: 'b', order: 2, leadId: null }])
      expect(await change({ group: undefined })).toEqual([{ group: 'b', order: 2, leadId: null }])
    } finally {
      await p.database.script('drop table strange')
    }
    expect(() => assignments(['name'], { other: 1 } as object)).toThrow('other')
  })
})
