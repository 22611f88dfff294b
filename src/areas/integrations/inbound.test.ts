// What other systems send in, over HTTP: it is kept, counted on issues once, refused where its signature is wrong, and shown.
import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listeningPlatform } from '../../../test/helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../../../test/helpers/platform.ts'
import { bytesOf, payloadOf } from '../../../test/integrations/sent.ts'

let p: TestPlatform
beforeAll(async () => {
  p = await listeningPlatform()
})
afterAll(() => p.close())

const mapping = {
  title: '"Check failed: " + payload.check.name',
  fingerprint: '"check/" + string(payload.check.id)',
  severity: 'payload.level',
  resources: '"check/" + string(payload.check.id)',
  url: 'payload.check.url',
  resolved: 'payload.state == "up"',
}

type Body = string | Uint8Array
type Headers = Record<string, string>
type Payload = { id: string; outcome: string; reason: string | null; alerts: number; bytes: number }
type Issue = { id: string; title: string; occurrences: number; status: string }

/** An address in a workspace of its own, and what can be asked about it. */
async function scene(config: object = { mapping }, fields: object = {}) {
  const owner = await p.user()
  const on = (operation: string, input: object = {}, caller: TestCaller = owner) =>
    p.call(operation, { workspaceId: owner.workspaceId, ...input }, caller)
  const made = await on('integrations.post', { name: 'Monitoring', type: 'inbound', config, ...fields })
  expect(made.status).toBe(201)
  const { id, inboundUrl } = made.result as { id: string; inboundUrl: string }
  const payloads = async (query: object = {}): Promise<Payload[]> =>
    (await on('integrations.payloads.list', { id, perPage: 100, ...query })).result.items
  const issues = async (): Promise<Issue[]> =>
    (await on('issues.list', { orderBy: 'number', order: 'asc' })).result.items
  /** Sent, and looked at by the job. */
  const sent = async (body: Body, headers: Headers = {}): Promise<Payload> => {
    const { status, result } = await send(inboundUrl, body, headers)
    expect(status).toBe(202)
    return await settled(result.id)
  }
  const settled = async (payloadId: string): Promise<Payload> => {
    const look = async () => (await on('integrations.payloads.get', { id, payloadId })).result
    await expect.poll(async () => (await look()).outcome, { timeout: 15_000, interval: 20 }).not.toBe('waiting')
    return await look()
  }
  return { owner, on, id, url: inboundUrl, payloads, issues, sent }
}

async function send(url: string, body: Body, headers: Headers = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(body),
  })
  const answer = (await response.json()) as { result: { id: string; outcome: string }; error: { detail: string } }
  return { status: response.status, ...answer }
}

const binary = {
  'ce-specversion': '1.0',
  'ce-type': 'com.example.export.failed',
  'ce-source': '/exports',
  'ce-id': '7',
}

