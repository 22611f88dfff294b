// Events to make messages of, and texts that strangers could have put into them.
import fc from 'fast-check'
import type { EventView } from '../../src/areas/integrations/messages/event_view.ts'

export const issueId = 'issue_0123456789abcdefghijklmn'
export const approvalId = 'apr_0123456789abcdefghijklmn'
export const url = `https://atrium.example.com/w/ws_1/issues/${issueId}`

export function view(more: Partial<EventView> = {}): EventView {
  return {
    type: 'issues.post',
    timestamp: '2026-07-01T10:00:00.000Z',
    seq: 7,
    workspace: { id: 'ws_1', name: 'Acme' },
    target: { object: 'issue', id: issueId, title: 'Checkout answers 502', url },
    actor: { type: 'session', id: 'usr_1', name: 'Ada', callerKind: null, surface: 'rest' },
    ...more,
  }
}

export const wanted = view({
  type: 'agent_tools.approvals.wanted',
  target: {
    object: 'agent_tool_approval',
    id: approvalId,
    title: null,
    url: 'https://atrium.example.com/w/ws_1/agent_tools',
  },
  actor: { type: 'run', id: 'usr_1', name: 'Ada', callerKind: 'investigation', surface: 'mcp' },
  changes: [{ path: 'tool', after: 'issues.patch' }],
})

/** An event in which everything that strangers can write is this text. */
export function filledWith(text: string): EventView {
  const change = { path: text, before: text, after: { [text]: [text] } }
  return view({
    workspace: { id: 'ws_1', name: text },
    target: { object: 'issue', id: issueId, title: text, url },
    actor: { type: 'session', id: 'usr_1', name: text, callerKind: null, surface: 'rest' },
    changes: [{ path: 'title', before: text, after: text }, ...Array.from({ length: 8 }, () => change)],
  })
}

const fragments = [
  ...['@everyone', '@here', '@channel', '@all', '@ada', '＠channel', '<@U123>', '<@!123>', '<@&123>', '<!here>'],
  ...['<!channel|x>', '<!subteam^S1>', '<#C123>', '<5fb5f7iw8tfrfcwssd1xmx3j7y>', '<at>Ada</at>', '</at>', '<t:1:R>'],
  ...['<https://evil.example|click>', '<https://evil.example>', 'https://evil.example/win', 'www.evil.example'],
  ...['[click](https://evil.example)', '](https://evil.example)', '![x](https://evil.example/x.png)', 'evil。example'],
  ...[
    'mailto:eve@evil.example',
    'eve@evil.example',
    '[x]: https://evil.example',
    '<img src=x>',
    '<script>',
    '&lt;!here&gt;',
  ],
  ...[
    '*bold*',
    '**bold**',
    '_it_',
    '__u__',
    '~s~',
    '~~s~~',
    '`code`',
    '```',
    '||spoiler||',
    '# head',
    '> quote',
    '>>> all',
  ],
  ...[
    '- item',
    '+ item',
    '1. item',
    '| a | b |',
    ':fire:',
    ':)',
    '#hashtag',
    '~town-square',
    '$x^2$',
    '\\',
    '\\\\*a*',
    '---',
  ],
  ...[
    '{{DATE(2026-01-01T00:00:00Z,SHORT)}}',
    '{{event.actor}}',
    `$\{title}`,
    '@{triggerBody()}',
    '%0d%0a',
    '%s',
    '&amp;',
  ],
  ...[
    '\r\nBcc: eve@evil.example',
    '\n\n',
    '\0',
    '\u001b[31m',
    '\u202e',
    '\u200b',
    '\u2028',
    '\ud800',
    '\udc00',
    '\ufeff',
  ],
  ...[
    '👩‍👩‍👧‍👦',
    '🇩🇪',
    'é'.normalize('NFD'),
    `a${'\u0301'.repeat(500)}`,
    '"',
    "'",
    '","text":"x',
    '第一',
    'نص',
    ' ',
    'x'.repeat(300),
  ],
]

export const hostileText = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...fragments) }, fc.string({ unit: 'binary', maxLength: 20 })),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map(parts => parts.join(''))

/** What chat and mail programs make links of: a scheme, `www.`, or names joined by dots that end in letters. */
export const linkLike =
  /[a-z][a-z0-9+.-]*:\/\/|\bmailto:(?!\u200b)|\bwww\.(?!\u200b)|[\p{L}\p{N}-][.。．｡․][\p{L}]{2,}/iu

/** Every string of a JSON value, with the names that lead to it. */
export function stringsOf(value: unknown, path = ''): { path: string; text: string }[] {
  if (typeof value === 'string') return [{ path, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => stringsOf(part, `${path}/${name}`))
}
