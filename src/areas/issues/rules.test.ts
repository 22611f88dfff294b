import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { budget, judge, type Rule } from './rules/evaluation.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
})
beforeEach(async () => {
  // A key, since a session ends when it is not used for a week.
  owner = await p.key(await p.user())
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

const noActions: Rule['actions'] = {
  fingerprint: null,
  correlate: null,
  severity: null,
  assigneeId: null,
  addLabels: [],
  suppress: false,
  threshold: null,
}
const post = (fields: object, caller = owner) =>
  p.call('issues.rules.post', { workspaceId, name: 'A rule', when: 'true', ...fields }, caller)
const rule = async (when: string, actions: object, fields: object = {}) => {
  const answer = await post({ when, actions, ...fields })
  expect(answer.error).toBeNull()
  return answer.result
}
const send = async (...alerts: unknown[]) => {
  const answer = await p.call('issues.alerts.post', { workspaceId, alerts }, owner)
  expect(answer.error).toBeNull()
  return answer.result.items
}
const get = async (id: string) => (await p.call('issues.get', { workspaceId, id }, owner)).result
const actionsOf = (items: { action: string }[]) => items.map(({ action }) => action)

it('rules that are too much work for one call are ended, and the one is named', () => {
  const rule: Rule = { id: 'issue_rule_slow', when: 'alert.title.matches("(a+)+b")', actions: noActions }
  const spent = { leftMs: 0 }
  expect(() => judge([rule], { title: 'a'.repeat(256) }, spent)).toThrow(
    expect.objectContaining({ kind: 'conflict', metadata: { ruleId: rule.id } }),
  )
  expect(judge([rule], { title: 'a'.repeat(256) }, budget()).ruleIds).toEqual([])
})

describe('issues.rules', () => {
  it('are kept with all that they do, in their order', async () => {
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Money' }, owner)
    const made = await rule('alert.title.contains("pay")', {
      fingerprint: ['fields.service', 'title'],
      correlate: 'alert.source.externalId',
      severity: 'high',
      assigneeId: owner.userId,
      addLabels: [label.id],
      threshold: { count: 3, windowSeconds: 60 },
    })
    expect(made).toMatchObject({
      id: expect.stringMatching(/^issue_rule_[0-9a-z]{24}$/),
      ownerId: owner.userId,
      enabled: true,
      position: 1,
      matched7d: 0,
      lastMatch: null,
      actions: {
        fingerprint: ['fields.service', 'title'],
        correlate: 'alert.source.externalId',
        severity: 'high',
        assigneeId: owner.userId,
        addLabels: [label.id],
        suppress: false,
        threshold: { count: 3, windowSeconds: 60 },
      },
    })
    const second = await rule('true', { suppress: true })
    const first = await rule('true', { suppress: true }, { position: 1 })
    const order = async () =>
      (await p.call('issues.rules.list', { workspaceId }, owner)).result.items.map(({ id }: { id: string }) => id)
    expect(await order()).toEqual([first.id, made.id, second.id])
    const moved = await p.call('issues.rules.patch', { workspaceId, id: second.id, position: 1 }, owner)
    expect(moved.result.position).toBe(1)
    expect(await order()).toEqual([second.id, first.id, made.id])
    const changes = { workspaceId, id: made.id, actions: { severity: null, threshold: null } }
    const { result: changed } = await p.call('issues.rules.patch', changes, owner)
    expect(changed.actions).toMatchObject({ severity: null, threshold: null, assigneeId: owner.userId })
    await p.call('labels.del', { workspaceId, id: label.id }, owner)
    expect((await p.call('issues.rules.get', { workspaceId, id: made.id }, owner)).result.actions.addLabels).toEqual([])
  })

  it('that cannot match, or would do nothing, are refused when they are saved, with the place', async () => {
    const wrong: [object, RegExp][] = [
      [{ when: 'alert.tilte == "x"', actions: { suppress: true } }, /line 1, column \d+/],
      [{ when: 'alart.title == "x"', actions: { suppress: true } }, /line 1, column 1/],
      [{ when: 'alert.source.id == "x"', actions: { suppress: true } }, /column \d+/],
      [{ when: 'alert.title ==', actions: { suppress: true } }, /column \d+/],
      [{ when: 'alert.title', actions: { suppress: true } }, /column/],
      [{ when: 'true', actions: { correlate: 'alert.nothing' } }, /actions.correlate/],
      [{ when: 'true', actions: { fingerprint: ['title', 'service'] } }, /actions\.fingerprint\.1/],
      [{ when: 'true', actions: { fingerprint: ['source'] } }, /actions\.fingerprint\.0/],
      [{ when: 'true', actions: {} }, /do nothing/],
      [{ when: 'true', actions: { suppress: false, addLabels: [] } }, /do nothing/],
      [{ when: 'true', actions: { assigneeId: 'system' } }, /actions\.assigneeId/],
      [{ when: 'true', actions: { assigneeId: (await p.user()).userId } }, /actions\.assigneeId/],
      [{ when: 'true', actions: { addLabels: [`label_${'0'.repeat(24)}`] } }, /label_0/],
    ]
    for (const [fields, text] of wrong) {
      const answer = await post(fields)
      expect({ fields, status: answer.status }).toEqual({ fields, status: 400 })
      expect(answer.error.detail).toMatch(text)
      const made = await rule('true', { suppress: true })
      const patched = await p.call('issues.rules.patch', { workspaceId, id: made.id, ...fields }, owner)
      const isWhole = Object.keys((fields as { actions: object }).actions).length === 0
      if (!isWhole) expect({ fields, status: patched.status }).toEqual({ fields, status: 400 })
    }
  })

  it('make the fingerprint, the severity, the assignee, the labels and the group of an issue', async () => {
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Payments' }, owner)
    const { result: label } = await p.call('labels.post', { workspaceId, name: 'Money' }, owner)
    const made = await rule('alert.fields["service"] == "pay"', {
      fingerprint: ['fields.service', 'fields.code'],
      correlate: 'string(alert.fields["region"])',
      severity: 'critical',
      assigneeId: team.id,
      addLabels: [label.id],
    })
    const items = await send(
      { title: 'Pay fails', fields: { service: 'pay', code: 502, region: 'eu' } },
      { title: 'Pay fails again', fields: { service: 'pay', code: 502, region: 'eu' } },
      { title: 'Pay fails otherwise', fields: { service: 'pay', code: 'a|b', region: 'eu' } },
    )
    expect(actionsOf(items)).toEqual(['created', 'counted', 'created'])
    expect(items.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([made.id, made.id, made.id])
    const issue = await get(items[0].issueId)
    expect(issue).toMatchObject({
      fingerprint: 'pay|502',
      severity: 'critical',
      assigneeId: team.id,
      labels: [label.id],
      correlationKey: 'eu',
    })
    expect((await get(items[2].issueId)).fingerprint).toBe('pay|a\\|b')
    const { result: group } = await p.call('issues.list', { workspaceId, correlationKey: 'eu' }, owner)
    expect(group.count).toBe(2)
    const shown = (await p.call('issues.rules.get', { workspaceId, id: made.id }, owner)).result
    expect(shown).toMatchObject({ matched7d: 3, lastMatch: expect.any(String) })
    p.advance(8 * 86_400_000)
    const later = (await p.call('issues.rules.get', { workspaceId, id: made.id }, owner)).result
    expect(later).toMatchObject({ matched7d: 0, lastMatch: shown.lastMatch })
  })

  it('suppress, and say which did; what is disabled does nothing', async () => {
    const made = await rule('alert.title.startsWith("Noise")', { suppress: true })
    const noise = { title: 'Noise', fingerprint: 'noise' }
    expect(await send(noise)).toEqual([{ index: 0, issueId: null, action: 'suppressed', ruleId: made.id }])
    await p.call('issues.rules.patch', { workspaceId, id: made.id, enabled: false }, owner)
    expect(actionsOf(await send(noise))).toEqual(['created'])
  })

  it('all apply in their order, and an earlier one has the first word', async () => {
    await rule('true', { severity: 'low' })
    await rule('true', { severity: 'critical', assigneeId: owner.userId })
    const [item] = await send({ title: 'Both', fingerprint: 'both' })
    expect(await get(item.issueId)).toMatchObject({ severity: 'low', assigneeId: owner.userId })
  })

  it('hold alerts below a threshold, and count those that waited when it is reached', async () => {
    const made = await rule('true', { threshold: { count: 3, windowSeconds: 60 } })
    const flap = { title: 'Flapping', fingerprint: 'flap' }
    expect(await send(flap)).toEqual([{ index: 0, issueId: null, action: 'held', ruleId: made.id }])
    p.advance(61_000)
    expect(actionsOf(await send(flap))).toEqual(['held'])
    expect(actionsOf(await send(flap))).toEqual(['held'])
    const [item] = await send(flap)
    expect(item.action).toBe('created')
    expect((await get(item.issueId)).occurrences).toBe(3)
    expect(actionsOf(await send(flap))).toEqual(['counted'])
    const together = await send(...Array(4).fill({ title: 'At once', fingerprint: 'once' }))
    expect(actionsOf(together)).toEqual(['counted', 'counted', 'created', 'counted'])
    expect((await get(together[0].issueId)).occurrences).toBe(4)
  })
})

describe('issues.rules.test', () => {
  const test = (fields: object, caller = owner) => p.call('issues.rules.test', { workspaceId, ...fields }, caller)

  it('says what a rule would have done with the alerts of the last 7 days, and changes nothing', async () => {
    await send({ title: 'Too old', fingerprint: 'old', fields: { service: 'pay' } })
    p.advance(8 * 86_400_000)
    const alert = (code: number) => ({
      title: `Pay ${code}`,
      fingerprint: `f${code}`,
      fields: { service: 'pay', code },
    })
    await send(alert(1), alert(1), alert(2), { title: 'Other', fingerprint: 'o' })
    const when = 'alert.fields["service"] == "pay"'
    const actions = { fingerprint: ['fields.service'], severity: 'high', correlate: 'string(alert.fields["code"])' }
    const { result } = await test({ rule: { name: 'Tried', when, actions } })
    expect(result).toMatchObject({
      scanned: 4,
      matched: 3,
      partial: false,
      would: { suppress: 0, hold: 0, changeSeverity: 3, changeFingerprint: 3, assign: 0, label: 0, issues: 1 },
      fingerprints: [{ value: 'pay', count: 3 }],
      groups: [
        { value: '1', count: 2 },
        { value: '2', count: 1 },
      ],
    })
    expect(result.samples).toHaveLength(3)
    expect(result.samples[0]).toMatchObject({ title: 'Pay 2', action: 'created', fingerprint: 'pay' })
    const held = await test({ rule: { when, actions: { threshold: { count: 2, windowSeconds: 60 } } } })
    expect(held.result.would).toMatchObject({ hold: 1, issues: 1 })
    const none = await test({ rule: { when: 'alert.title.startsWith("Never")', actions: { suppress: true } } })
    expect(none.result).toMatchObject({ matched: 0, lastMatch: null })
    const broken = await test({ rule: { when: 'alert.body.startsWith("x")', actions: { suppress: true } } })
    expect(broken.result.errors[0]).toMatchObject({ count: 4 })
  })

  it('takes a rule or the id of one, and needs only the right to read', async () => {
    const made = await rule('true', { suppress: true })
    const viewer = await p.as('viewer', workspaceId)
    expect((await test({ ruleId: made.id }, viewer)).status).toBe(200)
    expect((await test({})).status).toBe(400)
    expect((await test({ ruleId: made.id, rule: { when: 'true' } })).status).toBe(400)
    expect((await test({ rule: { when: 'alert.nothing' } })).status).toBe(400)
    expect((await test({ ruleId: `issue_rule_${'0'.repeat(24)}` })).status).toBe(404)
    const other = await p.user()
    const foreign = await p.call(
      'issues.rules.post',
      { workspaceId: other.workspaceId, name: 'Theirs', when: 'true', actions: { suppress: true } },
      other,
    )
    expect((await test({ ruleId: foreign.result.id })).status).toBe(404)
  })
})
