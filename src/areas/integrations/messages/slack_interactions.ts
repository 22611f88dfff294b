// What Slack sends when somebody presses a button, and what is answered to it.
import type { TSchema } from 'typebox'
import { ApprovalId } from '../../../contract/approvals.ts'
import { IssueId } from '../../../contract/ids.ts'
import { cleaned } from './plain_text.ts'
import type { SlackAction } from './slack_buttons.ts'
import { escapeMrkdwn, plainText } from './slack_text.ts'

export type Interaction = {
  kind: 'action'
  action: SlackAction
  value: { issueId?: string; approvalId?: string }
  slackUserId: string
  slackTeamId: string
  /** Where the answer goes, for half an hour. */
  responseUrl: string
  messageTs: string | null
}

/** `other`: something that Slack may send and that we have no part in; it is answered with 200 and nothing else. */
export type ReadInteraction = Interaction | { kind: 'other' } | { fault: string }

const idOf: Readonly<Record<SlackAction, { name: 'issueId' | 'approvalId'; form: RegExp }>> = {
  acknowledge: { name: 'issueId', form: formOf(IssueId) },
  approve: { name: 'approvalId', form: formOf(ApprovalId) },
  deny: { name: 'approvalId', form: formOf(ApprovalId) },
}

function formOf(id: TSchema): RegExp {
  return new RegExp((id as { pattern?: string }).pattern ?? '')
}

/** Reads a body whose signature was checked: what is in it is Slack's word, though not yet in the form we need. */
export function readInteraction(form: string, isAnswerable: (url: URL) => boolean = isOfSlack): ReadInteraction {
  const payloads = new URLSearchParams(form).getAll('payload')
  const payload = payloads.length === 1 ? parsed(payloads[0]) : undefined
  if (!isRecord(payload)) return { fault: 'The body has no payload that is a JSON object.' }
  if (payload.type !== 'block_actions') return { kind: 'other' }
  const [pressed, ...more] = Array.isArray(payload.actions) ? (payload.actions as unknown[]) : []
  if (!isRecord(pressed) || more.length > 0) return { fault: 'The payload does not have one action.' }
  const action = pressed.action_id
  if (typeof action !== 'string' || !isOurs(action)) return { kind: 'other' }
  const { name, form: idForm } = idOf[action]
  const id = at(parsed(pressed.value), name)
  if (typeof id !== 'string' || !idForm.test(id)) return { fault: `The value of the button has no valid ${name}.` }
  return withOrigin(payload, { kind: 'action', action, value: { [name]: id } }, isAnswerable)
}

function withOrigin(
  payload: object,
  pressed: Pick<Interaction, 'kind' | 'action' | 'value'>,
  isAnswerable: (url: URL) => boolean,
): ReadInteraction {
  // Where an app is installed for a whole organisation, the team stands with the user alone.
  const slackTeamId = at(payload, 'team', 'id') ?? at(payload, 'user', 'team_id')
  const slackUserId = at(payload, 'user', 'id')
  if (!isSlackId(slackUserId)) return { fault: 'The payload does not say which user pressed the button.' }
  if (!isSlackId(slackTeamId)) return { fault: 'The payload does not say of which team the user is.' }
  const url = at(payload, 'response_url')
  const responseUrl = typeof url === 'string' && URL.canParse(url) ? new URL(url) : null
  if (responseUrl === null || !isAnswerable(responseUrl))
    return { fault: 'The response_url is not an address of hooks.slack.com.' }
  const ts = at(payload, 'container', 'message_ts') ?? at(payload, 'message', 'ts')
  const messageTs = typeof ts === 'string' && /^\d{1,16}\.\d{1,8}$/.test(ts) ? ts : null
  return { ...pressed, slackUserId, slackTeamId, responseUrl: responseUrl.href, messageTs }
}

/**
 * `done`: everybody in the channel reads it. `refused`: only who pressed the button does. The message stays either way.
 * With `by`, an id that was read from Slack, the line begins with that person.
 */
export function replyOf(text: string, outcome: 'done' | 'refused', by?: string): string {
  const line = cleaned(text)
  const words = { type: 'text', text: ` ${plainText(line).text}` }
  const named = { type: 'rich_text_section', elements: [{ type: 'user', user_id: by }, words] }
  return JSON.stringify({
    response_type: outcome === 'done' ? 'in_channel' : 'ephemeral',
    replace_original: false,
    text: Array.from(plainText(line).text, escapeMrkdwn).join(''),
    mrkdwn: false,
    blocks: [by === undefined ? { type: 'section', text: plainText(line) } : { type: 'rich_text', elements: [named] }],
  })
}

/** What is sent there can name records: it goes to Slack and to nobody else. */
function isOfSlack({ protocol, host, username, password }: URL): boolean {
  return protocol === 'https:' && host === 'hooks.slack.com' && username === '' && password === ''
}

function isOurs(action: string): action is SlackAction {
  return Object.hasOwn(idOf, action)
}

function isSlackId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Z][A-Z0-9]{1,31}$/.test(id)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field by its path; undefined where there is no such thing. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (here, name) => (isRecord(here) && Object.hasOwn(here, name) ? here[name] : undefined),
    value,
  )
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
