// The engines behind the seams, proven alike: embedded PostgreSQL and PostgreSQL, limits in this process and in Redis.
import { randomBytes } from 'node:crypto'
import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../src/contract/errors.ts'
import type { Database } from '../src/kit/db.ts'
import { violates } from '../src/kit/db_errors.ts'
import { cachedUntil, join, raw, sql } from '../src/kit/sql.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { redisLimiter } from '../src/server/backends/redis.ts'
import { type Limiter, memoryLimiter } from '../src/server/request/limits.ts'
import { administer, postgresUrl, redisUrl, urlOf } from './helpers/engines.ts'

type Opened = { database: Database; close(): Promise<void> }

async function embedded(): Promise<Opened> {
  const database = await openEmbedded({})
  return { database, close: () => database.close() }
}

async function postgres(): Promise<Opened> {
  const name = `atrium_backend_${randomBytes(4).toString('hex')}`
  await administer(`create database ${name}`)
  const database = await openPostgres({ url: urlOf(name) })
  return {
    database,
    async close() {
      await database.close()
      await administer(`drop database if exists ${name} with (force)`)
    },
  }
}

const engines: [string, () => Promise<Opened>][] = [['the embedded engine', embedded]]
if (postgresUrl) engines.push(['PostgreSQL', postgres])

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('nothing failed'),
    error => error as ApiError & { code?: string },
  )

/** A promise and the function that keeps it. */
function gate() {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { open, opened }
}

it.skipIf(!postgresUrl)('waits for the statements of a transaction that asks for it as long as they take', async () => {
  const database = await openPostgres({ url: postgresUrl as string, answerTimeoutMs: 200 })
  const sleep = sql`select pg_sleep(0.6)`
  try {
    expect(await database.transaction(tx => tx.unhurried().then(() => tx.query(sleep)))).toHaveLength(1)
    expect((await errorOf(database.transaction(tx => tx.query(sleep)))).detail).toContain('does not answer')
  } finally {
    await database.close()
  }
})

