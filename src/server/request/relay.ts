// Calls that the server makes to itself for a tool: through the door that every client uses, with the caller's own
// credential, address and name, so that nothing is checked or written in a second way.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type OperationRequest, requestOf } from '../../client/request.ts'
import { ApiError, type ErrorKind, errors } from '../../contract/errors.ts'
import { ApprovalWanted, type CallOperation, type RehearseOperation, type Surface } from '../../kit/context.ts'
import { operation as lookUp } from '../../operations.ts'
import { asRehearsal, asTool } from './surface.ts'
import { nextTurn } from './turns.ts'

/** `approvalId`: nothing was done yet, a person is asked first. */
export type Relayed = { status: number; text: string; approvalId?: string }

/** What goes with a call that needs an approval. */
export type WithApproval = OperationRequest & { approvalId?: string | undefined; reason?: string | undefined }

/** No tool waits longer than this for its operation. */
const longestMs = 60_000

/** `surface` travels beside the call; no header of the caller's can claim to be a tool call. */
export function relay(
  app: FastifyInstance,
  request: FastifyRequest,
  token: string,
  surface: Surface,
): (outgoing: WithApproval, signal?: AbortSignal) => Promise<Relayed> {
  const passed = ['user-agent', 'idempotency-key', 'approval-id', 'approval-reason'].flatMap(name => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const credential = token.startsWith('atr_') ? { 'x-api-key': token } : { authorization: `Bearer ${token}` }
  return async ({ method, path, body, contentType, approvalId, reason }, signal) => {
    await nextTurn()
    const answer = await orGivenUp(signal, () =>
      asTool(surface, async () => {
        return await app.inject({
          method: method as 'GET',
          url: path,
          headers: {
            ...Object.fromEntries(passed),
            ...credential,
            ...(contentType !== undefined && { 'content-type': contentType }),
            ...(approvalId !== undefined && { 'approval-id': approvalId }),
            ...(reason !== undefined && { 'approval-reason': encodeURIComponent(reason) }),
          },
          ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
          remoteAddress: request.ip,
        })
      }),
    )
    await nextTurn()
    const asked = answer.headers['approval-id']
    const { statusCode: status, payload: text } = answer
    return { status, text, ...(typeof asked === 'string' && { approvalId: asked }) }
  }
}

/** What was begun is carried out; nobody waits for it any longer where the caller is gone or it takes too long. */
async function orGivenUp<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const late = () => reject(new ApiError('unavailable', 'The operation took too long; look whether it was done.'))
  // Made where it is thrown: an error takes its stack along, which costs more than all else here.
  const nobody = () => new ApiError('unavailable', 'Nobody waits for the answer any more.')
  if (signal?.aborted) throw nobody()
  const leave = () => reject(nobody())
  const timer = setTimeout(late, longestMs)
  signal?.addEventListener('abort', leave)
  try {
    return await Promise.race([work(), givenUp])
  } finally {
    clearTimeout(timer)
    // Signals of finished requests are fired all the same.
    signal?.removeEventListener('abort', leave)
  }
}

/** For a handler's `before`: the result, or the refusal as the operation gave it. */
export function callOperation(send: () => ReturnType<typeof relay>): CallOperation {
  return async (id, input, approval) => {
    const operation = lookUp(id)
    if (!operation) throw new Error(`no operation ${id}`)
    const outgoing = { ...requestOf(operation, input as Record<string, unknown>), ...approval }
    const { status, text, approvalId } = await send()(outgoing)
    if (status === noContent) return null
    const { success, result, error } = JSON.parse(text)
    if (approvalId !== undefined) throw new ApprovalWanted(result)
    if (success) return result
    throw failureOf(status, error)
  }
}

const noContent = 204

/** The same request by the same door, which answers without content where it would have gone on. */
export function rehearseOperation(send: () => ReturnType<typeof relay>): RehearseOperation {
  return async (id, input) => {
    const operation = lookUp(id)
    if (!operation) throw new Error(`no operation ${id}`)
    const outgoing = requestOf(operation, input as Record<string, unknown>)
    const { method, path } = outgoing
    const { status, text } = await asRehearsal(() => send()(outgoing))
    if (status === rehearsed) return { method, path, refusal: null, needsApproval: text === 'approval' }
    const { error } = JSON.parse(text)
    if (status !== errors.forbidden.status) throw failureOf(status, error)
    const { reason, missing = [] } = error.metadata
    return { method, path, refusal: { reason, missing, detail: error.detail }, needsApproval: false }
  }
}

/** No operation answers so; the body says whether a person would be asked first. */
export const rehearsed = 203

type Failure = { detail?: string; metadata?: Record<string, unknown> } | null | undefined

function failureOf(status: number, error: Failure): ApiError {
  const kind = (Object.keys(errors) as ErrorKind[]).find(name => errors[name].status === status) ?? 'internal'
  return new ApiError(kind, error?.detail ?? '', error?.metadata)
}
