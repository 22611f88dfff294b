// The registry mounted: each operation is one route, and each request goes this one way, top to bottom.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { type SuccessStatus, success, successSchema } from '../contract/envelope.ts'
import { badRequest, forbidden, notFound } from '../contract/errors.ts'
import { methodOf, type Operation, pathOf, type Stream, workspaceIn } from '../contract/operation.ts'
import { type Permission, permit } from '../contract/permissions.ts'
import { type PolicyRefusal, policyRefuses } from '../contract/tool_policy.ts'
import type { Access, Caller } from '../kit/context.ts'
import { etagOf } from '../kit/etag.ts'
import { ofKept } from '../kit/kept.ts'
import { sessionDays } from '../kit/session_life.ts'
import { operation as lookUp, operationIds } from '../operations.ts'
import { sessionCookie } from './credentials.ts'
import type { Entered, enter } from './entry.ts'
import { type Call, performer, refusalWriter } from './perform.ts'
import type { Platform } from './platform.ts'
import type { Pressure } from './pressure.ts'
import { rehearsed, relay } from './relay.ts'
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

export function mountOperations(
  app: FastifyInstance,
  platform: Platform,
  entry: ReturnType<typeof enter>,
  pressure: Pressure,
): void {
  endStreamsOnClose(app)
  app.decorateRequest('entered', null as never)
  app.decorateRequest('operationId', undefined)
  /** What is no operation, or not there at all, is asked for by somebody all the same. */
  const countIn: onRequestHookHandler = (request, reply, next) => {
    if (request.url.startsWith('/v1')) enterBy(entry, undefined, request, reply, next)
    else next()
  }
  // Each route knows its operation: asking the framework for it on each request would make an object of it each time.
  app.addHook('onRoute', route => {
    const { id, operation } = route.config ?? {}
    const letIn: onRequestHookHandler = (request, reply, next) => {
      request.operationId = id
      const { headers } = request.raw
      // Where no body is looked at, a type that cannot be read does not matter either.
      if (!operation?.body && headers['content-type'] !== undefined) delete headers['content-type']
      enterBy(entry, operation, request, reply, next)
    }
    route.onRequest = [operation ? letIn : countIn, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onRequest', (request, reply, next) => {
    if (request.is404) countIn.call(app, request, reply, next)
    else next()
  })
  const refused = refusalWriter(platform)
  for (const id of operationIds) {
    const operation = lookUp(id)
    if (operation) mount(app, platform, pressure, refused, id, operation)
  }
}

function enterBy(
  entry: ReturnType<typeof enter>,
  operation: Operation | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  next: (error?: Error) => void,
): void {
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
}

function mount(
  app: FastifyInstance,
  platform: Platform,
  pressure: Pressure,
  refused: ReturnType<typeof refusalWriter>,
  id: string,
  operation: Operation,
): void {
  const status = operation.status ?? 200
  // Made at the first request: compiling every schema would hold up the start.
  let readInput: ReturnType<typeof inputReader> | undefined
  const authorise = authoriser(platform, refused, id, operation)
  const perform = performer(platform, id, operation)
  const answer = answerer(platform, pressure, operation, status)
  app.route({
    method: methodOf(operation),
    url: pathOf(operation).replace(/\{(\w+)\}/g, ':$1'),
    config: { id, operation, ...(operation.produces && { load: 'lasting' as const }) },
    ...(!operation.produces && { schema: { response: { [status]: successSchema(status, operation.result) } } }),
    handler: async (request, reply) => {
      const call = callOf(app, request)
      const access = authorise(request, call)
      // Not waited for where it is known at once, as it mostly is.
      call.access = access instanceof Promise ? await access : access
      readInput ??= inputReader(operation)
      const input = readInput(request)
      if (isRehearsal()) return reply.code(rehearsed).send()
      const result = await perform(call, input)
      if (operation.produces) {
        const isStillAllowed = () => stillAllowed(platform, operation, request)
        const onFailure = (error: unknown) => request.log.error({ err: error, operation: id }, 'a stream broke off')
        reply.dress()
        await sendStream(reply, result as Stream, { isStillAllowed, onFailure })
        return reply
      }
      answer(reply, request, result as object)
    },
  })
}

function callOf(app: FastifyInstance, request: FastifyRequest): Call {
  const { caller, from, token } = request.entered
  const surface = surfaceOf(request, from)
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
    relay: () => relay(app, request, token ?? '', surface),
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
): (request: FastifyRequest, call: Call) => Access | null | Promise<Access | null> {
  const place = workspaceIn(operation)
  const pattern = place === 'body' ? patternOf(operation.body, 'workspaceId') : null
  const policyRefusal = (caller: Caller) =>
    policyRefuses(platform.policies, caller, id, operation, currentSurface() !== undefined)

  async function authorisePublic(caller: Caller, call: Call): Promise<null> {
    const byPolicy = await policyRefusal(caller)
    return byPolicy ? await refuse(refused, id, call, caller, byPolicy) : null
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
    const goOn = (byPolicy: PolicyRefusal | null) =>
      byPolicy ? refuse(refused, id, call, caller, byPolicy) : grant(caller, permission)
    const byPolicy = policyRefusal(caller)
    return byPolicy instanceof Promise ? byPolicy.then(goOn) : goOn(byPolicy)
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
    const params = request.params as object
    return query || isBody ? { ...query, ...(body as object), ...params } : params
  }
}

/** A short text goes out in one piece with its headers; of a long one, the bytes are copied no more. */
const longText = 2_048

type Written = { body: string | Buffer; length: string }

/** Text that was put together piece by piece would be put together again each time it is sent. */
function inOnePiece(text: string): Written {
  const bytes = Buffer.from(text)
  return { body: bytes.length <= longText ? bytes.toString() : bytes, length: String(bytes.length) }
}

/** The envelope as the operation's schema has it. What is made of rows that are kept is written out once. */
function writerOf(reply: FastifyReply, status: SuccessStatus): (result: object) => Written {
  const serialize = reply.getSerializationFunction(String(status))
  if (!serialize) throw new Error(`no schema for answers with ${status}`)
  return ofKept(result => inOnePiece(serialize(success(status, result))))
}

const ofAnswers = ['cache-control', 'no-store', 'content-type', 'application/json; charset=utf-8']

/**
 * Headers and envelope, written past the framework: putting a dozen headers on its reply one by one and taking them off
 * again is a tenth of a small request.
 */
function answerer({ config, now }: Platform, pressure: Pressure, operation: Operation, status: SuccessStatus) {
  let write: ReturnType<typeof writerOf> | undefined
  return (reply: FastifyReply, request: FastifyRequest, result: object): void => {
    write ??= writerOf(reply, status)
    if (operation.cookie && !(request.entered.isForeign && operation.cookie === 'clear')) {
      const { token } = result as { token?: string }
      const end = operation.cookie === 'set' ? new Date(now().getTime() + sessionDays * 86_400_000) : new Date(0)
      if (operation.cookie === 'clear' || token) {
        reply.header('set-cookie', sessionCookie(config.PUBLIC_URL, token ?? '', end, now()))
      }
    }
    if (operation.etag) reply.header('etag', etagOf(result))
    const { body, length } = write(result)
    const headers = reply.dressing()
    headers.push(...ofAnswers, 'content-length', length)
    for (const [name, value] of Object.entries(reply.getHeaders())) headers.push(name, value as string)
    pressure.leave(request)
    reply.raw.writeHead(status, headers).end(body)
  }
}
