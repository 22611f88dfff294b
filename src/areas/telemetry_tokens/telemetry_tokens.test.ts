import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, platformForTest, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { datasetIn, logs, type Sender, senderIn } from '../../../test/telemetry/senders.ts'
import { newId } from '../../kit/random.ts'
import { sql } from '../../kit/sql.ts'
import { isTelemetrySecret, newTelemetrySecret } from '../../kit/tokens.ts'
import { DatasetId } from '../datasets/fields/contract.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const make = (fields: object = {}, caller: Pick<TestCaller, 'headers'> = owner) =>
  p.call('telemetry_tokens.post', { workspaceId, name: 'Checkout service', ...fields }, caller)
const get = async (id: string) => (await p.call('telemetry_tokens.get', { workspaceId, id }, owner)).result
const hoursAhead = (hours: number) => new Date(p.now().getTime() + hours * 3_600_000).toISOString()

async function send({ headers }: Pick<Sender, 'headers'>, many = 1) {
  const { status } = await p.request({
    method: 'POST',
    url: '/v1/otlp/v1/logs',
    headers: { 'content-type': 'application/json', ...headers },
    payload: logs(p.now(), many),
  })
  return status
}

describe('telemetry_tokens.post', () => {
  it('answers 201 with the record and the secret', async () => {
    const { status, result } = await make()
    expect(status).toBe(201)
    expect(result).toEqual({
      id: expect.stringMatching(/^tt_id_[0-9a-z]{64}$/),
      workspaceId,
      ownerId: owner.userId,
      name: 'Checkout service',
      routes: { traces: null, logs: null, metrics: null },
      resourceDefaults: {},
      limits: { itemsPerMinute: null, bytesPerDay: null },
      allowedOrigins: [],
      expiresAt: null,
      status: 'active',
      hint: `${result.token.slice(0, 8)}…${result.token.slice(-4)}`,
      oldSecretUntil: null,
      lastUsedAt: null,
      accepted30d: 0,
      rejected30d: 0,
      bytes30d: 0,
      lastError: null,
      created: expect.any(String),
      updated: result.created,
      _object: 'telemetry_token',
      token: expect.stringMatching(/^tt_[0-9A-Za-z]{54}$/),
    })
    const { token, ...record } = result
    expect(isTelemetrySecret(token)).toBe(true)
    expect(await get(result.id)).toEqual(record)
  })

  it('keeps what it is given', async () => {
    const fields = {
      routes: {
        traces: await datasetIn(p, owner, 'traces'),
        logs: await datasetIn(p, owner, 'logs'),
        metrics: await datasetIn(p, owner, 'metrics'),
      },
      resourceDefaults: { 'deployment.environment.name': 'production' },
      limits: { itemsPerMinute: 1_000_000, bytesPerDay: 1_000_000_000_000 },
      allowedOrigins: ['https://shop.example.com', 'http://localhost:3000'],
      expiresAt: hoursAhead(24),
    }
    expect((await make(fields)).result).toMatchObject(fields)
  })

  it('shows the secret this once, and stores its hash', async () => {
    const { token, id } = (await make()).result
    const { text } = await p.call('telemetry_tokens.list', { workspaceId, id }, owner)
    expect(text).not.toContain(token)
    for (const table of ['telemetry_tokens', 'telemetry_token_secrets', 'ledger']) {
      const { rows } = await p.database.plain(`select string_agg(t::text, ' ') as all_text from ${table} t`)
      expect(String(rows[0]?.all_text)).not.toContain(token.slice(8))
    }
  })

  it('refuses what cannot be', async () => {
    const wrong = [
      { name: 'abc' },
      { limits: { itemsPerMinute: 0 } },
      { limits: { itemsPerMinute: 1_000_001 } },
      { limits: { bytesPerDay: 1e12 + 1 } },
      { resourceDefaults: { ['k'.repeat(129)]: 'v' } },
      { resourceDefaults: { key: 'v'.repeat(257) } },
      { resourceDefaults: { key: 1 } },
      { resourceDefaults: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v'])) },
      { allowedOrigins: ['*'] },
      { allowedOrigins: ['https://*.example.com/'] },
      { allowedOrigins: ['https://Example.com'] },
      { allowedOrigins: ['https://example.com:443'] },
      { allowedOrigins: Array.from({ length: 21 }, (_, index) => `https://a${index}.example.com`) },
      { expiresAt: hoursAhead(-1) },
      { status: 'revoked' },
      { ownerId: 'system' },
    ]
    for (const fields of wrong) expect([fields, (await make(fields)).status]).toEqual([fields, 400])
  })

  it('takes datasets of the kind of the signal, and names the field otherwise', async () => {
    const { status, error } = await make({ routes: { traces: await datasetIn(p, owner, 'logs') } })
    expect([status, error.metadata.issues]).toEqual([
      400,
      [{ path: 'routes.traces', rule: 'kind', expected: 'a dataset of the kind traces' }],
    ])
  })

  it('cannot tell the dataset of another workspace from one that never was', async () => {
    const foreign = await make({ routes: { logs: await datasetIn(p, await p.user(), 'logs') } })
    const absent = await make({ routes: { logs: newId(DatasetId) } })
    expect(foreign.status).toBe(400)
    expect(foreign.text).toBe(absent.text)
  })

  it('takes datasets:write besides, where it points anywhere', async () => {
    const key = await p.key(owner, { scopes: ['telemetry_tokens:write'] })
    const routes = { logs: await datasetIn(p, owner, 'logs') }
    const { status, error } = await make({ routes }, key)
    expect([status, error.metadata]).toEqual([403, { reason: 'scope', missing: ['datasets:write'] }])
    expect(error.detail).toContain('datasets:write')
    const { id } = (await make({}, key)).result
    expect((await p.call('telemetry_tokens.patch', { workspaceId, id, routes }, key)).status).toBe(403)
    expect((await p.call('telemetry_tokens.patch', { workspaceId, id, routes: { logs: null } }, key)).status).toBe(200)
    expect((await p.call('telemetry_tokens.rotate', { workspaceId, id }, key)).status).toBe(200)
    await p.call('telemetry_tokens.patch', { workspaceId, id, routes }, owner)
    expect((await p.call('telemetry_tokens.rotate', { workspaceId, id }, key)).error.metadata.missing).toEqual([
      'datasets:write',
    ])
  })

  it('makes with a key only what ends no later', async () => {
    const expires = hoursAhead(2)
    const key = await p.key(owner, { expires })
    for (const expiresAt of [undefined, null, hoursAhead(3)]) {
      expect((await make({ expiresAt }, key)).result.expiresAt).toBe(expires)
    }
    expect((await make({ expiresAt: hoursAhead(1) }, key)).result.expiresAt < expires).toBe(true)
  })

  it('is nothing that an agent does', async () => {
    const run = await p.run(owner, 'private')
    expect((await make({}, run)).error.metadata.reason).toBe('caller_kind')
  })
})

describe('telemetry_tokens.list', () => {
  it('finds tokens by name and state', async () => {
    const someone = await p.user()
    const inTheirs = (fields: object) =>
      p.call('telemetry_tokens.post', { workspaceId: someone.workspaceId, name: 'Plain', ...fields }, someone)
    const [active, revoked] = [(await inTheirs({})).result, (await inTheirs({ name: 'Another' })).result]
    const place = { workspaceId: someone.workspaceId }
    await p.call('telemetry_tokens.patch', { ...place, id: revoked.id, status: 'revoked' }, someone)
    const ids = async (query: object) =>
      (await p.call('telemetry_tokens.list', { ...place, ...query }, someone)).result.items.map(
        ({ id }: { id: string }) => id,
      )
    expect(await ids({ status: 'active' })).toEqual([active.id])
    expect(await ids({ status: '!active' })).toEqual([revoked.id])
    expect(await ids({ q: 'anoth' })).toEqual([revoked.id])
    expect(await ids({ orderBy: 'name', order: 'asc' })).toEqual([revoked.id, active.id])
  })
})

describe('telemetry_tokens.patch', () => {
  it('changes what is given and nothing else', async () => {
    const made = await senderIn(p, owner, { limits: { itemsPerMinute: 5, bytesPerDay: 7 } })
    const change = { routes: { logs: null }, limits: { bytesPerDay: null } }
    const { result } = await p.call('telemetry_tokens.patch', { workspaceId, id: made.id, ...change }, owner)
    expect(result).toMatchObject({
      name: 'Test sender',
      routes: { ...made.routes, logs: null },
      limits: { itemsPerMinute: 5, bytesPerDay: null },
    })
    expect((await p.call('telemetry_tokens.patch', { workspaceId, id: made.id }, owner)).result).toEqual(result)
  })

  it('revokes at once and for good', async () => {
    const sender = await senderIn(p, owner)
    expect(await send(sender)).toBe(200)
    const input = { workspaceId, id: sender.id, status: 'revoked' }
    expect((await p.call('telemetry_tokens.patch', input, owner)).result.status).toBe('revoked')
    expect(await send(sender)).toBe(401)
    expect((await p.call('telemetry_tokens.rotate', { workspaceId, id: sender.id }, owner)).status).toBe(409)
    expect((await p.call('telemetry_tokens.patch', { ...input, status: 'active' }, owner)).status).toBe(400)
    const renamed = await p.call('telemetry_tokens.patch', { ...input, name: 'Renamed' }, owner)
    expect(renamed.result).toMatchObject({ status: 'revoked', name: 'Renamed' })
  })
})

describe('telemetry_tokens.rotate', () => {
  it('ends the old secret at once, or when its overlap does', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const sender = await senderIn(q, someone)
    const rotate = async (overlapHours: number) =>
      (
        await q.call(
          'telemetry_tokens.rotate',
          { workspaceId: someone.workspaceId, id: sender.id, overlapHours },
          someone,
        )
      ).result
    const opens = async (token: string) =>
      (
        await q.request({
          method: 'POST',
          url: '/v1/otlp/v1/logs',
          headers: { 'content-type': 'application/json', 'x-telemetry-token': token },
          payload: logs(q.now(), 1),
        })
      ).status === 200
    const second = await rotate(0)
    expect([await opens(sender.token), await opens(second.token), second.oldSecretUntil]).toEqual([false, true, null])
    const third = await rotate(1)
    expect(third.oldSecretUntil).not.toBeNull()
    expect([await opens(second.token), await opens(third.token)]).toEqual([true, true])
    q.advance(3_600_001)
    expect([await opens(second.token), await opens(third.token)]).toEqual([false, true])
  })
})

