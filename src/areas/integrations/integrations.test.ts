// Integrations over HTTP: what they are set up with, who may, and what is never shown again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
})
afterAll(() => p.close())

const on = (operation: string, input: object = {}, caller = owner) =>
  p.call(operation, { workspaceId: owner.workspaceId, ...input }, caller)
const hook = { name: 'Hook', type: 'webhook', config: { url: 'https://example.com/hook' } }
const post = (fields: object = {}, caller = owner) => on('integrations.post', { ...hook, ...fields }, caller)

describe('integrations.catalog', () => {
  it('describes every type for whoever asks, with the schema of its configuration', async () => {
    const { status, result } = await p.call('integrations.catalog', {})
    expect(status).toBe(200)
    expect(result.types.map(({ type }: { type: string }) => type)).toEqual([
      ...['webhook', 'inbound', 'email', 'slack', 'discord', 'teams', 'mattermost', 'github', 'gitlab', 'gitea'],
      ...['prometheus', 'mcp', 'custom'],
    ])
    const slack = result.types[3]
    expect(slack).toMatchObject({ directions: ['out', 'in'], secrets: ['webhookUrl', 'signingSecret'] })
    expect(slack.config.required).toEqual(['webhookUrl'])
    const ids = result.events.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining(['issues.post', 'integrations.failing', 'repositories.synced']))
    expect(ids).not.toContain('issues.list')
  })
})

