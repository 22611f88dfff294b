// The registry mounted: each operation is one route, and each request goes this one way, top to bottom.
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { answerSchemas } from '../../contract/answers.ts'
import { success } from '../../contract/envelope.ts'
import { hasBody, methodOf, type Operation, pathOf, type Stream } from '../../contract/operation.ts'
import type { Ruling } from '../../contract/tool_policy.ts'
import type { Caller } from '../../kit/context.ts'
import type { Wait } from '../../kit/gate.ts'
import { answerOf, unchanged } from '../../kit/implement.ts'
import { operation as lookUp, operationIds } from '../../operations.ts'
import { answerer } from './answer.ts'
import { authoriser, stillAllowed } from './authorise.ts'
import { readBodiesToDisk } from './bodies_on_disk.ts'
import { callLogger } from './call_log.ts'
import type { Entered, enter } from './entry.ts'
import { gatekeeper } from './gatekeeper.ts'
import { inputReader } from './input.ts'
import { type Call, performer, refusalWriter } from './perform.ts'
import type { Platform } from './platform.ts'
import type { Pressure } from './pressure.ts'
import { rehearsed, relay } from './relay.ts'
import { endStreamsOnClose, sendStream } from './streams.ts'
import { isRehearsal, surfaceOf } from './surface.ts'

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
      if (!(operation && hasBody(operation)) && headers['content-type'] !== undefined) delete headers['content-type']
      enterBy(entry, operation, request, reply, next)
    }
    route.onRequest = [operation ? letIn : countIn, ...[route.onRequest ?? []].flat()]
  })
  app.addHook('onRequest', (request, reply, next) => {
    if (request.is404) countIn.call(app, request, reply, next)
    else next()
  })
  const refused = refusalWriter(platform)
  const onDisk = operationIds.filter(id => lookUp(id)?.bodyOnDisk)
  for (const id of operationIds) {
    const operation = lookUp(id)
    if (operation && !operation.bodyOnDisk) mount(app, platform, pressure, refused, id, operation)
  }
  app.register(async scope => {
    readBodiesToDisk(scope, platform.config.DATA_DIR)
    for (const id of onDisk) {
      const operation = lookUp(id)
      if (operation) mount(scope, platform, pressure, refused, id, operation)
    }
  })
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
  if (operation.produces && methodOf(operation) === 'GET') mountHead(app, operation, authorise, id)
  const keeper = gatekeeper(platform, refused, id, operation)

  async function carryOut(call: Call, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const access = authorise(request, call)
    // Not waited for where it is known at once, as it mostly is.
    call.access = access instanceof Promise ? await access : access
    readInput ??= inputReader(operation)
    const input = readInput(request)
    if (isRehearsal()) {
      const needsApproval = isRuled(call) && keeper.rehearse(call, input)
      return reply.code(rehearsed).send(needsApproval ? 'approval' : '')
    }
    const wait = isRuled(call) ? await keeper.pass(call, input) : null
    if (wait) return sendWait(reply, wait)
    const { status: other, result, tag } = answerOf(await perform(call, input))
    if (tag !== undefined) {
      reply.header('etag', tag)
      if (result === unchanged) return sendUnchanged(reply)
    }
    if (operation.produces) {
      const isStillAllowed = () => stillAllowed(platform, operation, request)
      const onFailure = (error: unknown) => request.log.error({ err: error, operation: id }, 'a stream broke off')
      reply.dress()
      await sendStream(reply, result as Stream, { isStillAllowed, onFailure })
      return reply
    }
    // Waited for only where it must be compressed first.
    const sent = answer(reply, request, result as object, other)
    if (sent) await sent
    return undefined
  }

  const logged = callLogger(platform, id, operation)
  app.route({
    method: methodOf(operation),
    url: pathOf(operation).replace(/\{(\w+)\}/g, ':$1'),
    config: { id, operation, ...(operation.produces && { load: 'lasting' as const }) },
    ...(!operation.produces && { schema: { response: answerSchemas(operation) } }),
    ...(operation.bodyLimit !== undefined && { bodyLimit: operation.bodyLimit }),
    exposeHeadRoute: !operation.produces,
    handler: (request, reply) => {
      const call = callOf(app, request, reply)
      return logged(call, () => carryOut(call, request, reply))
    },
  })
}

function isRuled(call: Call): call is Call & { caller: Caller; ruling: Ruling } {
  return call.ruling !== null && call.caller !== null
}

/** By the framework: the operation's own schema is not that of a wait. */
function sendWait(reply: FastifyReply, wait: Wait): FastifyReply {
  return reply
    .code(202)
    .serializer(JSON.stringify)
    .headers({ 'approval-id': wait.approvalId, 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(success(202, wait))
}

/** By the framework, since there is nothing to write out. */
function sendUnchanged(reply: FastifyReply): FastifyReply {
  return reply.code(304).header('cache-control', 'no-store').send()
}

/** HEAD of a file or a stream: whether it may be had, without making it. */
function mountHead(app: FastifyInstance, operation: Operation, authorise: ReturnType<typeof authoriser>, id: string) {
  app.route({
    method: 'HEAD',
    url: pathOf(operation).replace(/\{(\w+)\}/g, ':$1'),
    config: { id, operation },
    handler: async (request, reply) => {
      await authorise(request, callOf(app, request, reply))
      inputReader(operation)(request)
      const [type = ''] = operation.produces ?? []
      // What makes a page of it, its policy above all, comes with the page.
      return type.startsWith('text/html') ? reply.send() : reply.type(type).send()
    },
  })
}

function callOf(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Call {
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
      ifNoneMatch: request.headers['if-none-match'] ?? null,
      lastEventId: textHeader(request, 'last-event-id'),
      idempotencyKey: textHeader(request, 'idempotency-key'),
    },
    log: request.log,
    ruling: null,
    approval: { id: textHeader(request, 'approval-id'), reason: reasonOf(request) },
    signal: () => untilGone(reply),
    relay: () => relay(app, request, token ?? '', surface),
  }
}

/** Made only where it is asked for, which is where something long is begun. */
function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort(new Error('the caller is gone'))
  })
  return gone.signal
}

/** Percent-encoded, since a header holds no other letters; what cannot be read is taken as it is. */
function reasonOf(request: FastifyRequest): string | null {
  const text = textHeader(request, 'approval-reason')
  if (text === null) return null
  try {
    return decodeURIComponent(text).replaceAll('\0', '').slice(0, longestReason)
  } catch {
    return text.slice(0, longestReason)
  }
}

const longestReason = 500

function textHeader(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}
