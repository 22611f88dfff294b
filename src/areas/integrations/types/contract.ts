// The types of integrations: what each is for, what it is set up with and what it needs. The catalog shows this.
import { type TObject, type TProperties, Type } from 'typebox'
import { choice, object, shown } from '../../../contract/records.ts'
import { sealed } from '../../../contract/sealed.ts'

export const secretsColumn = 'integrations.secrets'

const address = (description: string, example: string) =>
  Type.String({
    maxLength: 2_048,
    pattern: '^https?://[^\\s]+$',
    'x-hint': 'an address that begins with https://',
    description,
    examples: [example],
  })

/** What a header can hold. */
const key = (description: string) =>
  sealed(secretsColumn, { minLength: 1, maxLength: 4_096, pattern: '^[!-~]+$', description })

/** Whoever has such an address can post: it is a secret itself. */
const postingAddress = (example: string) =>
  sealed(secretsColumn, {
    minLength: 1,
    maxLength: 2_048,
    pattern: '^https?://[^\\s]+$',
    'x-hint': 'an address that begins with https://',
    description: 'The address that the service gave you for posting.',
    examples: [example],
  })

const headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: Type.String({ maxLength: 1_024, pattern: '^[\\t !-~]*$' }),
  propertyNames: { minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' },
  maxProperties: 10,
  description: 'Sent along. Nothing secret: everybody who may read the integration sees them.',
  examples: [{ team: 'checkout' }],
})

const timeoutSeconds = shown(
  Type.Integer({ minimum: 1, maximum: 30, default: 15, description: 'How long an answer may take.' }),
  { format: 'duration' },
)

const optional = Type.Optional

export const inboundFormats = ['generic', 'alertmanager', 'grafana', 'sentry', 'pagerduty', 'cloudevents'] as const
export const signatureSchemes = ['none', 'standard', 'hmac', 'sentry', 'pagerduty', 'grafana'] as const

const expression = (description: string) =>
  shown(Type.String({ minLength: 1, maxLength: 2_000, description }), { format: 'cel' })

export const Mapping = object({
  title: expression('What the issue is called, such as payload.alert.name.'),
  fingerprint: optional(expression('What makes two payloads the same problem; the title where nothing is said.')),
  severity: optional(expression('critical, high, medium, low or info.')),
  body: optional(expression('Markdown.')),
  url: optional(expression('Where it can be looked at.')),
  at: optional(expression('When it happened.')),
  resources: optional(expression('What it is about, with commas between.')),
  labels: optional(expression('Names of labels, with commas between.')),
  resolved: optional(expression('True where the payload says that the problem is over.')),
  fields: optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string', minLength: 1, maxLength: 2_000 },
      propertyNames: { minLength: 1, maxLength: 128 },
      maxProperties: 50,
      description: 'Anything else, by name: `alert.fields["name"]` in rules.',
    }),
  ),
})

const host = {
  token: optional(key('With which repositories are read and pull requests made; it needs no more.')),
  webhookSecret: optional(key('Set the same one at the host: what it sends is then checked by its signature.')),
  syncs: optional(Type.Boolean({ default: true, description: 'A push syncs the repository at once.' })),
  issues: optional(
    Type.Boolean({ default: false, description: 'Issues that are opened there are counted here as alerts.' }),
  ),
}

export type IntegrationTypeInfo = {
  title: string
  about: string
  /** `out`: it is sent events; `in`: it has an address of its own; `tools`: agents can use it. */
  directions: readonly ('out' | 'in' | 'tools')[]
  config: TObject
  needs: string
}

function info<const P extends TProperties>(
  title: string,
  about: string,
  directions: IntegrationTypeInfo['directions'],
  needs: string,
  config: P,
) {
  return { title, about, directions, needs, config: object(config) }
}