/** Sender, payload that tells of a problem, its headers, what an issue shows of it, and the payload that says it is over. */
const senders: [format: string, name: string, headers: Headers, shown: object, over: [string, Headers] | null][] = [
  [
    'generic',
    'generic',
    {},
    {
      title: 'Check failed: Certificate of shop.example.com',
      severity: 'high',
      resources: ['check/17'],
      source: { externalId: 'check/17', url: 'https://uptime.example.com/checks/17' },
    },
    null,
  ],
  [
    'alertmanager',
    'alertmanager_firing',
    {},
    {
      title: 'Checkout answers 5xx to 7.3% of requests',
      severity: 'critical',
      resources: ['service/checkout', 'namespace/shop', 'instance/10.0.3.17:8080'],
      source: { externalId: '1a30ba71cca2921f', url: expect.stringContaining('https://prometheus.example.com/graph') },
    },
    ['alertmanager_resolved', {}],
  ],
  [
    'grafana',
    'grafana_firing',
    {},
    {
      title: 'Memory of db-1 is nearly full',
      severity: 'medium',
      resources: ['host/db-1'],
      source: { externalId: 'c6eadffa33fcdf37', url: expect.stringContaining('https://grafana.example.com/') },
    },
    ['grafana_resolved', {}],
  ],
  [
    'sentry',
    'sentry_issue_created',
    { 'sentry-hook-resource': 'issue' },
    {
      title: 'ReferenceError: basket is not defined',
      severity: 'critical',
      resources: ['project/shop-web'],
      source: { externalId: '1117540176', url: expect.stringContaining('https://sentry.example.com/') },
    },
    ['sentry_issue_resolved', { 'sentry-hook-resource': 'issue' }],
  ],
  [
    'sentry',
    'sentry_metric_alert_critical',
    { 'sentry-hook-resource': 'metric_alert' },
    { title: 'Too many errors', severity: 'critical', resources: ['project/shop-web'] },
    ['sentry_metric_alert_resolved', { 'sentry-hook-resource': 'metric_alert' }],
  ],
  [
    'pagerduty',
    'pagerduty_trigger',
    {},
    {
      title: 'Replication of orders is 40 s behind on db-2',
      severity: 'high',
      resources: ['source/db-2.example.com', 'component/postgres'],
      source: { externalId: 'replication/db-2', url: 'https://monitoring.example.com/checks/17' },
    },
    ['pagerduty_resolve', {}],
  ],
  [
    'pagerduty',
    'pagerduty_incident_triggered',
    {},
    { title: 'Payments are refused', severity: 'critical', resources: ['service/Payments'] },
    ['pagerduty_incident_resolved', {}],
  ],
  [
    'cloudevents',
    'cloudevents_structured',
    { 'content-type': 'application/cloudevents+json' },
    { title: 'Checkout is slow', severity: 'medium', resources: ['service/checkout'] },
    ['cloudevents_batch', { 'content-type': 'application/cloudevents-batch+json' }],
  ],
  ['cloudevents', 'cloudevents_binary', binary, { title: 'Nightly export failed', severity: 'low' }, null],
]

