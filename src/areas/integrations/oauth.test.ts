// MCP servers that a person connects in the browser: the way there and back, tokens that are renewed, and their end.
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loopback } from '../../../test/helpers/mcp_servers.ts'
import { oauthServer } from '../../../test/helpers/oauth_server.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'
import { openValues } from '../../kit/sealed.ts'
import { sql } from '../../kit/sql.ts'
import { declaredPlaces } from '../../server/areas.ts'
import { rotate } from '../../server/upkeep/rotation.ts'
import { secretsFrom } from '../../server/upkeep/secrets.ts'
import { grantSecrets } from './oauth/contract.ts'

const minuteMs = 60_000
let p: TestPlatform
const lines: string[] = []
const answers: string[] = []
/** All that an authorization server has given, and every state: none of it may be seen. */
const secrets: (readonly string[])[] = []

beforeAll(async () => {
  p = await platform({ logTo: line => lines.push(line) })
})
afterAll(() => p.close())

function echo(server: McpServer): void {
  const inputSchema = fromJsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } } })
  server.registerTool('echo', { description: 'Says it again.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text' as const, text: `again: ${text}` }],
  }))
}

type Back = { state: string; code: string; iss: string }

/** A server, a workspace and an integration between them. */
async function scene(config: object = {}, ways: Partial<Awaited<ReturnType<typeof oauthServer>>['ways']> = {}) {
  const server = await oauthServer(echo)
  secrets.push(server.given)
  Object.assign(server.ways, ways)
  const owner = await p.user()
  const { workspaceId } = owner
  const on = async (operation: string, input: object = {}, caller: TestCaller = owner): Promise<Answer> => {
    const answer = await p.call(operation, { workspaceId, ...input }, caller)
    if (operation !== 'integrations.oauth.start') answers.push(answer.text)
    return answer
  }
  const made = await on('integrations.post', { name: 'Docs', type: 'mcp', config: { url: server.url, ...config } })
  expect(made.status).toBe(201)
  const { id } = made.result
  const start = async (caller = owner) => await on('integrations.oauth.start', { id }, caller)
  /** To the authorization server, where the person agrees, and back to the console. */
  const visit = async (caller = owner): Promise<Back> => {
    const begun = await start(caller)
    expect([begun.status, begun.error]).toEqual([200, null])
    const answer = await loopback(begun.result.url, {})
    const back = new URL(answer.headers.get('location') ?? '')
    expect(`${back.origin}${back.pathname}`).toBe(`${p.config.PUBLIC_URL}/connected`)
    const brought = Object.fromEntries(back.searchParams) as Back
    expect(brought.state.split('.')[0]).toBe(workspaceId)
    secrets.push([brought.state])
    return brought
  }
  const finish = (brought: Back, caller = owner, input: object = {}) =>
    on('integrations.oauth.finish', { ...brought, ...input }, caller)
  const connect = async (caller = owner) => {
    const done = await finish(await visit(caller), caller)
    expect([done.status, done.error]).toEqual([200, null])
    return done.result
  }
  const state = async () => (await on('integrations.oauth.get', { id })).result
  const refresh = () => on('integrations.tools.refresh', { id })
  return { server, owner, workspaceId, on, id, start, visit, finish, connect, state, refresh }
}

const renewals = ({ seen }: { seen: { path: string; fields: Record<string, string> }[] }) =>
  seen.filter(({ path, fields }) => path === '/token' && fields.grant_type === 'refresh_token').length

