// Calls to servers that do not mean well, and a look that none of them leaves a failure behind that nobody has caught.
import { afterEach, beforeEach, expect } from 'vitest'
import { callTool, listTools } from '../../src/areas/integrations/mcp/client.ts'
import type { Fetch } from '../../src/kit/context.ts'
import { loopback, misbehaving, type Reply } from './mcp_servers.ts'

export const token = 'a-very-secret-token'
export const terms = (timeoutMs = 5_000) => ({ timeoutMs, signal: new AbortController().signal })
export const at = (url: string) => ({ url, headers: { 'x-key': 'another-secret' }, token })
export const list = (url: string, timeoutMs?: number, fetch: Fetch = loopback) =>
  listTools(fetch, at(url), terms(timeoutMs))
export const call = (url: string, timeoutMs?: number) => callTool(loopback, at(url), 'tool', { a: 1 }, terms(timeoutMs))

export const good = { content: [{ type: 'text', text: 'done' }] }
export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more })

/** How a call fails at such a server. */
export async function failing(act: (reply: Reply) => void, timeoutMs?: number) {
  const { url, seen } = await misbehaving(act)
  const { fault = 'none', message = '' } = await call(url, timeoutMs).then(
    () => ({}) as never,
    error => error,
  )
  return { fault, message, seen }
}

export function expectNothingUnhandled(): void {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  beforeEach(() => {
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
}
