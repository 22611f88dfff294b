// The closed table of failures, and the one error that handlers throw.

/** Kind → status and the text of `error.message`; the texts are the specification's. */
export const errors = {
  bad_request: { status: 400, message: 'Bad Request' },
  unauthorized: { status: 401, message: 'Unauthorized' },
  payment_required: { status: 402, message: 'Payment Required' },
  forbidden: { status: 403, message: 'Forbidden' },
  not_found: { status: 404, message: 'Not found' },
  conflict: { status: 409, message: 'Conflict' },
  gone: { status: 410, message: 'Gone' },
  payload_too_large: { status: 413, message: 'Payload too large' },
  too_many_requests: { status: 429, message: 'Slow down' },
  internal: { status: 500, message: 'Internal error' },
  unavailable: { status: 503, message: 'Service unavailable' },
} as const

export type ErrorKind = keyof typeof errors

/** One thing that was wrong with the input. */
export type Issue = { path: string; rule: string; expected: string }

/** `detail` and `metadata` are sent to the caller; `cause` is only logged. */
export class ApiError extends Error {
  readonly kind: ErrorKind
  readonly detail: string
  readonly metadata: Record<string, unknown> | undefined

  constructor(kind: ErrorKind, detail: string, metadata?: Record<string, unknown>, options?: ErrorOptions) {
    super(`${errors[kind].message}: ${detail}`, options)
    this.name = 'ApiError'
    this.kind = kind
    this.detail = detail
    this.metadata = metadata
  }
}

export function badRequest(detail: string, issues?: Issue[]): ApiError {
  return new ApiError('bad_request', detail, issues && { issues })
}

/** For one field: what it must be. */
export function refused(path: string, rule: string, expected: string): ApiError {
  return badRequest(`"${path}" must be ${expected}.`, [{ path, rule, expected }])
}

export function unauthorized(detail: string): ApiError {
  return new ApiError('unauthorized', detail)
}

export function forbidden(detail: string, metadata?: Record<string, unknown>): ApiError {
  return new ApiError('forbidden', detail, metadata)
}

/** `what` is the record's name in words: "API key". */
export function notFound(what: string): ApiError {
  return new ApiError('not_found', `There is no such ${what}, or it is not yours to see.`)
}

export function conflict(detail: string, metadata?: Record<string, unknown>): ApiError {
  return new ApiError('conflict', detail, metadata)
}

/** Where no time is given, the window of the rate limits is. */
export function slowDown(detail: string, retryAfterSeconds = 60): ApiError {
  return new ApiError('too_many_requests', detail, { retryAfterSeconds })
}