describe('integrations.post', () => {
  it('makes a webhook, whose secret is shown this once', async () => {
    const { status, result } = await post({ events: ['issues.*'] })
    expect(status).toBe(201)
    expect(result).toMatchObject({
      ...{
        type: 'webhook',
        status: 'active',
        slug: 'hook',
        events: ['issues.*'],
        inboundUrl: null,
        secretsSet: ['secret'],
      },
      ...{ consecutiveFailures: 0, lastSuccessAt: null, ownerId: owner.userId, _object: 'integration' },
    })
    expect(result.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { result: shown } = await on('integrations.get', { id: result.id })
    expect(shown).not.toHaveProperty('secret')
    expect(JSON.stringify(shown)).not.toContain(result.secret)
    const { result: again } = await post()
    expect(again.slug).toMatch(/^hook-[a-z0-9]{6}$/)
  })

  it('makes an inbound address, whose token is shown this once', async () => {
    const { result } = await post({ type: 'inbound', config: { mapping: { title: 'payload.title' } } })
    expect(result.inboundUrl).toMatch(/\/v1\/hooks\/in\/hook_[A-Za-z0-9_-]{43}$/)
    const { result: shown } = await on('integrations.get', { id: result.id })
    expect(shown.inboundUrl).toMatch(/\/v1\/hooks\/in\/hook_[A-Za-z0-9_-]{3}…[A-Za-z0-9_-]{4}$/)
    expect(result.secret).toBeNull()
  })

  it('keeps secrets sealed, and says only which are set', async () => {
    const secret = 'https://hooks.slack.com/services/T0/B0/verysecretpart'
    const { result } = await post({ type: 'slack', config: { webhookUrl: secret } })
    expect(result).toMatchObject({ config: {}, secretsSet: ['webhookUrl'] })
    const { rows } = await p.database.plain(
      'select secrets::text as text, config::text as config from integrations where id = $1',
      [result.id],
    )
    expect(`${rows[0]?.text}${rows[0]?.config}`).not.toContain('verysecretpart')
    const { result: log } = await on('audit_logs.list', { targetId: result.id })
    expect(JSON.stringify(log)).not.toContain('verysecretpart')
  })

  it.each([
    ['config.url', { config: {} }],
    ['config.url', { config: { url: 'ftp://example.com' } }],
    ['config.colour', { config: { url: 'https://example.com', colour: 'red' } }],
    ['config.payload', { config: { url: 'https://example.com', payload: 'fat' } }],
    ['config.url', { config: { url: 'http://93.184.216.34/hook' } }],
    ['config.url', { config: { url: 'https://10.0.0.1/hook' } }],
    ['config.url', { config: { url: 'https://[::1]/hook' } }],
    ['config.webhookUrl', { type: 'slack', config: {} }],
    ['config.signingSecret', { type: 'slack', config: { webhookUrl: 'https://hooks.slack.com/x', buttons: true } }],
    ['config.mapping', { type: 'inbound', config: {} }],
    ['config.mapping.title', { type: 'inbound', config: { mapping: { title: 'payload.' } } }],
    ['config.signingSecret', { type: 'inbound', config: { format: 'sentry', signature: 'sentry' } }],
    ['config.to.0', { type: 'email', config: { to: ['stranger@example.com'] } }],
    ['config.body.text', { type: 'custom', config: { url: 'https://example.com', body: { text: '{{ output.x }}' } } }],
    ['config.url', { type: 'custom', config: { url: 'https://{{ input.host }}/x' } }],
    ['config.clientId', { type: 'mcp', config: { url: 'https://example.com/mcp', clientSecret: 'of-nobody' } }],
    ['events.0', { events: ['issues.nonsense'] }],
    ['events', { type: 'prometheus', config: { url: 'https://example.com' }, events: ['issues.*'] }],
  ])('is 400 at %s for %j', async (path, fields) => {
    const { status, error } = await post(fields)
    expect([status, error.metadata?.issues?.[0]?.path]).toEqual([400, path])
  })

  it('sends nothing to itself: an event that comes back in would make the next one', async () => {
    const { publicUrl } = p.platform.settings
    const targets = [
      { config: { url: `${publicUrl}/v1/hooks/in/hook_a` } },
      { type: 'slack', config: { webhookUrl: `${publicUrl}/x` } },
    ]
    for (const target of targets) {
      const { status, error } = await post(target)
      expect([status, error.metadata?.issues?.[0]?.rule]).toEqual([400, 'address'])
    }
    const { id } = (await post()).result
    expect((await on('integrations.patch', { id, config: { url: publicUrl } })).status).toBe(400)
  })

  it('gives no scope that the caller does not hold, and by default those that the events need', async () => {
    expect((await post({ events: ['issues.post', 'teams.*'] })).result.scopes).toEqual(['issues:read', 'teams:read'])
    const key = await p.key(owner, { scopes: ['integrations:write', 'issues:read'] })
    expect((await post({ events: ['issues.post', 'teams.*'] }, key)).result.scopes).toEqual(['issues:read'])
    const refused = await post({ events: ['teams.*'], scopes: ['teams:read'] }, key)
    expect([refused.status, refused.error.metadata]).toEqual([403, { reason: 'scope', missing: ['teams:read'] }])
  })

  it('is for admins, and a workspace has a hundred of them', async () => {
    const member = await p.as('member', owner.workspaceId)
    expect((await post({}, member)).status).toBe(403)
    const other = await p.user()
    const many = { ...hook, workspaceId: other.workspaceId }
    for (let n = 0; n < 100; n++) expect((await p.call('integrations.post', many, other)).status).toBe(201)
    expect((await p.call('integrations.post', many, other)).status).toBe(409)
  })
})

describe('integrations.patch', () => {
  it('merges the configuration, and validates the whole', async () => {
    const { result } = await post({ config: { url: 'https://example.com/a', headers: { 'x-team': 'a' } } })
    const { id } = result
    const changed = await on('integrations.patch', { id, config: { payload: 'thin', headers: null } })
    expect(changed.result.config).toEqual({ url: 'https://example.com/a', payload: 'thin' })
    expect((await on('integrations.patch', { id, config: { url: null } })).status).toBe(400)
    expect((await on('integrations.patch', { id })).result).toEqual(changed.result)
  })

  it('does not send secrets to another address', async () => {
    const config = { url: 'https://one.example.com', token: 'metrics-token' }
    const { id } = (await post({ type: 'prometheus', config })).result
    const moved = await on('integrations.patch', { id, config: { url: 'https://two.example.com' } })
    expect([moved.status, moved.error.metadata.issues[0].path]).toEqual([400, 'config.token'])
    const again = await on('integrations.patch', {
      id,
      config: { url: 'https://two.example.com', token: 'other-token' },
    })
    expect(again.result).toMatchObject({ config: { url: 'https://two.example.com' }, secretsSet: ['token'] })
    const path = await on('integrations.patch', { id, config: { url: 'https://two.example.com/prometheus' } })
    expect(path.result.secretsSet).toEqual(['token'])
    expect((await on('integrations.patch', { id, config: { token: '' } })).result.secretsSet).toEqual([])
  })

  it('pauses and resumes', async () => {
    const { id } = (await post()).result
    expect((await on('integrations.patch', { id, status: 'paused' })).result.status).toBe('paused')
    expect((await on('integrations.patch', { id, status: 'active' })).result.status).toBe('active')
    expect((await on('integrations.patch', { id, status: 'disabled' })).status).toBe(400)
  })
})

describe('integrations.rotateSecret', () => {
  it('gives an inbound address a new token; the old one goes on for its overlap', async () => {
    const made = await post({ type: 'inbound', config: { mapping: { title: 'payload.title' } } })
    const send = (url: string) =>
      p.request({
        method: 'POST',
        url: new URL(url).pathname,
        headers: { 'content-type': 'application/json' },
        payload: '{"title":"x"}',
      })
    const { id, inboundUrl } = made.result
    expect((await send(inboundUrl)).status).toBe(202)
    const rotated = (await on('integrations.rotateSecret', { id, overlapHours: 1 })).result
    expect([(await send(inboundUrl)).status, (await send(rotated.inboundUrl)).status]).toEqual([202, 202])
    p.advance(3_600_001)
    expect([(await send(inboundUrl)).status, (await send(rotated.inboundUrl)).status]).toEqual([404, 202])
    const last = (await on('integrations.rotateSecret', { id })).result
    expect([(await send(rotated.inboundUrl)).status, (await send(last.inboundUrl)).status]).toEqual([404, 202])
    await on('integrations.del', { id })
    expect((await send(last.inboundUrl)).status).toBe(404)
  })

  it('is 409 for a type without a secret of ours', async () => {
    const { id } = (await post({ type: 'prometheus', config: { url: 'https://example.com' } })).result
    expect((await on('integrations.rotateSecret', { id })).status).toBe(409)
  })
})
