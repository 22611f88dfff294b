// Somebody who may write to the database but has no key: whatever they do to a ledger is found, also after more writes.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { checkLedger } from '../src/kit/ledger_check.ts'
import { instanceChain } from '../src/kit/ledger_records.ts'
import { sql } from '../src/kit/sql.ts'
import { brokenHeads, instanceProblem } from '../src/server/ledger/anchors.ts'
import { ledgerKey, signHead } from '../src/server/ledger/ledger.ts'
import { systemEntry } from '../src/server/ledger/writer.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'
import { startPlatform } from '../src/server/start.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { type Attack, attacks } from './helpers/tampering.ts'

// Whole platforms start and end here, beside everything else that runs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

async function run(p: TestPlatform, statement: string, chain: string, other: string): Promise<void> {
  const parameters = [chain, other].filter((_, index) => statement.includes(`$${index + 1}`))
  // A statement that makes a table takes no parameters.
  const isPlain = /^create/.test(statement)
  await p.database.plain(isPlain ? statement.replace('$1', `'${chain}'`) : statement, isPlain ? [] : parameters)
}

const writeTeam = (p: TestPlatform, by: TestCaller, name: string) =>
  p.call('teams.post', { workspaceId: by.workspaceId, name }, by)

/** Two workspaces of four entries each, and where they stand recorded in the instance's chain. */
async function attacked(p: TestPlatform, { early, sql: statements }: Attack) {
  const [owner, neighbour] = [await p.user(), await p.user()]
  for (let index = 0; index < 4; index++) {
    if (index === 2 && early) await run(p, early, owner.workspaceId, neighbour.workspaceId)
    expect((await writeTeam(p, owner, `Team ${index}`)).status).toBe(201)
    expect((await writeTeam(p, neighbour, `Team ${index}`)).status).toBe(201)
  }
  await p.platform.jobs.runNow('platform.anchor')
  for (const statement of statements) await run(p, statement, owner.workspaceId, neighbour.workspaceId)
  return { owner, neighbour }
}

/** The same database in another process of the service, which remembers nothing. */
async function restarted(p: TestPlatform) {
  const running = await startPlatform({
    config: p.config,
    database: { ...p.database, close: async () => {} },
    limiter: memoryLimiter(),
    logger: pino({ level: 'silent' }),
  })
  onTestFinished(() => running.close())
  return running
}

let shared: TestPlatform
beforeAll(async () => {
  shared = await platform()
})
afterAll(() => shared.close())

async function ownPlatform(options: Parameters<typeof platform>[0] = {}): Promise<TestPlatform> {
  const p = await platform(options)
  onTestFinished(() => p.close())
  return p
}

