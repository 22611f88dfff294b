// Commits that share a flush of the disk: none is told done before it is there.
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { atWork, flushTogether } from '../src/server/backends/flush_together.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { isPostgres, postgresUrl } from './helpers/engines.ts'

describe('flushTogether', () => {
  it('shares the next flush between those that come while one is under way', async () => {
    const flushes: PromiseWithResolvers<void>[] = []
    const flush = flushTogether({
      gathered: () => Promise.resolve(),
      flush() {
        const one = Promise.withResolvers<void>()
        flushes.push(one)
        return one.promise
      },
    })
    const done: string[] = []
    const ask = (name: string) => flush().then(() => done.push(name))
    const first = ask('first')
    await vi.waitFor(() => expect(flushes).toHaveLength(1))
    const later = [ask('second'), ask('third')]
    expect(flushes).toHaveLength(1)
    flushes[0]?.resolve()
    await first
    expect(done).toEqual(['first'])
    await vi.waitFor(() => expect(flushes).toHaveLength(2))
    flushes[1]?.resolve()
    await Promise.all(later)
    expect(done).toEqual(['first', 'second', 'third'])
    expect(flushes).toHaveLength(2)
  })

  it('tells a failure to those who waited for it, and goes on', async () => {
    let isBroken = true
    const flush = flushTogether({
      gathered: () => Promise.resolve(),
      async flush() {
        if (isBroken) throw new Error('away')
      },
    })
    await expect(flush()).rejects.toThrow('away')
    isBroken = false
    await expect(flush()).resolves.toBeUndefined()
  })

  it('begins when those that are under way have committed, and shares the flush with them', async () => {
    let flushes = 0
    const writing = atWork(60_000)
    const flush = flushTogether({ gathered: writing.idle, flush: async () => void flushes++ })
    writing.begin()
    writing.begin()
    writing.end()
    const one = flush()
    await setTimeout(20)
    expect(flushes).toBe(0)
    const other = flush()
    writing.end()
    await Promise.all([one, other])
    expect(flushes).toBe(1)
  })

  it('waits no longer than it may for one that takes its time', async () => {
    const writing = atWork(20)
    const flush = flushTogether({ gathered: writing.idle, flush: async () => {} })
    writing.begin()
    await expect(flush()).resolves.toBeUndefined()
  })
})

describe.skipIf(!isPostgres)('transactions on PostgreSQL', () => {
  let database: Database
  beforeAll(async () => {
    database = await openPostgres({ url: postgresUrl as string })
  })
  afterAll(() => database.close())

  const write = () =>
    database.transaction(async tx => {
      await tx.query(sql`select pg_logical_emit_message(true, 'atrium', repeat('x', 1000))`)
      const [row] = await tx.query<{ at: string }>(sql`select pg_current_wal_insert_lsn()::text as at`)
      return row?.at ?? ''
    })
  const isFlushed = async (at: string) => {
    const [row] = await database.query<{ is: boolean }>(sql`select pg_current_wal_flush_lsn() > ${at}::pg_lsn as is`)
    return row?.is
  }

  it('are on the disk when they are done, alone and many at once', async () => {
    expect(await isFlushed(await write())).toBe(true)
    const all = Array.from({ length: 40 }, async () => isFlushed(await write()))
    expect(await Promise.all(all)).toEqual(Array(40).fill(true))
  })
})
