// The command line's own logins through the authorization server: browser, device, renewal, end.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Keyring } from '../../src/cli/keyring.ts'
import { memoryKeyring } from '../helpers/keyring.ts'
import { browser, listeningPlatform, setPassword } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'
import { commandLine, failureIn, type Ran } from '../helpers/terminal.ts'

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'

let p: TestPlatform
let user: TestCaller

beforeAll(async () => {
  p = await listeningPlatform()
  user = await p.user('ada@example.com')
})
afterAll(() => p.close())

async function line(keyring?: Keyring) {
  const made = await commandLine(p.config.PUBLIC_URL, undefined, keyring)
  onTestFinished(made.remove)
  return made
}

type Line = Awaited<ReturnType<typeof line>>

/** Runs until it has printed an address, lets somebody act there, and goes on. */
async function meanwhile(made: Line, words: string, act: (said: string) => Promise<unknown>): Promise<Ran> {
  let acting: Promise<unknown> = Promise.resolve()
  const stop = new AbortController()
  const hear = (text: string) => {
    if (!/https?:\/\/\S+\/oauth/.test(text)) return
    acting = act(text)
    // The command line would wait for it, and the test fail by its timeout instead of by what went wrong.
    acting.catch(() => stop.abort())
  }
  const ran = await made.atrium(words, { hear, signal: stop.signal })
  await acting
  return ran
}

const addressIn = (text: string) => /https?:\/\/\S+/.exec(text)?.[0] ?? ''

/** What a person with a session does in the browser. */
async function letIn(said: string, intent: 'allow' | 'deny' = 'allow'): Promise<void> {
  const agent = browser(p)
  agent.logIn(user)
  const done = await agent.submit(await agent.open(addressIn(said)), { intent })
  await fetch(done.headers.location)
}

async function typeCode(said: string): Promise<void> {
  const agent = browser(p)
  agent.logIn(user)
  const code = /code ([A-Z0-9-]+)/.exec(said)?.[1] ?? ''
  const confirm = await agent.submit(await agent.open(addressIn(said)), { user_code: code })
  await agent.submit(await agent.submit(confirm, { confirm: 'yes' }), { intent: 'allow' })
}

type Kept = { accessTokens: Record<string, { token: string; expires: string }>; refreshToken: string }
const keptIn = ({ folder }: Line): Kept => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).default

/** The access token seems to have ended long ago. */
function age(made: Line): void {
  const kept = keptIn(made)
  for (const token of Object.values(kept.accessTokens)) token.expires = '2026-01-01T00:00:00.000Z'
  writeFileSync(join(made.folder, 'credentials.json'), JSON.stringify({ default: kept }))
}

