// Events on their way out: to whom, what they may know, in which order, and what happens when a target fails.
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { ok, receiver, status } from '../../../test/integrations/receivers.ts'
import { nextAttempt } from './deliveries/schedule.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await platform()
})
afterAll(() => p.close())

async function scene(reply = ok, config: object = {}, fields: object = {}) {
  const owner = await p.user()
  const target = await receiver(reply)
  const on = (operation: string, input: object = {}, caller: TestCaller = owner) =>
    p.call(operation, { workspaceId: owner.workspaceId, ...input }, caller)
  const hook = { name: 'Hook', type: 'webhook', config: { url: target.url, ...config }, events: ['teams.*'], ...fields }
  const { result } = await on('integrations.post', hook)
  const team = async (name: string) => (await on('teams.post', { name })).result
  const deliveries = async (query: object = {}) =>
    (await on('integrations.deliveries.list', { id: result.id, ...query })).result.items
  const get = async () => (await on('integrations.get', { id: result.id })).result
  /** The target has it before the failure is written down, which is the last that is done. */
  const recorded = async () => {
    await expect.poll(async () => (await deliveries())[0]?.attempt).toBe(1)
    await expect.poll(async () => (await get()).lastError).not.toBeNull()
  }
  return {
    owner,
    target,
    on,
    id: result.id as string,
    secret: result.secret as string,
    team,
    deliveries,
    get,
    recorded,
  }
}

const arrived = (target: { received: unknown[] }, count: number) =>
  expect.poll(() => target.received.length, { timeout: 15_000, interval: 20 }).toBe(count)