describe.each(engines)('%s', (_, open) => {
  let opened: Opened
  let db: Database

  beforeAll(async () => {
    opened = await open()
    db = opened.database
    await db.script(`
      create table parents (id text primary key, amount int not null default 0);
      create table children (id text primary key, parent_id text references parents (id) on delete cascade);`)
  })
  beforeEach(() => db.script('truncate parents, children'))
  afterAll(() => opened.close())

  const insert = (id: string) => sql`insert into parents (id) values (${id})`
  const count = async () => (await db.query<{ n: number }>(sql`select count(*)::int as n from parents`))[0]?.n

  describe('values', () => {
    it('come back as they were sent', async () => {
      const sent = { text: 'Æ 𝄞 \' " \\', yes: true, whole: 7, real: 1.5, list: ['a', 'b,"c"', ''], none: null }
      const json = { nested: [1, { deep: 'ü' }], none: null }
      const [row] = await db.query(sql`
        select ${sent.text}::text as text, ${sent.yes}::boolean as yes, ${sent.whole}::int as whole,
          ${sent.real}::float8 as real, ${sent.list}::text[] as list, ${sent.none}::text as none,
          ${JSON.stringify(json)}::jsonb as json, ${Buffer.from([0, 255])}::bytea as bytes`)
      expect(row).toEqual({ ...sent, json, bytes: Buffer.from([0, 255]) })
    })

    it('have names in camelCase, also behind a leading underscore', async () => {
      expect(await db.query(sql`select 1 as some_long_name, 'x' as _object`)).toEqual([
        { someLongName: 1, _object: 'x' },
      ])
    })

    it('of int8 are numbers', async () => {
      const [row] = await db.query(sql`select 9007199254740991::bigint as most, count(*) as n from parents`)
      expect(row).toEqual({ most: Number.MAX_SAFE_INTEGER, n: 0 })
    })

    it('of time are ISO 8601 in UTC with milliseconds, whatever the zone they were sent in', async () => {
      const at = new Date('2026-11-15T09:30:00.120Z')
      const [row] = await db.query(sql`
        select ${at}::timestamptz(3) as date, ${'2026-11-15T10:30:00+01:00'}::timestamptz(3) as zoned,
          '2026-11-15 09:30:00.1+00'::timestamptz as short, '2026-11-15 09:30:00.123456+00'::timestamptz as long,
          array['2026-11-15 09:30:00+00'::timestamptz]::text[] as many`)
      expect(row).toEqual({
        date: '2026-11-15T09:30:00.120Z',
        zoned: '2026-11-15T09:30:00.000Z',
        short: '2026-11-15T09:30:00.100Z',
        long: '2026-11-15T09:30:00.123Z',
        many: ['2026-11-15 09:30:00+00'],
      })
    })

    it('of three megabytes pass whole', async () => {
      const long = 'ä'.repeat(1_500_000)
      const [row] = await db.query<{ text: string }>(sql`select ${long}::text as text`)
      expect(row?.text === long).toBe(true)
    })

    it('are never read as SQL', async () => {
      const sly = "'; drop table parents; --"
      await db.query(insert(sly))
      expect(await db.query(sql`select id from parents`)).toEqual([{ id: sly }])
    })
  })

  describe('faults', () => {
    it('of uniqueness are conflicts that name their constraint', async () => {
      await db.query(insert('one'))
      const error = await errorOf(db.query(insert('one')))
      expect(error).toBeInstanceOf(ApiError)
      expect(error.kind).toBe('conflict')
      expect(violates(error, 'parents_pkey')).toBe(true)
    })

    it('of a reference are not found', async () => {
      const error = await errorOf(db.query(sql`insert into children (id, parent_id) values ('c', 'nobody')`))
      expect(error.kind).toBe('not_found')
    })

    it('of anything else stay what they are, outside and inside a transaction', async () => {
      expect((await errorOf(db.query(sql`select * from nowhere`))).code).toBe('42P01')
      expect((await errorOf(db.transaction(tx => tx.query(sql`select 1 / 0 as x`)))).code).toBe('22012')
      expect((await errorOf(db.plain('select $1::int', ['x']))).code).toBe('22P02')
      expect((await errorOf(db.script('select 1; select nonsense'))).code).toBe('42703')
      expect(await count()).toBe(0)
    })

    it('leave the statements around them alone', async () => {
      const settled = await Promise.allSettled([
        db.query(insert('before')),
        db.query(sql`select 1 / 0 as x`),
        db.query(insert('after')),
      ])
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
      expect(await count()).toBe(2)
    })
  })

  describe('a transaction', () => {
    it('keeps all it did, and returns what its work returned', async () => {
      const value = await db.transaction(async tx => {
        await tx.query(insert('one'))
        await tx.plain('insert into parents (id) values ($1)', ['two'])
        return 'done'
      })
      expect([value, await count()]).toEqual(['done', 2])
    })

    it('is committed along with its last statement, or taken back with it', async () => {
      const add = (id: string) =>
        db.transaction(async tx => {
          await tx.query(insert(`${id}, first`))
          return await tx.last(sql`insert into parents (id) values (${id}) returning id`)
        })
      expect(await add('one')).toEqual([{ id: 'one' }])
      await db.query(sql`delete from parents where id = 'one, first'`)
      // The last statement fails: what came before it is gone too, and the connection is of use.
      expect(await errorOf(add('one'))).toMatchObject({ kind: 'conflict' })
      expect(await db.query(sql`select id from parents`)).toEqual([{ id: 'one' }])
      await add('two')
      expect(await count()).toBe(3)
    })

    it('is on the disk when it is called done, also where many stand in line, and what is read of it can be waited for', async () => {
      const places = new Map<string, number>()
      const flushed = async () => {
        const [row] = await db.query<{ bytes: string }>(sql`select pg_current_wal_flush_lsn() - '0/0' as bytes`)
        return Number(row?.bytes)
      }
      const write = async (id: string) => {
        await db.transaction(async tx => {
          await tx.query(insert(id))
          const [row] = await tx.query<{ bytes: string }>(sql`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
          places.set(id, Number(row?.bytes))
        })
        expect(await flushed()).toBeGreaterThanOrEqual(places.get(id) ?? 0)
      }
      const read = async () => {
        const seen = await db.query<{ id: string }>(sql`select id from parents`)
        await db.synced()
        expect(await flushed()).toBeGreaterThanOrEqual(Math.max(0, ...seen.map(({ id }) => places.get(id) ?? 0)))
      }
      const ids = Array.from({ length: 100 }, (_, index) => `queued ${index}`)
      await Promise.all(ids.flatMap(id => [write(id), read()]))
      expect(await count()).toBe(100)
    })

    it('keeps nothing when its work throws', async () => {
      const error = await errorOf(
        db.transaction(async tx => {
          await tx.query(insert('one'))
          throw new Error('changed my mind')
        }),
      )
      expect(error.message).toBe('changed my mind')
      expect(await count()).toBe(0)
    })

    it('fails when one of its statements failed, even if its work looks away', async () => {
      await db.query(insert('one'))
      const looksAway = db.transaction(async tx => {
        await tx.query(insert('two'))
        await tx.query(insert('one')).catch(() => {})
        return 'fine'
      })
      await expect(looksAway).rejects.toThrow()
      expect(await count()).toBe(1)
    })

    it('shows others all of its rows or none', async () => {
      const [begun, seen] = [gate(), gate()]
      const writing = db.transaction(async tx => {
        await tx.query(insert('one'))
        begun.open()
        await Promise.race([seen.opened, new Promise(resolve => setTimeout(resolve, 50))])
        await tx.query(insert('two'))
      })
      await begun.opened
      const during = count().finally(seen.open)
      await writing
      expect([0, 2]).toContain(await during)
      expect(await count()).toBe(2)
    })

    it('takes no statement of others along when it is taken back', async () => {
      const takenBack = db.transaction(async tx => {
        await tx.query(insert('mine'))
        throw new Error('no')
      })
      const [, theirs] = await Promise.allSettled([takenBack, db.query(insert('theirs'))])
      expect(theirs.status).toBe('fulfilled')
      expect(await db.query(sql`select id from parents`)).toEqual([{ id: 'theirs' }])
    })

    it('loses no update to another that runs at the same time', async () => {
      await db.query(insert('sum'))
      const add = () =>
        db.transaction(async tx => {
          const [row] = await tx.query<{ amount: number }>(sql`select amount from parents where id = 'sum' for update`)
          await tx.query(sql`update parents set amount = ${(row?.amount ?? 0) + 1} where id = 'sum'`)
        })
      await Promise.all(Array.from({ length: 40 }, add))
      expect(await db.query(sql`select amount from parents`)).toEqual([{ amount: 40 }])
    })

    it('wakes whoever waits for its end outside of it', async () => {
      for (const end of ['last', 'query'] as const) {
        const asked = Promise.withResolvers<unknown>()
        await db.transaction(async tx => {
          tx.after(() => void db.query(sql`select 1 as one`).then(asked.resolve, asked.reject))
          await tx[end](insert(end))
        })
        expect(await asked.promise).toEqual([{ one: 1 }])
      }
    })

    it('takes nothing behind its last statement', async () => {
      const late = db.transaction(async tx => {
        await tx.last(insert('one'))
        await tx.query(insert('two'))
      })
      await expect(late).rejects.toThrow('Nothing can follow')
      expect(await db.query(sql`select id from parents`)).toEqual([{ id: 'one' }])
    })

    it('refuses the use of the database inside it, which would wait for ever', async () => {
      const attempts: [string, () => Promise<unknown>][] = [
        ['query', () => db.query(sql`select 1 as one`)],
        ['transaction', () => db.transaction(async () => {})],
        ['plain', () => db.plain('select 1')],
        ['script', () => db.script('select 1')],
      ]
      for (const [name, attempt] of attempts) {
        await expect(
          db.transaction(async () => await attempt()),
          name,
        ).rejects.toThrow('must be used here')
      }
      expect(await count()).toBe(0)
    })
  })

  it('carries 500 mixed statements at once', async () => {
    const work = (index: number): Promise<unknown> => {
      const id = `row ${index}`
      if (index % 5 === 0) return db.query(insert(id))
      if (index % 5 === 1) return db.query(sql`select ${index}::int as n, ${id}::text as id`)
      if (index % 5 === 2) return db.transaction(tx => tx.query(insert(id)))
      if (index % 5 === 3) return db.query(sql`select 1 / ${0}::int as x`)
      return db.transaction(async tx => {
        await tx.query(insert(id))
        throw new Error('taken back')
      })
    }
    const settled = await Promise.allSettled(Array.from({ length: 500 }, (_, index) => work(index)))
    const failed = settled.flatMap(({ status }, index) => (status === 'rejected' ? [index % 5] : []))
    expect([failed.length, new Set(failed)]).toEqual([200, new Set([3, 4])])
    const read = settled.flatMap((answer, index) => (index % 5 === 1 ? [answer] : []))
    expect(
      read.every((answer, place) => {
        const { value } = answer as PromiseFulfilledResult<{ n: number; id: string }[]>
        return value[0]?.n === place * 5 + 1 && value[0].id === `row ${place * 5 + 1}`
      }),
    ).toBe(true)
    expect(await count()).toBe(200)
  })

  describe('listening', () => {
    it('hears what is sent after a commit, and nothing that was taken back', async () => {
      const heard: string[] = []
      const all = gate()
      const end = await db.listen('test_channel', payload => {
        heard.push(payload)
        if (payload === 'last') all.open()
      })
      const taken = db.transaction(async tx => {
        await tx.query(sql`select pg_notify('test_channel', 'taken back')`)
        throw new Error('no')
      })
      await expect(taken).rejects.toThrow('no')
      await db.transaction(tx => tx.query(sql`select pg_notify('test_channel', 'kept')`))
      await db.query(sql`select pg_notify('other_channel', 'elsewhere')`)
      await db.query(sql`select pg_notify('test_channel', 'last')`)
      await all.opened
      expect(heard).toEqual(['kept', 'last'])
      await end()
      await db.query(sql`select pg_notify('test_channel', 'too late')`)
      await db.query(sql`select 1 as one`)
      expect(heard).toEqual(['kept', 'last'])
    })

    it('begins while a transaction is open that is taken back', async () => {
      const [begun, finish, heard] = [gate(), gate(), gate()]
      const open = db.transaction(async () => {
        begun.open()
        await finish.opened
        throw new Error('no')
      })
      await begun.opened
      const listening = db.listen('early_channel', heard.open)
      finish.open()
      await expect(open).rejects.toThrow('no')
      const end = await listening
      await db.query(sql`select pg_notify('early_channel', 'x')`)
      await heard.opened
      await end()
    })
  })

  describe('onCommit', () => {
    it('names the tables that a commit changed, before the caller hears of it', async () => {
      const heard: string[][] = []
      db.onCommit(({ tables }) => void heard.push([...tables].sort()))
      const during = async (work: Promise<unknown>) => {
        heard.length = 0
        await work.catch(() => {})
        return [...heard]
      }
      const upsert = sql`insert into parents (id) values ('a') on conflict (id) do update set amount = 1`
      expect(await during(db.query(insert('a')))).toEqual([['+parents']])
      expect(await during(db.query(sql`select * from parents`))).toEqual([])
      expect(await during(db.query(sql`update parents set amount = 2`))).toEqual([['parents']])
      expect(await during(db.query(upsert))).toEqual([['+parents', 'parents']])
      expect(await during(db.query(insert('a')))).toEqual([])
      const both = db.transaction(async tx => {
        await tx.query(insert('b'))
        await tx.query(sql`with gone as (delete from children returning id) select id from gone`)
      })
      expect(await during(both)).toEqual([['+parents', 'children']])
      const takenBack = db.transaction(async tx => {
        await tx.query(insert('c'))
        throw new Error('no')
      })
      expect(await during(takenBack)).toEqual([])
      expect(await during(db.plain('delete from parents where id = $1', ['a']))).toEqual([['parents']])
      expect(await during(db.script('delete from children; delete from parents'))).toEqual([['children', 'parents']])
      expect(await during(db.transaction(tx => tx.plain('delete from children')))).toEqual([['children']])
    })
  })

  describe('a reading that may be kept', () => {
    const tables = ['children', '+children']
    const kept = (parent: string) =>
      db.query<{ id: string; parentId: string }>(
        cachedUntil(tables, sql`select id, parent_id from children where parent_id = ${parent} order by id`),
      )
    const child = (id: string, parent: string) => sql`insert into children (id, parent_id) values (${id}, ${parent})`

    it('is never older than the last commit, however that came about', async () => {
      await db.query(insert('a'))
      await db.query(child('one', 'a'))
      const ids = async () => (await kept('a')).map(({ id }) => id)
      expect([await ids(), await ids()]).toEqual([['one'], ['one']])
      await db.query(child('two', 'a'))
      expect(await ids()).toEqual(['one', 'two'])
      await db.transaction(async tx => {
        await tx.query(sql`update children set id = 'three' where id = 'two'`)
      })
      expect(await ids()).toEqual(['one', 'three'])
      await db.plain('delete from children where id = $1', ['one'])
      expect(await ids()).toEqual(['three'])
      // The child goes with its parent, of which the reading says nothing.
      await db.query(sql`delete from parents where id = 'a'`)
      expect(await ids()).toEqual([])
    })

    it('is shared only among those who cannot change it for each other', async () => {
      await db.query(insert('a'))
      await db.query(child('one', 'a'))
      const [first, second] = await Promise.all([kept('a'), kept('a')])
      expect(() => Object.assign(first[0] as object, { id: 'other' })).toThrow(TypeError)
      expect(second).toEqual([{ id: 'one', parentId: 'a' }])
      expect(await kept('b')).toEqual([])
    })

    it('is made once for all who ask for it at the same time, and anew for who comes after a change', async () => {
      await db.script('create sequence readings')
      try {
        const reading = () =>
          db.query<{ n: number }>(cachedUntil(tables, sql`select nextval('readings')::int as n, 'a' as parent`))
        const together = async () => (await Promise.all(Array.from({ length: 20 }, reading))).flat()
        expect(new Set((await together()).map(({ n }) => n))).toEqual(new Set([1]))
        await db.query(insert('a'))
        // Those who ask before the change may have the older rows, those who ask after it may not.
        const early = reading()
        const change = db.query(child('one', 'a')).then(reading)
        expect((await early)[0]?.n).toBeLessThan((await change)[0]?.n as number)
      } finally {
        await db.script('drop sequence readings')
      }
    })

    it('does not outlive a change that was made while it was read', async () => {
      await db.query(insert('a'))
      for (let round = 0; round < 30; round++) {
        const [, , before] = await Promise.all([kept('a'), db.query(child(`${round}`, 'a')), kept('a')])
        expect([round, round + 1]).toContain(before.length)
        expect(await kept('a')).toHaveLength(round + 1)
      }
    })
  })

  it('gives a script, and a transaction that asks for it, all the time in the world, and others not', async () => {
    const limit = `select current_setting('statement_timeout') as statement`
    try {
      await db.script(`create table limits as ${limit}`)
      expect(await db.query(sql`select statement from limits`)).toEqual([{ statement: '0' }])
      const inside = await db.transaction(async tx => {
        await tx.unhurried()
        return (await tx.plain(limit)).rows
      })
      expect(inside).toEqual([{ statement: '0' }])
      expect((await db.plain(limit)).rows).toEqual([{ statement: '30s' }])
      expect(await db.transaction(async tx => (await tx.plain(limit)).rows)).toEqual([{ statement: '30s' }])
    } finally {
      await db.script('drop table if exists limits')
    }
  })

  it('composes statements without mixing up their values', async () => {
    const conditions = [sql`id <> ${'x'}`, sql`amount >= ${0}`]
    await db.query(insert('y'))
    const rows = await db.query(sql`select id, ${'tag'}::text as tag from parents where ${join(conditions, ' and ')}`)
    expect(rows).toEqual([{ id: 'y', tag: 'tag' }])
    // One place in the code, with text and values in turn: each time the text that was meant.
    const pair = (one: unknown, other: unknown) => sql`select ${one} as one, ${other} as other`
    const texts = [
      [1, sql`now()`],
      [sql`now()`, 1],
      [1, 2],
      [sql`now()`, raw('true')],
      [sql`now()`, raw('false')],
    ]
    const numbered = texts.map(([one, other]) => pair(one, other).text)
    expect(numbered).toEqual([
      'select $1 as one, now() as other',
      'select now() as one, $1 as other',
      'select $1 as one, $2 as other',
      'select now() as one, true as other',
      'select now() as one, false as other',
    ])
    expect(pair(sql`${1}::int`, sql`${2}::int`).values).toEqual([1, 2])
    expect(pair(sql`${3}::int`, 4).values).toEqual([3, 4])
  })
})

type Limited = {
  limiter: Limiter
  key: string
  /** Everything counted so far becomes this much older. */
  age(seconds: number): Promise<void>
  nowSeconds(): number
  close(): Promise<void>
}

async function inMemory(): Promise<Limited> {
  let ms = 1_000_000_123
  const limiter = memoryLimiter(() => ms)
  return {
    limiter,
    key: 'rest:test',
    async age(seconds) {
      ms += seconds * 1000
    },
    nowSeconds: () => ms / 1000,
    close: () => limiter.close(),
  }
}

/** Redis has its own clock: what was counted is moved into the past instead. */
async function inRedis(): Promise<Limited> {
  const limiter = await redisLimiter(redisUrl as string, () => {})
  const client = await createClient({ url: redisUrl as string }).connect()
  const key = `test:${randomBytes(6).toString('hex')}`
  const stored = `atrium:limit:${key}`
  let aged = 0
  return {
    limiter,
    key,
    async age(seconds) {
      aged += seconds
      const fields = Object.entries(await client.hGetAll(stored))
      if (fields.length === 0) return
      await client.del(stored)
      await client.hSet(stored, Object.fromEntries(fields.map(([second, n]) => [Number(second) - seconds, n])))
    },
    nowSeconds: () => Date.now() / 1000 + aged,
    async close() {
      await client.del(stored)
      client.destroy()
      await limiter.close()
    },
  }
}

const limiters: [string, () => Promise<Limited>][] = [['limits in this process', inMemory]]
if (redisUrl) limiters.push(['limits in Redis', inRedis])

describe.each(limiters)('%s', (_, make) => {
  const using = async (work: (limited: Limited) => Promise<void>) => {
    const limited = await make()
    try {
      await work(limited)
    } finally {
      await limited.close()
    }
  }

  it('let through the limit, count down, and refuse the next', () =>
    using(async ({ limiter, key }) => {
      const verdicts = []
      for (let index = 0; index < 5; index++) verdicts.push(await limiter.take(key, 3))
      expect(verdicts.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
        [true, 2],
        [true, 1],
        [true, 0],
        [false, 0],
        [false, 0],
      ])
      expect(verdicts.every(({ resetSeconds }) => resetSeconds === 60)).toBe(true)
    }))

  it('slide: what was taken is given back when it is a minute old, bit by bit', () =>
    using(async ({ limiter, key, age }) => {
      await limiter.take(key, 3)
      await age(30)
      await limiter.take(key, 3)
      await limiter.take(key, 3)
      await age(28)
      expect(await limiter.take(key, 3)).toMatchObject({ allowed: false })
      await age(3)
      expect(await limiter.take(key, 3)).toMatchObject({ allowed: true, remaining: 0 })
      expect(await limiter.take(key, 3)).toMatchObject({ allowed: false })
      await age(31)
      expect(await limiter.take(key, 3)).toMatchObject({ allowed: true, remaining: 1 })
    }))

  it('do not count what they refuse', () =>
    using(async ({ limiter, key, age }) => {
      await limiter.take(key, 1)
      for (let second = 0; second < 59; second++) {
        await age(1)
        expect(await limiter.take(key, 1)).toMatchObject({ allowed: false })
      }
      await age(2)
      expect(await limiter.take(key, 1)).toMatchObject({ allowed: true })
    }))

  it('count each key by itself', () =>
    using(async ({ limiter, key }) => {
      await limiter.take(key, 1)
      expect(await limiter.take(`${key}:other`, 1)).toMatchObject({ allowed: true })
    }))

  it('never let through more than the limit in any 60 seconds', () =>
    using(async ({ limiter, key, age, nowSeconds }) => {
      const limit = 20
      const passed: number[] = []
      // A fixed sequence, so that a failure can be seen again.
      let seed = 42
      const random = (most: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
        return seed % most
      }
      for (let step = 0; step < 120; step++) {
        await age([0, 0, 1, 2, 7, 19, 59, 60][random(8)] as number)
        for (let index = random(12); index >= 0; index--) {
          const before = nowSeconds()
          if ((await limiter.take(key, limit)).allowed) passed.push(before)
        }
      }
      const most = Math.max(...passed.map(start => passed.filter(at => at >= start && at < start + 60).length))
      expect(most).toBe(limit)
    }))

  it('are exact when many ask at once', () =>
    using(async ({ limiter, key }) => {
      const verdicts = await Promise.all(Array.from({ length: 300 }, () => limiter.take(key, 100)))
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(100)
    }))
})

it.skipIf(!redisUrl)('limits in Redis are exact across processes', async () => {
  const limiters = await Promise.all([0, 1, 2].map(() => redisLimiter(redisUrl as string, () => {})))
  const key = `test:${randomBytes(6).toString('hex')}`
  const verdicts = await Promise.all(
    Array.from({ length: 300 }, (_, index) => (limiters[index % 3] as Limiter).take(key, 100)),
  )
  expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(100)
  for (const limiter of limiters) await limiter.close()
})
