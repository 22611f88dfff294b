// Secrets of integrations, used in every way there is: no answer, log line, file or table holds one of them.
import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backUp } from '../../src/server/upkeep/backup.ts'
import { linesOf } from '../../src/server/upkeep/backup_file.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { type Asked, echo } from './chats.ts'

const timeout = { timeout: 20_000, interval: 50 }

/** Name → a text that stands nowhere else. */
const secrets = new Map<string, string>()
function secret(name: string): string {
  const text = randomBytes(20).toString('hex')
  secrets.set(name, text)
  return text
}

/** In clear, in hexadecimal digits, and in base64 wherever it begins. */
function needlesOf(text: string): string[] {
  const within = [0, 1, 2].flatMap(before => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)]
  })
  return [text, Buffer.from(text).toString('hex'), ...within]
}

/** The names of the secrets that stand in it. */
function heldBy(text: string): string[] {
  return [...secrets].filter(([, one]) => needlesOf(one).some(needle => text.includes(needle))).map(([name]) => name)
}

/** An MCP server, a Prometheus or anything else, which says all that it was sent again. */
function answerTo({ body, url }: Asked, said: string): object | null {
  if (url.startsWith('/metrics/api/v1/query')) return { status: 'error', errorType: 'bad_data', error: said }
  const { jsonrpc, id, method, params } = (body.startsWith('{') ? JSON.parse(body) : {}) as {
    jsonrpc?: string
    id?: number
    method?: string
    params?: { arguments?: { fail?: boolean } }
  }
  if (jsonrpc === undefined) return null
  if (id === undefined) return {}
  if (params?.arguments?.fail) return { jsonrpc, id, error: { code: -32_602, message: said } }
  const tool = { name: 'echo', description: said, inputSchema: { type: 'object' } }
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: said.slice(0, 500), version: '1' },
    },
    'tools/list': { tools: [tool] },
    'tools/call': { content: [{ type: 'text', text: said }], structuredContent: JSON.parse(said) },
  }
  const result = results[method ?? '']
  return { jsonrpc, id, ...(result ? { result } : { error: { code: -32_601, message: said } }) }
}

const folder = mkdtempSync(join(tmpdir(), 'atrium-secrets-'))
const lines: string[] = []
const answers: { operation: string; text: string }[] = []
let p: TestPlatform
let owner: TestCaller
let target: Awaited<ReturnType<typeof echo>>
beforeAll(async () => {
  p = await platform({ logTo: line => lines.push(line) })
  owner = await p.user()
  target = await echo(answerTo)
})
afterAll(async () => {
  await p.close()
  rmSync(folder, { recursive: true, force: true })
})

async function on(operation: string, input: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await p.call(operation, { workspaceId: owner.workspaceId, ...input }, owner, headers)
  answers.push({ operation, text: `${shownOnce(operation, answer)}${JSON.stringify(answer.headers)}` })
  return answer
}

/** What we make is shown in the answer that makes it, and nowhere else. */
function shownOnce(operation: string, { result, text, status }: Answer): string {
  if (!['integrations.post', 'integrations.rotateSecret'].includes(operation) || status >= 300) return text
  const { secret: made, inboundUrl, ...rest } = result
  if (made) secrets.set(`made ${secrets.size}`, made.replace('whsec_', ''))
  if (inboundUrl) secrets.set(`made ${secrets.size}`, inboundUrl.split('hook_')[1])
  return JSON.stringify(rest)
}

const pem = () => {
  const key = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const text = key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  // A line of it from the middle.
  secrets.set('private key', text.split('\n')[10] ?? '')
  return text
}