describe('without the key', () => {
  it.each(attacks)('$what is found, and stays so when others write on', async attack => {
    const p = attack.foundBy === 'verify' ? shared : await ownPlatform()
    const { owner, neighbour } = await attacked(p, attack)
    const alarms = p.platform.ledger.alarm.raised()
    const { workspaceId } = owner
    const before = (await p.call('teams.list', { workspaceId }, owner)).result.count
    const written = await writeTeam(p, owner, 'After it')
    // The service that has just written knows the head; what it does not touch cannot show to a write.
    expect(written.status).toBe(attack.refused ? 500 : 201)
    if (attack.refused) {
      expect(written.error.detail).toContain('The audit log was changed from outside')
      expect((await p.call('teams.list', { workspaceId }, owner)).result.count).toBe(before)
      expect((await p.request({ method: 'GET', url: '/readyz' })).body).toMatchObject({
        ready: true,
        degraded: [expect.stringContaining('tampered')],
      })
      expect(p.platform.ledger.alarm.raised()).toBe(alarms + 1)
      const figures = await p.request({ method: 'GET', url: '/metrics' })
      expect(figures.text).toMatch(/atrium_ledger_alarms_total [1-9]/)
    }
    expect((await writeTeam(p, neighbour, 'Unharmed')).status).toBe(201)
    const key = ledgerKey(p.config.SECRET_KEY)
    const find = async () => ({
      verify: (await p.call('audit_logs.verify', { workspaceId }, owner)).result.ok === false,
      instance: (await instanceProblem(p.database, key, undefined)) !== null,
    })
    expect(await find()).toMatchObject({ [attack.foundBy]: true })
    expect((await p.call('audit_logs.verify', { workspaceId: neighbour.workspaceId }, neighbour)).result.ok).toBe(true)
    // A process that starts later has no memory to go by, and must not make it good.
    const { app } = await restarted(p)
    await app.inject({
      method: 'POST',
      url: '/v1/teams',
      headers: owner.headers,
      payload: { workspaceId, name: 'Later' },
    })
    expect(await find()).toMatchObject({ [attack.foundBy]: true })
  })

  it.each([
    [[`delete from ledger where chain = 'instance' and seq > 1`]],
    [[`delete from ledger_heads where chain = 'instance'`]],
    [[`delete from ledger_heads where chain = 'instance'`, `delete from ledger where chain = 'instance'`]],
    [[`update ledger_heads set seq = seq - 1 where chain = 'instance'`]],
  ])("what is done to the instance's chain is found, and nothing builds on it: %s", async statements => {
    const p = await ownPlatform()
    await writeTeam(p, await p.user(), 'One')
    await writeTeam(p, await p.user(), 'Other')
    for (const statement of statements) await p.database.plain(statement)
    await writeTeam(p, await p.user(), 'A chain that would have to begin')
    await restarted(p)
    expect(await instanceProblem(p.database, ledgerKey(p.config.SECRET_KEY), undefined)).toMatch(/\w/)
  })

  it('alarms once a minute for each chain, and counts every time', async () => {
    const lines: string[] = []
    const p = await ownPlatform({ logTo: line => lines.push(line) })
    const owner = await p.user()
    await writeTeam(p, owner, 'One')
    await p.database.query(sql`update ledger_heads set signature = 'x' where chain = ${owner.workspaceId}`)
    for (let index = 0; index < 3; index++) expect((await writeTeam(p, owner, `More ${index}`)).status).toBe(500)
    const alarms = lines.filter(line => line.includes('a ledger was tampered with'))
    expect(alarms).toHaveLength(1)
    expect(JSON.parse(alarms[0] ?? '')).toMatchObject({ level: 50, chain: owner.workspaceId })
    expect(p.platform.ledger.alarm.raised()).toBe(3)
  })
})

describe('the key', () => {
  it('is never sent to the database, whose log may hold what a statement was given', async () => {
    const owner = await shared.user()
    const asked = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => asked.mockRestore())
    for (const name of ['Sent once', 'Sent twice']) expect((await writeTeam(shared, owner, name)).status).toBe(201)
    const sent = asked.mock.calls.flatMap(([config]) => (config as { values?: unknown[] }).values ?? [])
    expect(sent.length).toBeGreaterThan(20)
    const key = ledgerKey(shared.config.SECRET_KEY)
    // As it is, or in the padded blocks that a database could go on from.
    const forms = [0, 0x36, 0x5c].map(pad => Buffer.from(key.export().map(byte => byte ^ pad)))
    for (const value of sent) {
      const bytes = Buffer.isBuffer(value)
        ? value
        : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
      for (const form of forms) {
        for (const written of [form, form.toString('hex'), form.toString('base64')]) {
          expect(bytes.includes(written)).toBe(false)
        }
      }
    }
  })

  it('never travels to the database', async () => {
    const p = await ownPlatform()
    const key = ledgerKey(p.config.SECRET_KEY)
    const pads = [0, 0x36, 0x5c].map(pad => Buffer.from(key.export().map(byte => byte ^ pad)))
    const sent: unknown[] = []
    const owner = await p.user()
    await p.database.transaction(async tx => {
      const query: typeof tx.query = statement => {
        sent.push(...statement.values)
        return tx.query(statement)
      }
      const told = systemEntry('teams.post', { target: null, changes: [] })
      await p.platform.ledger.append({ ...tx, query }, [{ chain: owner.workspaceId, ...told }])
    })
    expect(sent.length).toBeGreaterThan(10)
    const texts = sent.map(value => (Buffer.isBuffer(value) ? value.toString('hex') : String(value)))
    for (const pad of pads) for (const text of texts) expect(text).not.toContain(pad.toString('hex'))
  })
})

