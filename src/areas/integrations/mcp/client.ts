// Tools of other MCP servers: lists and calls them in whichever revision the server speaks. The server is not trusted.
import { documentVersion } from '../../../contract/openapi.ts'
import type { Fetch } from '../../../kit/context.ts'
import { once } from '../../../kit/once.ts'
import { type Hide, hiding } from '../hiding.ts'
import { McpFailure } from './failures.ts'
import { resultFrom, type ToolResult } from './results.ts'
import { type LeftOut, type ToolCollection, type ToolDefinition, toolCollection } from './tools.ts'
import { textIn } from './values.ts'
import { type Server, wireTo } from './wire.ts'

export type { Server } from './wire.ts'

export type Terms = {
  /** For everything together: the handshake, all pages, the call. */
  timeoutMs: number
  signal: AbortSignal
}

export type CallTerms = Terms & {
  /** As it was listed, where that is known: some servers want arguments as headers, too, and the schema says which. */
  inputSchema?: object
}

export type ToolList = {
  server: { name: string; version: string; protocolVersion: string }
  tools: ToolDefinition[]
  leftOut: LeftOut[]
  /** False where the server has more than is taken. */
  isWhole: boolean
}

/** Takes 250 ms and 27 MB, which a service without such servers never pays. */
const sdk = once(() => import('@modelcontextprotocol/client'))

const mostPages = 200
const longestCursor = 4_096
/** A header was wanted that was not sent, or another one; the server has done nothing then. */
const headerMismatch = '-32020'

export async function listTools(fetch: Fetch, server: Server, terms: Terms): Promise<ToolList> {
  return await connected(fetch, server, terms, async talk => {
    const { tools, leftOut, isWhole } = await allTools(talk)
    return { server: talk.server, tools, leftOut, isWhole }
  })
}

export async function callTool(
  fetch: Fetch,
  server: Server,
  name: string,
  args: Readonly<Record<string, unknown>>,
  terms: CallTerms,
): Promise<ToolResult> {
  return await connected(fetch, server, terms, async talk => {
    const result = await talk.call(name, args, terms.inputSchema ?? { type: 'object' }).catch(async failure => {
      if (failure.code !== headerMismatch) throw failure
      const { tools } = await allTools(talk)
      const listed = tools.find(tool => tool.name === name)
      if (!listed) throw failure
      return await talk.call(name, args, listed.inputSchema)
    })
    return resultFrom(result, talk.hide)
  })
}

type Talk = {
  server: ToolList['server']
  hide: Hide
  /** The first one where the cursor is empty. */
  page(cursor: string): Promise<Record<string, unknown>>
  call(name: string, args: Readonly<Record<string, unknown>>, inputSchema: object): Promise<Record<string, unknown>>
}

async function allTools(talk: Talk): Promise<ToolCollection & { isWhole: boolean }> {
  const collection = toolCollection(talk.hide)
  const seen = new Set<string>()
  let cursor: string | null = ''
  while (cursor !== null && !collection.isFull()) {
    const page: Record<string, unknown> = await talk.page(cursor)
    if (!Array.isArray(page.tools)) throw new McpFailure('protocol', 'The server gives no list of tools.')
    for (const raw of page.tools) collection.add(raw)
    cursor = typeof page.nextCursor === 'string' && page.nextCursor !== '' ? page.nextCursor : null
    if (cursor === null) break
    if (cursor.length > longestCursor || seen.has(cursor) || seen.size >= mostPages) {
      throw new McpFailure('protocol', 'The list of tools does not end.')
    }
    seen.add(cursor)
  }
  return { ...collection, isWhole: cursor === null && !collection.isOver() }
}

async function connected<T>(
  fetch: Fetch,
  server: Server,
  { timeoutMs, signal }: Terms,
  run: (talk: Talk) => Promise<T>,
): Promise<T> {
  const hide = hiding([server.token, ...Object.values(server.headers)])
  const address = addressOf(server.url)
  const late = AbortSignal.timeout(timeoutMs)
  const wire = wireTo(fetch, server, { timeoutMs, late, signal, hide })
  const { Client, StreamableHTTPClientTransport } = await sdk()
  const client = new Client(
    { name: 'atrium', title: 'Atrium', version: documentVersion },
    // Nothing is offered to the server: it may ask for neither models, nor people, nor files.
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator,
    },
  )
  const transport = new StreamableHTTPClientTransport(address, { fetch: wire.fetch })
  // A little longer than the wire, which knows better why nothing came.
  const options = { timeout: timeoutMs + 1_000, signal: AbortSignal.any([late, signal]) }
  const told = async (question: Promise<unknown>) => {
    await question.catch(error => {
      throw wire.failureOf(error)
    })
    return wire.taken()
  }
  try {
    await told(client.connect(transport, options))
    return await run({
      hide,
      server: {
        name: textIn(client.getServerVersion()?.name, 200, hide) ?? '',
        version: textIn(client.getServerVersion()?.version, 100, hide) ?? '',
        protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
      },
      page: cursor => told(client.request({ method: 'tools/list', params: cursor === '' ? {} : { cursor } }, options)),
      call: (name, args, inputSchema) => {
        const toolDefinition = { name, inputSchema: inputSchema as { type: 'object' } }
        return told(client.callTool({ name, arguments: { ...args } }, { ...options, toolDefinition }))
      },
    })
  } finally {
    // Servers of the older revision keep a session until they are told.
    await transport.terminateSession().catch(() => {})
    await client.close().catch(() => {})
  }
}

/** Results are not held against the server's own schemas: their patterns may take for ever. */
const jsonSchemaValidator = {
  getValidator<T>() {
    return (input: unknown) => ({ valid: true as const, data: input as T & {}, errorMessage: undefined })
  },
}

function addressOf(url: string): URL {
  const address = URL.parse(url)
  if (address && /^https?:$/.test(address.protocol) && !address.username && !address.password) return address
  throw new McpFailure('address', 'The address of the server is not one that begins with https://, without a user.')
}
