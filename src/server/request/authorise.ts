// Whether a request is let through to its operation: membership, scope, caller kind, tool policy (403).
import type { FastifyRequest } from 'fastify'
import { badRequest, forbidden } from '../../contract/errors.ts'
import { type Operation, workspaceIn } from '../../contract/operation.ts'
import { type Permission, permit } from '../../contract/permissions.ts'
import { type PolicyRefusal, type Ruling, ruledBy } from '../../contract/tool_policy.ts'
import type { Access, Caller } from '../../kit/context.ts'
import type { Call, refusalWriter } from './perform.ts'
import type { Platform } from './platform.ts'
import { currentResource, currentSurface, isRehearsal } from './surface.ts'

/** Membership, scope and caller kind, by the one permission function; a refusal is written to the ledger. */
export function authoriser(
  platform: Platform,
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  operation: Operation,
): (request: FastifyRequest, call: Call) => Access | null | Promise<Access | null> {
  const place = workspaceIn(operation)
  const pattern = place === 'body' ? patternOf(operation.body, 'workspaceId') : null
  const ruling = (caller: Caller, params?: Record<string, string>) =>
    ruledBy(platform.policies, caller, id, operation, currentSurface() !== undefined, params)

  async function authorisePublic(caller: Caller, call: Call): Promise<null> {
    const ruled = await ruling(caller)
    if (ruled && !ruled.allowed) return await refuse(refused, id, call, caller, ruled)
    call.ruling = ruled
    return null
  }

  async function authoriseByBody(request: FastifyRequest, call: Call, caller: Caller): Promise<Access | null> {
    const { workspaceId } = (request.body ?? {}) as { workspaceId?: unknown }
    if (typeof workspaceId !== 'string' || !pattern?.test(workspaceId)) {
      throw badRequest('"workspaceId" is missing or is not a workspace id.', [
        { path: 'workspaceId', rule: 'pattern', expected: 'a workspace id' },
      ])
    }
    const inWorkspace = await platform.principals.inWorkspace(request.entered.token ?? '', caller, workspaceId)
    return await authorise(request, call, inWorkspace ?? { ...caller, role: null, workspaceId, workspaceStatus: null })
  }

  function authorise(request: FastifyRequest, call: Call, caller: Caller): Access | null | Promise<Access | null> {
    call.caller = caller
    const params = request.params as Record<string, string>
    const aboutSelf = operation.self !== undefined && params[operation.self] === caller.userId
    const permission = permit(caller, operation, aboutSelf)
    if (!permission.allowed) return refuse(refused, id, call, caller, permission)
    const goOn = (ruled: PolicyRefusal | Ruling | null) => {
      if (ruled && !ruled.allowed) return refuse(refused, id, call, caller, ruled)
      call.ruling = ruled
      return grant(caller, permission)
    }
    const ruled = ruling(caller, params)
    return ruled instanceof Promise ? ruled.then(goOn) : goOn(ruled)
  }

  function grant(caller: Caller, { role, scopes, reach }: Permission & { allowed: true }): Access | null {
    if (!isRehearsal()) platform.uses.used(caller, scopes)
    const { workspaceId } = caller
    return place === null || workspaceId === null || role === null ? null : { workspaceId, role, scopes, reach }
  }

  return (request, call) => {
    const { caller } = request.entered
    if (operation.access === 'public') return caller && authorisePublic(caller, call)
    if (place === 'body') return authoriseByBody(request, call, caller as Caller)
    return authorise(request, call, caller as Caller)
  }
}

/** For answers that go on for a while: would the same call be let in now, with the same rights? */
export async function stillAllowed(
  { principals }: Platform,
  operation: Operation,
  request: FastifyRequest,
): Promise<boolean> {
  const { workspaceId = null } = request.params as { workspaceId?: string }
  const caller = await principals.resolve(request.entered.token ?? '', workspaceId, request.ip, currentResource())
  const before = request.entered.caller
  if (caller === null || before === null || !permit(caller, operation).allowed) return false
  return caller.role === before.role && String(caller.scopes) === String(before.scopes)
}

async function refuse(
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  call: Call,
  caller: Caller,
  permission: (Permission & { allowed: false }) | PolicyRefusal,
): Promise<never> {
  const { reason, missing, detail } = permission
  if (!isRehearsal()) await refused(id, { ...call, caller }, permission)
  throw forbidden(detail, { reason, ...(missing.length > 0 && { missing }) })
}

function patternOf(schema: Operation['body'], name: string): RegExp {
  return new RegExp((schema?.properties[name] as { pattern?: string } | undefined)?.pattern ?? '')
}