describe('a database of an earlier version', () => {
  it('has its chains recorded as they stand, once, but for those that were tampered with', async () => {
    const p = await ownPlatform()
    const [whole, forged] = [await p.user(), await p.user()]
    for (const one of [whole, forged]) await writeTeam(p, one, 'Early')
    const key = ledgerKey(p.config.SECRET_KEY)
    // As it was: no records, and heads that are signed the old way.
    await p.database.query(sql`delete from ledger where chain = ${instanceChain}`)
    await p.database.query(sql`delete from ledger_heads where chain = ${instanceChain}`)
    for (const { workspaceId } of [whole, forged]) {
      const [head] = await p.database.query<{ seq: number; hash: string }>(
        sql`select seq, hash from ledger_heads where chain = ${workspaceId}`,
      )
      const signature = signHead(key, workspaceId, head?.seq ?? 0, head?.hash ?? '', 1)
      await p.database.query(
        sql`update ledger_heads set version = 1, signature = ${signature} where chain = ${workspaceId}`,
      )
    }
    await p.database.query(sql`update ledger_heads set hash = 'forged' where chain = ${forged.workspaceId}`)
    const first = await restarted(p)
    expect(first.platform.ledger.alarm.raised()).toBe(1)
    const verified = async ({ workspaceId }: TestCaller) =>
      (await checkLedger(p.database, first.platform.settings.signLedger, workspaceId)).broken
    expect(await verified(whole)).toBeNull()
    expect(await verified(forged)).not.toBeNull()
    expect(await instanceProblem(p.database, key, undefined)).toBeNull()
    expect(await brokenHeads(p.database, key)).toBe(1)
    const post = ({ headers, workspaceId }: TestCaller) =>
      first.app.inject({ method: 'POST', url: '/v1/teams', headers, payload: { workspaceId, name: 'Goes on' } })
    expect((await post(whole)).statusCode).toBe(201)
    expect((await post(forged)).statusCode).toBe(500)
    expect(await verified(whole)).toBeNull()
    const count = async () => (await p.database.query(sql`select id from ledger where chain = ${instanceChain}`)).length
    const before = await count()
    await restarted(p)
    expect(await count()).toBe(before)
  })
})

describe('the head outside', () => {
  it('is written each day, and finds a database that was put back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'atrium-heads-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'heads.ndjson')
    const p = await ownPlatform({ env: { LEDGER_HEADS: path } })
    const key = ledgerKey(p.config.SECRET_KEY)
    const owner = await p.user()
    await writeTeam(p, owner, 'One')
    await p.database.plain(`create table stolen as select * from ledger_heads where chain = 'instance'`)
    await writeTeam(p, await p.user(), 'Two')
    await p.platform.jobs.runNow('platform.anchor')
    await p.platform.jobs.runNow('platform.anchor')
    expect(existsSync(path) && readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(2)
    expect(await instanceProblem(p.database, key, path)).toBeNull()
    await p.database.plain(`delete from ledger where chain = 'instance' and seq > (select seq from stolen)`)
    await p.database.plain(`delete from ledger_heads where chain = 'instance'`)
    await p.database.plain('insert into ledger_heads select * from stolen')
    expect(await instanceProblem(p.database, key, undefined)).toBeNull()
    expect(await instanceProblem(p.database, key, path)).toContain('is missing')
  })
})