describe('integrations.oauth.finish', () => {
  it('connects it: the tools are there, for a person who was sent away and came back', async () => {
    const { owner, refresh, state, connect, id, workspaceId, server, on } = await scene()
    expect((await refresh()).status).toBe(409)
    expect(await state()).toMatchObject({ isConnected: false, needsConsent: false, issuer: null, userId: null })
    const connected = await connect()
    expect(connected).toMatchObject({
      ...{ workspaceId, integrationId: id, isConnected: true, needsConsent: false, issuer: server.base },
      ...{ userId: owner.userId, scope: 'tools', connectedAt: expect.any(String), _object: 'integration_oauth' },
    })
    expect(await state()).toEqual(connected)
    expect((await refresh()).result).toMatchObject({ found: 1 })
    const log = await on('audit_logs.list', { action: 'integrations.oauth.finish' })
    expect(log.result.items[0]).toMatchObject({ target: { object: 'integration', id } })
  })

  it('connects by a client with a secret, registered or set', async () => {
    const registered = await scene({}, { hasSecrets: true })
    await registered.connect()
    expect((await registered.refresh()).status).toBe(200)
    const set = await scene({ clientId: 'ours', clientSecret: 'a-secret-of-ours' }, { hasRegistration: false })
    set.server.clients.set('ours', { redirectUris: [`${p.config.PUBLIC_URL}/connected`], secret: 'a-secret-of-ours' })
    set.server.ways.hasSecrets = true
    await set.connect()
    expect([(await set.refresh()).status, set.server.counted('/register')]).toEqual([200, 0])
    p.advance(59 * minuteMs)
    expect([(await set.refresh()).status, renewals(set.server)]).toEqual([200, 1])
  })

  it('takes a state once, also of two that come at the same moment', async () => {
    const { visit, finish, server } = await scene()
    const brought = await visit()
    const both = await Promise.all([finish(brought), finish(brought), finish(brought)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await finish(brought)).status).toBe(409)
    expect(server.counted('/token')).toBe(1)
  })

  it('answers the same to a state that is wrong, over, used or of somebody else', async () => {
    const { visit, finish, connect, workspaceId, on, state } = await scene()
    const brought = await visit()
    const admin = await p.as('admin', workspaceId)
    const stranger = await p.user()
    const elsewhere = { workspaceId: stranger.workspaceId }
    const refusals = [
      await finish({ ...brought, state: `${workspaceId}.state_wrong` }),
      await finish(brought, admin),
      await finish(brought, stranger, elsewhere),
    ]
    p.advance(10 * minuteMs + 1_000)
    refusals.push(await finish(brought))
    const again = await visit()
    expect((await finish(again)).status).toBe(200)
    refusals.push(await finish(again))
    expect(refusals.map(({ status, error }) => [status, error.detail])).toEqual(
      refusals.map(() => [409, expect.stringContaining('connect again')]),
    )
    expect(new Set(refusals.map(({ error }) => error.detail)).size).toBe(1)
    // Nobody reaches an integration through another workspace.
    expect((await finish(await visit(), stranger)).status).toBe(403)
    expect(
      (await on('integrations.oauth.start', { ...elsewhere, id: (await state()).integrationId }, stranger)).status,
    ).toBe(404)
    await connect(admin)
    expect(await state()).toMatchObject({ userId: admin.userId })
  })

  it('refuses the answer of another authorization server, and the state is gone', async () => {
    const { visit, finish, server, state } = await scene()
    const brought = await visit()
    const refused = await finish(brought, undefined, { iss: 'https://other.example' })
    expect([refused.status, refused.error.metadata.fault]).toEqual([409, 'auth'])
    expect((await finish(brought)).status).toBe(409)
    const silent = await visit()
    expect((await finish(silent, undefined, { iss: undefined })).status).toBe(409)
    expect([server.counted('/token'), (await state()).isConnected]).toEqual([0, false])
  })

  it('refuses a code that is not of this way, and one for an address that was moved meanwhile', async () => {
    const { visit, finish, on, id, server } = await scene()
    const [one, other] = [await visit(), await visit()]
    const mixed = await finish({ ...one, code: other.code })
    expect([mixed.status, mixed.error.detail]).toEqual([409, expect.stringContaining('invalid_grant')])
    const late = await visit()
    await on('integrations.patch', { id, config: { url: `${server.base}/mcp?moved` } })
    expect((await finish(late)).error.detail).toContain('address')
  })

  it('is for people in a session who may set up integrations', async () => {
    const { owner, id, on, workspaceId } = await scene()
    const key = await p.key(owner)
    const run = await p.run(owner, 'investigation')
    const member = await p.as('member', workspaceId)
    for (const caller of [key, run, member]) {
      expect((await on('integrations.oauth.start', { id }, caller)).status).toBe(403)
      expect((await on('integrations.oauth.finish', { state: 'x', code: 'y' }, caller)).status).toBe(403)
      expect((await on('integrations.oauth.del', { id }, caller)).status).toBe(403)
    }
    expect((await on('integrations.oauth.get', { id }, member)).status).toBe(200)
  })
})