export const types = {
  webhook: info(
    'Webhook',
    'Events as signed HTTP requests, in the form of Standard Webhooks.',
    ['out'],
    'An address that takes POST and answers 2xx. Check the signature with any library for Standard Webhooks.',
    {
      url: address('Where events are sent.', 'https://example.com/hooks/atrium'),
      payload: optional(
        choice(['full', 'thin'], {
          default: 'full',
          description: 'thin: ids only, so that the receiver asks for the rest.',
        }),
      ),
      headers: optional(headers),
      timeoutSeconds: optional(timeoutSeconds),
    },
  ),
  inbound: info(
    'Inbound webhook',
    'An address that takes alerts of other systems and counts them on issues.',
    ['in'],
    'Put the address into the other system. Where it signs what it sends, set the same secret here.',
    {
      format: optional(choice(inboundFormats, { default: 'generic', description: 'Who sends.' })),
      mapping: optional({ ...Mapping, description: 'For `generic`: each field as a CEL expression over `payload`.' }),
      signature: optional(choice(signatureSchemes, { default: 'none', description: 'How the sender signs.' })),
      signingSecret: optional(key('What the sender signs with.')),
      resolves: optional(
        Type.Boolean({ default: false, description: 'What the sender calls resolved is moved to resolved here.' }),
      ),
    },
  ),
  email: info(
    'E-mail',
    'Events as mails to members of the workspace.',
    ['out'],
    'Verified addresses of members; mail must be set up by the operator.',
    {
      to: Type.Array(Type.String({ maxLength: 254, format: 'email', examples: ['grace@example.com'] }), {
        minItems: 1,
        maxItems: 20,
        description: 'Verified addresses of members.',
      }),
    },
  ),
  slack: info(
    'Slack',
    'Events as messages in a channel, with buttons to acknowledge and approve.',
    ['out', 'in'],
    'An incoming webhook of a Slack app. For buttons: its signing secret, and inboundUrl as the request URL for interactivity.',
    {
      webhookUrl: postingAddress('https://hooks.slack.com/services/…'),
      buttons: optional(Type.Boolean({ default: false, description: 'Needs signingSecret.' })),
      signingSecret: optional(key('Of the Slack app, under Basic Information.')),
    },
  ),
  discord: info('Discord', 'Events as messages in a channel.', ['out'], 'A webhook of the channel.', {
    webhookUrl: postingAddress('https://discord.com/api/webhooks/…'),
  }),
  teams: info(
    'Microsoft Teams',
    'Events as cards in a channel.',
    ['out'],
    'A workflow “When a Teams webhook request is received”.',
    {
      webhookUrl: postingAddress('https://example.webhook.office.com/…'),
    },
  ),
  mattermost: info('Mattermost', 'Events as messages in a channel.', ['out'], 'An incoming webhook.', {
    webhookUrl: postingAddress('https://mattermost.example.com/hooks/…'),
  }),
  github: info(
    'GitHub',
    'Reads repositories, makes pull requests, and hears of pushes, merges and issues.',
    ['in'],
    'A fine-grained token, or an app with its private key; for what it sends, a webhook to inboundUrl with content type JSON.',
    {
      ...host,
      apiUrl: optional(address('Of GitHub Enterprise Server.', 'https://github.example.com/api/v3')),
      appId: optional(Type.String({ maxLength: 32, pattern: '^[0-9A-Za-z.]+$', description: 'In place of a token.' })),
      installationId: optional(Type.String({ maxLength: 32, pattern: '^[0-9]+$' })),
      privateKey: optional(
        sealed(secretsColumn, {
          minLength: 1,
          maxLength: 16_384,
          pattern: '^-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\s-]*$',
          'x-hint': 'a private key in PEM form',
          description: 'Of the app.',
        }),
      ),
    },
  ),
  gitlab: info(
    'GitLab',
    'Reads repositories, makes merge requests, and hears of pushes, merges and issues.',
    ['in'],
    'A project or group token with api and read_repository; for what it sends, a webhook to inboundUrl.',
    { ...host, url: optional(address('Of your own server.', 'https://gitlab.example.com')) },
  ),
  gitea: info(
    'Gitea',
    'Reads repositories, makes pull requests, and hears of pushes, merges and issues.',
    ['in'],
    'A token with repository rights; for what it sends, a webhook to inboundUrl.',
    { ...host, url: address('Of the server.', 'https://gitea.example.com') },
  ),
  prometheus: info(
    'Prometheus',
    'Queries of metrics, for people and agents, and for the context of issues.',
    ['tools'],
    'The address of a Prometheus, Thanos or Mimir API.',
    {
      url: address('Of the server, without /api/v1.', 'https://prometheus.example.com'),
      token: optional(key('Sent as bearer.')),
      username: optional(Type.String({ maxLength: 256, pattern: '^[!-9;-~]+$' })),
      password: optional(key('With a user name.')),
    },
  ),
  mcp: info(
    'MCP server',
    'Tools of another MCP server, which agents may call once a person has reviewed them.',
    ['tools'],
    'The address of a server over streamable HTTP; a token, a client of its authorization server, or a person who connects it in the browser.',
    {
      url: address('Of the server.', 'https://mcp.example.com/mcp'),
      token: optional(key('Sent as bearer.')),
      clientId: optional(
        Type.String({
          maxLength: 512,
          pattern: '^[!-~]+$',
          description: 'For OAuth, where the server does not register clients by itself.',
        }),
      ),
      clientSecret: optional(key('Of the client. Without one, a person connects it in the browser.')),
      scope: optional(
        Type.String({ maxLength: 512, pattern: '^[ !-~]*$', description: 'What is asked for by OAuth.' }),
      ),
    },
  ),
  custom: info(
    'HTTP request',
    'Any HTTP call with places to fill in, for automations and agents.',
    ['tools'],
    'An address that is called; `{{ input.name }}` is filled in from what the caller sends.',
    {
      url: {
        ...address('May have places in its path and query.', 'https://example.com/deploys/{{ input.service }}'),
        pattern: '^https?://([^\\s{}]|\\{\\{ *[A-Za-z0-9_.-]+ *\\}\\})+$',
        'x-hint': 'an address that begins with https://, with places such as {{ input.name }}',
      },
      method: optional(choice(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' })),
      headers: optional(headers),
      body: optional(
        Type.Unknown({ description: 'JSON with places in its texts.', examples: [{ text: '{{ input.text }}' }] }),
      ),
      authorization: optional(
        sealed(secretsColumn, {
          minLength: 1,
          maxLength: 4_096,
          pattern: '^[ !-~]+$',
          description: 'The header Authorization, such as Bearer and a token.',
        }),
      ),
      timeoutSeconds: optional(timeoutSeconds),
    },
  ),
} satisfies Record<string, IntegrationTypeInfo>

export type IntegrationType = keyof typeof types

export const integrationTypes = Object.keys(types) as IntegrationType[]
