// A new secret key: what is sealed and signed stays whole, what cannot is refused plainly, and nothing is half done.
import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient } from '../src/client/client.ts'
import { requestOf } from '../src/client/request.ts'
import { checkExport } from '../src/contract/ledger_verifier.ts'
import type { Operation } from '../src/contract/operation.ts'
import { object } from '../src/contract/records.ts'
import { sealed } from '../src/contract/sealed.ts'
import { openValues, sealValues } from '../src/kit/sealed.ts'
import { sql } from '../src/kit/sql.ts'
import { operation as lookUp } from '../src/operations.ts'
import { declaredPlaces } from '../src/server/areas.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'
import { startPlatform } from '../src/server/start.ts'
import { rotate, sealedPlaces } from '../src/server/upkeep/rotation.ts'
import { secretsFrom } from '../src/server/upkeep/secrets.ts'
import { administer, isPostgres, urlOf } from './helpers/engines.ts'
import { type Answer, password, platformForTest, type TestPlatform } from './helpers/platform.ts'
import { start } from './helpers/service.ts'
import { commandLine, failureIn } from './helpers/terminal.ts'

// Whole processes start and end here, beside everything else that runs.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const newKey = () => randomBytes(32).toString('hex')

type Call = (
  id: string,
  input: object,
  caller?: { headers: Record<string, string> },
  headers?: object,
) => Promise<Answer>

/** The same database under another key, until `work` is done. */
async function under<T>(p: TestPlatform, SECRET_KEY: string, work: (call: Call) => Promise<T>): Promise<T> {
  const { app, close } = await startPlatform({
    config: { ...p.config, SECRET_KEY },
    database: { ...p.database, close: async () => {} },
    limiter: memoryLimiter(),
    logger: pino({ level: 'silent' }),
  })
  const call: Call = async (id, input, caller, headers) => {
    const { method, path, body } = requestOf(lookUp(id) as Operation, input as Record<string, unknown>)
    const json = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = { method: method as 'GET', url: path, headers: { ...json, ...caller?.headers, ...headers } }
    const answer = await app.inject(body === undefined ? sent : { ...sent, payload: body })
    return { status: answer.statusCode, ...answer.json() }
  }
  try {
    return await work(call)
  } finally {
    await close()
  }
}