describe('telemetry_tokens.del', () => {
  it('is refused for an hour after the last use, unless it is forced', async () => {
    const sender = await senderIn(p, owner)
    expect(await send(sender)).toBe(200)
    const input = { workspaceId, id: sender.id }
    const { status, error } = await p.call('telemetry_tokens.del', input, owner)
    expect([status, error.detail]).toEqual([409, expect.stringContaining('force=true')])
    const { result } = await p.call('telemetry_tokens.del', { ...input, force: true }, owner)
    expect(result).toEqual({ ...input, _object: 'telemetry_token' })
    expect(await send(sender)).toBe(401)
    expect((await p.call('telemetry_tokens.get', input, owner)).status).toBe(404)
    const { rows } = await p.database.plain('select count(*)::int as n from telemetry_token_days where token_id = $1', [
      sender.id,
    ])
    expect(rows[0]?.n).toBe(0)
  })

  it('is not refused where nobody has used it, nor where it is over anyway', async () => {
    const unused = await senderIn(p, owner)
    expect((await p.call('telemetry_tokens.del', { workspaceId, id: unused.id }, owner)).status).toBe(200)
    const revoked = await senderIn(p, owner)
    await send(revoked)
    await p.call('telemetry_tokens.patch', { workspaceId, id: revoked.id, status: 'revoked' }, owner)
    expect((await p.call('telemetry_tokens.del', { workspaceId, id: revoked.id }, owner)).status).toBe(200)
  })
})

