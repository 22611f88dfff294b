// What automations promise, from the trigger to the last step.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

type Made = { id: string; hookUrl: string; hookSecret: string; version: number }

const note = { id: 'label', do: 'labels.post', with: { name: 'L {{ trigger.input.name }}' } }

async function make(fields: object, by = owner): Promise<Made> {
  const { result, error } = await p.call('automations.post', body(fields), by)
  expect(error).toBeNull()
  return result
}

const body = (fields: object) => ({
  ...{ workspaceId, name: 'Test automation', triggers: [{ on: 'manual' }], steps: [note], grants: ['labels:write'] },
  ...fields,
})

async function trigger(id: string, input: object = {}, by = owner) {
  const { result, error } = await p.call('automations.trigger', { workspaceId, id, input }, by)
  expect(error).toBeNull()
  return { workspaceId, id, executionId: result.id as string }
}

type Key = { workspaceId: string; id: string; executionId: string }

const stateOf = async (one: Key) => (await p.call('automations.executions.get', one, owner)).result

async function until(one: Key, status: string) {
  const states = async () => {
    const { status: is, error } = await stateOf(one)
    return is === status ? [is] : [is, error]
  }
  await vi.waitFor(async () => expect(await states()).toEqual([status]), { timeout: 20_000 })
  return await stateOf(one)
}

const listOf = async (id: string, query: object = {}) =>
  (await p.call('automations.executions.list', { workspaceId, id, ...query }, owner)).result.items

const labelsNamed = async (name: string) =>
  (await p.call('labels.list', { workspaceId, q: name, perPage: 100 }, owner)).result.items

