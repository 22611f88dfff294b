// The engines behind the seam of rows give equal answers: to fixed questions, and to generated ones (QUERIES, SEED).
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnsOf } from '../../src/areas/datasets/rows/columns.ts'
import type { Condition, Field } from '../../src/areas/datasets/rows/condition.ts'
import { readPage } from '../../src/areas/datasets/rows/paging.ts'
import { type DatasetKind, type Json, kinds } from '../../src/areas/datasets/rows/row.ts'
import {
  type Discovered,
  dayNs,
  isFull,
  type Place,
  type RowQuery,
  type StoredRow,
} from '../../src/areas/datasets/rows/row_store.ts'
import { ch, joined } from '../../src/kit/clickhouse.ts'
import { sql } from '../../src/kit/sql.ts'
import { clickhouseUrl, freshClickHouse } from '../helpers/engines.ts'
import { began, condition, ended, generatedRows, plan, randomFrom, rowQuery, span } from './generated.ts'
import * as memory from './memory_rows.ts'
import { type Engine, linesOf, openEngines, placesOf } from './row_engines.ts'

const queries = Number(process.env.QUERIES ?? 60)
const seed = Number(process.env.SEED ?? 20_261_117)
const nothing: Discovered = new Map()
const always = { from: 0n, to: 1n << 62n }

let engines: Engine[] = []
beforeAll(async () => {
  engines = await openEngines()
})
afterAll(async () => {
  for (const engine of engines.toReversed()) await engine.close()
})

/** As far as callers see it: what is not set is null. */
function plainRow(kind: DatasetKind, row: StoredRow): object {
  const columns = columnsOf[kind].map(({ name }) => [name, row[name] ?? null])
  const { at, id, bytes, attributes, resource = null, detail = null } = row
  return { at, id, bytes, ...Object.fromEntries(columns), attributes, resource, detail }
}

/** Sums of floats depend on their order in the last digits. */
function rounded(rows: Json[][]): Json[][] {
  const one = (value: Json) => (typeof value === 'number' ? Number(value.toPrecision(10)) : value)
  return rows.map(row => row.map(one))
}

type Check = (engine: Engine, place: Place) => Promise<void>

async function filled(kind: DatasetKind, rows: readonly StoredRow[], check: Check): Promise<void> {
  for (const engine of engines) {
    const place = await engine.place(kind)
    await engine.store.append(place, linesOf(engine.store, kind, rows), nothing)
    await check(engine, place)
  }
}

const attribute = (key: string): Field => ({ is: 'attribute', of: 'attributes', key })
const at = began + 12n * 3_600_000_000_000n