describe('a webhook', () => {
  it('is sent each event of its filter once, in order, signed by Standard Webhooks', async () => {
    const { target, on, id, secret, team, deliveries, owner } = await scene()
    const names = Array.from({ length: 12 }, (_, n) => `Team ${n}`)
    for (const name of names) await team(name)
    await on('labels.post', { name: 'Not for it' })
    await arrived(target, names.length)
    const verifier = new Webhook(secret)
    const told = target.received.map(({ body, headers }) =>
      verifier.verify(body, headers as Record<string, string>),
    ) as {
      type: string
      data: {
        seq: number
        target: { title: string; url: string; id: string }
        actor: { name: string }
        changes: object[]
      }
    }[]
    expect(told.map(({ data }) => data.target.title)).toEqual(names)
    const seqs = told.map(({ data }) => data.seq)
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other))
    expect(told[0]).toMatchObject({ type: 'teams.post', data: { workspace: { id: owner.workspaceId } } })
    expect(told[0]?.data.target.url).toBe(
      `${p.config.PUBLIC_URL}/w/${owner.workspaceId}/teams/${told[0]?.data.target.id}`,
    )
    // No changes without audit_logs:read, no names without workspace_members:read.
    expect(told[0]?.data).not.toHaveProperty('changes')
    expect(told[0]?.data.actor.name).toBeNull()
    await expect.poll(async () => (await deliveries({ status: 'succeeded', perPage: 100 })).length).toBe(12)
    const [last] = await deliveries()
    const { result: whole } = await on('integrations.deliveries.get', { id, deliveryId: last.id })
    expect(whole).toMatchObject({
      event: 'teams.post',
      attempt: 1,
      code: 200,
      status: 'succeeded',
      responseBody: 'fine',
    })
    expect(whole.attempts).toHaveLength(1)
    expect(whole.requestBody).toBe(target.received.at(-1)?.body)
    expect(whole.requestHeaders['webhook-id']).toBe(whole.messageId)
    expect((await on('integrations.get', { id })).result.lastSuccessAt).not.toBeNull()
  })

  it('may be thin, and tells changes with the scope for it', async () => {
    const thin = await scene(ok, { payload: 'thin' })
    await thin.team('Thin')
    await arrived(thin.target, 1)
    const { data } = JSON.parse(thin.target.received[0]?.body ?? '')
    expect(Object.keys(data)).toEqual(['seq', 'workspaceId', 'target'])
    expect(Object.keys(data.target)).toEqual(['object', 'id'])
    const full = await scene(ok, {}, { scopes: ['teams:read', 'audit_logs:read', 'workspace_members:read'] })
    await full.team('Full')
    await arrived(full.target, 1)
    const told = JSON.parse(full.target.received[0]?.body ?? '').data
    expect(told.changes).toEqual(expect.arrayContaining([{ path: 'name', after: 'Full' }]))
    expect(told.actor.name).toEqual(expect.any(String))
  })

  it('carries two signatures while its secret is replaced', async () => {
    const { target, on, id, secret, team } = await scene()
    const rotated = (await on('integrations.rotateSecret', { id, overlapHours: 1 })).result
    await team('Both')
    await arrived(target, 1)
    const [{ body, headers } = { body: '', headers: {} }] = target.received
    for (const one of [secret, rotated.secret]) new Webhook(one).verify(body, headers as Record<string, string>)
    p.advance(3_600_001)
    await team('New')
    await arrived(target, 2)
    expect(String(target.received[1]?.headers['webhook-signature']).split(' ')).toHaveLength(1)
  })

  it('hears nothing from before it was there, nor while it is paused; a backfill sends that', async () => {
    const { target, on, id, team, owner } = await scene()
    await on('integrations.patch', { id, status: 'paused' })
    await team('Missed')
    await on('integrations.patch', { id, status: 'active' })
    await team('Heard')
    await arrived(target, 1)
    expect(target.received[0]?.body).toContain('Heard')
    const { result: log } = await on('audit_logs.list', { action: 'teams.post', order: 'asc', orderBy: 'seq' })
    const [first, last] = [log.items[0].seq, log.items.at(-1).seq]
    expect((await on('integrations.backfill', { id, fromSeq: first, toSeq: last })).status).toBe(202)
    await arrived(target, 3)
    expect(
      target.received
        .slice(1)
        .map(({ body }) => JSON.parse(body).data.target.title)
        .sort(),
    ).toEqual(['Heard', 'Missed'])
    expect(target.received.find(({ body }, at) => at > 0 && body.includes('Heard'))?.headers['webhook-id']).toBe(
      target.received[0]?.headers['webhook-id'],
    )
    expect((await on('integrations.backfill', { id, fromSeq: 5, toSeq: 4 })).status).toBe(400)
    expect(owner.workspaceId).toBeTruthy()
  })

  it('sees what its owner sees now, and nothing private', async () => {
    const { on, owner, target, team } = await scene()
    const admin = await p.as('admin', owner.workspaceId)
    const other = await receiver()
    const fields = {
      name: 'Of the admin',
      type: 'webhook',
      config: { url: other.url },
      events: ['teams.*', 'memories.*'],
    }
    await on('integrations.post', fields, admin)
    await on('memories.post', { title: 'Mine', markdown: 'A secret of mine', visibility: 'private' }, admin)
    await on('memories.post', { title: 'Ours', markdown: 'For all', visibility: 'workspace' }, admin)
    await team('Seen')
    await arrived(other, 2)
    expect(other.received.map(({ body }) => JSON.parse(body).type).sort()).toEqual(['memories.post', 'teams.post'])
    await on('workspace_members.del', { userId: admin.userId })
    await team('Unseen')
    await arrived(target, 2)
    expect(other.received).toHaveLength(2)
  })
})

