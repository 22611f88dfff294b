// Backup and restore: everything comes back, from a service that goes on working; a bad file touches nothing.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/client.ts'
import type { Database } from '../src/kit/db.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { backUp, isEmpty, putBack } from '../src/server/upkeep/backup.ts'
import { type BackupHead, checkFile, linesOf, writeFile } from '../src/server/upkeep/backup_file.ts'
import { migrate, readMigrations } from '../src/server/upkeep/migrations.ts'
import { administer, isPostgres, postgresUrl, urlOf } from './helpers/engines.ts'
import { password } from './helpers/platform.ts'
import { type Service, start } from './helpers/service.ts'
import { commandLine, failureIn } from './helpers/terminal.ts'

// Whole processes start and end here, beside everything else that runs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const folder = mkdtempSync(join(tmpdir(), 'atrium-backup-'))
const whole = join(folder, 'whole.backup')
const databases: string[] = []
let line: Awaited<ReturnType<typeof commandLine>>
let service: Service
let source: Record<string, string>
let count = 0

/** An empty place for data, as the environment names it. */
async function emptyPlace(onPostgres = isPostgres): Promise<Record<string, string>> {
  const DATA_DIR = join(folder, `data${count++}`)
  if (!onPostgres) return { DATA_DIR }
  const name = `atrium_backup_${randomBytes(4).toString('hex')}`
  databases.push(name)
  await administer(`create database ${name}`)
  return { DATA_DIR, DATABASE_URL: urlOf(name) }
}

async function opened({ DATA_DIR, DATABASE_URL }: Record<string, string>): Promise<Database> {
  return DATABASE_URL
    ? await openPostgres({ url: DATABASE_URL })
    : await openEmbedded({ directory: DATA_DIR as string })
}

/** What a backup holds, in an order that does not depend on where the rows lay. */
async function contentsOf(path: string): Promise<string[]> {
  const rows: string[] = []
  let table = ''
  for await (const text of linesOf(path)) {
    const value = JSON.parse(text)
    if (value.table) table = value.table
    else if (Array.isArray(value)) rows.push(`${table} ${text}`)
  }
  return rows.sort()
}

async function headOf(path: string): Promise<BackupHead> {
  return (await checkFile(path)).head
}

beforeAll(async () => {
  line = await commandLine('http://127.0.0.1:9')
  source = await emptyPlace()
  service = await start(source)
})
afterAll(async () => {
  await service.stop('SIGKILL')
  await line.remove()
  rmSync(folder, { recursive: true, force: true })
  for (const name of databases) await administer(`drop database if exists ${name} with (force)`)
})

