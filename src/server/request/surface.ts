// Through which door a request came; travels beside the call, never in a header that a caller could forge.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { Surface } from '../../kit/context.ts'
import type { Presented } from '../credentials/credentials.ts'
import type { Resource } from '../credentials/providers.ts'

const inside = new AsyncLocalStorage<Surface>()
const rehearsing = new AsyncLocalStorage<true>()

/** The surface of a call that the server makes to itself for a tool; undefined for a request from outside. */
export function currentSurface(): Surface | undefined {
  return inside.getStore()
}

/** What an OAuth token must be for to be taken here. */
export function currentResource(): Resource {
  return inside.getStore() === 'mcp' ? 'mcp' : 'v1'
}

/** What `work` calls is called as a tool: under the workspace's policy, and not counted a second time. */
export function asTool<T>(surface: Surface, work: () => Promise<T>): Promise<T> {
  return inside.run(surface, work)
}

/** What `work` calls goes as far as its door, and is not carried out. */
export function asRehearsal<T>(work: () => Promise<T>): Promise<T> {
  return rehearsing.run(true, work)
}

export function isRehearsal(): boolean {
  return rehearsing.getStore() === true
}

/** The command line and the console are told by what they say of themselves: a label for readers, never a right. */
export function surfaceOf(request: FastifyRequest, from: Presented['from']): Surface {
  const within = inside.getStore()
  if (within) return within
  if (from === 'cookie') return 'console'
  return request.headers['user-agent']?.startsWith('atrium-cli/') ? 'cli' : 'rest'
}
