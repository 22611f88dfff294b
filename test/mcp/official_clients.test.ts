// Official MCP clients of both generations, from nothing but the address: list, read, write, delete with confirmation.
import {
  Client as Client2,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as Transport2,
  UnauthorizedError as Unauthorized2,
} from '@modelcontextprotocol/client'
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eras, textOf } from '../helpers/mcp.ts'
import { browser, listeningPlatform } from '../helpers/oauth.ts'
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
beforeAll(async () => {
  p = await listeningPlatform()
  owner = await p.user()
})
afterAll(() => p.close())

const yes = { action: 'accept' as const, content: { confirm: true } }
const me = { name: 'test', version: '1.0.0' }
const redirectUrl = 'http://127.0.0.1:49153/callback'

type Result = { content?: unknown; isError?: boolean; structuredContent?: unknown }
type Tool = { name: string; arguments: Record<string, unknown> }
type Connected = {
  tools(): Promise<string[]>
  call(tool: Tool): Promise<Result>
  questions: string[]
  close(): Promise<void>
}

/** Connects with these headers, or by the browser where there are none. */
type Connect = (headers?: Record<string, string>) => Promise<Connected>

const address = () => new URL(`${p.config.PUBLIC_URL}/mcp/x/teams`)

/** What a client keeps between its steps, and a person who lets it in. */
function loginByBrowser() {
  const kept: { client?: unknown; tokens?: unknown; verifier?: string; back?: URL } = {}
  const provider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    codeVerifier: () => kept.verifier ?? '',
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    async redirectToAuthorization(url: URL) {
      const agent = browser(p)
      agent.logIn(owner)
      const page = await agent.open(url.href)
      expect(page.text).toContain('Not verified')
      const done = await agent.submit(page, { workspace: owner.workspaceId, intent: 'allow' })
      kept.back = new URL(done.headers.location)
    },
  }
  return { provider, back: () => kept.back?.searchParams ?? new URLSearchParams() }
}

const sdk1: Connect = async headers => {
  const { provider, back } = loginByBrowser()
  const made = () => {
    const client = new Client1(me, { capabilities: { elicitation: {} } })
    const transport = new Transport1(
      address(),
      headers ? { requestInit: { headers } } : { authProvider: provider as never },
    )
    return { client, transport }
  }
  let { client, transport } = made()
  if (headers) await client.connect(transport as never)
  else {
    await expect(client.connect(transport as never)).rejects.toBeInstanceOf(Unauthorized1)
    await transport.finishAuth(back().get('code') ?? '')
    ;({ client, transport } = made())
    await client.connect(transport as never)
  }
  const questions: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message)
    return yes
  })
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async tool => (await client.callTool(tool)) as Result,
    questions,
    close: () => client.close(),
  }
}

const client2 =
  (era: (typeof eras)[number]): Connect =>
  async headers => {
    const { provider, back } = loginByBrowser()
    const made = () => {
      const client = new Client2(me, {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
      })
      const authProvider = provider as unknown as OAuthClientProvider
      return { client, transport: new Transport2(address(), headers ? { requestInit: { headers } } : { authProvider }) }
    }
    let { client, transport } = made()
    if (headers) await client.connect(transport)
    else {
      await expect(client.connect(transport)).rejects.toBeInstanceOf(Unauthorized2)
      await transport.finishAuth(back())
      ;({ client, transport } = made())
      await client.connect(transport)
    }
    const questions: string[] = []
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message)
      return yes
    })
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async tool => (await client.callTool(tool)) as Result,
      questions,
      close: () => client.close(),
    }
  }

const clients: [string, Connect][] = [
  ['the SDK 1.x', sdk1],
  ...eras.map((era): [string, Connect] => [`the client 2.x of ${era}`, client2(era)]),
]

describe.each(clients)('%s', (_, connect) => {
  it.each(['by key', 'by OAuth, unconfigured'])('lists, reads, writes and deletes with confirmation, %s', async how => {
    const key = await p.key(owner)
    const client = await connect(how === 'by key' ? key.headers : undefined)
    expect(await client.tools()).toEqual(expect.arrayContaining(['teams_list', 'teams_get', 'teams_post', 'teams_del']))
    const made = await client.call({ name: 'teams_post', arguments: { name: 'Made by an agent' } })
    const { id } = made.structuredContent as { id: string }
    expect(textOf(await client.call({ name: 'teams_list', arguments: {} }))).toContain(id)
    expect((await client.call({ name: 'teams_get', arguments: { id } })).isError).toBeFalsy()
    const renamed = await client.call({ name: 'teams_patch', arguments: { id, name: 'Renamed' } })
    expect(renamed.structuredContent).toMatchObject({ name: 'Renamed' })
    expect((await client.call({ name: 'teams_del', arguments: { id } })).isError).toBeFalsy()
    expect(client.questions).toEqual([expect.stringContaining('"Renamed"')])
    expect((await p.call('teams.get', { workspaceId: owner.workspaceId, id }, owner)).status).toBe(404)
    await client.close()
  })
})