/** Name, type and configuration of each, with every secret that the type can have. */
const given = (url: string): [name: string, type: string, config: object][] => [
  ['Hook', 'webhook', { url: `${url}/hook` }],
  ['Slack', 'slack', { webhookUrl: `${url}/services/${secret('slack')}`, signingSecret: secret('slack signing') }],
  ['Discord', 'discord', { webhookUrl: `${url}/api/webhooks/1/${secret('discord')}` }],
  ['Teams', 'teams', { webhookUrl: `${url}/workflows/x?sig=${secret('teams')}` }],
  ['Mattermost', 'mattermost', { webhookUrl: `${url}/hooks/${secret('mattermost')}` }],
  [
    'GitHub',
    'github',
    {
      apiUrl: url,
      token: secret('github'),
      webhookSecret: secret('github webhook'),
      appId: '1',
      installationId: '2',
      privateKey: pem(),
      issues: true,
    },
  ],
  ['GitLab', 'gitlab', { url, token: secret('gitlab'), webhookSecret: secret('gitlab webhook'), issues: true }],
  ['Gitea', 'gitea', { url, token: secret('gitea'), webhookSecret: secret('gitea webhook') }],
  ['Metrics', 'prometheus', { url: `${url}/metrics`, token: secret('prometheus') }],
  ['Others', 'prometheus', { url: `${url}/others`, username: 'ada', password: secret('prometheus password') }],
  ['Docs', 'mcp', { url: `${url}/mcp`, token: secret('mcp') }],
  ['Client', 'mcp', { url: `${url}/mcp`, clientId: 'atrium', clientSecret: secret('mcp client') }],
  ['Request', 'custom', { url: `${url}/call/{{ input.x }}`, authorization: `Bearer ${secret('custom')}` }],
  [
    'Inbound',
    'inbound',
    { mapping: { title: 'payload.t' }, signature: 'hmac', signingSecret: secret('inbound signing') },
  ],
]