describe('a payload', () => {
  it.each(senders)('of %s (%s) is kept, counted on one issue, and resolves it', async (...row) => {
    const [format, name, headers, shown, over] = row
    const { on, id, issues, sent } = await scene({ format, resolves: true, ...(format === 'generic' && { mapping }) })
    const kept = await sent(bytesOf(name), headers)
    expect(kept).toMatchObject({ outcome: 'taken', reason: null, bytes: bytesOf(name).length })
    expect(kept).toMatchObject({ body: Buffer.from(bytesOf(name)).toString(), headers })
    const [issue, ...others] = await issues()
    expect(issue).toMatchObject({ ...shown, status: 'new', occurrences: 1 })
    expect(issue).toMatchObject({ source: { type: 'alert' } })
    expect(kept.alerts).toBe(1 + others.length)
    await sent(bytesOf(name), headers)
    expect((await issues()).map(({ occurrences }) => occurrences)).toEqual([2, ...others.map(() => 2)])
    const { result } = await on('issues.alerts.list', { id: issue?.id })
    expect(result.items.map(({ action }: { action: string }) => action).sort()).toEqual(['counted', 'created'])
    const [overName, overHeaders] = over ?? ['', headers]
    if (format === 'generic') await sent(JSON.stringify({ check: { id: 17 }, state: 'up' }))
    else if (over) expect(await sent(bytesOf(overName), overHeaders)).toMatchObject({ outcome: 'taken' })
    else return
    const resolved = (await on('issues.get', { id: issue?.id })).result
    expect(resolved).toMatchObject({ status: 'resolved', occurrences: 2 })
    const { result: timeline } = await on('issues.timeline.list', { id: issue?.id })
    expect(JSON.stringify(timeline)).toContain('resolved')
    expect((await on('integrations.get', { id })).result.status).toBe('active')
  })

  it('that says something is over is ignored where the integration does not act on that', async () => {
    const { sent, issues } = await scene({ format: 'alertmanager' })
    await sent(bytesOf('alertmanager_firing'))
    expect(await sent(bytesOf('alertmanager_resolved'))).toMatchObject({
      outcome: 'ignored',
      reason: 'It says that something is over, which this integration does not act on.',
      alerts: 0,
    })
    expect((await issues()).map(({ status }) => status)).toEqual(['new'])
  })

  it('that asks for nothing is ignored, with the reason', async () => {
    const { sent, issues } = await scene({ format: 'pagerduty' })
    expect(await sent(bytesOf('pagerduty_acknowledge'))).toMatchObject({
      outcome: 'ignored',
      reason: expect.any(String),
    })
    expect(await issues()).toEqual([])
  })

  it('of which nothing can be made is kept with the reason, and shown as it came', async () => {
    const { sent, payloads, issues, on, id } = await scene()
    const body = '{"check":{"id":3},"state":"down"}'
    const kept = await sent(body)
    const reason = '`config.mapping.title` fails for this payload: payload.check.name is not set.'
    expect(kept).toMatchObject({ outcome: 'unmapped', reason, body, alerts: 0 })
    await sent(bytesOf('generic'))
    expect((await payloads({ outcome: 'unmapped' })).map(one => one.id)).toEqual([kept.id])
    expect((await payloads()).map(({ outcome }) => outcome)).toEqual(['taken', 'unmapped'])
    expect(await issues()).toHaveLength(1)
    expect((await on('integrations.payloads.get', { id, payloadId: kept.id })).result).not.toHaveProperty('secret')
  })

  it('is counted once by four jobs that take it at the same moment', async () => {
    const { sent, id, on, issues } = await scene()
    const { id: payloadId } = await sent(bytesOf('generic'))
    for (let round = 2; round <= 6; round++) {
      await p.database.plain(`update integration_payloads set outcome = 'waiting' where id = $1`, [payloadId])
      await Promise.all(Array.from({ length: 4 }, () => p.platform.jobs.runNow('integrations.take', { id: payloadId })))
      expect((await issues()).map(({ occurrences }) => occurrences)).toEqual([round])
    }
    expect((await on('integrations.payloads.get', { id, payloadId })).result).toMatchObject({
      outcome: 'taken',
      alerts: 1,
    })
    await p.platform.jobs.runNow('integrations.take', { id: payloadId })
    expect((await issues()).map(({ occurrences }) => occurrences)).toEqual([6])
  })

  it('writes to the audit log what is news, not what is counted', async () => {
    const { sent, on, id } = await scene()
    for (let times = 0; times < 3; times++) await sent(bytesOf('generic'))
    const { result } = await on('audit_logs.list', { action: 'integrations.received' })
    expect(result.items).toMatchObject([{ target: { object: 'integration', id } }])
  })

  it('is not reachable from another workspace, nor by another integration', async () => {
    const one = await scene()
    const other = await scene()
    const { id: payloadId } = await one.sent(bytesOf('generic'))
    const { workspaceId } = one.owner
    const asked = [
      await one.on('integrations.payloads.get', { id: one.id, payloadId }, other.owner),
      await p.call('integrations.payloads.get', { workspaceId, id: one.id, payloadId }, other.owner),
      await other.on('integrations.payloads.get', { id: one.id, payloadId }),
      await other.on('integrations.payloads.get', { id: other.id, payloadId }),
      await other.on('integrations.payloads.list', { id: one.id }),
      await other.on('integrations.mapping.test', { id: one.id, payloadId }),
      await other.on('integrations.mapping.test', { id: other.id, payloadId }),
    ]
    for (const { status, text } of asked) {
      expect([403, 404]).toContain(status)
      expect(text).not.toContain('Certificate')
    }
    expect(await other.payloads()).toEqual([])
    expect(await other.issues()).toEqual([])
  })
})