describe('a telemetry token', () => {
  it('goes on when its maker leaves, and belongs to the owner of the workspace then', async () => {
    const admin = await p.as('admin', workspaceId)
    const sender = await senderIn(p, { ...admin, workspaceId })
    expect(await send(sender)).toBe(200)
    await p.call('workspace_members.del', { workspaceId, userId: admin.userId }, owner)
    expect(await send(sender)).toBe(200)
    expect((await get(sender.id)).ownerId).toBe(owner.userId)
  })

  it('goes with its workspace, together with the datasets that it points at', async () => {
    const someone = await p.user()
    const sender = await senderIn(p, someone)
    await p.database.query(sql`delete from workspaces where id = ${someone.workspaceId}`)
    expect(await send(sender)).toBe(401)
  })

  it('ends when it expires', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const expiresAt = new Date(q.now().getTime() + 60_000).toISOString()
    const { id, headers } = await senderIn(q, someone, { expiresAt })
    const answer = async () =>
      (await q.call('telemetry_tokens.logs', { content: { kind: 'json', bytes: '{}' } }, { headers })).status
    expect(await answer()).toBe(200)
    q.advance(60_001)
    expect(await answer()).toBe(401)
    const { result } = await q.call('telemetry_tokens.get', { workspaceId: someone.workspaceId, id }, someone)
    expect(result.status).toBe('expired')
  })

  it('is recognised offline by its checksum, and its id is no secret', () => {
    const secret = newTelemetrySecret()
    expect(isTelemetrySecret(secret)).toBe(true)
    expect(isTelemetrySecret(`${secret.slice(0, 9)}${secret[9] === 'a' ? 'b' : 'a'}${secret.slice(10)}`)).toBe(false)
    expect(isTelemetrySecret(`tt_id_${'0'.repeat(51)}`)).toBe(false)
  })
})

