// Promises that are kept for whoever asks next: each fails once here and works the next time, and none ends the process.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../src/kit/db.ts'
import { once } from '../src/kit/once.ts'
import { hashPassword, isPassword } from '../src/kit/passwords.ts'
import { cachedUntil, sql } from '../src/kit/sql.ts'
import { rowCache } from '../src/server/backends/row_cache.ts'
import { principals } from '../src/server/credentials/principals.ts'
import { policyReader } from '../src/server/credentials/tool_policies.ts'
import { isPostgres } from './helpers/engines.ts'
import { password, platformForTest } from './helpers/platform.ts'
import { start } from './helpers/service.ts'

const root = join(import.meta.dirname, '..')

/** Every variable and map of promises in what the service runs, and why it never keeps a failure. */
const known: Record<string, string> = {
  'src/kit/ledger_check.ts turn': 'cannot fail: it only waits for turns of the event loop',
  'src/kit/one_by_one.ts last': 'whoever comes next goes on after a failure, and the last takes it away',
  'src/areas/repositories/reading/mirrors.ts restoring': 'of one fetch, and goes when it ends, whichever way',
  'src/areas/threads/runs/builtin/writing.ts writing': 'what it writes catches everything',
  'src/server/work/followers.ts scanning': 'what it does catches everything',
  'src/server/work/followers.ts looking': 'what it does catches everything',
  'src/server/work/followers.ts busy': 'what each does catches everything, and is taken away at its end',
  'src/server/backends/group_sync.ts syncing':
    'is replaced by the next sync; only who asks for all that is synced hears',
  'src/server/backends/pg.ts ending': 'of one transaction',
  'src/server/backends/pglite.ts free': 'is made of turns whose failures were taken away',
  'src/server/backends/pglite.ts writers': 'tested below',
  'src/server/backends/pglite.ts written': 'of one transaction',
  'src/server/backends/lasting_connections.ts current': 'forgotten on any loss: test/faults.test.ts',
  'src/server/credentials/remember.ts underWay': 'tested below',
  'src/server/backends/flush_together.ts next': 'of those who wait for this flush; the next makes another',
  'src/server/backends/flush_together.ts running': 'its failure was taken away: test/flush_together.test.ts',
  'src/server/upkeep/vacuum.ts looking': 'a look that fails is told and over',
  'src/server/request/call_log.ts writing': 'what is written catches everything',
  'src/server/request/request_log.ts writing': 'what is written catches everything',
  'src/server/watch/tracing.ts sending': 'cannot fail: what is sent catches everything',
}

it('there are no others than those known here; what else is kept is kept by once()', () => {
  const found = globSync('src/{kit,server,areas,mcp,contract}/**/*.ts', { cwd: root })
    .filter(path => !path.endsWith('.test.ts'))
    .flatMap(path => {
      const text = readFileSync(join(root, path), 'utf8')
      const kept =
        /(?:let|const) (\w+)(?:: Promise<|[^=\n]*= new (?:Weak)?Map<[^\n]*Promise<|: (?:Weak)?Map<[^\n]*Promise<)/g
      return [...text.matchAll(kept)].map(match => `${path} ${match[1]}`)
    })
  expect(found.sort()).toEqual(Object.keys(known).sort())
})

/** The same database, whose next question fails. */
function failingOnce(database: Database): Database {
  let isFirst = true
  const failing =
    (query: Database['query']): Database['query'] =>
    statement => {
      if (!isFirst) return query(statement)
      isFirst = false
      return Promise.reject(new Error('this once'))
    }
  return { ...database, query: failing(database.query), lookups: { query: failing(database.lookups.query) } }
}

