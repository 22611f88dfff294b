// `atrium mcp` as the official client starts it: a program on stdio that speaks for the service's MCP server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Era, eras, type PersonAnswer, textOf } from '../helpers/mcp.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { commandLine, failureIn, listen } from '../helpers/terminal.ts'

let p: TestPlatform
let baseUrl: string
let owner: TestCaller

beforeAll(async () => {
  p = await platform()
  baseUrl = await listen(p)
  owner = await p.user()
})
afterAll(() => p.close())

async function connect(era: Era, args: string[] = [], answer?: PersonAnswer): Promise<Client> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bridge-'))
  const key = await p.key(owner)
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  )
  if (answer) client.setRequestHandler('elicitation/create', () => answer)
  const env = {
    PATH: process.env.PATH ?? '',
    ATRIUM_CONFIG_DIR: folder,
    ATRIUM_BASE_URL: baseUrl,
    ATRIUM_API_KEY: key.token,
  }
  const command = join(import.meta.dirname, '../../bin/atrium')
  await client.connect(new StdioClientTransport({ command, args: ['mcp', ...args], env }), { timeout: 60_000 })
  onTestFinished(async () => {
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return client
}

describe('atrium mcp', () => {
  it.each(eras)(
    'speaks the revision of %s, and calls with the stored login',
    async era => {
      const client = await connect(era, ['--toolset', 'all'])
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('workspaces_list')
      const result = await client.callTool({ name: 'workspaces_list', arguments: {} })
      expect(result.isError).not.toBe(true)
      expect(textOf(result)).toContain(owner.workspaceId)
      // What ends a line elsewhere does not end one here.
      const name = 'one\u2028two\u0085three'
      const renamed = await client.callTool({ name: 'workspaces_patch', arguments: { name } })
      expect(renamed.structuredContent).toMatchObject({ name })
      const refused = await client.callTool({
        name: 'teams_get',
        arguments: { workspaceId: owner.workspaceId, id: 'x' },
      })
      expect(refused.isError).toBe(true)
    },
    120_000,
  )

  it.each(eras)(
    'carries questions of %s to the person, and the answers back',
    async era => {
      const attempt = async (answer: PersonAnswer) => {
        const victim = await p.key(owner, { scopes: [] })
        const client = await connect(era, ['--toolset', 'x/api_keys'], answer)
        await client.callTool({ name: 'api_keys_del', arguments: { id: victim.id } })
        return (await p.call('api_keys.get', { workspaceId: owner.workspaceId, id: victim.id }, owner)).status
      }
      expect(await attempt({ action: 'accept', content: { confirm: true } })).toBe(404)
      expect(await attempt({ action: 'decline' })).toBe(200)
    },
    120_000,
  )

  it('answers what is not JSON, and says when nobody is logged in', async () => {
    const line = await commandLine(baseUrl)
    onTestFinished(line.remove)
    expect(failureIn(await line.atrium('mcp')).next).toBe('Run: atrium login')
    const { token } = await p.key(owner)
    const ran = await line.atrium('mcp', { stdin: '{nope\n', env: { ATRIUM_API_KEY: token } })
    expect(JSON.parse(ran.stdout)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32700 } })
    const tools = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n'
    const wrong = await line.atrium('mcp', { stdin: tools, env: { ATRIUM_API_KEY: 'atr_wrong' } })
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('Unauthorized') },
    })
    const away = await line.atrium('--retries 0 mcp', {
      stdin: tools,
      env: { ATRIUM_API_KEY: token, ATRIUM_BASE_URL: 'http://127.0.0.1:9' },
    })
    expect(JSON.parse(away.stdout)).toMatchObject({ id: 7, error: { code: -32603 } })
  })
})