describe('what is counted', () => {
  it('is shown for thirty days, with the last error', async () => {
    const q = await platformForTest()
    const someone = await q.user()
    const sender = await senderIn(q, someone)
    const post = (payload: string) =>
      q.request({
        method: 'POST',
        url: '/v1/otlp/v1/logs',
        headers: { 'content-type': 'application/json', ...sender.headers },
        payload,
      })
    const input = { workspaceId: someone.workspaceId, id: sender.id }
    const shown = async () => (await q.call('telemetry_tokens.get', input, someone)).result
    const [three, two] = [logs(q.now(), 3), logs(q.now(), 2)]
    await post(three)
    await post(two)
    const bytes30d = three.length + two.length
    expect(await shown()).toMatchObject({ accepted30d: 5, rejected30d: 0, bytes30d, lastError: null })
    expect(Date.parse((await shown()).lastUsedAt)).toBeLessThanOrEqual(q.now().getTime())
    expect((await post('{"resourceLogs": 7}')).status).toBe(400)
    const { lastError, ...after } = await shown()
    expect(lastError).toEqual({ at: expect.any(String), signal: 'logs', message: expect.any(String) })
    expect(after).toMatchObject({ accepted30d: 5, bytes30d })
    q.advance(31 * 86_400_000)
    const later = await q.call('telemetry_tokens.get', input, await q.session(someone.userId))
    expect(later.result).toMatchObject({ accepted30d: 0, bytes30d: 0, lastUsedAt: after.lastUsedAt, lastError })
  })
})