describe('a target that fails', () => {
  it('is tried again after five seconds, and then later and later', async () => {
    const { target, on, id, team, deliveries, get, recorded } = await scene(status(500))
    await team('Late')
    await arrived(target, 1)
    await recorded()
    const [first] = await deliveries()
    expect(first).toMatchObject({ status: 'pending', code: 500, error: 'The target answered 500.' })
    const waitMs = Date.parse(first.nextAttemptAt) - Date.parse(first.updated)
    expect(waitMs).toBeGreaterThanOrEqual(5_000)
    expect(waitMs).toBeLessThan(6_000)
    expect(await get()).toMatchObject({ lastError: 'The target answered 500.', status: 'active' })
    target.replyWith(ok)
    await arrived(target, 2)
    await expect.poll(async () => (await deliveries())[0]?.status).toBe('succeeded')
    const { result } = await on('integrations.deliveries.get', { id, deliveryId: first.id })
    expect(result.attempts.map(({ code }: { code: number }) => code)).toEqual([500, 200])
    expect(target.received[0]?.headers['webhook-id']).toBe(target.received[1]?.headers['webhook-id'])
  })

  it('has ten attempts with these waits', () => {
    const now = new Date()
    const waits = Array.from({ length: 11 }, (_, n) => nextAttempt(n, 'msg_1', now)).map(
      at => at && (at.getTime() - now.getTime()) / 1000,
    )
    const nominal = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const [n, seconds] of nominal.entries()) {
      expect(waits[n]).toBeGreaterThanOrEqual(seconds)
      expect(waits[n]).toBeLessThanOrEqual(seconds * 1.1)
    }
    expect(waits[10]).toBeNull()
  })

  it('is dead after the last', async () => {
    const { id, team, target, deliveries, recorded } = await scene(status(503))
    await team('Dead')
    await arrived(target, 1)
    await recorded()
    await p.database.plain(
      'update integration_deliveries set attempt = 9, next_attempt_at = now() where integration_id = $1',
      [id],
    )
    await p.platform.jobs.runNow('integrations.sweep')
    await expect.poll(async () => (await deliveries())[0]?.status, { timeout: 10_000 }).toBe('dead')
  })

  it('is disabled by 410, with what waits cancelled and its owner told', async () => {
    const { target, on, id, team, deliveries, get, owner } = await scene(status(410))
    await team('Gone')
    await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe('disabled')
    expect((await deliveries())[0]).toMatchObject({ status: 'cancelled', code: 410 })
    await expect
      .poll(async () =>
        (await p.call('auth.inbox.list', {}, owner)).result.items.map(({ type }: { type: string }) => type),
      )
      .toContain('integrations.disabled')
    await team('Not sent')
    const [{ id: deliveryId }] = await deliveries()
    expect((await on('integrations.deliveries.redeliver', { id, deliveryId })).status).toBe(409)
    await p.platform.jobs.runNow('integrations.sweep')
    expect(target.received).toHaveLength(1)
    await on('integrations.patch', { id, status: 'active' })
    target.replyWith(ok)
    await team('Again')
    await arrived(target, 2)
    expect(target.received[1]?.body).toContain('Again')
  })

  it('is failing after ten messages that failed three times, and active again after one that got through', async () => {
    const { target, on, id, team, get, owner, recorded } = await scene(status(500))
    await team('First')
    await arrived(target, 1)
    await recorded()
    await p.database.plain(
      'update integration_health set consecutive_failures = 9, misses = 0, resting_until = null where integration_id = $1',
      [id],
    )
    await p.database.plain(
      'update integration_deliveries set attempt = 2, next_attempt_at = now() where integration_id = $1',
      [id],
    )
    await p.platform.jobs.runNow('integrations.sweep')
    await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe('failing')
    expect((await get()).consecutiveFailures).toBe(10)
    await expect
      .poll(async () =>
        (await p.call('auth.inbox.list', {}, owner)).result.items.map(({ type }: { type: string }) => type),
      )
      .toContain('integrations.failing')
    target.replyWith(ok)
    await team('Second')
    await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe('active')
    expect(await get()).toMatchObject({ consecutiveFailures: 0, status: 'active' })
    expect((await on('audit_logs.list', { action: 'integrations.recovered' })).result.count).toBe(1)
  })

  it('is disabled after five days without success', async () => {
    const { id, team, get, target, recorded } = await scene(status(500))
    await team('First')
    await arrived(target, 1)
    await recorded()
    await p.database.plain(
      `update integration_health set failing_since = now() - interval '6 days', resting_until = null where integration_id = $1`,
      [id],
    )
    await team('Second')
    await expect.poll(async () => (await get()).status, { timeout: 10_000 }).toBe('disabled')
  })

  it('is left alone for a while after five failures in a row, without losing the order', async () => {
    const { target, id, team } = await scene(status(500))
    const names = Array.from({ length: 8 }, (_, n) => `Team ${n}`)
    for (const name of names) await team(name)
    await arrived(target, 5)
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(target.received).toHaveLength(5)
    target.received.length = 0
    target.replyWith(ok)
    await p.database.plain('update integration_health set resting_until = null where integration_id = $1', [id])
    await p.database.plain('update integration_deliveries set next_attempt_at = now() where integration_id = $1', [id])
    await p.platform.jobs.runNow('integrations.sweep')
    await arrived(target, 8)
    expect(target.received.map(({ body }) => JSON.parse(body).data.target.title)).toEqual(names)
  })
})