describe('fixed questions', () => {
  it('give rows back as they came, whatever they hold', async () => {
    for (const kind of kinds) {
      const rows = generatedRows(randomFrom(seed), kind, 200)
      const query = { ...always, condition: null, order: 'asc', after: null, limit: 1_000 } as const
      await filled(kind, rows, async ({ store, name }, place) => {
        const found = await store.rows(place, query)
        const expected = memory.rowsOf(rows, query)
        expect(
          found.map(row => plainRow(kind, row)),
          name,
        ).toEqual(expected.map(row => plainRow(kind, row)))
      })
    }
  })

  it('page through rows of one moment, both ways', async () => {
    const rows = Array.from({ length: 25 }, (_, n) => ({
      at,
      id: (n * 7_919_000_000_003) % 2 ** 53,
      bytes: 1,
      attributes: {},
    }))
    await filled('table', rows, async ({ store, name }, place) => {
      for (const order of ['asc', 'desc'] as const) {
        const seen: number[] = []
        let after: StoredRow | null = null
        do {
          const page: StoredRow[] = await store.rows(place, { ...always, condition: null, order, after, limit: 4 })
          seen.push(...page.map(({ id }) => id))
          after = page.at(-1) ?? null
        } while (after)
        const sorted = rows.map(({ id }) => id).sort((one, other) => one - other)
        expect(seen, name).toEqual(order === 'asc' ? sorted : sorted.reverse())
      }
    })
  })

  it('page through what a filter finds, a few hours at a time', async () => {
    const rows = generatedRows(randomFrom(seed), 'table', 300)
    const half: Condition = { is: 'order', op: '>', field: { is: 'at' }, value: at }
    const conditions: Condition[] = [half, { is: 'not', part: half }, { is: 'constant', value: false }]
    await filled('table', rows, async ({ store, name }, place) => {
      for (const [order, condition] of (['asc', 'desc'] as const).flatMap(one =>
        conditions.map(two => [one, two] as const),
      )) {
        const query = { ...always, condition, order, limit: 7 }
        const seen: number[] = []
        let after: RowQuery['after'] = null
        let pages = 0
        do {
          const page: { rows: StoredRow[]; next: RowQuery['after'] } = await readPage(
            store,
            place,
            { ...query, after },
            20,
          )
          seen.push(...page.rows.map(({ id }) => id))
          after = page.next
          pages++
        } while (after)
        const expected = memory.rowsOf(rows, { ...query, after: null, limit: 1_000 })
        expect(seen, name).toEqual(expected.map(({ id }) => id))
        expect(pages, name).toBeGreaterThan(2)
      }
    })
  })

  it('end a page where it is large', async () => {
    const mebibyte = 1024 * 1024
    const rows = Array.from({ length: 20 }, (_, id) => ({
      at: at + BigInt(id),
      id,
      bytes: 1.5 * mebibyte,
      attributes: {},
      traceId: 'a'.repeat(32),
    }))
    await filled('traces', rows, async ({ store, name }, place) => {
      const page = (order: 'asc' | 'desc') =>
        store.rows(place, { ...always, condition: null, order, after: null, limit: 10 })
      const idsOf = (found: StoredRow[]) => found.map(({ id }) => id)
      expect(idsOf(await page('asc')), name).toEqual([0, 1, 2])
      expect(idsOf(await page('desc')), name).toEqual([19, 18, 17])
      expect(isFull(await page('asc'), 10), name).toBe(true)
      expect(idsOf(await store.trace(place, 'a'.repeat(32), 20)), name).toEqual(rows.slice(0, 11).map(({ id }) => id))
    })
  })

  it('show the beginning of a long group', async () => {
    const long = '😀x'.repeat(300)
    const nested = { a: [long] }
    const rows = [long, nested, { a: 1 }, 5].map((x, id) => ({
      at,
      id,
      bytes: 1,
      attributes: { x } as Record<string, Json>,
    }))
    const asked = { ...always, condition: null, edges: null, groups: [attribute('x')], limit: 9 }
    await filled('table', rows, async ({ store, name }, place) => {
      const orderBy = { index: 0, order: 'asc' } as const
      const found = await store.query(place, { ...asked, aggregates: [{ fn: 'count', field: null }], orderBy })
      const text = JSON.stringify(nested).replace(':', ': ')
      const cut = (one: string) => Array.from(one).slice(0, 256).join('')
      expect(
        found.map(([value]) => value),
        name,
      ).toEqual([5, { a: 1 }, cut(text), cut(long)])
    })
  })

  it('find the spans of a trace', async () => {
    const spans = ['a', 'b', 'a', 'a'].map((digit, n) => ({
      at: at - BigInt(n),
      id: n,
      bytes: 1,
      attributes: {},
      traceId: digit.repeat(32),
    }))
    await filled('traces', spans, async ({ store, name }, place) => {
      expect(
        (await store.trace(place, 'a'.repeat(32), 2)).map(({ id }) => id),
        name,
      ).toEqual([3, 2])
      expect(await store.trace(place, 'c'.repeat(32), 2), name).toEqual([])
    })
  })

  it('leave a row alone of which a condition says neither, below not too', async () => {
    const rows = [{ x: 1 }, { x: 'a' }, { x: null }, {}, { x: true }, { x: [1] }].map((attributes, id) => ({
      at,
      id,
      bytes: 1,
      attributes: attributes as Record<string, Json>,
    }))
    const more: Condition = { is: 'order', op: '>', field: attribute('x'), value: 0 }
    const isOne: Condition = { is: 'equal', field: attribute('x'), value: 1 }
    await filled('table', rows, async ({ store, name }, place) => {
      const found = async (asked: Condition) =>
        (await store.rows(place, { ...always, condition: asked, order: 'asc', after: null, limit: 10 })).map(
          row => row.id,
        )
      expect(await found(more), name).toEqual([0])
      expect(await found({ is: 'not', part: more }), name).toEqual([])
      expect(await found({ is: 'not', part: isOne }), name).toEqual([1, 2, 3, 4, 5])
      expect(await found({ is: 'isSet', field: attribute('x') }), name).toEqual([0, 1, 4, 5])
      expect(await store.remove(place, always, { is: 'not', part: more }, new AbortController().signal), name).toBe(0)
      expect((await store.volumes([place])).get(place.no)?.rows, name).toBe(6)
    })
  })

  it('answer with one line where there is nothing to group, and with none where there is', async () => {
    await filled('metrics', [], async ({ store, name }, place) => {
      const value: Field = { is: 'column', name: 'value', sql: 'value', type: 'number' }
      const aggregates = (['count', 'sum', 'avg', 'min', 'p95', 'distinct'] as const).map(fn => ({ fn, field: value }))
      const asked = { from: began, to: ended, condition: null, edges: null, groups: [], aggregates, limit: 5 }
      const orderBy = { index: 0, order: 'asc' } as const
      expect(await store.query(place, { ...asked, orderBy }), name).toEqual([[0, null, null, null, null, 0]])
      expect(await store.query(place, { ...asked, groups: [attribute('a')], orderBy }), name).toEqual([])
    })
  })

  it('count the fields that were seen, and refuse rows of a dataset that is gone', async () => {
    for (const { store, database, place: newPlace, name } of engines) {
      const place = await newPlace('table')
      const lines = linesOf(store, 'table', [{ at, id: 1, bytes: 5, attributes: { a: 1 } }])
      const seen: Discovered = new Map([['attributes.a', { type: 'number', seen: 1 }]])
      await store.append(place, lines, seen)
      await store.append(place, lines, seen)
      const fields = await database.query(
        sql`select name, type, seen::int as seen from dataset_fields where dataset_no = ${place.no}::int`,
      )
      expect(fields, name).toEqual([{ name: 'attributes.a', type: 'number', seen: 2 }])
      await database.query(sql`delete from datasets where no = ${place.no}::int`)
      await expect(store.append(place, lines, seen), name).rejects.toMatchObject({ kind: 'not_found' })
      const left = await database.query(sql`select kind from dataset_leftovers where dataset_no = ${place.no}::int`)
      expect(left, name).toEqual([{ kind: 'table' }])
    }
  })

  it('let go of days that no dataset keeps', async () => {
    const rows = [0n, 1n, 40n].map((days, id) => ({ at: at - days * dayNs, id, bytes: 1, attributes: {} }))
    const log = {
      info: () => {},
      warn: () => {},
      error: (fields: object) => expect.unreachable(JSON.stringify(fields)),
    }
    const today = began - (began % dayNs)
    await filled('table', rows, async ({ store, name }, place) => {
      await store.turnDays(today, log)
      const span = { from: 0n, to: today - 30n * dayNs }
      await store.remove(place, span, null, new AbortController().signal)
      expect((await store.volumes([place])).get(place.no), name).toEqual({
        rows: 2,
        bytes: 2,
        first: at - dayNs,
        last: at,
      })
    })
  })
})