describe('of a host', () => {
  const signature = (bytes: Uint8Array) => createHmac('sha256', 'host-secret').update(bytes).digest('hex')
  it.each([
    ['github', 'github_issues', { 'x-github-event': 'issues' }, { 'x-hub-signature-256': 'sha256=' }],
    ['gitea', 'gitea_issues', { 'x-gitea-event': 'issues' }, { 'x-gitea-signature': '' }],
    ['gitlab', 'gitlab_issue', { 'x-gitlab-event': 'Issue Hook' }, { 'x-gitlab-token': null }],
  ])('%s, an issue is counted where that is switched on and the signature is right', async (...row) => {
    const [type, name, event, proof] = row
    const config = {
      webhookSecret: 'host-secret',
      issues: true,
      ...(type !== 'github' && { url: 'https://127.0.0.1' }),
    }
    const { sent, issues, url, payloads } = await scene(config, { type })
    const [header, prefix] = Object.entries(proof)[0] as [string, string | null]
    const right = prefix === null ? 'host-secret' : prefix + signature(bytesOf(name))
    const kept = await sent(bytesOf(name), { ...(event as Headers), [header]: right })
    expect(kept).toMatchObject({ outcome: 'taken', alerts: 1 })
    expect(kept).not.toHaveProperty(`headers.${header}`)
    expect(await issues()).toHaveLength(1)
    expect((await send(url, bytesOf(name), { ...(event as Headers), [header]: `${right}0` })).status).toBe(401)
    expect((await send(url, bytesOf(name), event as Headers)).status).toBe(401)
    expect((await payloads()).map(({ outcome }) => outcome)).toEqual(['refused', 'refused', 'taken'])
    expect((await issues())[0]?.occurrences).toBe(1)
  })

  it('GitHub, a ping is ignored, and so are issues where they are not switched on', async () => {
    const { sent, issues } = await scene({ webhookSecret: 'host-secret' }, { type: 'github' })
    const taken = (name: string, event: string) =>
      sent(bytesOf(name), {
        'x-github-event': event,
        'x-hub-signature-256': `sha256=${signature(bytesOf(name))}`,
      })
    expect(await taken('github_ping', 'ping')).toMatchObject({ outcome: 'ignored', reason: expect.any(String) })
    expect(await taken('github_issues', 'issues')).toMatchObject({ outcome: 'ignored' })
    expect(await issues()).toEqual([])
  })
})