describe('integrations.oauth.start', () => {
  it('registers once for an authorization server, until it is disconnected', async () => {
    const { start, connect, server, on, id } = await scene({}, { hasSecrets: true })
    await start()
    await connect()
    await connect()
    expect(server.counted('/register')).toBe(1)
    expect((await on('integrations.oauth.del', { id })).status).toBe(200)
    await connect()
    expect(server.counted('/register')).toBe(2)
  })

  it('says why nobody can be sent anywhere', async () => {
    const { start, on } = await scene({}, { hasRegistration: false })
    const refused = await start()
    expect([refused.status, refused.error.detail]).toEqual([409, expect.stringContaining('does not register')])
    const hook = { name: 'Hook', type: 'webhook', config: { url: 'https://example.com/hook' } }
    const { result } = await on('integrations.post', hook)
    expect((await on('integrations.oauth.start', { id: result.id })).status).toBe(409)
  })

  it('calls no address of the own network, whoever names it', async () => {
    const registering = await scene({}, { registersAt: 'http://10.0.0.1/register' })
    expect((await registering.start()).error.metadata).toMatchObject({ fault: 'address' })
    const giving = await scene({}, { givesAt: 'http://169.254.169.254/token' })
    const refused = await giving.finish(await giving.visit())
    expect([refused.status, refused.error.metadata.fault]).toEqual([409, 'address'])
  })

  it('asks for the scope that is set', async () => {
    const { start } = await scene({ scope: 'tools more' })
    expect(new URL((await start()).result.url).searchParams.get('scope')).toBe('tools more')
  })
})

