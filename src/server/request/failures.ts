// The one place where an error becomes an answer.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { failure } from '../../contract/envelope.ts'
import { ApiError, badRequest, errors } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { isOAuthToken } from '../credentials/providers.ts'
import { tooLarge } from './bodies.ts'
import { writtenStatus } from './otlp.ts'

/** One for all who are refused under load: neither a stack nor a line of log for each, which would be load itself. */
export const overloaded = new ApiError('unavailable', 'There is more to do than can be done; try again in a moment.')

export function toApiError(error: unknown, operation?: Operation): ApiError {
  if (error instanceof ApiError) return error
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(operation)
  if (code === 'FST_ERR_BAD_URL') {
    return badRequest('The address cannot be read: after % come two hexadecimal digits, and the bytes must be UTF-8.')
  }
  // Only the framework's own refusals are the caller's fault; whatever else was thrown is ours.
  if (code.startsWith('FST_') && statusCode < 500) return badRequest('The request could not be read.')
  if (code === 'ECONNRESET' && statusCode === 400) return badRequest('The connection ended before the body was whole.')
  const cause = { cause: error }
  return new ApiError(
    'internal',
    'Something went wrong on our side; try again, and report the request id.',
    undefined,
    cause,
  )
}

function sendFailure(reply: FastifyReply, request: FastifyRequest, error: unknown, challenge: string): FastifyReply {
  const { id, operation } = request.routeOptions?.config ?? {}
  let answer = toApiError(error, operation)
  const { status } = errors[answer.kind]
  if (status >= 500) {
    const level = status === 503 ? 'warn' : 'error'
    if (error !== overloaded) request.log[level]({ err: answer.cause ?? answer, operation: id }, 'request failed')
    answer = new ApiError(answer.kind, answer.detail, { requestId: request.id })
  }
  if (status === 503) reply.header('retry-after', '1')
  if (status === 401) reply.header('www-authenticate', challenge)
  const scopes = scopesToAskFor(answer, request)
  if (scopes) {
    reply.header(
      'www-authenticate',
      challenge.replace('Bearer ', `Bearer error="insufficient_scope", scope="${scopes}", `),
    )
  }
  if (status === 429) reply.header('retry-after', String(answer.metadata?.retryAfterSeconds ?? 60))
  reply.code(status).header('cache-control', 'no-store')
  if (operation?.signal) {
    const { body, type } = writtenStatus(request, answer)
    return reply.type(type).send(body)
  }
  return reply.type('application/json; charset=utf-8').send(failure(answer))
}

/** An application that lacks a scope is told all it must ask for: what it has, and what is missing. */
function scopesToAskFor({ kind, metadata }: ApiError, request: FastifyRequest): string | null {
  const caller = request.entered?.caller
  if (kind !== 'forbidden' || metadata?.reason !== 'scope' || !isOAuthToken(caller?.credential)) return null
  return [...new Set([...(caller?.scopes ?? []), ...((metadata.missing ?? []) as string[])])].join(' ')
}

export function handleFailures(app: FastifyInstance, publicUrl: string): void {
  // Tells a client that knows nothing yet where to ask for a token.
  const challenge = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/v1"`
  app.setErrorHandler((error, request, reply) => sendFailure(reply, request, error, challenge))
  app.setNotFoundHandler((request, reply) => {
    const error = new ApiError('not_found', 'There is nothing at this address; see /v1/openapi.json.')
    return sendFailure(reply, request, error, challenge)
  })
}
