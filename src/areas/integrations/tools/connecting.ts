// The other MCP server of an integration: its address, and the credential that it is sent.
import { conflict } from '../../../contract/errors.ts'
import type { Target } from '../kinds.ts'
import { callTool, listTools, type Server } from '../mcp/client.ts'
import { isTokenRefused, McpFailure } from '../mcp/failures.ts'
import { clientCredentials, discover } from '../mcp/oauth.ts'
import { type Asking, grantedToken, tokenInPlaceOf } from '../oauth/tokens.ts'

const timeoutMs = 20_000
const callTimeoutMs = 60_000

/** 409 with what went wrong, in words. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof McpFailure) throw conflict(error.message, { fault: error.fault })
    throw error
  }
}

/** What a person has connected comes before what is set. */
async function serverOf(asking: Asking, target: Target): Promise<Server & { isConnected: boolean }> {
  const { config, secrets } = target
  const at = { url: String(config.url), headers: {} }
  const granted = await grantedToken(asking, target)
  if (granted !== null) return { ...at, token: granted, isConnected: true }
  if (config.clientId === undefined) return { ...at, token: secrets.token ?? null, isConnected: false }
  if (secrets.clientSecret === undefined) {
    throw conflict('Its client has no secret, so a person must connect it first, on its page in the console.', {
      fault: 'consent',
    })
  }
  const discovered = await discover(asking.fetch, at.url)
  const { accessToken } = await clientCredentials(asking.fetch, discovered, {
    clientId: String(config.clientId),
    clientSecret: secrets.clientSecret,
    ...(typeof config.scope === 'string' && { scope: config.scope }),
    now: asking.now(),
  })
  return { ...at, token: accessToken, isConnected: false }
}

/** A token may end before its time, and some servers do not say when: what was refused was not done, and is asked again. */
async function using<T>(asking: Asking, target: Target, ask: (server: Server) => Promise<T>): Promise<T> {
  return await inWords(async () => {
    const { isConnected, ...server } = await serverOf(asking, target)
    try {
      return await ask(server)
    } catch (error) {
      if (!isConnected || !isTokenRefused(error)) throw error
      const token = await tokenInPlaceOf(asking, target, server.token)
      if (token === null) throw error
      return await ask({ ...server, token })
    }
  })
}

const termsOf = (timeoutMs: number) => ({ timeoutMs, signal: AbortSignal.timeout(timeoutMs) })

export function toolsOf(asking: Asking, target: Target) {
  return using(asking, target, server => listTools(asking.fetch, server, termsOf(timeoutMs)))
}

export function called(asking: Asking, target: Target, tool: string, args: Readonly<Record<string, unknown>>) {
  return using(asking, target, server => callTool(asking.fetch, server, tool, args, termsOf(callTimeoutMs)))
}