describe('an automation that is started by hand', () => {
  it('does its steps in order, with what earlier ones gave', async () => {
    const { id } = await make({
      steps: [
        note,
        {
          id: 'again',
          do: 'labels.patch',
          with: { id: '{{ steps.label.output.id }}', description: 'of {{ automation.name }}' },
        },
        { id: 'left', do: 'labels.post', if: 'trigger.input.name == "other"', with: { name: 'never' } },
      ],
    })
    const shown = await until(await trigger(id, { name: 'one' }), 'succeeded')
    expect(shown.steps).toMatchObject([
      {
        path: '0',
        id: 'label',
        do: 'labels.post',
        status: 'succeeded',
        input: { name: 'L one' },
        output: { name: 'L one' },
      },
      { path: '1', status: 'succeeded', output: { description: 'of Test automation' } },
      { path: '2', status: 'skipped' },
    ])
    expect(shown).toMatchObject({ trigger: { on: 'manual', by: owner.userId }, error: null, isHidden: false })
    const { result } = await p.call('audit_logs.list', { workspaceId, action: 'labels.post' }, owner)
    expect(result.items[0].actor).toMatchObject({ credentialId: shown.id, callerKind: 'automation', id: owner.userId })
  })

  it('branches, goes over lists and goes on after what may fail', async () => {
    const { id } = await make({
      grants: ['labels:write', 'labels:read'],
      steps: [
        { id: 'bad', do: 'labels.get', with: { id: 'label_000000000000000000000000' }, onError: 'continue' },
        {
          do: 'branch',
          if: 'trigger.input.isNew',
          steps: [{ id: 'yes', do: 'labels.post', with: { name: 'yes {{ trigger.input.name }}' } }],
          else: [{ id: 'no', do: 'labels.post', with: { name: 'no {{ trigger.input.name }}' } }],
        },
        {
          id: 'all',
          do: 'forEach',
          with: { items: '{{ trigger.input.names }}', parallel: 3 },
          steps: [{ id: 'one', do: 'labels.post', with: { name: 'each {{ item }} {{ index }}' } }],
        },
      ],
    })
    const shown = await until(await trigger(id, { name: 'b', isNew: false, names: ['x', 'y', 'z', 'w'] }), 'succeeded')
    const states = Object.fromEntries(
      shown.steps.map(({ path, status }: { path: string; status: string }) => [path, status]),
    )
    expect(states).toMatchObject({ 0: 'failed', '1.else.0': 'succeeded', '2[3].steps.0': 'succeeded', 2: 'succeeded' })
    expect(states['1.steps.0']).toBeUndefined()
    const all = shown.steps.find(({ path }: { path: string }) => path === '2')
    expect(all.output.map(({ name }: { name: string }) => name)).toEqual([
      'each x 0',
      'each y 1',
      'each z 2',
      'each w 3',
    ])
  })

  it('waits without holding anything, and goes on', async () => {
    const { id } = await make({ steps: [{ do: 'wait', with: { seconds: 3_600 } }, note] })
    const one = await trigger(id, { name: 'late' })
    const waiting = await until(one, 'waiting')
    expect(waiting.steps[0]).toMatchObject({ status: 'waiting', waitsFor: waiting.waitsUntil })
    p.advance(3_630_000)
    await p.platform.jobs.runNow('automations.sweep')
    expect((await until(one, 'succeeded')).steps).toHaveLength(2)
  })

  it('is tried again where a step says so, and then fails with the reason', async () => {
    const { id } = await make({
      grants: ['labels:write'],
      steps: [note, { ...note, id: 'twice', retry: { max: 1, backoffSeconds: 1 } }],
    })
    const one = await trigger(id, { name: 'same' })
    const waiting = await until(one, 'waiting')
    expect(waiting.steps[1]).toMatchObject({ status: 'waiting', waitsFor: 'retry', attempt: 1 })
    p.advance(2_000)
    const shown = await until(one, 'failed')
    expect(shown.steps[1]).toMatchObject({ status: 'failed', attempt: 2 })
    expect(shown.error).toContain('labels.post')
  })

  it('asks people, and goes the other way where they deny', async () => {
    const steps = [
      {
        id: 'ask',
        do: 'approve',
        with: { question: 'Shall it?' },
        else: [{ do: 'labels.post', with: { name: 'denied {{ trigger.input.name }}' } }],
      },
      {
        do: 'branch',
        if: 'steps.ask.output.decision == "approved"',
        steps: [{ do: 'labels.post', with: { name: 'approved {{ trigger.input.name }}' } }],
      },
    ]
    const { id } = await make({ steps, concurrency: 'parallel' })
    for (const decision of ['approve', 'deny']) {
      const one = await trigger(id, { name: decision })
      const waiting = await until(one, 'waiting')
      const approvalId = waiting.steps[0].waitsFor
      const decided = await p.call('agent_tools.approvals.decide', { workspaceId, approvalId, decision }, owner)
      expect(decided.status).toBe(200)
      await until(one, 'succeeded')
    }
    expect((await labelsNamed('approved approve')).length).toBe(1)
    expect((await labelsNamed('approved deny')).length).toBe(0)
    expect((await labelsNamed('denied deny')).length).toBe(1)
  })

  it('starts a thread and waits for what comes of it', async () => {
    const { id } = await make({
      grants: ['threads:read', 'threads:write', 'messages:write', 'labels:write'],
      steps: [
        { id: 'talk', do: 'thread', with: { instructions: 'Look.', runner: 'script', steps: [{ say: 'Looked.' }] } },
        { do: 'labels.post', with: { name: 'after {{ steps.talk.output.status }}' } },
      ],
    })
    const shown = await until(await trigger(id), 'succeeded')
    expect(shown.threadId).toMatch(/^thrd_/)
    expect((await labelsNamed('after succeeded')).length).toBe(1)
  })

  it('takes what its form asks for, and nothing else', async () => {
    const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
    const { id } = await make({ triggers: [{ on: 'manual', form }] })
    const { status } = await p.call('automations.trigger', { workspaceId, id, input: { name: 4 } }, owner)
    expect(status).toBe(400)
    await until(await trigger(id, { name: 'form' }), 'succeeded')
  })

  it('is done again, whole or from a step', async () => {
    const { id } = await make({
      grants: ['labels:write'],
      steps: [
        { id: 'first', do: 'labels.post', with: { name: 'first' } },
        { id: 'second', do: 'labels.post', with: { name: 'second' } },
      ],
    })
    const one = await trigger(id)
    await until(one, 'succeeded')
    const again = await p.call('automations.executions.rerun', one, owner)
    expect(again.status).toBe(202)
    await until({ ...one, executionId: again.result.id }, 'failed')
    await p.database.query(sql`delete from labels where name = 'second'`)
    const rest = await p.call('automations.executions.rerun', { ...one, from: '1' }, owner)
    const shown = await until({ ...one, executionId: rest.result.id }, 'succeeded')
    expect(shown).toMatchObject({ rerunOf: one.executionId })
    expect(shown.steps).toHaveLength(2)
  })

  it('is cancelled, and nothing further is done', async () => {
    const { id } = await make({ steps: [{ do: 'wait', with: { seconds: 60 } }, note] })
    const one = await trigger(id, { name: 'cancelled' })
    await until(one, 'waiting')
    expect((await p.call('automations.executions.cancel', one, owner)).result.status).toBe('cancelled')
    expect((await p.call('automations.executions.cancel', one, owner)).status).toBe(409)
    p.advance(61_000)
    await p.platform.jobs.runNow('automations.run', { id: one.executionId })
    expect((await stateOf(one)).status).toBe('cancelled')
    expect(await labelsNamed('L cancelled')).toEqual([])
  })
})