describe('atrium backup', () => {
  it('writes everything that was acknowledged before it, while others write on', async () => {
    const signedUp = await createClient({ baseUrl: service.url }).auth.signup({ email: 'ada@example.com', password })
    const token = signedUp.token as string
    const client = createClient({ baseUrl: service.url, token })
    const workspaceId = (await client.workspaces.list({})).items[0]?.id as string
    const kept: string[] = []
    let isOver = false
    const write = async () => {
      while (!isOver) kept.push((await client.api_keys.post({ workspaceId, name: 'a key', scopes: [] })).id)
    }
    const writing = [write(), write()]
    await expect.poll(() => kept.length).toBeGreaterThan(5)
    const before = [...kept]
    const ran = await line.atrium(['backup', whole], { env: source })
    isOver = true
    await Promise.all(writing)
    const { end, head } = await checkFile(whole)
    expect(ran).toEqual({ code: 0, stdout: `${end.sha256}  ${whole}\n`, stderr: expect.stringContaining('secret key') })
    expect(head.secretKey).toBe(readFileSync(join(source.DATA_DIR as string, 'secret_key'), 'utf8'))
    expect(statSync(whole).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([])

    const place = await emptyPlace()
    expect(await line.atrium(['restore', whole], { env: place })).toMatchObject({ code: 0, stderr: /rows of/ })
    const restored = await start(place)
    try {
      const after = createClient({ baseUrl: restored.url, token })
      const found = new Set<string>()
      for await (const { id } of after.pages('api_keys.list', { workspaceId })) found.add(id)
      expect(before.filter(id => !found.has(id))).toEqual([])
      expect(await after.audit_logs.verify({ workspaceId })).toMatchObject({ ok: true, problem: null })
      // The chain goes on where it was.
      await after.api_keys.post({ workspaceId, name: 'one more', scopes: [] })
      expect(await after.audit_logs.verify({ workspaceId })).toMatchObject({ ok: true })
    } finally {
      expect(await restored.stop()).toBe(0)
    }
  })

  it.skipIf(isPostgres)('asks the service by a socket that is only for its user', () => {
    expect(statSync(join(source.DATA_DIR as string, 'control.sock')).mode & 0o777).toBe(0o600)
    expect(readdirSync(source.DATA_DIR as string).filter(name => name.startsWith('backup'))).toEqual([])
  })

  it.skipIf(isPostgres)('does not keep a stop waiting for whoever only connects', async () => {
    const place = await emptyPlace()
    const other = await start(place)
    const idle = connect(join(place.DATA_DIR as string, 'control.sock'))
    await once(idle, 'connect')
    idle.on('error', () => {})
    expect(await other.stop()).toBe(0)
  })

  it('keeps a file that is there already', async () => {
    const before = readFileSync(whole)
    const ran = await line.atrium(['backup', whole], { env: source })
    expect(failureIn(ran).message).toBe(`${whole} exists already; give a new name.`)
    expect(readFileSync(whole).equals(before)).toBe(true)
  })

  it('makes no database where there is none', async () => {
    const place = await emptyPlace()
    const file = join(folder, 'none.backup')
    expect(failureIn(await line.atrium(['backup', file], { env: place })).message).toContain('nothing to back up')
    expect([existsSync(file), existsSync(join(place.DATA_DIR as string, 'postgres'))]).toEqual([false, false])
  })
})

describe('atrium restore', () => {
  it('gives back what it was given, to the last character', async () => {
    const place = await emptyPlace()
    expect((await line.atrium(['restore', whole], { env: place })).code).toBe(0)
    const again = join(folder, 'again.backup')
    expect((await line.atrium(['backup', again], { env: place })).code).toBe(0)
    expect(await contentsOf(again)).toEqual(await contentsOf(whole))
    const { created: _, ...head } = await headOf(again)
    expect(await headOf(whole)).toMatchObject(head)
    expect(readFileSync(join(place.DATA_DIR as string, 'secret_key'), 'utf8')).toBe(head.secretKey)
  })

  it.skipIf(!postgresUrl)('moves an embedded database to PostgreSQL', async () => {
    const [from, to] = [await emptyPlace(false), await emptyPlace(true)]
    expect((await line.atrium(['restore', whole], { env: from })).code).toBe(0)
    const embedded = join(folder, 'embedded.backup')
    expect((await line.atrium(['backup', embedded], { env: from })).code).toBe(0)
    expect((await line.atrium(['restore', embedded], { env: to })).code).toBe(0)
    const moved = join(folder, 'moved.backup')
    expect((await line.atrium(['backup', moved], { env: to })).code).toBe(0)
    expect(await contentsOf(moved)).toEqual(await contentsOf(whole))
  })

  it('refuses a place that holds data, which stays as it is', async () => {
    const ran = await line.atrium(['restore', whole], { env: source })
    expect(failureIn(ran).message).toMatch(/not empty|in use by another process/)
    const place = await emptyPlace()
    const database = await opened(place)
    await migrate(database, readMigrations())
    await database.close()
    const again = await line.atrium(['restore', whole], { env: place })
    expect(failureIn(again).message).toMatch(/not empty|holds data already/)
    expect(existsSync(join(place.DATA_DIR as string, 'secret_key'))).toBe(false)
  })

  const damages: [name: string, damage: (bytes: Buffer) => Buffer, says: RegExp][] = [
    ['cut off in the middle', bytes => bytes.subarray(0, bytes.length >> 1), /cut off or was altered/],
    ['cut off by one byte', bytes => bytes.subarray(0, -1), /cut off or was altered/],
    ['changed in one bit', bytes => flipped(bytes, bytes.length >> 1), /cut off or was altered/],
    ['empty', () => Buffer.alloc(0), /not a backup|cut off/],
    ['something else', () => Buffer.from('hello\n'), /not a backup/],
  ]

  it.each(damages)('refuses a file that is %s, and touches nothing', async (_, damage, says) => {
    const file = join(folder, `damaged${count++}`)
    writeFileSync(file, damage(readFileSync(whole)))
    await expectUntouched(file, says)
  })

  it('refuses rows of a table that it does not know', async () => {
    const file = join(folder, 'foreign')
    const head = await headOf(whole)
    await writeFile(
      file,
      (async function* () {
        yield head
        yield { table: 'public.users; drop table users', columns: ['id'] }
        yield { rows: ['["usr_forged"]'] }
      })(),
    )
    await expectUntouched(file, /Nothing was restored/)
  })

  it('refuses a file of a newer version', async () => {
    const file = join(folder, 'newer')
    const head = await headOf(whole)
    const migrations = [...head.migrations, { name: '29990101T0000_from_the_future', sha256: 'x' }]
    await writeFile(
      file,
      (async function* () {
        yield { ...head, migrations }
      })(),
    )
    await expectUntouched(file, /The backup was written by a newer version of Atrium/)
  })

  it('refuses another key than the one that it was made with', async () => {
    await expectUntouched(whole, /SECRET_KEY is not the one/, { SECRET_KEY: 'x'.repeat(40) })
  })

  it('says what a file that is not there is', async () => {
    await expectUntouched(join(folder, 'nowhere'), /cannot be read \(ENOENT\)/)
  })
})

function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[place] = (copy[place] as number) ^ 1
  return copy
}