describe('the secrets of integrations', () => {
  const ids = new Map<string, string>()
  const urls = new Map<string, string>()
  const id = (name: string) => ids.get(name) ?? ''
  const out = ['Hook', 'Slack', 'Discord', 'Teams', 'Mattermost']

  it('are set, and sent again with the same key for repeats', async () => {
    for (const [name, type, config] of given(target.url)) {
      const events = out.includes(name) ? ['teams.*'] : []
      const key = { 'idempotency-key': `key-${name}` }
      const made = await on('integrations.post', { name, type, config, events }, key)
      expect([name, made.status]).toEqual([name, 201])
      expect((await on('integrations.post', { name, type, config, events }, key)).result.id).toBe(made.result.id)
      ids.set(name, made.result.id)
      if (made.result.inboundUrl) urls.set(name, new URL(made.result.inboundUrl).pathname)
    }
    expect(secrets.size).toBeGreaterThan(20)
  })

  it('deliver, fail and deliver again', async () => {
    const attempts = async (name: string) => {
      const { result } = await on('integrations.deliveries.list', { id: id(name) })
      return result.items.map(({ status, attempt }: { status: string; attempt: number }) => `${status} ${attempt}`)
    }
    await on('teams.post', { name: 'First' })
    for (const name of out) await expect.poll(() => attempts(name), timeout).toEqual(['succeeded 1'])
    target.state.status = 500
    await on('teams.post', { name: 'Second' })
    for (const name of out) await expect.poll(() => attempts(name), timeout).toEqual(['pending 1', 'succeeded 1'])
    for (const name of out) {
      const { result } = await on('integrations.deliveries.list', { id: id(name) })
      await on('integrations.deliveries.redeliver', { id: id(name), deliveryId: result.items[1].id })
      await expect.poll(async () => (await attempts(name))[0], timeout).toBe('failed 1')
      const all = (await on('integrations.deliveries.list', { id: id(name) })).result.items
      for (const one of all) {
        const whole = await on('integrations.deliveries.get', { id: id(name), deliveryId: one.id })
        expect(whole.result.responseBody).toContain('"method":')
      }
      await on('integrations.get', { id: id(name) })
    }
    target.state.status = 200
    await on('integrations.deliveries.redeliverMany', { id: id('Slack'), status: 'succeeded' })
    await on('integrations.backfill', { id: id('Discord'), fromSeq: 1, toSeq: 50 })
    await expect.poll(async () => (await attempts('Slack'))[0], timeout).toBe('succeeded 1')
    await expect.poll(async () => (await attempts('Discord'))[0], timeout).toBe('succeeded 1')
  })

  it('are tested, and sent nowhere but to their targets', async () => {
    for (const status of [200, 401, 500]) {
      target.state.status = status
      for (const name of ids.keys()) await on('integrations.test', { id: id(name) })
    }
    target.state.status = 200
    const sent = JSON.stringify(target.seen.map(one => ({ ...one, body: '' })))
    const basic = Buffer.from(`ada:${secrets.get('prometheus password')}`).toString('base64')
    expect(sent).toContain(basic)
    for (const name of ['slack', 'discord', 'teams', 'mattermost', 'gitlab', 'gitea', 'prometheus', 'mcp'])
      expect(sent, name).toContain(secrets.get(name))
    for (const [name, one] of secrets) if (/signing|webhook$|private|made/.test(name)) expect(sent).not.toContain(one)
  })

  it('query, call and use tools', async () => {
    const span = { from: '2026-11-15T00:00:00.000Z', to: '2026-11-15T01:00:00.000Z' }
    for (const name of ['Metrics', 'Others']) {
      const now = await on('integrations.prometheus.query', { id: id(name), query: 'up' })
      expect(now.status).toBe(name === 'Metrics' ? 400 : 409)
      await on('integrations.prometheus.queryRange', { id: id(name), query: 'up', ...span })
    }
    const called = await on('integrations.call', { id: id('Request'), input: { x: 'y' } })
    expect(called.result.json).toMatchObject({ url: '/call/y' })
    const sent = target.seen.findLast(({ url }) => url === '/call/y')
    expect(sent?.headers.authorization).toBe(`Bearer ${secrets.get('custom')}`)
    expect((await on('integrations.tools.refresh', { id: id('Docs') })).status).toBe(200)
    const [tool] = (await on('integrations.tools.list', { id: id('Docs') })).result.items
    const review = { id: id('Docs'), tool: 'echo', digest: tool.digest, decision: 'approve' }
    expect((await on('integrations.tools.review', review)).status).toBe(200)
    const { status, result } = await on('integrations.tools.call', { name: tool.name })
    expect([status, result.isError]).toEqual([200, false])
    expect(result.text).toContain('"method":')
    await on('integrations.tools.call', { name: tool.name, arguments: { fail: true } })
    await on('integrations.tools.refresh', { id: id('Client') })
  })

  it('receive, with right and wrong proofs', async () => {
    const body = '{"t":"An alert"}'
    const send = async (name: string, headers: Record<string, string>) => {
      const request = { method: 'POST' as const, url: urls.get(name) ?? '', payload: body }
      const answer = await p.request({ ...request, headers: { 'content-type': 'application/json', ...headers } })
      answers.push({ operation: 'integrations.inbound', text: answer.text })
      return answer.status
    }
    const signed = (name: string) =>
      createHmac('sha256', secrets.get(name) ?? '')
        .update(body)
        .digest('hex')
    expect(await send('Inbound', { 'x-signature': `sha256=${signed('inbound signing')}` })).toBe(202)
    expect(await send('Inbound', { 'x-signature': secrets.get('inbound signing') ?? '' })).toBe(401)
    const event = { 'x-github-event': 'issues', 'x-gitlab-event': 'Issue Hook', 'x-gitea-event': 'issues' }
    const token = secrets.get('gitlab webhook') ?? ''
    expect(await send('GitLab', { ...event, 'x-gitlab-token': token })).toBe(202)
    expect(await send('GitLab', { ...event, 'x-gitlab-token': `${token}x` })).toBe(401)
    const proof = { 'x-hub-signature-256': `sha256=${signed('github webhook')}` }
    expect(await send('GitHub', { ...event, ...proof, authorization: `Bearer ${token}` })).toBe(202)
    expect(await send('Gitea', { ...event, 'x-gitea-signature': signed('gitea webhook'), cookie: token })).toBe(202)
    expect(await send('Slack', { 'x-slack-signature': secrets.get('slack signing') ?? '' })).toBe(401)
    for (const name of ['Inbound', 'GitLab', 'GitHub', 'Gitea', 'Slack']) {
      const look = async () => (await on('integrations.payloads.list', { id: id(name) })).result.items
      const isDone = async () => (await look()).every(({ outcome }: { outcome: string }) => outcome !== 'waiting')
      await expect.poll(isDone, timeout).toBe(true)
      expect((await look()).length).toBeGreaterThan(0)
      for (const { id: payloadId } of await look()) {
        await on('integrations.payloads.get', { id: id(name), payloadId })
        await on('integrations.mapping.test', { id: id(name), payloadId })
      }
    }
    const unknown = await p.request({
      method: 'POST',
      url: `/v1/hooks/in/hook_${secret('unknown token')}`,
      payload: '{}',
    })
    expect(unknown.status).toBe(404)
    answers.push({ operation: 'integrations.inbound', text: unknown.text })
  })

  it('are refused, changed and replaced', async () => {
    const bad: [name: string, config: object][] = [
      ['Slack', { webhookUrl: `ftp://${secret('bad address')}` }],
      ['Slack', { webhookUrl: `http://10.0.0.1/${secret('forbidden address')}` }],
      ['GitHub', { privateKey: `no key ${secret('bad key')}` }],
      ['GitLab', { token: `${secret('bad token')}\n` }],
      ['Metrics', { webhookUrl: `https://x/${secret('of another type')}` }],
      ['Metrics', { password: { nested: secret('of another form') } }],
      ['Metrics', { url: 'https://example.com' }],
      ['Request', { authorization: `${'x'.repeat(20_000)}${secret('too long')}` }],
    ]
    for (const [name, config] of bad) {
      const { status } = await on('integrations.patch', { id: id(name), config })
      expect([JSON.stringify(config).slice(0, 60), status]).toEqual([JSON.stringify(config).slice(0, 60), 400])
    }
    const payload = `{"workspaceId":"${owner.workspaceId}","config":{"token":"${secret('broken JSON')}"`
    const headers = { ...owner.headers, 'content-type': 'application/json' }
    const broken = await p.request({ method: 'POST', url: '/v1/integrations', payload, headers })
    expect(broken.status).toBe(400)
    answers.push({ operation: 'integrations.post', text: broken.text })
    const token = secret('new token')
    expect((await on('integrations.patch', { id: id('Metrics'), config: { token } })).status).toBe(200)
    for (const name of ['Hook', 'Inbound', 'Slack'])
      await on('integrations.rotateSecret', { id: id(name), overlapHours: 1 })
    await on('integrations.patch', { id: id('Teams'), name: 'Teams, renamed', status: 'paused' })
    await on('integrations.list', { perPage: 100 })
    await on('integrations.del', { id: id('Mattermost') })
  })

  it('stand in no answer', async () => {
    const all = Object.keys((await import('../../src/areas/integrations/contract.ts')).integrations.operations)
    const called = new Set(answers.map(({ operation }) => operation))
    const left = all.filter(operation => !called.has(operation))
    // Those of people hold no secret; both have tests of their own.
    expect(left.filter(operation => !/^integrations\.(people|oauth)\./.test(operation)).sort()).toEqual([
      'integrations.catalog',
      'integrations.prometheus.issue',
    ])
    const found = answers.map(({ operation, text }) => [operation, heldBy(text)]).filter(([, names]) => names?.length)
    expect(found).toEqual([])
  })

  it('stand neither in the audit log, nor in its export, nor in what is exported about the owner', async () => {
    for (let page = 1; ; page++) {
      const { text, result } = await on('audit_logs.list', { perPage: 100, page })
      expect(heldBy(text)).toEqual([])
      if (result.items.length < 100) break
    }
    for (const format of ['ndjson', 'csv']) {
      const { text, status } = await on('audit_logs.export', { format })
      expect(status).toBe(200)
      expect(text).toContain('integrations.post')
      expect(heldBy(text)).toEqual([])
    }
    const { text, status } = await p.call('auth.export', {}, owner)
    expect(status).toBe(200)
    expect(heldBy(text)).toEqual([])
  })

  it('stand in no line of the log, at its most talkative', () => {
    expect(lines.length).toBeGreaterThan(100)
    expect(lines.map(line => [line.slice(0, 300), heldBy(line)]).filter(([, names]) => names?.length)).toEqual([])
  })

  it('stand in no table: deliveries, payloads, jobs, kept answers or any other', async () => {
    const { rows: tables } = await p.database.plain(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
    )
    const names = tables.map(({ name }) => String(name))
    expect(names).toEqual(
      expect.arrayContaining(['jobs.job', 'public.integration_deliveries', 'public.integration_payloads']),
    )
    const found: [string, string[]][] = []
    let count = 0
    for (const name of names) {
      const { rows } = await p.database.plain(`select t::text as line from ${name} t`)
      count += rows.length
      for (const { line } of rows) if (heldBy(String(line)).length > 0) found.push([name, heldBy(String(line))])
    }
    expect(count).toBeGreaterThan(200)
    expect(found).toEqual([])
  })

  it('stand in no backup', async () => {
    const path = join(folder, 'whole.backup')
    await backUp(p.database, path, undefined)
    let count = 0
    for await (const line of linesOf(path)) {
      count++
      expect(heldBy(line)).toEqual([])
    }
    expect(count).toBeGreaterThan(100)
  })

  it('would be found', () => {
    const one = secrets.get('slack') ?? ''
    for (const text of [one, Buffer.from(`Bearer ${one}`).toString('base64'), Buffer.from(`${one}\n`).toString('hex')])
      expect(heldBy(`before ${text} after`)).toEqual(['slack'])
    expect(heldBy('nothing of the kind')).toEqual([])
  })
})