describe('an automation that waits for events', () => {
  it('starts once for each that its trigger fits, with the record', async () => {
    const { id } = await make({
      name: 'On issues',
      triggers: [{ on: 'event', event: 'issues.post', where: 'trigger.record.title.startsWith("Pool")' }],
      grants: ['issues:read', 'issues:write'],
      steps: [{ do: 'add_note', with: { id: '{{ trigger.record.id }}', text: 'Seen {{ trigger.record.title }}' } }],
    })
    for (const title of ['Pool is full', 'Other', 'Pool again']) {
      await p.call('issues.post', { workspaceId, title }, owner)
    }
    await vi.waitFor(async () => expect(await listOf(id, { status: 'succeeded' })).toHaveLength(2), { timeout: 20_000 })
    // As after a crash: the same entries come again.
    await p.database.query(sql`
      update ledger_followers set seq = 0 where follower = 'automations.events' and chain = ${workspaceId}`)
    await p.call('issues.post', { workspaceId, title: 'One more' }, owner)
    await vi.waitFor(async () => {
      const [place] = await p.database.query<{ seq: number }>(sql`
        select seq::int as seq from ledger_followers where follower = 'automations.events' and chain = ${workspaceId}`)
      expect(place?.seq).toBeGreaterThan(0)
    })
    expect(await listOf(id)).toHaveLength(2)
  })

  it('is refused where it is not granted to read what it waits for', async () => {
    const triggers = [{ on: 'event', event: 'teams.post' }]
    const { status, error } = await p.call(
      'automations.post',
      body({ triggers, grants: ['labels:write'], steps: [{ do: 'labels.post', with: { name: 'x' } }] }),
      owner,
    )
    expect([status, error?.metadata]).toMatchObject([400, { issues: [{ path: 'grants', rule: 'grant' }] }])
  })

  it('stops where two lead to each other, and says so', async () => {
    const ping = (name: string) => ({
      ...{ name, grants: ['labels:read', 'labels:write'], maxPerHour: 1_000 },
      triggers: [{ on: 'event', event: 'labels.post', where: 'trigger.record.name.startsWith("loop")' }],
      steps: [{ do: 'labels.post', with: { name: `{{ trigger.record.name }} ${name}` } }],
    })
    const [one, other] = [await make(ping('ping')), await make(ping('pong'))]
    await p.call('labels.post', { workspaceId, name: 'loop' }, owner)
    await vi.waitFor(async () => expect(await listOf(one.id, { skippedReason: 'loop' })).toHaveLength(1), {
      timeout: 20_000,
    })
    await vi.waitFor(async () => expect(await listOf(other.id, { skippedReason: 'loop' })).toHaveLength(1), {
      timeout: 20_000,
    })
    for (const { id } of [one, other]) await p.call('automations.patch', { workspaceId, id, enabled: false }, owner)
  })
})

describe('a dry run', () => {
  it('shows for a past event what would be done and what would be refused, and does nothing', async () => {
    const { id } = await make({
      ...{ triggers: [{ on: 'event', event: 'teams.post' }], grants: ['teams:read', 'labels:write', 'labels:delete'] },
      steps: [
        { id: 'made', do: 'labels.post', with: { name: 'dry {{ trigger.record.name }}' } },
        { do: 'labels.del', if: 'trigger.record.name == "Dry team"', with: { id: '{{ steps.made.output.id }}' } },
        { do: 'labels.post', if: 'trigger.record.name == "Other"', with: { name: 'an index' } },
      ],
    })
    await p.call('teams.post', { workspaceId, name: 'Dry team' }, owner)
    const { result: log } = await p.call('audit_logs.list', { workspaceId, action: 'teams.post', perPage: 1 }, owner)
    const eventSeq = log.items[0].seq
    await vi.waitFor(async () => expect(await listOf(id)).toHaveLength(1), { timeout: 20_000 })
    const { result } = await p.call('automations.dryRun', { workspaceId, id, eventSeq }, owner)
    expect(result).toMatchObject({
      starts: true,
      steps: [
        { path: '0', input: { name: 'dry Dry team' }, runs: 'yes', refusal: null },
        { path: '1', input: { id: '{{ steps.made.output.id }}' }, runs: 'yes' },
        { path: '2', input: { name: 'an index' }, runs: 'no' },
      ],
    })
    expect(result.steps[1].refusal).toContain('labels_del')
    expect(await listOf(id)).toHaveLength(1)
    const other = await p.call('automations.dryRun', { workspaceId, id, eventSeq: 1 }, owner)
    expect(other.result).toMatchObject({ starts: false, steps: [] })
  })
})

