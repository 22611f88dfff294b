// What cannot be added up: the same however it is put together, and read as the database itself would.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestPlatform } from '../../../test/helpers/platform.ts'
import { first } from '../../kit/db.ts'
import { sql } from '../../kit/sql.ts'
import { distinct, percentiles } from './querying/spread.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

async function together(spread: string): Promise<string> {
  const row = await first<{ spread: string }>(p.database, sql`select analytics_spread(${spread}) as spread`)
  return row?.spread ?? ''
}

const values = (maxLength: number) =>
  fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double({ min: 0, max: 1e7, noNaN: true })), {
    minLength: 1,
    maxLength,
  })

describe('values of an hour', () => {
  it('have the middle that the database finds, as long as they are few', async () => {
    await fc.assert(
      fc.asyncProperty(values(256), async given => {
        const row = await first<{ middle: number; high: number }>(
          p.database,
          sql`
          select percentile_cont(0.5) within group (order by v) as middle, percentile_cont(0.95) within group (order by v) as high
          from unnest(${given}::float8[]) v`,
        )
        const [middle = Number.NaN, high = Number.NaN] = percentiles(await together(given.join(' ')), [0.5, 0.95])
        expect(middle).toBeCloseTo(row?.middle ?? 0, 6)
        expect(high).toBeCloseTo(row?.high ?? 0, 6)
      }),
      { numRuns: 40 },
    )
  })

  it('are the same in whatever pieces they come', async () => {
    await fc.assert(
      fc.asyncProperty(values(400), fc.integer({ min: 1, max: 60 }), async (given, size) => {
        let grown = ''
        for (let at = 0; at < given.length; at += size) {
          grown = await together(`${grown} ${given.slice(at, at + size).join(' ')}`.trim())
        }
        expect(grown).toBe(await together(given.toReversed().join(' ')))
      }),
      { numRuns: 40 },
    )
  })

  it('keep three digits where there are many, and stay short', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => 1 + ((n * 7_919) % 9_000_000) / 10)
    const spread = await together(many.join(' '))
    expect(spread.length).toBeLessThan(60_000)
    const sorted = many.toSorted((one, other) => one - other)
    const exact = sorted[Math.round(0.95 * (sorted.length - 1))] ?? 0
    expect(Math.abs((percentiles(spread, [0.95])[0] ?? 0) / exact - 1)).toBeLessThan(0.006)
  })

  it('are none where nothing was counted', () => {
    expect([percentiles(null, [0.5]), distinct(null)]).toEqual([[], 0])
  })
})

describe('people of an hour', () => {
  it('count once each, and no digit of theirs is lost however many there are', async () => {
    const people = Array.from({ length: 1_000 }, (_, n) => `u${String(n % 600).padStart(7, '0')}`)
    const spread = await together(people.join(' '))
    expect(distinct(spread)).toBe(600)
    expect(spread.split(' ').slice(0, 2)).toEqual(['u0000000', 'u0000001'])
  })

  it('count once each in whatever order they come, and however alike they are', () => {
    const letters = fc.constantFrom('a', 'b', '0', 'z')
    const person = fc.string({ unit: letters, minLength: 1, maxLength: 7 }).map(name => `u${name}`)
    fc.assert(
      fc.property(fc.array(person, { minLength: 1, maxLength: 600 }), people => {
        expect(distinct([...people, ...people].join(' '))).toBe(new Set(people).size)
      }),
    )
  })
})