describe('a failure is not kept by', () => {
  it('once()', async () => {
    let tries = 0
    const made = once(async () => {
      tries++
      if (tries === 1) throw new Error('this once')
      return tries
    })
    const together = [made(), made()]
    await expect(Promise.allSettled(together)).resolves.toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
    expect(await made()).toBe(2)
    expect(await made()).toBe(2)
  })

  it('the policies over tools', async () => {
    const p = await platformForTest()
    const { workspaceId } = await p.user()
    const read = policyReader(failingOnce(p.database))
    await expect(read(workspaceId)).rejects.toThrow('this once')
    expect(await read(workspaceId)).toEqual(new Map())
  })

  it('the credentials', async () => {
    const p = await platformForTest()
    const owner = await p.user()
    const { resolve } = principals(failingOnce(p.database), { requireVerifiedEmail: false, now: p.now })
    const ask = async () => await resolve(owner.token, null, '127.0.0.1')
    const together = [ask(), ask()]
    const outcomes = await Promise.allSettled(together)
    expect(outcomes.map(({ status }) => status)).toContain('rejected')
    expect(await ask()).toMatchObject({ userId: owner.userId })
  })

  it('the rows that are read together', async () => {
    const memory = rowCache()
    const statement = sql`select 1 as one`
    await expect(memory.read(statement, [], () => Promise.reject(new Error('this once')))).rejects.toThrow('this once')
    expect(await memory.read(statement, [], async () => [{ one: 1 }])).toEqual([{ one: 1 }])
  })

  it.skipIf(isPostgres)('the tables that take rows along', async () => {
    const p = await platformForTest()
    // The place is known by the array itself: the same one is good the next time.
    const tables = ['api_keys']
    let isFirst = true
    tables[Symbol.iterator] = () => {
      if (!isFirst) return Array.prototype[Symbol.iterator].call(tables)
      isFirst = false
      throw new Error('this once')
    }
    const ask = () => p.database.query(cachedUntil(tables, sql`select 1 as one`))
    await expect(ask()).rejects.toThrow()
    expect(await ask()).toEqual([{ one: 1 }])
  })

  it('the check of a password while too many wait: a known and an unknown name hear the same, then and afterwards', async () => {
    const stored = await hashPassword(password)
    const crowd = Promise.allSettled(Array.from({ length: 202 }, () => hashPassword(password)))
    const refused = await Promise.allSettled([isPassword(null, password), isPassword(stored, password)])
    expect(refused).toMatchObject([
      { status: 'rejected', reason: { kind: 'unavailable' } },
      { status: 'rejected', reason: { kind: 'unavailable' } },
    ])
    await crowd
    expect(await isPassword(null, password)).toBe(false)
    expect(await isPassword(undefined, '')).toBe(false)
    expect(await isPassword(stored, password)).toBe(true)
  })
})

describe('a process', () => {
  async function started(env: Record<string, string>) {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-promises-'))
    const service = await start({ DATA_DIR: folder, ...env })
    onTestFinished(async () => {
      await service.stop('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    })
    return service
  }

  it('goes on after a rejection that nobody handled, says so and counts it', async () => {
    const fault = "process.on('SIGUSR2', () => void Promise.reject(new Error('of nobody')))"
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`
    const service = await started({ NODE_OPTIONS })
    service.child.kill('SIGUSR2')
    const count = async () => {
      const text = await (await fetch(`${service.url}/metrics`)).text()
      return /^atrium_unhandled_rejections_total (\d+)$/m.exec(text)?.[1]
    }
    await expect.poll(count, { timeout: 30_000 }).toBe('1')
    expect(service.output.stdout).toMatch(/"level":50.*of nobody/)
    expect(await service.stop()).toBe(0)
  }, 120_000)

  it('that has just begun outlives a crowd of sign-ups, and tells nobody who has an account', async () => {
    const service = await started({ ANONYMOUS_RATE_LIMIT: '1000000' })
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${service.url}/v1/auth/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      await answer.arrayBuffer()
      return answer.status
    }
    const email = 'known@example.com'
    expect(await post('signup', { email, password })).toBe(200)
    const crowd = Array.from({ length: 285 }, (_, index) =>
      post('signup', { email: `crowd${index}@example.com`, password }),
    )
    const names = [email, 'unknown@example.com']
    const asked = names.flatMap(name => [1, 2, 3].map(() => post('login', { email: name, password: 'Wrong4Horse!' })))
    const answers = await Promise.all(asked)
    expect(answers.filter(status => status !== 401 && status !== 503)).toEqual([])
    const statuses = new Set(await Promise.all(crowd))
    expect([...statuses].filter(status => status !== 200 && status !== 503)).toEqual([])
    for (const name of names) expect(await post('login', { email: name, password: 'Wrong4Horse!' })).toBe(401)
  }, 180_000)
})
