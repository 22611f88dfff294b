// Buttons that were pressed in Slack: what is read of them, what is refused, and what is answered.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyOf } from '../../src/areas/integrations/messages/slack.ts'
import { readInteraction, replyOf } from '../../src/areas/integrations/messages/slack_interactions.ts'
import { approvalId, hostileText, issueId, stringsOf, view, wanted } from './views.ts'

const responseUrl = 'https://hooks.slack.com/actions/T0123ABCD/123456/abcDEF'

/** As Slack documents `block_actions`, shortened. */
function pressed(action: object, more: object = {}): object {
  return {
    type: 'block_actions',
    team: { id: 'T0123ABCD', domain: 'acme' },
    user: { id: 'U0123ABCD', username: 'ada', team_id: 'T0123ABCD' },
    api_app_id: 'A0123ABCD',
    token: 'not read',
    container: { type: 'message', message_ts: '1751364000.000100', channel_id: 'C0123ABCD', is_ephemeral: false },
    trigger_id: '1.2.abc',
    channel: { id: 'C0123ABCD', name: 'operations' },
    message: { type: 'message', text: 'x', ts: '1751364000.000100' },
    response_url: responseUrl,
    actions: [{ type: 'button', block_id: 'b', action_ts: '1', ...action }],
    ...more,
  }
}

const acknowledge = { action_id: 'acknowledge', value: JSON.stringify({ issueId }) }
const sent = (payload: unknown) => new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
const read = (payload: unknown) => readInteraction(sent(payload))
const origin = { slackUserId: 'U0123ABCD', slackTeamId: 'T0123ABCD', responseUrl, messageTs: '1751364000.000100' }

describe('readInteraction', () => {
  it('reads every button that a message of ours has', () => {
    const buttons = [view(), wanted].flatMap(event =>
      JSON.parse(bodyOf(event, { hasButtons: true })).blocks.flatMap((block: { elements?: object[] }) =>
        (block.elements ?? []).filter(element => 'action_id' in element),
      ),
    )
    expect(buttons.map(button => read(pressed(button)))).toEqual([
      { kind: 'action', action: 'acknowledge', value: { issueId }, ...origin },
      { kind: 'action', action: 'approve', value: { approvalId }, ...origin },
      { kind: 'action', action: 'deny', value: { approvalId }, ...origin },
      { kind: 'other' },
    ])
  })

  it('takes the team of the user where the app is installed for an organisation', () => {
    expect(read(pressed(acknowledge, { team: null }))).toMatchObject({ kind: 'action', slackTeamId: 'T0123ABCD' })
  })

  it('knows the message by either place, or not at all', () => {
    expect(read(pressed(acknowledge, { container: {} }))).toMatchObject({ messageTs: '1751364000.000100' })
    expect(read(pressed(acknowledge, { container: {}, message: undefined }))).toMatchObject({ messageTs: null })
    expect(read(pressed(acknowledge, { container: { message_ts: 'now' } }))).toMatchObject({ messageTs: null })
  })

  it('leaves alone what others are asked', () => {
    expect(read({ type: 'view_submission' })).toEqual({ kind: 'other' })
    expect(read(pressed({ action_id: 'somebody_else', value: 'x' }))).toEqual({ kind: 'other' })
    expect(read(pressed({ action_id: 'toString', value: '{}' }))).toEqual({ kind: 'other' })
  })

  it.each([
    ['no payload', 'other=1'],
    ['an empty body', ''],
    ['two payloads', `${sent(pressed(acknowledge))}&${sent(pressed(acknowledge))}`],
    ['no JSON', 'payload=%7B'],
    ['a list', 'payload=%5B%5D'],
    ['no action', sent(pressed({}, { actions: [] }))],
    ['two actions', sent(pressed({}, { actions: [acknowledge, acknowledge] }))],
    ['a value that is no JSON', sent(pressed({ ...acknowledge, value: 'x' }))],
    ['no value', sent(pressed({ action_id: 'approve' }))],
    ['an id of another kind', sent(pressed({ ...acknowledge, value: JSON.stringify({ issueId: approvalId }) }))],
    ['an approval without its id', sent(pressed({ action_id: 'approve', value: JSON.stringify({ issueId }) }))],
    ['an id and more', sent(pressed({ ...acknowledge, value: JSON.stringify({ issueId: `${issueId}/x` }) }))],
    ['no user', sent(pressed(acknowledge, { user: {} }))],
    ['no team', sent(pressed(acknowledge, { team: null, user: { id: 'U0123ABCD' } }))],
    ['a user who is no id', sent(pressed(acknowledge, { user: { id: '<!here>', team_id: 'T1' } }))],
  ])('says what is wrong with %s', (_, form) => {
    expect(readInteraction(form)).toEqual({ fault: expect.stringMatching(/^The .*\.$/) })
  })

  it.each([
    'http://hooks.slack.com/actions/x',
    'https://hooks.slack.com.evil.example/actions/x',
    'https://evil.example/hooks.slack.com',
    'https://hooks.slack.com@evil.example/actions',
    'https://eve:x@hooks.slack.com/actions',
    'https://hooks.slack.com:8443/actions',
    'https://evil.example\\@hooks.slack.com/',
    'https://127.0.0.1/actions',
    'file:///etc/passwd',
    '//hooks.slack.com/actions',
    '',
    7,
    null,
  ])('answers to Slack alone, not to %s', response_url => {
    expect(read(pressed(acknowledge, { response_url }))).toEqual({ fault: expect.stringContaining('response_url') })
  })

  it('never throws', () => {
    const payload = fc.letrec(tie => ({
      value: fc.oneof(
        fc.constantFrom(null, 'acknowledge', '{"issueId":1}', 3, responseUrl),
        tie('object'),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
      object: fc.dictionary(
        fc.constantFrom('type', 'actions', 'action_id', 'value', 'user', 'team', 'id', '__proto__'),
        tie('value'),
        {
          maxKeys: 4,
        },
      ),
    })).object
    fc.assert(
      fc.property(
        fc.oneof(
          payload.map(sent),
          payload.map(one => sent({ type: 'block_actions', ...one })),
          hostileText,
        ),
        form => {
          const outcome = readInteraction(form)
          expect('fault' in outcome || outcome.kind === 'other').toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('replyOf', () => {
  it('tells everybody what was done, and one what was refused', () => {
    const done = JSON.parse(replyOf('Ada acknowledged the issue “A & B”.', 'done'))
    expect(done).toMatchObject({ response_type: 'in_channel', replace_original: false })
    expect(done.text).toBe('Ada acknowledged the issue “A &amp; B”.')
    expect(done.blocks).toEqual([
      { type: 'section', text: { type: 'plain_text', text: 'Ada acknowledged the issue “A & B”.', emoji: false } },
    ])
    expect(JSON.parse(replyOf('You may not do this.', 'refused')).response_type).toBe('ephemeral')
  })

  it('mentions nobody', () => {
    fc.assert(
      fc.property(hostileText, text => {
        const reply = JSON.parse(replyOf(`Done: ${text}`, 'done'))
        expect(reply.text).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/)
        for (const { text: found } of stringsOf(reply.blocks)) expect(found).not.toMatch(/<[@!#\w]/)
        expect(reply.blocks[0].text.text.length).toBeLessThanOrEqual(3_000)
      }),
      { numRuns: 200 },
    )
  })
})