describe('atrium login', () => {
  it('comes back from the browser with a login that works', async () => {
    const made = await line()
    const ran = await meanwhile(made, 'login --no-browser', said => letIn(said))
    expect(ran.stderr).toContain('Logged in to')
    expect(ran.code).toBe(0)
    const who = JSON.parse((await made.atrium('whoami')).stdout)
    expect(who).toMatchObject({ id: user.userId, credential: 'oauth', workspaceId: user.workspaceId })
    expect((await made.atrium('teams list')).code).toBe(0)
  })

  it('lets the stdio bridge list, read, write and delete with confirmation', async () => {
    const made = await line()
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } })
    const questions: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message)
      return { action: 'accept', content: { confirm: true } }
    })
    const env = {
      PATH: process.env.PATH ?? '',
      ATRIUM_CONFIG_DIR: made.folder,
      ATRIUM_BASE_URL: p.config.PUBLIC_URL,
      ATRIUM_KEYRING: 'off',
    }
    const command = join(import.meta.dirname, '../../bin/atrium')
    await client.connect(new StdioClientTransport({ command, args: ['mcp', '--toolset', 'x/teams'], env }), {
      timeout: 60_000,
    })
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('teams_del')
    const team = await client.callTool({ name: 'teams_post', arguments: { name: 'Made over stdio' } })
    const { id } = team.structuredContent as { id: string }
    expect((await client.callTool({ name: 'teams_get', arguments: { id } })).isError).toBeFalsy()
    expect((await client.callTool({ name: 'teams_del', arguments: { id } })).isError).toBeFalsy()
    expect(questions).toEqual([expect.stringContaining('"Made over stdio"')])
    expect((await p.call('teams.get', { workspaceId: user.workspaceId, id }, user)).status).toBe(404)
  }, 120_000)

  it('says so when it was refused there', async () => {
    const made = await line()
    const ran = await meanwhile(made, 'login --no-browser', said => letIn(said, 'deny'))
    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain('The login was refused in the browser.')
    expect(existsSync(join(made.folder, 'credentials.json'))).toBe(false)
  })

  it('takes a code that is typed elsewhere', async () => {
    const made = await line()
    const ran = await meanwhile(made, 'login --device', typeCode)
    expect(ran.code).toBe(0)
    expect(JSON.parse((await made.atrium('whoami')).stdout).id).toBe(user.userId)
  })

  it('renews itself once, however many ask at the same time', async () => {
    const made = await line()
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const before = keptIn(made)
    age(made)
    const ran = await Promise.all(Array.from({ length: 5 }, () => made.atrium('auth whoami')))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0])
    const after = keptIn(made)
    expect(after.refreshToken).not.toBe(before.refreshToken)
    expect(after.accessTokens['/v1']?.token).not.toBe(before.accessTokens['/v1']?.token)
  })

  it('renews itself in the keyring, and ends there with logout', async () => {
    const { keyring, entries } = memoryKeyring()
    const made = await line(keyring)
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const kept = (): Kept => JSON.parse(entries.get('default') ?? '')
    const before = kept()
    const aged = { ...before, accessTokens: { '/v1': { token: 'old', expires: '2026-01-01T00:00:00.000Z' } } }
    entries.set('default', JSON.stringify(aged))
    const ran = await Promise.all(Array.from({ length: 3 }, () => made.atrium('auth whoami')))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(kept().refreshToken).not.toBe(before.refreshToken)
    const { token = '' } = kept().accessTokens['/v1'] ?? {}
    expect(keptIn(made)).toEqual({ kind: 'oauth', baseUrl: p.config.PUBLIC_URL, inKeyring: true })
    expect((await made.atrium('logout')).code).toBe(0)
    expect([entries.size, keptIn(made)]).toEqual([0, undefined])
    expect((await p.call('auth.whoami', {}, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
  })

  it('stays in the file when renewed, also where a keyring came along', async () => {
    const { keyring, entries } = memoryKeyring()
    const old = await line()
    await meanwhile(old, 'login --no-browser', said => letIn(said))
    age(old)
    const made = await line(keyring)
    expect((await made.atrium('auth whoami', { env: { ATRIUM_CONFIG_DIR: old.folder } })).code).toBe(0)
    expect(keptIn(old).accessTokens['/v1']?.expires).not.toMatch(/^2026-01-01/)
    expect(entries.size).toBe(0)
  })

  it('says what to do when it has ended', async () => {
    const made = await line()
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const grants = await p.call('auth.grants.list', {}, user)
    for (const { id } of grants.result.items) await p.call('auth.grants.del', { id }, user)
    expect(failureIn(await made.atrium('whoami'))).toMatchObject({ code: 4, next: 'Run: atrium login' })
    age(made)
    const ended = { code: 4, message: 'Your login has ended.', next: 'Run: atrium login' }
    expect(failureIn(await made.atrium('whoami'))).toMatchObject(ended)
  })

  it('ends with logout, on the service too', async () => {
    const made = await line()
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const token = keptIn(made).accessTokens['/v1']?.token ?? ''
    expect((await made.atrium('logout')).code).toBe(0)
    const answer = await p.call('auth.whoami', {}, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(401)
  })
})

describe('atrium mcp', () => {
  it('gets a token for the MCP server out of the same login', async () => {
    const made = await line()
    await meanwhile(made, 'login --no-browser', said => letIn(said))
    const name = 'io.modelcontextprotocol'
    const _meta = {
      [`${name}/protocolVersion`]: '2026-07-28',
      [`${name}/clientInfo`]: { name: 'test', version: '1' },
      [`${name}/clientCapabilities`]: {},
    }
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }
    const ran = await made.atrium('mcp', { stdin: `${JSON.stringify(request)}\n` })
    expect(JSON.parse(ran.stdout).result.tools.length).toBeGreaterThan(0)
    expect(Object.keys(keptIn(made).accessTokens)).toEqual(['/v1', '/mcp'])
    expect((await made.atrium('teams list')).code).toBe(0)
  })
})

describe.skipIf(!existsSync(chromiumPath))('a real browser', () => {
  it('logs somebody in from nothing', async () => {
    const password = await setPassword(p, user.userId)
    const made = await line()
    const window = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
    onTestFinished(() => window.close())
    let last = ''
    const ran = await meanwhile(made, 'login --no-browser', async said => {
      const page = await window.newPage()
      await page.goto(addressIn(said))
      await page.keyboard.type('ada@example.com')
      await page.keyboard.press('Tab')
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByRole('heading', { name: 'You are logged in.' }).waitFor()
      last = page.url()
    })
    expect(ran.code).toBe(0)
    expect(last).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback/)
    expect(JSON.parse((await made.atrium('whoami')).stdout).id).toBe(user.userId)
  }, 120_000)
})
