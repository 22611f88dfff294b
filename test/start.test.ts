// The process itself: what stops its start, how it ends, and what is left after it was killed.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { sql } from '../src/kit/sql.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { packDatabase } from '../src/server/backends/prepared_database.ts'
import { readConfig } from '../src/server/config.ts'
import { administer, isPostgres, postgresUrl, urlOf } from './helpers/engines.ts'
import { password } from './helpers/platform.ts'
import { freePort, launch, type Service, start } from './helpers/service.ts'

// Whole processes start and end here, beside everything else that runs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

/** What is about the embedded engine's own directory is the same whatever else there is: once is enough. */
const embedded = it.skipIf(isPostgres)

const folder = mkdtempSync(join(tmpdir(), 'atrium-start-'))
const template = join(folder, 'template')
const running = new Set<Service>()
let copies = 0

/** A data directory that the service has used before. */
function usedDirectory(): string {
  const path = join(folder, `data${copies++}`)
  cpSync(template, path, { recursive: true })
  return path
}

async function started(env: Record<string, string>): Promise<Service> {
  const service = await start(env)
  running.add(service)
  service.ended.then(() => running.delete(service))
  return service
}

beforeAll(async () => {
  const service = await started({ DATA_DIR: template })
  expect(await service.stop()).toBe(0)
})
afterAll(async () => {
  for (const service of running) await service.stop('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

describe('a first start', () => {
  const migrationTables = async (prepared: string) => {
    const database = await openEmbedded({ directory: join(folder, `data${copies++}`), prepared })
    const rows = await database.query<{ name: string }>(
      sql`select tablename as name from pg_tables where tablename = 'migrations'`,
    )
    await database.close()
    return rows.length
  }

  embedded('begins from a prepared database, and makes its own where that cannot be read', async () => {
    const packed = join(folder, 'packed.gz')
    packDatabase(join(template, 'postgres'), packed)
    expect(await migrationTables(packed)).toBe(1)
    writeFileSync(packed, readFileSync(packed).subarray(0, 100_000))
    expect(await migrationTables(packed)).toBe(0)
  })
})

/** One line that a person can act on, nothing else, and an end that scripts notice. */
async function expectRefusal(env: Record<string, string>, says: RegExp, port?: number): Promise<string> {
  const service = launch(env, port ?? (await freePort()))
  const code = await service.ended
  expect(service.output).toEqual({ stdout: '', stderr: expect.stringMatching(/^atrium: [^\n]+\n$/) })
  expect(service.output.stderr).toMatch(says)
  expect(code).toBe(1)
  return service.output.stderr
}

async function expectStarts(env: Record<string, string>): Promise<void> {
  const service = await started(env)
  expect(await service.stop()).toBe(0)
}

const wrongSettings: [name: string, env: Record<string, string>, says: RegExp][] = [
  ['a port that is no number', { PORT: 'http' }, /PORT must be a whole number/],
  ['a level that does not exist', { LOG_LEVEL: 'loud' }, /LOG_LEVEL must be one of/],
  ['another kind of database', { DATABASE_URL: 'mysql://root:hunter2@127.0.0.1/x' }, /DATABASE_URL must be/],
  ['an address that is none', { PUBLIC_URL: 'example.com' }, /PUBLIC_URL must be/],
  ['an address with a path', { PUBLIC_URL: 'http://127.0.0.1:3000/atrium' }, /PUBLIC_URL must be/],
  ['a public address and no mail server', { PUBLIC_URL: 'https://atrium.example.com' }, /Set SMTP_URL/],
  ['a short secret', { SECRET_KEY: 'hunter2' }, /SECRET_KEY must be at least 32/],
  ['more processes than the embedded database has', { WORKERS: '2' }, /WORKERS above 1 needs DATABASE_URL/],
  ['more processes than count together', { WORKERS: '2', DATABASE_URL: 'postgres://a@127.0.0.1/a' }, /needs REDIS_URL/],
  ['half a bot check', { TURNSTILE_SITE_KEY: 'x' }, /go together/],
  ['a proxy that is no address', { TRUSTED_PROXIES: 'proxy' }, /TRUSTED_PROXIES must be/],
  ['an origin with a path', { CORS_ORIGINS: 'https://a.example/x' }, /CORS_ORIGINS must be/],
]

describe('a start is refused, in one line, with', () => {
  it.each(wrongSettings)('%s', (_, env, says) => {
    expect(() => readConfig(env)).toThrow(says)
  })

  it('a wrong setting, which is not repeated, and touches nothing', async () => {
    const DATA_DIR = join(folder, 'unused')
    const DATABASE_URL = 'mysql://root:hunter2@127.0.0.1/x'
    const line = await expectRefusal({ DATA_DIR, DATABASE_URL }, /DATABASE_URL must be/)
    expect(line).not.toContain('hunter2')
    await expectRefusal({ DATA_DIR, PUBLIC_URL: 'https://atrium.example.com' }, /Set SMTP_URL/)
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  embedded('a port that is taken; the data is as it was', async () => {
    const DATA_DIR = usedDirectory()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await expectRefusal({ DATA_DIR }, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken`), port)
    other.close()
    await expectStarts({ DATA_DIR })
  })

  it('an address that is not of this machine', async () => {
    await expectRefusal({ DATA_DIR: usedDirectory(), HOST: '203.0.113.1' }, /Cannot listen on 203\.0\.113\.1/)
  })

  embedded('a data directory that another process uses; that one goes on', async () => {
    const DATA_DIR = usedDirectory()
    const first = await started({ DATA_DIR })
    await expectRefusal({ DATA_DIR }, /in use by another process/)
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    // However the first one ends, the directory is free again.
    await first.stop('SIGKILL')
    await expectStarts({ DATA_DIR })
  })

  it('a data directory that cannot be made', async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    await expectRefusal({ DATA_DIR: join(file, 'data') }, /data directory|ENOTDIR/)
  })

  embedded.each(['PG_VERSION', 'global/pg_control', 'pg_wal'])('data without %s; put back, it starts', async part => {
    const DATA_DIR = usedDirectory()
    const path = join(DATA_DIR, 'postgres', part)
    renameSync(path, join(DATA_DIR, 'away'))
    await expectRefusal({ DATA_DIR }, /is damaged or incomplete/)
    expect(existsSync(path)).toBe(false)
    renameSync(join(DATA_DIR, 'away'), path)
    await expectStarts({ DATA_DIR })
  })

  embedded('data of a newer version; it is as it was', async () => {
    const DATA_DIR = usedDirectory()
    const alter = async (text: string) => {
      const database = await openEmbedded({ directory: DATA_DIR })
      await database.script(text)
      await database.close()
    }
    await alter(`insert into migrations (name, sha256) values ('29990101T0000_from_the_future', 'x')`)
    await expectRefusal({ DATA_DIR }, /newer version of Atrium/)
    await alter(`delete from migrations where name = '29990101T0000_from_the_future'`)
    await expectStarts({ DATA_DIR })
  })

  embedded('another secret than the data was made with; with the right one it starts', async () => {
    const DATA_DIR = usedDirectory()
    await expectRefusal({ DATA_DIR, SECRET_KEY: 'x'.repeat(40) }, /SECRET_KEY is not the one/)
    await expectStarts({ DATA_DIR, SECRET_KEY: readFileSync(join(DATA_DIR, 'secret_key'), 'utf8') })
  })

  it('a database that does not answer, whose password stays unsaid', async () => {
    const DATABASE_URL = 'postgres://atrium:hunter2@127.0.0.1:1/atrium'
    const line = await expectRefusal({ DATA_DIR: usedDirectory(), DATABASE_URL }, /DATABASE_URL does not answer/)
    expect(line).not.toContain('hunter2')
  })

  it('a Redis that does not answer, whose password stays unsaid', async () => {
    const DATA_DIR = usedDirectory()
    const REDIS_URL = 'redis://:hunter2@127.0.0.1:1'
    const line = await expectRefusal({ DATA_DIR, REDIS_URL }, /REDIS_URL does not answer/)
    expect(line).not.toContain('hunter2')
    await expectStarts({ DATA_DIR })
  })

  it.skipIf(!postgresUrl)('a database that does not exist', async () => {
    await expectRefusal({ DATA_DIR: usedDirectory(), DATABASE_URL: urlOf('atrium_nowhere') }, /DATABASE_URL/)
  })
})

describe('a start', () => {
  it('says where it is, where the data is and how to get a key, and keeps its secret to itself', async () => {
    const DATA_DIR = usedDirectory()
    const service = await started({ DATA_DIR })
    await expect.poll(() => service.output.stdout).toContain('first key')
    await service.stop()
    const { stdout, stderr } = service.output
    expect(stdout).toContain(service.url)
    expect(stdout).toContain(DATA_DIR)
    expect(stderr).toBe('')
    expect(stdout).not.toContain(readFileSync(join(DATA_DIR, 'secret_key'), 'utf8').trim())
    expect(statSync(join(DATA_DIR, 'secret_key')).mode & 0o777).toBe(0o600)
    expect(statSync(template).mode & 0o777).toBe(0o700)
  })
})

describe('a first start that is killed', () => {
  embedded('leaves nothing that the next one stumbles over', async () => {
    const DATA_DIR = join(folder, 'killed')
    const service = launch({ DATA_DIR }, await freePort())
    running.add(service)
    await expect.poll(() => existsSync(join(DATA_DIR, 'postgres.new')), { timeout: 60_000, interval: 5 }).toBe(true)
    await service.stop('SIGKILL')
    running.delete(service)
    expect(existsSync(join(DATA_DIR, 'postgres'))).toBe(false)
    await expectStarts({ DATA_DIR })
    expect(existsSync(join(DATA_DIR, 'postgres.new'))).toBe(false)
  })
})

describe('SIGTERM', () => {
  it('lets a request in flight finish, takes no new ones, and ends with 0', async () => {
    const service = await started({ DATA_DIR: usedDirectory() })
    const { hostname, port } = new URL(service.url)
    const body = JSON.stringify({ email: 'ada@example.com', password })
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write(
      `POST /v1/auth/signup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
    )
    // Answered on a second connection: by now the first request is being read.
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    const since = performance.now()
    service.child.kill('SIGTERM')
    await expect.poll(() => isRefused(Number(port)), { timeout: 5_000, interval: 20 }).toBe(true)
    socket.write(body.slice(9))
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    expect(await service.ended).toBe(0)
    expect(performance.now() - since).toBeLessThan(10_000)
    expect(service.output.stderr).toBe('')
  })

  it('does not wait for connections that only stay open', async () => {
    const service = await started({ DATA_DIR: usedDirectory() })
    const { hostname, port } = new URL(service.url)
    const idle = connect(Number(port), hostname)
    await once(idle, 'connect')
    idle.on('error', () => {})
    expect(await service.stop()).toBe(0)
  })
})

function isRefused(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

/** Writers that go on until they are cut off, and the ids that the service said it had kept. */
async function killInTheMiddle(env: Record<string, string>, writes: number): Promise<void> {
  const first = await started(env)
  const signedUp = await createClient({ baseUrl: first.url }).auth.signup({
    email: `${randomBytes(4).toString('hex')}@example.com`,
    password,
  })
  const token = signedUp.token as string
  const client = createClient({ baseUrl: first.url, token, retries: 0 })
  const workspaceId = (await client.workspaces.list({})).items[0]?.id as string
  const kept: string[] = []
  const write = async () => {
    for (let index = 0; ; index++) {
      const { id } = await client.api_keys.post({ workspaceId, name: `key ${index}`, scopes: [] })
      if (kept.push(id) >= writes) first.child.kill('SIGKILL')
    }
  }
  await Promise.allSettled([write(), write(), write(), write()])
  await first.ended
  expect(kept.length).toBeGreaterThanOrEqual(writes)

  const second = await started(env)
  const after = createClient({ baseUrl: second.url, token })
  const found = new Set<string>()
  for await (const { id } of after.pages('api_keys.list', { workspaceId })) found.add(id)
  expect(kept.filter(id => !found.has(id))).toEqual([])
  const verified = await fetch(`${second.url}/v1/audit_logs/${workspaceId}/verify`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(await verified.json()).toMatchObject({ result: { ok: true } })
  expect(await second.stop()).toBe(0)
}

describe('SIGKILL in the middle of writes', () => {
  embedded('loses nothing that was acknowledged, on the embedded engine', async () => {
    const DATA_DIR = usedDirectory()
    for (const writes of [1, 40]) await killInTheMiddle({ DATA_DIR }, writes)
  })

  it.skipIf(!postgresUrl)('loses nothing that was acknowledged, on PostgreSQL', async () => {
    const name = `atrium_killed_${randomBytes(4).toString('hex')}`
    await administer(`create database ${name}`)
    const DATA_DIR = join(folder, name)
    for (const writes of [1, 40]) await killInTheMiddle({ DATA_DIR, DATABASE_URL: urlOf(name) }, writes)
    await administer(`drop database ${name} with (force)`)
  })
})

/** The engine has a thread of its own, where a preloaded module counts. */
async function syncsOfCommits(directory: string): Promise<{ writes: number[]; read: number }> {
  const helpers = join(import.meta.dirname, 'helpers')
  const env = { ...process.env, DATA_DIR: directory, SYNCS_FILE: join(folder, 'syncs') }
  const flags = ['--disable-warning=ExperimentalWarning', '--import', join(helpers, 'count_syncs.mjs')]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, join(helpers, 'commit_and_count.ts')], {
    env,
  })
  return JSON.parse(stdout)
}

describe('the embedded engine', () => {
  embedded('has every commit on the disk before it is acknowledged', async () => {
    const directory = usedDirectory()
    const { writes, read } = await syncsOfCommits(directory)
    expect(writes).toHaveLength(60)
    expect(Math.min(...writes)).toBeGreaterThanOrEqual(1)
    expect(read).toBe(0)
  })
})

describe('what is written out', () => {
  it('holds no password, token, key, code, cookie or secret, however much is logged', async () => {
    const DATA_DIR = usedDirectory()
    const METRICS_TOKEN = 'metrics-token-that-stays-secret'
    const service = await started({ DATA_DIR, METRICS_TOKEN, LOG_LEVEL: 'trace' })
    const json = { 'content-type': 'application/json' }
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(service.url + path, { method: 'POST', headers: { ...json, ...headers }, body })
    const email = 'ada@example.com'
    const signUp = await post('/v1/auth/signup', JSON.stringify({ email, password }))
    const { result } = (await signUp.json()) as { result: { token: string } }
    const session = { authorization: `Bearer ${result.token}` }
    const client = createClient({ baseUrl: service.url, token: result.token })
    const workspaceId = (await client.workspaces.list({})).items[0]?.id as string
    const key = await client.api_keys.post({ workspaceId, name: 'a key', scopes: ['api_keys:read'] })
    await fetch(`${service.url}/v1/api_keys/${workspaceId}?token=${key.token}`, { headers: { 'x-api-key': key.token } })
    await fetch(`${service.url}/v1/auth/whoami`, { headers: { cookie: `session=${result.token}` } })
    await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
    await post('/v1/auth/login', JSON.stringify({ email, password: 'Wrong4Horse!' }))
    await post('/v1/auth/login', `{"email":"${email}","password":"${password}`)
    await post('/v1/auth/login', JSON.stringify({ email, password: 12, newPassword: password }))
    await post('/v1/workspaces', '{}', session)
    let mail = ''
    await expect
      .poll(
        async () => {
          mail = await (await fetch(`${service.url}/dev/mailbox`)).text()
          return mail
        },
        { timeout: 15_000 },
      )
      .toMatch(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/)
    const code = /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(mail)?.[0] as string
    await post('/v1/auth/verify_email', JSON.stringify({ email, code }), session)
    await service.stop()
    const written = service.output.stdout + service.output.stderr
    expect(written).toContain('"answered"')
    const secretKey = readFileSync(join(DATA_DIR, 'secret_key'), 'utf8').trim()
    const secrets = {
      password,
      session: result.token,
      key: key.token,
      code,
      METRICS_TOKEN,
      secretKey,
      wrong: 'Wrong4Horse!',
    }
    const told = Object.entries(secrets).filter(([, secret]) => written.includes(secret))
    expect(told).toEqual([])
  })
})
