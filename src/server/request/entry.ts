// The first step of every request under /v1: credential → caller (401), then the limit (429), before a body is read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, forbidden, unauthorized } from '../../contract/errors.ts'
import { WorkspaceId } from '../../contract/ids.ts'
import { isWrite, type Operation } from '../../contract/operation.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Caller } from '../../kit/context.ts'
import { cookieName, isFromAnotherSite, type Presented, presentedCredential } from '../credentials/credentials.ts'
import { judge, policyOf } from './limits.ts'
import { refuseOrigin, tellOrigin } from './otlp.ts'
import type { Platform } from './platform.ts'
import { currentResource, currentSurface } from './surface.ts'

/** What the entry found out, carried on the request. */
export type Entered = {
  caller: Caller | null
  token: string | null
  /** A page of another site sent it. */
  isForeign: boolean
  from: Presented['from']
}

export function enter({ config, principals, limiter, uses }: Platform) {
  const cookie = cookieName(config.PUBLIC_URL)
  const policies = {
    rest: policyOf('rest', config.RATE_LIMIT),
    anonymous: policyOf('anonymous', config.ANONYMOUS_RATE_LIMIT),
  }

  /** Counts the request (429) and gives its answer the limit's headers. */
  function limit(request: FastifyRequest, reply: FastifyReply, caller: Caller | null): void | Promise<void> {
    // A call that is made for a tool was counted at the door that the tool was called through.
    if (currentSurface() !== undefined) return
    const policy = caller ? policies.rest : policies.anonymous
    const key = caller ? caller.credentialId : `anonymous:${sourceOf(request.ip)}`
    const taken = limiter.take(key, policy.limit)
    return taken instanceof Promise ? taken.then(verdict => judge(reply, policy, verdict)) : judge(reply, policy, taken)
  }

  function letIn(
    request: FastifyRequest,
    operation: Operation | undefined,
    presented: Presented,
    known: Caller | null,
  ): Entered {
    const { token, from } = presented
    // At anything but its doors, whoever has a telemetry token is nobody.
    const isElsewhere = known?.credential === 'telemetry' && !operation?.signal
    const caller = isElsewhere ? null : known
    if (caller) uses.saw(caller)
    const isForeign = isFromAnotherSite(request.headers, config)
    if (operation) {
      const needsCaller = operation.access !== 'public'
      if (needsCaller && presented.isAmbiguous) {
        throw unauthorized('Send either x-api-key, x-telemetry-token or Authorization, and no two of them.')
      }
      if (needsCaller && isElsewhere) throw unauthorized('A telemetry token sends telemetry and opens nothing else.')
      if (needsCaller && !caller) throw unauthorized(missing(operation, from, request.headers.authorization))
      refuseForeign(operation, isForeign, from)
      if (operation.signal) refuseOrigin(request, caller?.sender, config.PUBLIC_URL)
    }
    // Where no credential is needed, a cookie that another site's page sent along counts for nothing.
    const counts = !isElsewhere && !(isForeign && from === 'cookie' && operation?.access === 'public')
    return { caller: counts ? caller : null, token: counts ? token : null, isForeign, from }
  }

  /** At once where nothing must be waited for: most requests come with a credential that is known. */
  return (request: FastifyRequest, reply: FastifyReply, operation?: Operation): Entered | Promise<Entered> => {
    const presented = presentedCredential(request.headers, cookie)
    const { workspaceId } = (request.params ?? {}) as { workspaceId?: string }
    const { token } = presented
    const asked = askedWorkspace(workspaceId)
    const found = token ? principals.resolve(token, asked, request.ip, currentResource()) : null
    const goOn = (caller: Caller | null) => {
      if (operation?.signal) tellOrigin(request, reply, caller?.sender)
      const limited = limit(request, reply, caller)
      const enter = () => letIn(request, operation, presented, caller)
      return limited ? limited.then(enter) : enter()
    }
    return found instanceof Promise ? found.then(goOn) : goOn(found)
  }
}

const workspacePattern = new RegExp((WorkspaceId as { pattern?: string }).pattern ?? '')

/** What no workspace can be called is never asked for: the caller is nobody there. */
function askedWorkspace(text: string | undefined): string | null {
  return text !== undefined && workspacePattern.test(text) ? text : null
}

function missing({ signal }: Operation, from: Entered['from'], authorization: string | undefined): string {
  if (signal) return 'Send a telemetry token that works now, in Authorization: Bearer or in x-telemetry-token.'
  if (from === null) return 'Send an API key in x-api-key, or a token in Authorization: Bearer.'
  if (from === 'bearer' && /^bearer +atr_/i.test(authorization ?? '')) {
    return 'This is an API key: send it in the header x-api-key, not as a bearer token.'
  }
  return 'The credential is unknown, has ended or was revoked; log in again or use another key.'
}

/** A page of another site may neither act with the cookie nor plant one. */
function refuseForeign(operation: Operation, isForeign: boolean, from: Entered['from']): void {
  if (!isForeign) return
  const text = 'This request comes from a page of another site; open the console itself.'
  if (operation.access !== 'public' && from === 'cookie' && isWrite(operation)) throw forbidden(text)
  if (operation.cookie === 'set') throw badRequest(text)
}