describe('a signature', () => {
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  const body = Buffer.from(bytesOf('generic')).toString()
  const standard = (at = new Date(), key = secret): Headers => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign('msg_1', at, body),
  })
  const hex = (key: string) => createHmac('sha256', key).update(body).digest('hex')
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const seconds = String(Math.floor(Date.now() / 1_000))
  const timed = createHmac('sha256', 'a-secret').update(`${seconds}:${body}`).digest('hex')

  const right: [scheme: string, signingSecret: string, headers: Headers][] = [
    ['standard', secret, standard()],
    ['hmac', 'a-secret', { 'x-signature': `sha256=${hex('a-secret')}` }],
    ['sentry', 'a-secret', { 'sentry-hook-signature': hex('a-secret') }],
    ['pagerduty', 'a-secret', { 'x-pagerduty-signature': `v1=${hex('old')},v1=${hex('a-secret')}` }],
    ['grafana', 'a-secret', { 'x-grafana-alerting-signature': hex('a-secret') }],
    ['grafana', 'a-secret', { 'x-grafana-alerting-signature': timed, 'x-grafana-alerting-timestamp': seconds }],
  ]

  it.each(right)('by %s that is right lets it in, and is not kept', async (signature, signingSecret, headers) => {
    const { sent, issues } = await scene({ mapping, signature, signingSecret })
    const kept = (await sent(body, headers)) as Payload & { headers: Headers }
    expect(kept.outcome).toBe('taken')
    const shown = JSON.stringify(kept.headers)
    for (const name of Object.keys(headers).filter(name => name.includes('signature')))
      expect(shown).not.toContain(headers[name])
    expect(await issues()).toHaveLength(1)
  })

  const wrong: [why: string, config: object, headers: Headers, reason: string][] = [
    ['is missing', { signature: 'standard', signingSecret: secret }, {}, 'The header webhook-id is missing.'],
    ['is missing (hmac)', { signature: 'hmac', signingSecret: 'a-secret' }, {}, 'The header X-Signature is missing.'],
    [
      'is of another secret',
      { signature: 'standard', signingSecret: secret },
      standard(new Date(), `whsec_${Buffer.alloc(32, 1).toString('base64')}`),
      'The signature does not fit the body and the secret.',
    ],
    [
      'is of another secret (sentry)',
      { signature: 'sentry', signingSecret: 'a-secret' },
      { 'sentry-hook-signature': hex('another') },
      'The signature does not fit the body and the secret.',
    ],
    [
      'is old',
      { signature: 'standard', signingSecret: secret },
      standard(ago(6)),
      'The time in webhook-timestamp is more than 5 minutes off: the request is old, or a clock is wrong.',
    ],
    [
      'is of the future',
      { signature: 'standard', signingSecret: secret },
      standard(ago(-6)),
      'The time in webhook-timestamp is more than 5 minutes off: the request is old, or a clock is wrong.',
    ],
  ]

  it.each(wrong)('that %s is 401: listed as refused, and never counted', async (_why, config, headers, reason) => {
    const { url, payloads, issues, on, id } = await scene({ mapping, ...config })
    const { status, error } = await send(url, body, headers)
    expect([status, error.detail]).toEqual([401, 'The signature is missing or wrong.'])
    const [kept] = await payloads()
    expect(kept).toMatchObject({ outcome: 'refused', reason, alerts: 0 })
    await p.platform.jobs.runNow('integrations.take', { id: kept?.id })
    expect((await payloads())[0]).toMatchObject({ outcome: 'refused' })
    expect(await issues()).toEqual([])
    // It is not a payload of the sender: mappings are not tried on it by themselves.
    expect((await on('integrations.mapping.test', { id })).result.items).toEqual([])
  })

  it('is of the body: a changed one is 401', async () => {
    const { url, issues } = await scene({ mapping, signature: 'standard', signingSecret: secret })
    expect((await send(url, body.replace('17', '18'), standard())).status).toBe(401)
    expect(await issues()).toEqual([])
  })

  it('of Slack that is wrong is 401 too', async () => {
    const config = { webhookUrl: 'http://127.0.0.1:9/services/x', signingSecret: 'slack-secret' }
    const { url, payloads } = await scene(config, { type: 'slack' })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await send(url, 'payload=%7B%7D', form)).status).toBe(401)
    expect((await payloads()).map(({ outcome }) => outcome)).toEqual(['refused'])
    const time = String(Math.floor(Date.now() / 1_000))
    const signed = createHmac('sha256', 'slack-secret').update(`v0:${time}:payload=%7B%7D`).digest('hex')
    const proof = { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signed}` }
    expect((await send(url, 'payload=%7B%7D', { ...form, ...proof })).status).toBe(200)
  })
})

describe('the address', () => {
  it('is 404 where its token is unknown, or none', async () => {
    const { url, payloads } = await scene()
    const unknown = url.replace(/hook_.*/, `hook_${'a'.repeat(43)}`)
    expect((await send(unknown, '{}')).status).toBe(404)
    expect((await send(`${url}x`, '{}')).status).toBe(404)
    expect((await send(url.replace(/hook_.*/, 'nothing'), '{}')).status).toBe(404)
    expect(await payloads()).toEqual([])
  })

  it('ignores what comes while the integration is paused', async () => {
    const { url, on, id, payloads, issues, sent } = await scene()
    await on('integrations.patch', { id, status: 'paused' })
    const { status, result } = await send(url, bytesOf('generic'))
    expect([status, result.outcome]).toEqual([202, 'ignored'])
    expect((await payloads())[0]).toMatchObject({ outcome: 'ignored', reason: 'The integration is paused.' })
    expect(await issues()).toEqual([])
    await on('integrations.patch', { id, status: 'active' })
    expect(await sent(bytesOf('generic'))).toMatchObject({ outcome: 'taken' })
  })

  it('takes JSON under other names, and in a form', async () => {
    const { sent, issues } = await scene()
    const json = Buffer.from(bytesOf('generic')).toString()
    for (const type of [
      'text/plain',
      'application/vnd.acme.alert+json',
      'application/json; charset=utf-8',
      'text/json',
    ])
      expect(await sent(json, { 'content-type': type })).toMatchObject({ outcome: 'taken' })
    const form = new URLSearchParams({ payload: json }).toString()
    expect(await sent(form, { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({
      outcome: 'taken',
    })
    expect((await issues()).map(({ occurrences }) => occurrences)).toEqual([5])
  })

  it.each([
    ['application/xml', '<alert/>', 'A body of the type "application/xml" is not read here; send JSON.'],
    ['application/x-ndjson', '{}\n{}', 'Lines of JSON are not read here; send one JSON value.'],
    ['application/x-www-form-urlencoded', 'a=b', 'The form has no field `payload`; send JSON, or JSON in that field.'],
    [
      'multipart/form-data; boundary=x',
      '--x--',
      'A body of the type "multipart/form-data" is not read here; send JSON.',
    ],
  ])('keeps what it cannot read, with the reason: %s', async (type, body, reason) => {
    const { sent } = await scene()
    expect(await sent(body, { 'content-type': type })).toMatchObject({ outcome: 'unmapped', reason, body })
  })

  it('takes a CloudEvent that has nothing but headers', async () => {
    const { sent, issues, url } = await scene({ format: 'cloudevents' })
    expect(await sent('', binary)).toMatchObject({ outcome: 'taken', bytes: 0 })
    const bare = await p.request({ method: 'POST', url: new URL(url).pathname, headers: binary })
    expect(bare.status).toBe(202)
    expect((await issues()).map(({ title }) => title)).toEqual(['com.example.export'])
  })

  it('keeps an empty body with the reason', async () => {
    const { sent } = await scene()
    expect(await sent('')).toMatchObject({ outcome: 'unmapped', reason: 'The body is empty.' })
  })

  it('takes gzip, and signatures of what it was before', async () => {
    const { sent, url } = await scene({ mapping, signature: 'hmac', signingSecret: 'a-secret' })
    const bytes = bytesOf('generic')
    const proof = { 'x-signature': `sha256=${createHmac('sha256', 'a-secret').update(bytes).digest('hex')}` }
    const kept = await sent(gzipSync(bytes), { 'content-encoding': 'gzip', ...proof })
    expect(kept).toMatchObject({ outcome: 'taken', bytes: bytes.length, body: Buffer.from(bytes).toString() })
    expect((await send(url, bytes, { 'content-encoding': 'gzip', ...proof })).status).toBe(400)
    expect((await send(url, gzipSync(bytes), { 'content-encoding': 'br', ...proof })).status).toBe(400)
  })

  const limit = 5 * 1024 * 1024

  it('takes 5 MiB and not a byte more, however it is packed', async () => {
    const { sent, url, payloads, on, id } = await scene({ mapping: { title: 'payload.t' } })
    const json = (size: number) => `{"t":"Big","x":"${'x'.repeat(size - 18)}"}`
    expect(json(limit)).toHaveLength(limit)
    const kept = await sent(json(limit))
    expect(kept).toMatchObject({ outcome: 'taken', bytes: limit })
    expect((await on('integrations.payloads.get', { id, payloadId: kept.id })).result.body).toHaveLength(256 * 1024)
    expect((await send(url, json(limit + 1))).status).toBe(413)
    expect((await send(url, gzipSync(json(limit + 1)), { 'content-encoding': 'gzip' })).status).toBe(413)
    expect(await payloads()).toHaveLength(1)
  })

  it('keeps of what nobody looks at only the beginning', async () => {
    const { url, on, id } = await scene()
    await on('integrations.patch', { id, status: 'paused' })
    const { result } = await send(url, JSON.stringify('x'.repeat(300 * 1024)))
    const { rows } = await p.database.plain(
      'select bytes, length(body)::int as kept from integration_payloads where id = $1',
      [result.id],
    )
    expect(rows).toEqual([{ bytes: 300 * 1024 + 2, kept: 256 * 1024 }])
  })

  it.each([
    ['a thousand payloads', 1_000, 2],
    ['64 MiB', 13, limit],
  ])('is 429 while %s wait to be looked at', async (_what, count, bytes) => {
    const { url, id, owner, payloads } = await scene()
    await p.database.plain(
      `insert into integration_payloads (id, workspace_id, integration_id, received, outcome, alerts, bytes, headers, body)
       select 'pld_' || md5($2 || n::text), $1, $2, now(), 'waiting', 0, $4, '{}', '{}' from generate_series(1, $3::int) n`,
      [owner.workspaceId, id, count, bytes],
    )
    const flooded = await send(url, bytesOf('generic'))
    expect([flooded.status, flooded.error.detail]).toEqual([429, expect.stringContaining('Send it again')])
    expect((await payloads({ outcome: 'waiting', perPage: 1 })).length).toBe(1)
    await p.database.plain('delete from integration_payloads where integration_id = $1', [id])
    expect((await send(url, bytesOf('generic'))).status).toBe(202)
  })

  it.each([
    ['is cut off', '{"check":'],
    ['is no JSON', 'hello'],
    ['is no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['has zero bytes', '{"check":{"name":"a\\u0000b","id":1},"level":"x","state":"down"}'],
    ['has raw zero bytes', Buffer.from('{"a":"\0"}')],
    ['is a hundred thousand lists deep', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['has a prototype of its own', '{"__proto__":{"check":{"name":"x","id":1}},"constructor":{"name":1}}'],
    ['has half a character', '{"check":{"name":"\\ud800","id":1,"url":""},"level":"x","state":"down"}'],
    ['has numbers that are too large', '{"check":{"name":"x","id":1e999,"url":""},"level":"x","state":"down"}'],
    ['has the same name twice', '{"check":{"name":"a","name":"b","id":1,"url":""},"level":"x","state":"down"}'],
    ['is only null', 'null'],
    ['has the types of others', '{"check":[{"name":{}}],"level":[],"state":1}'],
  ])('survives a payload that %s', async (_what, body) => {
    const { sent, payloads, sent: again, issues } = await scene()
    const kept = await sent(body)
    expect(['taken', 'unmapped']).toContain(kept.outcome)
    if (kept.outcome === 'unmapped') expect(kept.reason).toBeTruthy()
    expect(await payloads()).toHaveLength(1)
    expect(await again(bytesOf('generic'))).toMatchObject({ outcome: 'taken' })
    expect((await issues()).some(({ title }) => title === 'Check failed: Certificate of shop.example.com')).toBe(true)
  })
})

describe('integrations.mapping.test', () => {
  it('tries a mapping on one payload and changes nothing', async () => {
    const { on, id, sent, issues } = await scene()
    const { id: payloadId } = await sent('{"check":{"id":3},"state":"down"}')
    const test = (input: object) => on('integrations.mapping.test', { id, payloadId, ...input })
    const set = await test({})
    expect(set.status).toBe(200)
    expect(set.result.items).toMatchObject([
      { payloadId, alerts: [], resolved: [], reason: expect.stringContaining('payload.check.name is not set') },
    ])
    const tried = await test({ mapping: { title: '"Check " + string(payload.check.id)' } })
    expect(tried.result.items).toMatchObject([
      { payloadId, alerts: [{ title: 'Check 3', fingerprint: 'generic:Check 3' }], reason: null },
    ])
    const over = await test({ mapping: { title: '"x"', resolved: 'payload.state == "down"' } })
    expect(over.result.items).toMatchObject([{ alerts: [], resolved: ['generic:x'], reason: null }])
    const other = await test({ format: 'alertmanager' })
    expect(other.result.items[0].reason).toBe('This is no Alertmanager webhook: it has no list `alerts`.')
    expect((await test({ mapping: { title: 'payload.' } })).status).toBe(400)
    expect(await issues()).toEqual([])
    expect((await on('integrations.get', { id })).result.config.mapping).toEqual(mapping)
  })

  it('tries it on the last fifty, of which those that were taken are kept', async () => {
    const { on, id, sent, payloads } = await scene({ mapping: { title: 'payload.t' } })
    for (let n = 1; n <= 53; n++) await sent(JSON.stringify({ t: `Alert ${n}` }))
    // What is over the number goes with the next one that comes.
    expect((await payloads()).length).toBeLessThanOrEqual(51)
    const { result } = await on('integrations.mapping.test', { id, mapping: { title: 'payload.t + "!"' } })
    const titles = result.items.map(({ alerts }: { alerts: { title: string }[] }) => alerts[0]?.title)
    expect(titles).toEqual(Array.from({ length: 50 }, (_, n) => `Alert ${53 - n}!`))
  })

  it('does not read a payload by the format of another sender', async () => {
    const { on, id, sent } = await scene({ format: 'grafana' })
    const { id: payloadId } = await sent(JSON.stringify(payloadOf('alertmanager_firing')))
    const { result } = await on('integrations.mapping.test', { id, payloadId, format: 'sentry' })
    expect(result.items[0]).toMatchObject({ alerts: [], reason: expect.stringContaining('no Sentry webhook') })
  })
})
