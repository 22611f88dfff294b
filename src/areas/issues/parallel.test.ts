// Many at once: one issue for one problem, numbers without gaps, and nobody waits for each other for ever.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPostgres } from '../../../test/helpers/engines.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { faultsIn } from '../../../test/issues/invariants.ts'

/** ISSUES_OPERATIONS=10000 for long. */
const operations = Number(process.env.ISSUES_OPERATIONS ?? 300)

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const send = (alerts: object[]) => p.call('issues.alerts.post', { workspaceId, alerts }, owner)

describe('at the same time', () => {
  it('20 senders of one new fingerprint make one issue, with an exact count', async () => {
    const alert = { title: 'All at once', fingerprint: 'at once' }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => send(Array(index + 1).fill(alert))))
    const items = answers.flatMap(({ result }) => result.items as { issueId: string; action: string }[])
    expect(new Set(items.map(({ issueId }) => issueId)).size).toBe(1)
    expect(items.filter(({ action }) => action === 'created')).toHaveLength(1)
    const { result } = await p.call('issues.get', { workspaceId, id: items[0]?.issueId }, owner)
    expect(result.occurrences).toBe(210)
  })

  it('numbers have no gaps, whoever makes issues and whoever fails to', async () => {
    const other = await p.user()
    const make = (index: number) => {
      const fields = { workspaceId: other.workspaceId, title: `Numbered ${index}` }
      if (index % 3 === 0) return p.call('issues.post', { ...fields, labels: [`label_${'0'.repeat(24)}`] }, other)
      if (index % 3 === 1) return p.call('issues.post', fields, other)
      const alerts = [1, 2, 3].map(n => ({ title: `Alert ${n}`, fingerprint: `${index} ${n}` }))
      return p.call('issues.alerts.post', { workspaceId: other.workspaceId, alerts }, other)
    }
    await Promise.all(Array.from({ length: 30 }, (_, index) => make(index)))
    const query = { workspaceId: other.workspaceId, orderBy: 'number', order: 'asc', perPage: 100 }
    const { items } = (await p.call('issues.list', query, other)).result
    expect(items.map(({ number }: { number: number }) => number)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  })
})

/** A fixed sequence, so that a failure can be seen again. */
function random() {
  let seed = 412
  return (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * most)
  }
}

describe('everything together', () => {
  it(`${operations} operations on one workspace end without a deadlock, and all is right`, {
    timeout: 3_600_000,
  }, async () => {
    const actor = await p.user()
    const place = { workspaceId: actor.workspaceId }
    const mate = await p.as('member', place.workspaceId)
    const { result: team } = await p.call('teams.post', { ...place, name: 'Crew' }, actor)
    const { result: label } = await p.call('labels.post', { ...place, name: 'Crowded' }, actor)
    const pick = random()
    const accepted = new Map<string, number>()
    const ids: string[] = []
    const some = () => ids[pick(ids.length)] ?? `issue_${'0'.repeat(24)}`
    const call = (id: string, fields: object) => p.call(id, { ...place, ...fields }, actor)
    const acts: (() => Promise<Answer>)[] = [
      async () => {
        const alerts = Array.from({ length: 1 + pick(8) }, () => {
          const fingerprint = `f${pick(12)}`
          return { title: `Problem ${fingerprint}`, fingerprint, severity: ['high', 'low'][pick(2)] }
        })
        const answer = await call('issues.alerts.post', { alerts })
        for (const { index, issueId, action } of answer.result?.items ?? []) {
          const { fingerprint } = alerts[index] as { fingerprint: string }
          accepted.set(fingerprint, (accepted.get(fingerprint) ?? 0) + 1)
          if (action === 'created') ids.push(issueId)
        }
        return answer
      },
      () => call('issues.merge', { id: some(), intoId: some() }),
      () => call('issues.split', { id: some() }),
      () => call('issues.patch', { id: some(), status: ['open', 'resolved', 'triaging'][pick(3)] }),
      () => call('issues.patch', { id: some(), assigneeId: [team.id, mate.userId, null][pick(3)], labels: [label.id] }),
      () => call('issues.patch', { id: some(), labels: [] }),
      () => call('labels.apply', { id: label.id, add: [{ object: 'issue', id: some() }] }),
      () => call('issues.notes.post', { id: some(), text: 'Seen' }),
      () => call('issues.post', { title: 'Another one' }),
      () =>
        call('issues.rules.post', {
          name: 'Rule',
          when: 'alert.title == "x"',
          actions: { assigneeId: team.id },
          position: 1,
        }),
      () => call('issues.list', { labels: 'crowded', status: 'open' }),
      () => call('teams.patch', { id: team.id, lead: mate.userId }),
    ]
    let left = operations
    const failed: string[] = []
    const work = async () => {
      while (left-- > 0) {
        const { status, text } = await (acts[pick(2) === 0 ? 0 : pick(acts.length)] as () => Promise<Answer>)()
        if (status >= 500) failed.push(`${status} ${text.slice(0, 200)}`)
      }
    }
    await Promise.all(Array.from({ length: 12 }, work))
    expect(failed).toEqual([])
    expect(await faultsIn(p, place.workspaceId, accepted)).toEqual([])
    if (!isPostgres) return
    const { rows } = await p.database.plain(
      'select coalesce(deadlocks, 0)::int as count from pg_stat_database where datname = current_database()',
    )
    expect(rows[0]?.count).toBe(0)
  })
})