async function expectUntouched(file: string, says: RegExp, env: Record<string, string> = {}): Promise<void> {
  const place = { ...(await emptyPlace()), ...env }
  const DATA_DIR = place.DATA_DIR as string
  const ran = await line.atrium(['restore', file], { env: place })
  expect(ran.code).toBe(1)
  expect(failureIn(ran).message).toMatch(says)
  const left = existsSync(DATA_DIR) ? readdirSync(DATA_DIR).filter(name => name !== 'lock') : []
  expect(left).toEqual([])
  if (!place.DATABASE_URL) return
  const database = await opened(place)
  expect(await isEmpty(database)).toBe(true)
  await database.close()
}

/** The queue's library on a database, with nobody at work. */
async function queueOn(database: Database): Promise<PgBoss> {
  const db = { executeSql: (text: string, values?: unknown[]) => database.plain(text, values) }
  const boss = new PgBoss({ db, schema: 'jobs', supervise: false, schedule: false })
  await boss.start()
  return boss
}

describe('a backup', () => {
  it('holds the work that is still to be done, and none that is done', async () => {
    const database = await opened(await emptyPlace())
    await migrate(database, readMigrations())
    const boss = await queueOn(database)
    await boss.createQueue('mail', { retryLimit: 3 })
    const ids = [await boss.send('mail', { to: 'ada' }), await boss.send('mail', { to: 'bob' })]
    const [first] = await boss.fetch('mail')
    await boss.complete('mail', first?.id as string)
    const file = join(folder, 'jobs.backup')
    await backUp(database, file, undefined)
    await boss.stop()
    await database.close()
    const copy = await opened(await emptyPlace())
    await putBack(copy, file, readMigrations())
    const again = await queueOn(copy)
    const left = await again.fetch('mail', { batchSize: 10, includeMetadata: true })
    expect(left).toMatchObject([{ data: { to: 'bob' }, retryLimit: 3, id: ids.find(id => id !== first?.id) }])
    await again.stop()
    await copy.close()
  })

  it('holds texts, nulls and numbers as they are', async () => {
    const place = await emptyPlace()
    const database = await opened(place)
    await migrate(database, readMigrations())
    const odd = `"quoted" 'single' \\ back\nline\r\t\u2028\u2029 \u{1f600} \u0001 [1,2]`
    await database.plain(
      `insert into workspaces (id, name, slug, owner_id, settings, created, updated)
        values ('ws_odd', $1, '', 'usr_x', 'null', '2026-11-15T01:02:03.004Z', 'infinity')`,
      [odd],
    )
    await database.plain(
      `insert into oauth_clients (id, name, type, redirect_uris, scopes, grants, origin, created, updated)
        values ('odd', $1, 'public', array[$1, null, 'NULL', '', '{}', 'a,b'], '{}', '{code}', 'console', now(), now())`,
      [odd],
    )
    await database.plain(
      `insert into mailbox (message_id, recipient, subject, text, html) select g::text, 'a', 'b', 'c', 'd' from generate_series(1, 1203) g`,
    )
    await database.plain('delete from mailbox where number > 1100')
    const file = join(folder, 'odd.backup')
    expect(await backUp(database, file, undefined)).toMatchObject({ rows: expect.any(Number) })
    const seen = async (db: Database) => [
      (await db.plain(`select *, settings = 'null' as is_null from workspaces`)).rows,
      (await db.plain(`select * from oauth_clients order by id`)).rows,
      (await db.plain(`select count(*), min(number), max(number) from mailbox`)).rows,
    ]
    const expected = await seen(database)
    await database.close()
    const copy = await opened(await emptyPlace())
    await putBack(copy, file, readMigrations())
    expect(await seen(copy)).toEqual(expected)
    const added = `insert into mailbox (message_id, recipient, subject, text, html) values ('x', 'a', 'b', 'c', 'd') returning number`
    expect((await copy.plain(added)).rows).toEqual([{ number: 1204 }])
    // References are checked again from now on.
    await expect(
      copy.plain(`insert into sessions values ('s', 'usr_nobody', 'h', null, null, now(), now(), now())`),
    ).rejects.toThrow()
    await copy.close()
  })
})
