// The embedded engine is kept in order: what was changed much is vacuumed and analysed while the service runs.
import { expect, it, onTestFinished, vi } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { startVacuum } from '../src/server/upkeep/vacuum.ts'
import { freshDatabase, isPostgres } from './helpers/engines.ts'

type Standing = { dead: number; live: number; size: number }

it.skipIf(isPostgres)(
  'a table that was changed much is vacuumed and analysed, and one at rest is left alone',
  async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const { database } = await freshDatabase()
    onTestFinished(() => database.close())
    const texts: string[] = []
    const watched = {
      ...database,
      query: ((statement: Parameters<typeof database.query>[0]) => {
        texts.push(statement.text)
        return database.query(statement)
      }) as typeof database.query,
    }
    const vacuum = startVacuum(watched, { warn: expect.unreachable } as never)
    onTestFinished(() => vacuum.stop())
    const standing = async (): Promise<Standing> => {
      const [row] = await database.query<Standing>(sql`
      select s.n_dead_tup::int as dead, c.reltuples::int as live, pg_relation_size(c.oid)::int as size
      from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.relname = 'vacuumed'`)
      return row as Standing
    }
    await database.script('create table vacuumed (id int primary key, word text)')
    await database.query(sql`insert into vacuumed select n, 'x' from generate_series(1, 3000) n`)
    await database.query(sql`update vacuumed set word = 'y'`)
    // What a session has counted is told at most once a second otherwise.
    await database.query(sql`select pg_stat_force_next_flush()`)
    expect((await standing()).live).toBe(-1)
    vi.advanceTimersByTime(60_000)
    await vi.waitFor(async () => expect(await standing()).toMatchObject({ live: 3000, dead: 0 }), { timeout: 30_000 })

    vi.advanceTimersByTime(60_000)
    await vacuum.stop()
    expect(texts).toHaveLength(1)
    // The room that dead rows left is used again.
    const { size } = await standing()
    await database.query(sql`update vacuumed set word = 'z'`)
    expect((await standing()).size).toBe(size)
  },
)

it.skipIf(isPostgres)('a table that cannot be vacuumed is told of, and keeps no other from its turn', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { database } = await freshDatabase()
  onTestFinished(() => database.close())
  const told: string[] = []
  const failing = {
    ...database,
    plain: async (text: string) => {
      if (text.endsWith('.broken')) throw new Error('it took too long')
      return await database.plain(text)
    },
  }
  const vacuum = startVacuum(failing, { warn: (_: object, text: string) => told.push(text) } as never)
  for (const name of ['broken', 'whole']) {
    await database.script(`create table ${name} (id int)`)
    await database.script(`insert into ${name} select n from generate_series(1, ${name === 'broken' ? 9000 : 3000}) n`)
  }
  await database.query(sql`select pg_stat_force_next_flush()`)
  vi.advanceTimersByTime(60_000)
  const rows = () => database.query(sql`select reltuples::int as rows from pg_class where relname = 'whole'`)
  await vi.waitFor(async () => expect(await rows()).toEqual([{ rows: 3000 }]), { timeout: 30_000 })
  await vacuum.stop()
  expect(told).toEqual(['public.broken could not be vacuumed; it is tried again a minute after the next write'])
})