describe('rights', () => {
  it('nobody grants what they do not hold', async () => {
    const member = await p.as('member', workspaceId)
    const refused = await p.call(
      'automations.post',
      body({ grants: ['labels:write', 'workspace_members:write'] }),
      member,
    )
    expect(refused.status).toBe(403)
    const { id } = await make({ grants: ['labels:write', 'audit_logs:read'] })
    const changed = await p.call('automations.patch', { workspaceId, id, steps: [{ ...note, id: 'other' }] }, member)
    expect(changed.status).toBe(403)
  })

  it('who loses a right stops it at the next step', async () => {
    const admin = await p.as('admin', workspaceId)
    const { id } = await make({ steps: [{ do: 'wait', with: { seconds: 60 } }, note] }, admin)
    const one = await trigger(id, { name: 'lost' })
    await until(one, 'waiting')
    await p.call('workspace_members.patch', { workspaceId, userId: admin.userId, position: 'viewer' }, owner)
    p.advance(61_000)
    await p.platform.jobs.runNow('automations.run', { id: one.executionId })
    expect((await until(one, 'failed')).error).toContain('labels:write')
  })

  it('shows inputs and outputs to those who hold what it was granted', async () => {
    const { id } = await make({ grants: ['labels:write', 'audit_logs:read'] })
    const one = await trigger(id, { name: 'hidden' })
    await until(one, 'succeeded')
    const member = await p.as('member', workspaceId)
    const { result } = await p.call('automations.executions.get', one, member)
    expect(result).toMatchObject({ isHidden: true, trigger: { data: null }, steps: [{ input: null, output: null }] })
  })
})

describe('a webhook', () => {
  it('starts it with what was sent, by its token and signature', async () => {
    const { id, hookUrl, hookSecret } = await make({
      triggers: [{ on: 'webhook', signed: true }],
      steps: [{ do: 'labels.post', with: { name: 'ref {{ trigger.body.ref }}' } }],
    })
    expect(hookSecret).toMatch(/^whsec_/)
    const token = hookUrl.split('/').at(-1)
    const bytes = Buffer.from('{"ref":"main"}')
    const unsigned = await p.call('automations.hook', { token, content: { kind: 'any', bytes } }, null)
    expect(unsigned.status).toBe(401)
    const shown = (await p.call('automations.get', { workspaceId, id }, owner)).result
    expect(JSON.stringify(shown)).not.toContain(token)
    const rotated = (await p.call('automations.rotateHook', { workspaceId, id }, owner)).result
    expect(rotated.hookUrl).not.toBe(hookUrl)
    expect((await p.call('automations.hook', { token, content: { kind: 'any', bytes } }, null)).status).toBe(404)
  })
})

describe('limits', () => {
  it('what is more than an hour may have is counted, not done', async () => {
    const { id } = await make({ maxPerHour: 2, steps: [{ do: 'wait', with: { seconds: 5 } }] })
    for (let no = 0; no < 2; no++) await trigger(id)
    expect((await p.call('automations.trigger', { workspaceId, id }, owner)).status).toBe(409)
    expect(await listOf(id, { status: 'skipped' })).toMatchObject([])
  })

  it.each(['queue', 'parallel'])('those that had to wait for others go on when they end: %s', async concurrency => {
    const first = `${concurrency} 1`
    const steps = [
      { do: 'branch', if: `trigger.input.name == "${first}"`, steps: [{ do: 'wait', with: { seconds: 1 } }] },
      { do: 'labels.post', with: { name: '{{ trigger.input.name }}' } },
    ]
    const { id } = await make({ steps, concurrency, grants: ['labels:write'] })
    for (let no = 1; no <= 25; no++) await trigger(id, { name: `${concurrency} ${no}` })
    // Sooner than the sweep would find them.
    await vi.waitFor(async () => expect((await listOf(id, { status: 'succeeded', perPage: 50 })).length).toBe(25), {
      timeout: 15_000,
    })
    expect((await labelsNamed(`${concurrency} 25`)).length).toBe(1)
  })

  it('five failures in a row disable it, and its owner is told', async () => {
    const { id } = await make({ steps: [{ do: 'labels.post', with: { name: 'taken' } }], concurrency: 'parallel' })
    for (let no = 0; no < 6; no++) {
      const one = await trigger(id)
      await vi.waitFor(async () => expect(['succeeded', 'failed']).toContain((await stateOf(one)).status), {
        timeout: 20_000,
      })
    }
    const shown = (await p.call('automations.get', { workspaceId, id }, owner)).result
    expect(shown).toMatchObject({ enabled: false, stats7d: { succeeded: 1, failed: 5 } })
    expect(shown.disabledReason).toContain('five times'.slice(5))
    await vi.waitFor(async () => {
      const { result } = await p.call('auth.inbox.list', {}, owner)
      expect(result.items.map(({ type }: { type: string }) => type)).toContain('automations.disabled')
    })
  })
})