describe(`${queries} generated questions`, () => {
  it('are answered alike by all, and as rows in memory are', { timeout: 60_000 + queries * 2_000 }, async () => {
    const random = randomFrom(seed)
    const rows = new Map(kinds.map(kind => [kind, generatedRows(random, kind, 400)]))
    const places = new Map<Engine, Map<DatasetKind, Place>>()
    for (const engine of engines) {
      const own = await placesOf(engine)
      places.set(engine, own)
      for (const [kind, place] of own) {
        await engine.store.append(place, linesOf(engine.store, kind, rows.get(kind) ?? []), nothing)
      }
    }
    for (let n = 0; n < queries; n++) {
      const kind = random.of(kinds)
      const all = rows.get(kind) as StoredRow[]
      const [asked, page, hours] = [plan(random, kind), rowQuery(random, kind, all), span(random)]
      const lines = rounded(memory.answer(all, asked))
      const found = memory.rowsOf(all, page).map(row => plainRow(kind, row))
      for (const engine of engines) {
        const place = places.get(engine)?.get(kind) as Place
        const told = `${engine.name}, SEED=${seed}, question ${n}: ${show({ kind, asked })}`
        expect(rounded(await engine.store.query(place, asked)), told).toEqual(lines)
        const listed = await engine.store.rows(place, page)
        expect(
          listed.map(row => plainRow(kind, row)),
          `${engine.name}, question ${n}: ${show({ kind, page })}`,
        ).toEqual(found)
        expect(await engine.store.hours(place, hours), told).toEqual(memory.hoursOf(all, hours))
      }
    }
    for (const kind of kinds) {
      let left = rows.get(kind) as StoredRow[]
      for (let n = 0; n < 4; n++) {
        const [gone, only] = [span(random), condition(random, kind)]
        const before = left.length
        left = memory.removed(left, gone, only)
        for (const engine of engines) {
          const place = places.get(engine)?.get(kind) as Place
          const count = await engine.store.remove(place, gone, only, new AbortController().signal)
          const told = `${engine.name}, SEED=${seed}: ${show({ kind, gone, only })}`
          expect(count, told).toBe(before - left.length)
          const volume = (await engine.store.volumes([place])).get(place.no) ?? memory.volumeOf([])
          expect(volume, told).toEqual(memory.volumeOf(left))
        }
      }
    }
  })
})

const show = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))

describe.runIf(clickhouseUrl)('a literal of ClickHouse', () => {
  it('is what it was made of, for any text and number', async () => {
    const clickhouse = await freshClickHouse()
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({
        unit: fc.constantFrom('\\', "'", '"', '`', '\0', '\n', '\x1a', 'x', '0', '%', '{', '😀', '-- ', '/*'),
        maxLength: 50,
      }),
      fc.string({ unit: 'binary', minLength: 9_000, maxLength: 10_000 }),
    )
    const property = fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      async (texts, number) => {
        const parts = texts.map(one => ch`${one}`)
        const [row] = (await clickhouse?.query<{ all: string[]; sizes: number[]; number: number }>(
          ch`select [${joined(parts, ', ')}] as all, arrayMap(x -> toUInt32(length(x)), all) as sizes, ${number} as number`,
        )) ?? [undefined]
        const meant = texts.map(one => one.toWellFormed())
        expect(row?.sizes).toEqual(meant.map(one => Buffer.byteLength(one)))
        expect(row?.all).toEqual(meant)
        expect(row?.number).toBe(number === 0 ? 0 : number)
      },
    )
    await fc.assert(property, { numRuns: 300, seed })
    await clickhouse?.close()
  })
})
