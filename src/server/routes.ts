// The registry mounted: each operation is one route, and each request goes this one way, top to bottom.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type SuccessStatus, success, successSchema } from '../contract/envelope.ts'
import { badRequest, forbidden, notFound } from '../contract/errors.ts'
import { methodOf, type Operation, pathOf, type Stream, workspaceIn } from '../contract/operation.ts'
import { type Permission, permit } from '../contract/permissions.ts'
import { type PolicyRefusal, policyRefuses } from '../contract/tool_policy.ts'
import type { Access, Caller } from '../kit/context.ts'
import { etagOf } from '../kit/etag.ts'
import { sessionDays } from '../kit/session_life.ts'
import { operation as lookUp, operationIds } from '../operations.ts'
import { sessionCookie } from './credentials.ts'
import type { Entered, enter } from './entry.ts'
import { type Call, performer, refusalWriter } from './perform.ts'
import type { Platform } from './platform.ts'
import { callOperation, rehearsed, rehearseOperation, relay } from './relay.ts'
import { endStreamsOnClose, sendStream } from './streams.ts'
import { currentResource, currentSurface, isRehearsal, surfaceOf } from './surface.ts'
import { compileBody, compileQuery, invalid } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    id?: string
    operation?: Operation
  }
  interface FastifyRequest {
    entered: Entered
    operationId: string | undefined
  }
}

export function mountOperations(app: FastifyInstance, platform: Platform, entry: ReturnType<typeof enter>): void {
  endStreamsOnClose(app)
  app.decorateRequest('entered', null as never)
  app.decorateRequest('operationId', undefined)
  app.addHook('onRequest', (request, reply, next) => {
    // Read once: the framework makes a new object of it each time.
    const { id, operation } = request.routeOptions.config
    request.operationId = id
    const { headers } = request.raw
    // Where no body is looked at, a type that cannot be read does not matter either.
    if (operation && !operation.body && headers['content-type'] !== undefined) delete headers['content-type']
    // A path may be spelled with escapes, so the route counts beside the text.
    if (operation === undefined && !request.url.startsWith('/v1')) return next()
    const letIn = (entered: Entered) => {
      request.entered = entered
      next()
    }
    try {
      const entered = entry(request, reply, operation)
      if (entered instanceof Promise) entered.then(letIn, next)
      else letIn(entered)
    } catch (error) {
      next(error as Error)
    }
  })
  const refused = refusalWriter(platform)
  for (const id of operationIds) {
    const operation = lookUp(id)
    if (operation) mount(app, platform, refused, id, operation)
  }
}

function mount(
  app: FastifyInstance,
  platform: Platform,
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  operation: Operation,
): void {
  const status = operation.status ?? 200
  // Made at the first request: compiling every schema would hold up the start.
  let readInput: ReturnType<typeof inputReader> | undefined
  const authorise = authoriser(platform, refused, id, operation)
  const perform = performer(platform, id, operation)
  app.route({
    method: methodOf(operation),
    url: pathOf(operation).replace(/\{(\w+)\}/g, ':$1'),
    config: { id, operation, ...(operation.produces && { load: 'lasting' as const }) },
    ...(!operation.produces && { schema: { response: { [status]: successSchema(status, operation.result) } } }),
    handler: async (request, reply) => {
      const call = callOf(app, request)
      call.access = await authorise(request, call)
      readInput ??= inputReader(operation)
      const input = readInput(request)
      if (isRehearsal()) return reply.code(rehearsed).send()
      const result = await perform(call, input)
      if (operation.produces) {
        const isStillAllowed = () => stillAllowed(platform, operation, request)
        const onFailure = (error: unknown) => request.log.error({ err: error, operation: id }, 'a stream broke off')
        await sendStream(reply, result as Stream, { isStillAllowed, onFailure })
      } else answer(reply, platform, operation, status, result, request)
      return reply
    },
  })
}

function callOf(app: FastifyInstance, request: FastifyRequest): Call {
  const { caller, from, token } = request.entered
  const surface = surfaceOf(request, from)
  const send = () => relay(app, request, token ?? '', surface)
  return {
    caller,
    access: null,
    origin: {
      requestId: request.id,
      path: request.url.split('?', 1)[0] ?? '',
      address: request.ip,
      userAgent: request.headers['user-agent']?.slice(0, 512) ?? null,
      surface,
      ifMatch: request.headers['if-match'] ?? null,
      lastEventId: textHeader(request, 'last-event-id'),
      idempotencyKey: textHeader(request, 'idempotency-key'),
    },
    log: request.log,
    call: callOperation(send),
    rehearse: rehearseOperation(send),
  }
}

function textHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

/** Membership, scope and caller kind, by the one permission function; a refusal is written to the ledger. */
function authoriser(
  platform: Platform,
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  operation: Operation,
): (request: FastifyRequest, call: Call) => Promise<Access | null> {
  const place = workspaceIn(operation)
  const pattern = place === 'body' ? patternOf(operation.body, 'workspaceId') : null
  const policyRefusal = (caller: Caller) =>
    policyRefuses(platform.policies, caller, id, operation, currentSurface() !== undefined)
  return async (request, call) => {
    if (operation.access === 'public') {
      const { caller } = request.entered
      const byPolicy = caller && (await policyRefusal(caller))
      return byPolicy ? await refuse(refused, id, call, caller, byPolicy) : null
    }
    let caller = request.entered.caller as Caller
    if (place === 'body') {
      const { workspaceId } = (request.body ?? {}) as { workspaceId?: unknown }
      if (typeof workspaceId !== 'string' || !pattern?.test(workspaceId)) {
        throw badRequest('"workspaceId" is missing or is not a workspace id.', [
          { path: 'workspaceId', rule: 'pattern', expected: 'a workspace id' },
        ])
      }
      const inWorkspace = await platform.principals.inWorkspace(request.entered.token ?? '', caller, workspaceId)
      caller = inWorkspace ?? { ...caller, role: null, workspaceId, workspaceStatus: null }
    }
    call.caller = caller
    const params = request.params as Record<string, string>
    const aboutSelf = operation.self !== undefined && params[operation.self] === caller.userId
    const permission = permit(caller, operation, aboutSelf)
    if (!permission.allowed) return await refuse(refused, id, call, caller, permission)
    const byPolicy = await policyRefusal(caller)
    if (byPolicy) return await refuse(refused, id, call, caller, byPolicy)
    if (!isRehearsal()) platform.uses.used(caller, permission.scopes)
    if (place === null || caller.workspaceId === null || permission.role === null) return null
    const { role, scopes, reach } = permission
    return { workspaceId: caller.workspaceId, role, scopes, reach }
  }
}

/** For answers that go on for a while: would the same call be let in now? */
async function stillAllowed({ principals }: Platform, operation: Operation, request: FastifyRequest): Promise<boolean> {
  const { workspaceId = null } = request.params as { workspaceId?: string }
  const caller = await principals.resolve(request.entered.token ?? '', workspaceId, request.ip, currentResource())
  return caller !== null && permit(caller, operation).allowed
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

/** Path, query and body as one object. A path value that no record can have is simply not found. */
function inputReader(operation: Operation): (request: FastifyRequest) => object {
  const isBody = operation.body && compileBody(operation.body)
  const readQuery = operation.query && compileQuery(operation.query)
  const isPath = operation.path && compileBody(operation.path)
  return request => {
    const query = readQuery?.(request.query as Record<string, unknown>)
    const body = isBody && request.body === undefined ? {} : request.body
    if (isBody && !isBody(body)) throw invalid(isBody.errors, 'body')
    if (isPath && !isPath(request.params)) throw notFound('record')
    return { ...query, ...(body as object), ...(request.params as object) }
  }
}

function answer(
  reply: FastifyReply,
  { config, now }: Platform,
  operation: Operation,
  status: SuccessStatus,
  result: unknown,
  request: FastifyRequest,
): void {
  reply.header('cache-control', 'no-store')
  if (operation.cookie && !(request.entered.isForeign && operation.cookie === 'clear')) {
    const { token } = result as { token?: string }
    const end = operation.cookie === 'set' ? new Date(now().getTime() + sessionDays * 86_400_000) : new Date(0)
    if (operation.cookie === 'clear' || token) {
      reply.header('set-cookie', sessionCookie(config.PUBLIC_URL, token ?? '', end, now()))
    }
  }
  if (operation.etag) reply.header('etag', etagOf(result as object))
  reply.code(status).send(success(status, result))
}