describe('sending again', () => {
  it('is one attempt with the same message id, and says nothing about health', async () => {
    const { target, on, id, team, deliveries, get } = await scene()
    await team('Again')
    await arrived(target, 1)
    await expect.poll(async () => (await deliveries())[0]?.status).toBe('succeeded')
    const [{ id: deliveryId }] = await deliveries()
    target.replyWith(status(500))
    const sent = await on('integrations.deliveries.redeliver', { id, deliveryId })
    expect([sent.status, sent.result.replayOf]).toEqual([201, deliveryId])
    await arrived(target, 2)
    expect(target.received[1]?.headers['webhook-id']).toBe(target.received[0]?.headers['webhook-id'])
    await expect.poll(async () => (await deliveries())[0]?.status).toBe('failed')
    expect(await get()).toMatchObject({ lastFailureAt: null, consecutiveFailures: 0 })
    await on('integrations.patch', { id, status: 'paused' })
    target.replyWith(ok)
    await on('integrations.deliveries.redeliver', { id, deliveryId })
    await arrived(target, 3)
  })

  it('takes a thousand in one call', async () => {
    const { target, on, id, team, owner } = await scene()
    await team('Original')
    await arrived(target, 1)
    const { rows } = await p.database.plain(
      `insert into integration_deliveries (id, workspace_id, integration_id, message_id, action, event_seq, body, request_headers,
         status, attempt, attempts, created, updated)
       select 'dlv_' || lpad(n::text, 24, '0'), $1, $2, 'msg_' || n, 'teams.post', 100000 + n, '{}', '{}', 'dead', 10, '[]', now(), now()
       from generate_series(1, 1000) n returning id`,
      [owner.workspaceId, id],
    )
    expect(rows).toHaveLength(1000)
    const answer = await on('integrations.deliveries.redeliverMany', { id, status: 'dead' })
    expect(answer.result).toEqual({ redelivered: 1000 })
    await expect.poll(() => target.received.length, { timeout: 60_000, interval: 200 }).toBe(1001)
    const ids = target.received.slice(1).map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, n) => `msg_${n + 1}`))
    expect((await on('integrations.deliveries.redeliverMany', { id })).status).toBe(400)
  }, 90_000)

  it('is 409 while fifty thousand wait', async () => {
    const { on, id, owner } = await scene()
    await on('integrations.patch', { id, status: 'paused' })
    await p.database.plain(
      `insert into integration_deliveries (id, workspace_id, integration_id, message_id, action, event_seq, body, request_headers,
         status, attempt, attempts, next_attempt_at, created, updated)
       select 'dlv_' || substr(md5($2 || n::text), 1, 24), $1, $2, 'msg_' || n, 'teams.post', 100000 + n, '{}', '{}', 'pending', 0,
         '[]', now(), now(), now()
       from generate_series(1, 50000) n`,
      [owner.workspaceId, id],
    )
    const again = [
      await on('integrations.deliveries.redeliverMany', { id, status: 'dead' }),
      await on('integrations.backfill', { id, fromSeq: 1, toSeq: 2 }),
    ]
    for (const { status, error } of again) {
      expect([status, error.detail]).toEqual([409, expect.stringContaining('50000 deliveries wait')])
    }
    await p.database.plain('delete from integration_deliveries where integration_id = $1 and event_seq = 100001', [id])
    expect((await on('integrations.deliveries.redeliverMany', { id, status: 'dead' })).status).toBe(200)
  })
})