describe('a connection', () => {
  it('is renewed before its token ends, each time with the newest refresh token', async () => {
    const { connect, refresh, server, state } = await scene()
    const { expiresAt } = await connect()
    p.advance(54 * minuteMs)
    expect([(await refresh()).status, renewals(server)]).toEqual([200, 0])
    for (const times of [1, 2, 3]) {
      p.advance(58 * minuteMs)
      expect([(await refresh()).status, renewals(server)]).toEqual([200, times])
    }
    expect(Date.parse((await state()).expiresAt)).toBeGreaterThan(Date.parse(expiresAt))
    expect(await state()).toMatchObject({ isConnected: true, scope: 'tools' })
  })

  it('is renewed once by many who want it at the same moment', async () => {
    const { connect, refresh, server } = await scene()
    await connect()
    p.advance(57 * minuteMs)
    const good = await Promise.all([1, 2, 3, 4, 5].map(refresh))
    expect(good.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(renewals(server)).toBe(1)
    p.advance(61 * minuteMs)
    const late = await Promise.all([1, 2, 3, 4, 5].map(refresh))
    expect(late.map(({ status }) => status)).toContain(200)
    for (const { status, error } of late) if (status !== 200) expect(error.detail).toContain('in a moment')
    expect(renewals(server)).toBe(2)
    expect((await refresh()).status).toBe(200)
  })

  it('goes on with its token while the authorization server is down, and ends with neither', async () => {
    const { connect, refresh, server, state } = await scene()
    await connect()
    server.ways.brokenWith = 503
    p.advance(57 * minuteMs)
    expect((await refresh()).status).toBe(200)
    p.advance(10 * minuteMs)
    expect((await refresh()).status).toBe(409)
    server.ways.brokenWith = null
    expect((await refresh()).status).toBe(200)
    expect((await state()).needsConsent).toBe(false)
  })

  it('waits for a person when it is not renewed any more', async () => {
    const { connect, refresh, server, state } = await scene()
    await connect()
    server.refreshable.clear()
    p.advance(57 * minuteMs)
    const ended = await refresh()
    expect([ended.status, ended.error.detail]).toEqual([409, expect.stringContaining('connect it again')])
    expect(await state()).toMatchObject({ isConnected: false, needsConsent: true })
    expect([(await refresh()).status, renewals(server)]).toEqual([409, 1])
    await connect()
    expect([(await refresh()).status, server.counted('/register')]).toEqual([200, 1])
  })

  it('is made by a new client where the authorization server knows the old one no more', async () => {
    const { connect, refresh, server, state } = await scene()
    await connect()
    server.clients.clear()
    p.advance(57 * minuteMs)
    expect((await refresh()).error.detail).toContain('connect it again')
    expect((await state()).needsConsent).toBe(true)
    await connect()
    expect([(await refresh()).status, server.counted('/register')]).toEqual([200, 2])
  })

  it('is renewed where its token is refused before its time, but not for every call', async () => {
    const { connect, refresh, server } = await scene({}, { lifeSeconds: undefined })
    await connect()
    p.advance(2 * minuteMs)
    server.accepted.clear()
    expect([(await refresh()).status, renewals(server)]).toEqual([200, 1])
    server.accepted.clear()
    expect([(await refresh()).status, renewals(server)]).toEqual([409, 1])
  })

  it('is for its address alone', async () => {
    const { connect, refresh, server, on, id, state } = await scene()
    const other = await oauthServer(echo)
    await connect()
    await on('integrations.patch', { id, config: { url: other.url } })
    expect(await state()).toMatchObject({ isConnected: false, needsConsent: false })
    expect((await refresh()).status).toBe(409)
    expect(renewals(server)).toBe(0)
    await on('integrations.patch', { id, config: { url: server.url } })
    expect((await refresh()).status).toBe(200)
  })

  it('is needed by a client without a secret', async () => {
    const { refresh, server, connect, on, id, state } = await scene({ clientId: 'public' })
    const without = await refresh()
    expect([without.status, without.error.detail]).toEqual([409, expect.stringContaining('connect it first')])
    server.clients.set('public', { redirectUris: [`${p.config.PUBLIC_URL}/connected`], secret: null })
    await connect()
    expect([(await refresh()).status, server.counted('/register')]).toEqual([200, 0])
    await on('integrations.patch', { id, config: { clientId: 'another' } })
    expect((await state()).isConnected).toBe(false)
    const lonely = { name: 'Secret', type: 'mcp', config: { url: server.url, clientSecret: 'of-nobody' } }
    expect((await on('integrations.post', lonely)).status).toBe(400)
  })

  it('ends when somebody disconnects it, and with the membership of who gave it', async () => {
    const { connect, refresh, on, id, workspaceId, state, visit, finish } = await scene()
    expect((await on('integrations.oauth.del', { id })).status).toBe(404)
    await connect()
    expect((await on('integrations.oauth.del', { id })).status).toBe(200)
    expect([(await refresh()).status, (await state()).userId]).toEqual([409, null])
    const admin = await p.as('admin', workspaceId)
    await connect(admin)
    const brought = await visit(admin)
    expect((await refresh()).status).toBe(200)
    await on('workspace_members.del', { userId: admin.userId })
    expect([(await refresh()).status, (await state()).userId]).toEqual([409, null])
    expect((await finish(brought, admin)).status).toBe(403)
    const left = await p.database.query(sql`
      select 1 from integration_oauth_starts where workspace_id = ${workspaceId} and user_id = ${admin.userId}`)
    expect(left).toEqual([])
  })
})

describe('the tools of every server', () => {
  it('are asked for by themselves; what fails is seen on its page', async () => {
    const { connect, refresh, on, id, server, owner } = await scene()
    await connect()
    await refresh()
    const [tool] = (await on('integrations.tools.list', { id })).result.items
    await on('integrations.tools.review', {
      id,
      tool: 'echo',
      digest: tool.digest,
      decision: 'approve',
      effect: 'read',
    })
    await p.database.query(sql`
      update integration_tools set digest = 'old', approved_digest = 'old' where integration_id = ${id}`)
    await p.platform.jobs.enqueue()('integrations.refreshTools', {})
    const timeout = { timeout: 20_000, interval: 50 }
    const status = async () => (await on('integrations.tools.list', { id })).result.items[0].status
    await expect.poll(status, timeout).toBe('changed')
    const log = await on('audit_logs.list', { action: 'integrations.toolsChanged' }, owner)
    expect(log.result.items).toMatchObject([{ target: { object: 'integration', id }, actor: { type: 'system' } }])
    const shown = async () => (await on('integrations.get', { id })).result
    expect(await shown()).toMatchObject({ lastSuccessAt: expect.any(String), lastError: null })
    server.refreshable.clear()
    p.advance(57 * minuteMs)
    await p.platform.jobs.enqueue()('integrations.refreshTools', {})
    await expect.poll(async () => (await shown()).lastError, timeout).toContain('connect it again')
    expect((await shown()).status).toBe('active')
  })
})

describe('what authorization servers give', () => {
  it('stands in no answer, ledger, log or table', async () => {
    // The browser brings the code to the page in its address.
    const url = '/connected?code=code-in-the-address&state=state-in-the-address'
    await p.request({ method: 'GET', url, headers: { accept: 'text/html' } })
    secrets.push(['code-in-the-address', 'state-in-the-address'])
    const { rows } = await p.database.plain(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    )
    const tables = await Promise.all(
      rows.map(async ({ name }) => JSON.stringify((await p.database.plain(`select * from ${name}`)).rows)),
    )
    const everything = [...answers, ...lines, ...tables].join('\n')
    const all = secrets.flat()
    expect(all.length).toBeGreaterThan(50)
    expect(all.filter(secret => everything.includes(secret))).toEqual([])
  })

  it('is sealed again by a new secret key', async () => {
    const { connect, id, server } = await scene()
    await connect()
    const keys = { before: p.config.SECRET_KEY, after: 'f'.repeat(64) }
    const places = await declaredPlaces()
    await p.database.transaction(async tx => {
      await rotate(tx, keys, places, new Date())
      const [row] = await tx.query<{ secrets: Record<string, string> }>(
        sql`select secrets from integration_oauth_grants where id = ${id}`,
      )
      const { accessToken } = openValues(secretsFrom(keys.after), grantSecrets, id, row?.secrets ?? {})
      expect(server.accepted.has(accessToken ?? '')).toBe(true)
    })
  })
})