describe('a rotation', () => {
  it('keeps chains, exports, sessions and waiting work whole, and ends what only the old key could read', async () => {
    const p = await platformForTest()
    const owner = await p.user('ada@example.com')
    const { workspaceId } = owner
    const before = p.config.SECRET_KEY
    const after = newKey()
    const named = { workspaceId, name: 'a key', scopes: [] }
    const repeated = { 'idempotency-key': 'once' }
    expect((await p.call('api_keys.post', named, owner, repeated)).status).toBe(201)
    await p.call('auth.generatePasswordResetCode', { email: 'ada@example.com' })
    const code = await p.code('ada@example.com')
    const exported = (await p.call('audit_logs.export', { workspaceId }, owner)).text
    const { publicKey } = (await p.call('audit_logs.verify', { workspaceId }, owner)).result
    const payload = {
      inviteId: 'invite_x',
      workspaceId,
      token: secretsFrom(before).seal('invite mail', 'inv_secret', 'invite_x'),
    }
    await p.database.transaction(tx =>
      p.platform.jobs.enqueueIn(tx)('workspace_members.mailInvite', payload, { startAfterSeconds: 3_600 }),
    )

    const places = await declaredPlaces()
    const rotated = await p.database.transaction(tx => rotate(tx, { before, after }, places, new Date()))
    expect(rotated).toMatchObject({ sealed: 1, codes: 1, answers: 1 })
    expect(rotated.exportKey.before).toBe(publicKey)
    await under(p, after, async call => {
      const verified = (await call('audit_logs.verify', { workspaceId }, owner)).result
      expect(verified).toMatchObject({ ok: true, problem: null, earlierPublicKeys: [publicKey] })
      expect(verified.publicKey).toBe(rotated.exportKey.after)
      // The chain goes on under the new key.
      expect((await call('api_keys.post', named, owner)).status).toBe(201)
      expect((await call('audit_logs.verify', { workspaceId }, owner)).result.ok).toBe(true)
      // What was exported before is still sound, by the key that it carries.
      expect(await checkExport(exported.split('\n'))).toMatchObject({ ok: true, publicKey })
      // Carried out once, and not once more.
      expect((await call('api_keys.post', named, owner, repeated)).status).toBe(409)
      expect((await call('api_keys.list', { workspaceId }, owner)).result.count).toBe(2)
      const reset = { email: 'ada@example.com', code, password }
      expect((await call('auth.resetPassword', reset)).status).toBe(400)
    })
    const [job] = await p.database.query<{ token: string }>(sql`
      select data ->> 'token' as token from jobs.job where name = 'workspace_members.mailInvite'`)
    expect(secretsFrom(after).open('invite mail', job?.token ?? '', 'invite_x')).toBe('inv_secret')
    await expect(under(p, before, async () => {})).rejects.toThrow('SECRET_KEY is not the one')
    const [entry] = await p.database.query<{ changes: unknown }>(sql`
      select entry::json -> 'changes' as changes from ledger where action = 'secrets.rotate' and chain = 'instance'`)
    expect(entry?.changes).toEqual([{ path: 'exportPublicKey', ...rotated.exportKey }])
  })

  it.each(['ledger_heads', 'ledger_checkpoints'])('does not make good what was changed in %s', async table => {
    const p = await platformForTest()
    const owner = await p.user()
    await p.call('api_keys.post', { workspaceId: owner.workspaceId, name: 'a key', scopes: [] }, owner)
    await p.database.plain(
      table === 'ledger_heads'
        ? `update ledger_heads set hash = repeat('0', 64) where chain = '${owner.workspaceId}'`
        : `insert into ledger_checkpoints values ('${owner.workspaceId}', 1, 'forged', 'forged', now())`,
    )
    const all = async () => [
      (await p.database.plain('select * from ledger_heads order by chain')).rows,
      (await p.database.plain('select * from instance order by name')).rows,
    ]
    const before = await all()
    const keys = { before: p.config.SECRET_KEY, after: newKey() }
    const places = { columns: [], texts: [] }
    const rotating = p.database.transaction(tx => rotate(tx, keys, places, new Date()))
    await expect(rotating).rejects.toThrow(`of the ledger ${owner.workspaceId} does not carry the old key's signature`)
    expect(await all()).toEqual(before)
  })

  it('seals again what contracts declare to be sealed in a column', async () => {
    const p = await platformForTest()
    await p.database.script(`create table links (id text primary key, secrets jsonb not null)`)
    const keys = { before: p.config.SECRET_KEY, after: newKey() }
    const [old, fresh] = [secretsFrom(keys.before), secretsFrom(keys.after)]
    const values = { token: 'their token', password: 'their password' }
    const stored = sealValues(old, 'links.secrets', 'link_1', values)
    await p.database.query(sql`insert into links values ('link_1', ${JSON.stringify(stored)}::jsonb), ('link_2', '{}')`)
    const operation = {
      summary: 'Make a link',
      route: 'POST /v1/links',
      access: 'credential',
      body: object({ name: Type.String(), auth: object({ token: sealed('links.secrets') }) }),
      result: object({}),
    } satisfies Operation
    const places = sealedPlaces([operation], {})
    expect(places).toEqual({ columns: ['links.secrets'], texts: [] })
    expect(await p.database.transaction(tx => rotate(tx, keys, places, new Date()))).toMatchObject({ sealed: 2 })
    const [row] = await p.database.query<{ secrets: Record<string, string> }>(
      sql`select secrets from links order by id`,
    )
    expect(openValues(fresh, 'links.secrets', 'link_1', row?.secrets ?? {})).toEqual(values)
    expect(() => openValues(old, 'links.secrets', 'link_1', row?.secrets ?? {})).toThrow('another key')
  })

  it('knows every purpose for which something is sealed', async () => {
    const root = join(import.meta.dirname, '../src')
    const sources = globSync('**/*.ts', { cwd: root }).filter(path => !path.endsWith('.test.ts'))
    const purposes = sources.flatMap(path =>
      [...readFileSync(join(root, path), 'utf8').matchAll(/\bseal\('([^']+)'/g)].map(match => match[1] as string),
    )
    // Ids of MCP sessions are with the clients, who begin anew when one is not known.
    const withClients = ['mcp session']
    const { texts } = await declaredPlaces()
    expect([...new Set(purposes)].sort()).toEqual([...texts.map(({ purpose }) => purpose), ...withClients].sort())
  })
})

describe('atrium secrets rotate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-rotate-'))
  const DATA_DIR = join(folder, 'data')
  const file = join(DATA_DIR, 'secret_key')
  const name = `atrium_rotate_${randomBytes(4).toString('hex')}`
  const env: Record<string, string> = { DATA_DIR }
  let line: Awaited<ReturnType<typeof commandLine>>

  beforeAll(async () => {
    line = await commandLine('http://127.0.0.1:9')
    if (!isPostgres) return
    await administer(`create database ${name}`)
    env.DATABASE_URL = urlOf(name)
  })
  afterAll(async () => {
    await line.remove()
    rmSync(folder, { recursive: true, force: true })
    if (isPostgres) await administer(`drop database if exists ${name} with (force)`)
  })

  it('changes the key in the data directory, of a stopped service only', async () => {
    const first = await start(env)
    const { token } = await createClient({ baseUrl: first.url }).auth.signup({ email: 'ada@example.com', password })
    const old = readFileSync(file, 'utf8')
    const tooEarly = await line.atrium('secrets rotate', { env })
    expect(failureIn(tooEarly).message).toMatch(/in use by another process|stop the service/)
    expect(readFileSync(file, 'utf8')).toBe(old)
    expect(await first.stop()).toBe(0)

    const ran = await line.atrium('secrets rotate', { env })
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('The secret key is changed.') })
    const fresh = readFileSync(file, 'utf8')
    expect(fresh).not.toBe(old)
    expect(ran.stderr).not.toContain(fresh)
    expect(statSync(file).mode & 0o777).toBe(0o600)

    const second = await start(env)
    const client = createClient({ baseUrl: second.url, token: token as string })
    const workspaceId = (await client.workspaces.list({})).items[0]?.id as string
    expect(await client.audit_logs.verify({ workspaceId })).toMatchObject({ ok: true })
    expect(await second.stop()).toBe(0)

    // As if it had been cut off between the database and the file: the second run ends what the first began.
    writeFileSync(`${file}.new`, fresh, { mode: 0o600 })
    writeFileSync(file, old)
    expect((await line.atrium('secrets rotate', { env })).stderr).toBe('The database has this key already.\n')
    expect(readFileSync(file, 'utf8')).toBe(fresh)
  })

  it('takes the keys from SECRET_KEY and SECRET_KEY_OLD, and refuses a wrong one', async () => {
    const SECRET_KEY = newKey()
    const wrong = await line.atrium('secrets rotate', { env: { ...env, SECRET_KEY, SECRET_KEY_OLD: newKey() } })
    expect(failureIn(wrong).message).toContain('SECRET_KEY_OLD is not the key')
    const SECRET_KEY_OLD = readFileSync(file, 'utf8')
    expect((await line.atrium('secrets rotate', { env: { ...env, SECRET_KEY, SECRET_KEY_OLD } })).code).toBe(0)
    const again = await line.atrium('secrets rotate', { env: { ...env, SECRET_KEY, SECRET_KEY_OLD } })
    expect(again.stderr).toBe('The database has this key already.\n')
  })
})
