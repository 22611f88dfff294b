// Times and storms: what is due runs once, whoever looks; what is too much is counted.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { beside } from '../../../test/helpers/beside.ts'
import { isPostgres } from '../../../test/helpers/engines.ts'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { sql } from '../../kit/sql.ts'

const firings = Number(process.env.FIRINGS ?? 20)
const events = Number(process.env.EVENTS ?? 200)

let p: TestPlatform
let owner: TestCaller
let workspaceId: string

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

async function make(fields: object): Promise<{ id: string; nextRunAt: string }> {
  const usual = { workspaceId, name: 'Timed automation', grants: [], maxPerHour: 100_000 }
  const { result, error } = await p.call('automations.post', { ...usual, ...fields }, owner)
  expect(error).toBeNull()
  return result
}

const schedule = (more: object = {}) => [{ on: 'schedule', cron: '* * * * *', ...more }]
/** Nothing is left to do once it has started. */
const nothing = { condition: 'trigger.on == "never"', steps: [{ do: 'wait', with: { seconds: 1 } }] }

const timesOf = (id: string) =>
  p.database.query<{ at: string; waitsUntil: string | null }>(sql`
    select trigger_at as at, waits_until from automation_executions
    where automation_id = ${id} and trigger_on = 'schedule' order by trigger_at`)

const toNextMinute = () => p.advance(60_000 - (p.now().getTime() % 60_000))

async function countOf(id: string, query: object): Promise<number> {
  return (await p.call('automations.executions.list', { workspaceId, id, perPage: 1, ...query }, owner)).result.count
}

describe('a schedule', () => {
  it('starts once at each of its times, however many processes look', { timeout: 600_000 }, async () => {
    const other = isPostgres ? await beside(p) : p
    const { id } = await make({ triggers: schedule(), ...nothing })
    for (let no = 0; no < firings; no++) {
      toNextMinute()
      await Promise.all([p, other, p].map(one => one.platform.jobs.runNow('automations.fire')))
    }
    const times = (await timesOf(id)).map(({ at }) => at)
    expect([times.length, new Set(times).size]).toEqual([firings, firings])
    if (other !== p) await other.close()
    await p.call('automations.del', { workspaceId, id }, owner)
  })

  it('starts later by its jitter, and says when it is due next', async () => {
    const { id, nextRunAt } = await make({ triggers: schedule({ jitterSeconds: 3_600 }), ...nothing })
    expect(Date.parse(nextRunAt)).toBeGreaterThan(p.now().getTime())
    toNextMinute()
    await p.platform.jobs.runNow('automations.fire')
    const [one] = await timesOf(id)
    expect(one?.at).toBe(nextRunAt)
    expect(Date.parse(one?.waitsUntil ?? '')).toBeGreaterThan(p.now().getTime())
    await p.call('automations.del', { workspaceId, id }, owner)
  })

  it('leaves out or makes up for what was missed, as it says', async () => {
    const [skipping, running] = [
      await make({ triggers: schedule(), ...nothing }),
      await make({ triggers: schedule(), ...nothing, missed: 'run_once' }),
    ]
    p.advance(3_600_000)
    await p.platform.jobs.runNow('automations.fire')
    expect([(await timesOf(skipping.id)).length, (await timesOf(running.id)).length]).toEqual([0, 1])
    toNextMinute()
    await p.platform.jobs.runNow('automations.fire')
    expect([(await timesOf(skipping.id)).length, (await timesOf(running.id)).length]).toEqual([1, 2])
    for (const { id } of [skipping, running]) await p.call('automations.del', { workspaceId, id }, owner)
  })

  it('is not due while it is disabled', async () => {
    const { id } = await make({ triggers: schedule(), ...nothing, enabled: false })
    toNextMinute()
    await p.platform.jobs.runNow('automations.fire')
    expect(await timesOf(id)).toEqual([])
    const { result } = await p.call('automations.patch', { workspaceId, id, enabled: true }, owner)
    expect(result.nextRunAt).not.toBeNull()
    await p.call('automations.del', { workspaceId, id }, owner)
  })
})

describe('a storm of events', () => {
  it('makes the executions that the filter says, and no queue grows without end', { timeout: 1_200_000 }, async () => {
    const triggers = (where: string) => [{ on: 'event', event: 'teams.post', where }]
    const pause = [{ do: 'wait', with: { seconds: 86_400 } }]
    const grants = ['teams:read']
    const few = await make({ triggers: triggers('trigger.record.name.endsWith("0 of it")'), grants, ...nothing })
    const all = await make({ triggers: triggers('trigger.record.name.startsWith("Storm")'), grants, steps: pause })
    const names = Array.from({ length: events }, (_, no) => `Storm ${no} of it`)
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let name = names.pop(); name !== undefined; name = names.pop()) {
          await p.call('teams.post', { workspaceId, name }, owner)
        }
      }),
    )
    const wanted = Math.ceil(events / 10)
    await vi.waitFor(async () => expect(await countOf(few.id, { status: 'skipped' })).toBe(wanted), {
      timeout: 300_000,
    })
    const counts = async () => {
      const [row] = await p.database.query<{ open: number; skipped: number }>(sql`
        select count(*) filter (where status <> 'skipped')::int as open, sum(skipped_count)::int as skipped
        from automation_executions where automation_id = ${all.id}`)
      return row
    }
    await vi.waitFor(
      async () => {
        const { open = 0, skipped = 0 } = (await counts()) ?? {}
        expect(open + skipped).toBe(events)
      },
      { timeout: 300_000 },
    )
    expect((await counts())?.open).toBeLessThanOrEqual(102)
  })
})
