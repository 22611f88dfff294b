// Who is at the other end of an OAuth request; travels beside the library, which knows nothing of our sessions.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import { cookieName, presentedCredential } from '../../credentials/credentials.ts'
import type { Platform } from '../../request/platform.ts'

export type Visit = {
  /** Our own session, by the cookie. */
  session: { id: string; userId: string } | null
  requestId: string
  address: string
  userAgent: string | null
  /** A user code that came in the address: shown to be confirmed, never taken as it is. */
  userCode: string | null
}

const inside = new AsyncLocalStorage<Visit>()

export function during<T>(visit: Visit, work: () => T): T {
  return inside.run(visit, work)
}

export function currentVisit(): Visit | undefined {
  return inside.getStore()
}

export async function visitOf({ principals, config }: Platform, request: FastifyRequest): Promise<Visit> {
  const { token } = presentedCredential({ cookie: request.headers.cookie }, cookieName(config.PUBLIC_URL))
  const caller = token ? await principals.resolve(token, null, request.ip) : null
  const { user_code: userCode } = request.query as { user_code?: unknown }
  return {
    session: caller?.credential === 'session' ? { id: caller.credentialId, userId: caller.ownerId } : null,
    requestId: request.id,
    address: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 512) ?? null,
    userCode: typeof userCode === 'string' ? userCode.slice(0, 32) : null,
  }
}
