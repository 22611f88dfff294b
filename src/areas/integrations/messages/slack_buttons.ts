// What can be done about an event without leaving Slack.
import type { EventView } from './event_view.ts'
import { cleaned, cut, webLink } from './plain_text.ts'
import { plainText } from './slack_text.ts'

/** What a button says back when it is pressed: `slack_interactions.ts` reads it. */
export type SlackAction = 'acknowledge' | 'approve' | 'deny'

export function buttonsOf(view: EventView): object[] {
  const { target, type } = view
  if (target === null) return []
  if (type === 'agent_tools.approvals.wanted') {
    const value = { approvalId: target.id }
    return [
      { ...button('approve', 'Approve', value), style: 'primary', confirm: confirmOf(view) },
      { ...button('deny', 'Deny', value), style: 'danger' },
      ...openButton(target.url),
    ]
  }
  return isNewIssue(view) ? [button('acknowledge', 'Acknowledge', { issueId: target.id })] : []
}

function isNewIssue({ target, type, changes = [] }: EventView): boolean {
  if (target?.object !== 'issue') return false
  return (
    ['issues.post', 'issues.opened'].includes(type) ||
    changes.some(({ path, after }) => path === 'status' && after === 'new')
  )
}

function button(action: SlackAction, label: string, value: object) {
  return { type: 'button', action_id: action, text: plainText(label), value: JSON.stringify(value) }
}

function openButton(address: string | null): object[] {
  const url = webLink(address)
  return url === null ? [] : [{ type: 'button', action_id: 'open', text: plainText('Open'), url }]
}

/** Nobody approves by a slip of the finger. Slack shows at most 300 characters. */
function confirmOf({ changes = [] }: EventView) {
  const tool = changes.find(({ path }) => path === 'tool')?.after
  const named = typeof tool === 'string' ? cut(cleaned(tool), 100) : ''
  const text = named ? `The agent then runs “${named}” at once.` : 'The agent then makes the call at once.'
  return {
    title: plainText('Approve this call?'),
    text: plainText(text, 300),
    confirm: plainText('Approve'),
    deny: plainText('Not now'),
  }
}
