// The official MCP client, connected to a listening platform as a caller.
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { TestCaller, TestPlatform } from './platform.ts'

export const eras = ['2026-07-28', '2025-11-25'] as const

export type Era = (typeof eras)[number]

type ConnectOptions = {
  era?: Era
  path?: string
  headers?: Record<string, string>
  /** What the person at the client says when asked; absent: the client cannot ask. */
  answer?: PersonAnswer
  /** How the client sends; a test may send some of it elsewhere. */
  fetch?: typeof fetch
}

export type PersonAnswer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }

/** The address of the platform, which begins to listen when it is first asked. */
export async function addressOf({ app }: TestPlatform): Promise<string> {
  const known = app.server.address() as AddressInfo | null
  if (known) return `http://127.0.0.1:${known.port}`
  return await app.listen({ port: 0, host: '127.0.0.1' })
}

export async function connect(
  p: TestPlatform,
  caller: Pick<TestCaller, 'headers'>,
  { era = '2026-07-28', path = '/mcp', headers = {}, answer, fetch }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  )
  if (answer) client.setRequestHandler('elicitation/create', () => answer)
  const url = new URL(path, await addressOf(p))
  const requestInit = { headers: { ...caller.headers, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit, ...(fetch && { fetch }) }))
  return client
}

type Content = { content?: unknown; isError?: boolean }

/** What a model would read. */
export function textOf(result: Content): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? '').join('\n')
}
