// Receivers that take what the documentation of a chat says and refuse everything else, and one that says all it was sent again.
import { createServer, type IncomingMessage } from 'node:http'
import { bodyOf, listening } from './receivers.ts'

// biome-ignore lint/suspicious/noExplicitAny: what comes is looked at field by field
type Loose = any

/** Null where it is right; else what is wrong with it. */
type Form = (body: Loose) => string | null

const isText = (value: unknown, most: number) => typeof value === 'string' && value.length > 0 && value.length <= most
const hasOnly = (value: object, names: readonly string[]) => Object.keys(value).every(name => names.includes(name))

/** https://docs.slack.dev/reference/block-kit */
const slackBlocks: Record<string, (block: Loose) => boolean> = {
  section: ({ type: _, text, fields, ...rest }) =>
    Object.keys(rest).length === 0 &&
    (text || fields) &&
    (fields ?? []).length <= 10 &&
    [...(text ? [text] : []), ...(fields ?? [])].every(isSlackText),
  context: ({ type: _, elements, ...rest }) =>
    Object.keys(rest).length === 0 && elements.length > 0 && elements.length <= 10 && elements.every(isSlackText),
  actions: ({ elements }) => elements.length > 0 && elements.length <= 25,
  rich_text: ({ elements }) =>
    elements.every(
      ({ type, elements: parts }: Loose) =>
        type === 'rich_text_section' &&
        parts.every((part: Loose) =>
          part.type === 'link' ? isWeb(part.url) : part.type === 'text' && part.text !== '',
        ),
    ),
}
const isSlackText = ({ type, text }: Loose) => ['plain_text', 'mrkdwn'].includes(type) && isText(text, 2_000)
const isWeb = (url: unknown) => typeof url === 'string' && /^https?:\/\//.test(url)

const slack: Form = ({ text, blocks, ...rest }) => {
  if (!hasOnly(rest, ['mrkdwn', 'unfurl_links', 'unfurl_media'])) return 'invalid_payload'
  if (!isText(text, 40_000)) return 'no_text'
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > 50) return 'invalid_blocks'
  return blocks.every(block => slackBlocks[block.type]?.(block)) ? null : 'invalid_blocks'
}

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const discord: Form = ({ embeds, allowed_mentions: mentions, ...rest }) => {
  if (Object.keys(rest).length > 0) return 'unknown fields'
  if (!Array.isArray(embeds) || embeds.length < 1 || embeds.length > 10) return 'embeds'
  if (!Array.isArray(mentions?.parse)) return 'allowed_mentions'
  let total = 0
  for (const { title, url, color, fields = [], footer, timestamp, ...more } of embeds) {
    if (Object.keys(more).length > 0 || !isText(title, 256) || !isText(footer?.text, 2_048)) return 'embed'
    if ((url !== undefined && !isWeb(url)) || !Number.isInteger(color) || color > 0xffffff) return 'embed'
    if (Number.isNaN(Date.parse(timestamp)) || fields.length > 25) return 'embed'
    if (!fields.every(({ name, value }: Loose) => isText(name, 256) && isText(value, 1_024))) return 'fields'
    for (const { name, value } of fields) total += name.length + value.length
    total += title.length + footer.text.length
  }
  return total <= 6_000 ? null : 'more than 6000 characters'
}

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const teams: Form = ({ type, attachments, ...rest }) => {
  if (type !== 'message' || Object.keys(rest).length > 0 || attachments?.length !== 1) return 'no message'
  const [{ contentType, contentUrl, content }] = attachments
  if (contentType !== 'application/vnd.microsoft.card.adaptive' || contentUrl !== null) return 'no card'
  if (content.type !== 'AdaptiveCard' || !/^1\.[0-5]$/.test(content.version) || content.body.length === 0)
    return 'no card'
  const lines = content.body.every(
    ({ type: line, inlines }: Loose) =>
      line === 'RichTextBlock' && inlines.every((run: Loose) => run.type === 'TextRun' && isText(run.text, 10_000)),
  )
  const actions = (content.actions ?? []).every(
    (action: Loose) => action.type === 'Action.OpenUrl' && isWeb(action.url),
  )
  if (!lines || !actions) return 'no card'
  return JSON.stringify(attachments).length <= 28_000 ? null : 'more than 28 KB'
}

