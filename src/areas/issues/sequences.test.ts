// Any sequence of alerts, merges, splits, moves and pauses leaves each fingerprint one issue, and every count right.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { faultsIn } from '../../../test/issues/invariants.ts'

/** ISSUES_SEQUENCES=1000 for long. */
const sequences = Number(process.env.ISSUES_SEQUENCES ?? 40)

let p: TestPlatform
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
afterAll(() => p.close())

const fingerprints = ['a', 'b', 'c', 'd']
const severities = ['critical', 'high', 'medium', 'low', 'info']

type Step =
  | { act: 'send'; alerts: { fingerprint: string; severity: string }[] }
  | { act: 'merge'; one: number; other: number }
  | { act: 'split'; one: number }
  | { act: 'move'; one: number; status: string }
  | { act: 'snooze'; one: number; hours: number }
  | { act: 'wait'; hours: number }

const place = fc.nat(7)
const alert = fc.record({ fingerprint: fc.constantFrom(...fingerprints), severity: fc.constantFrom(...severities) })
const steps = fc.array(
  fc.oneof<fc.WeightedArbitrary<Step>[]>(
    {
      weight: 6,
      arbitrary: fc.record({ act: fc.constant('send'), alerts: fc.array(alert, { minLength: 1, maxLength: 6 }) }),
    },
    { weight: 3, arbitrary: fc.record({ act: fc.constant('merge'), one: place, other: place }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('split'), one: place }) },
    {
      weight: 4,
      arbitrary: fc.record({
        act: fc.constant('move'),
        one: place,
        status: fc.constantFrom('resolved', 'resolved', 'dismissed', 'open', 'mitigated', 'triaging'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ act: fc.constant('snooze'), one: place, hours: fc.constantFrom(1, 30) }) },
    { weight: 2, arbitrary: fc.record({ act: fc.constant('wait'), hours: fc.constantFrom(1, 25) }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 4, maxLength: 16 },
)

type State = { owner: TestCaller; accepted: Map<string, number>; ids: string[] }

async function take({ owner, accepted, ids }: State, step: Step): Promise<void> {
  const { workspaceId } = owner
  const call = async (operation: string, fields: object) => {
    const answer = await p.call(operation, { workspaceId, ...fields }, owner)
    expect([200, 400, 404, 409]).toContain(answer.status)
    return answer
  }
  const at = (index: number) => ids[index % Math.max(ids.length, 1)] ?? `issue_${'0'.repeat(24)}`
  if (step.act === 'wait') return p.advance(step.hours * 3_600_000)
  if (step.act === 'merge') return void (await call('issues.merge', { id: at(step.one), intoId: at(step.other) }))
  if (step.act === 'split') return void (await call('issues.split', { id: at(step.one) }))
  if (step.act === 'move') return void (await call('issues.patch', { id: at(step.one), status: step.status }))
  if (step.act === 'snooze') {
    const snoozedUntil = new Date(p.now().getTime() + step.hours * 3_600_000).toISOString()
    return void (await call('issues.patch', { id: at(step.one), snoozedUntil }))
  }
  const alerts = step.alerts.map(one => ({ ...one, title: `Problem ${one.fingerprint}` }))
  const { result } = await call('issues.alerts.post', { alerts })
  for (const { index, action, issueId } of result.items) {
    expect(['created', 'counted', 'reopened']).toContain(action)
    if (action === 'created') ids.push(issueId)
    const { fingerprint } = step.alerts[index] as { fingerprint: string }
    accepted.set(fingerprint, (accepted.get(fingerprint) ?? 0) + 1)
  }
}

describe('any sequence of what can happen to issues', () => {
  it(`leaves everything right, ${sequences} times`, { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async taken => {
        const owner = await p.user()
        const state: State = { owner, accepted: new Map(), ids: [] }
        for (const step of taken) await take(state, step)
        expect(await faultsIn(p, owner.workspaceId, state.accepted)).toEqual([])
      }),
      { numRuns: sequences, seed: Number(process.env.ISSUES_SEED ?? 412), endOnFailure: sequences > 100 },
    )
  })
})