/** https://developers.mattermost.com/integrate/reference/message-attachments */
const mattermost: Form = ({ attachments, ...rest }) => {
  if (!hasOnly(rest, ['text', 'username', 'icon_url'])) return 'Unable to parse incoming data'
  if (!Array.isArray(attachments) || attachments.length !== 1) return 'no attachment'
  const [{ fallback, color, text, fields = [], footer, ...more }] = attachments
  if (Object.keys(more).length > 0 || !/^#[0-9a-f]{6}$/.test(color)) return 'attachment'
  if (![fallback, text, footer].every(one => isText(one, 16_383))) return 'attachment'
  return fields.every(({ title, value }: Loose) => isText(title, 300) && isText(value, 4_000)) ? null : 'fields'
}

/** The form that each takes, and what it answers then. */
const chats = {
  slack: { form: slack, good: [200, 'ok'] },
  discord: { form: discord, good: [204, ''] },
  teams: { form: teams, good: [202, ''] },
  mattermost: { form: mattermost, good: [200, 'ok'] },
} as const

export type Chat = keyof typeof chats
export const chatNames = Object.keys(chats) as Chat[]

/** `posts` has what was right, `faults` what was wrong; the path is the secret of the address. */
export async function chatReceiver(chat: Chat, path: string) {
  const posts: Loose[] = []
  const faults: string[] = []
  const { form, good } = chats[chat]
  const url = await listening(
    createServer(async (request, response) => {
      const fault = await faultOf(request, path, form, posts)
      if (fault === null) return void response.writeHead(good[0]).end(good[0] === 204 ? undefined : good[1])
      faults.push(fault)
      response.writeHead(fault === 'no such webhook' ? 404 : 400).end(fault)
    }),
  )
  return { url: `${url}${path}`, posts, faults }
}

async function faultOf(request: IncomingMessage, path: string, form: Form, posts: Loose[]): Promise<string | null> {
  const text = await bodyOf(request)
  if (request.url !== path) return 'no such webhook'
  if (request.method !== 'POST') return `the method ${request.method}`
  if (!request.headers['content-type']?.startsWith('application/json')) return 'not JSON'
  try {
    const body = JSON.parse(text)
    const fault = form(body)
    if (fault === null) posts.push(body)
    return fault
  } catch (error) {
    return String(error)
  }
}

export type Asked = { method: string; url: string; headers: IncomingMessage['headers']; body: string }

/** All that was sent: plainly, in base64 and as JSON in JSON. */
export function saidAgain(asked: Asked) {
  const values = [asked.url, ...Object.values(asked.headers).map(String)]
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return {
    ...asked,
    encoded: values.map(base64),
    credentials: values.map(value => base64(value.replace(/^\w+ /, ''))),
    decoded: values.map(value => Buffer.from(value.replace(/^Basic /, ''), 'base64').toString()),
    again: JSON.stringify(asked),
    uri: encodeURIComponent(values.join(' ')),
  }
}

/** Says it all again, with the status that it is told to, or as `answer` has it. */
export async function echo(answer: (asked: Asked, said: string) => object | null = () => null) {
  const state = { status: 200 }
  const seen: Asked[] = []
  const url = await listening(
    createServer(async (request, response) => {
      const { method = '', url: path = '', headers } = request
      const asked = { method, url: path, headers, body: await bodyOf(request) }
      seen.push(asked)
      const said = JSON.stringify(saidAgain(asked))
      const own = answer(asked, said)
      const echoed = String(headers.authorization ?? path).replace(/[^!-~]/g, '')
      const type = own ? 'application/json' : `application/json; said="${echoed}"`
      response.writeHead(own ? 200 : state.status, { 'content-type': type }).end(own ? JSON.stringify(own) : said)
    }),
  )
  return { url, seen, state }
}
