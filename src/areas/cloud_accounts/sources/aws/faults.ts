// What can go wrong with a request to AWS, in the words of `Unseen`; never with what AWS wrote, which may quote anything.
import { ForbiddenAddress } from '../../../../kit/context.ts'
import type { Unseen } from '../../found/contract.ts'
import { at } from '../values.ts'
import { readXml } from './xml.ts'

export type FaultCode = Unseen['code']

export class AwsFault extends Error {
  override name = 'AwsFault'
  readonly code: FaultCode
  /** AWS's own code, '' where there is none. */
  readonly reason: string
  /** Where S3 says that the bucket is. */
  readonly region: string | undefined

  constructor(code: FaultCode, text: string, { reason = '', region }: { reason?: string; region?: string } = {}) {
    super(text)
    this.code = code
    this.reason = reason
    this.region = region
  }
}

const throttling =
  /^(?:Throttl\w*|TooManyRequests(?:Exception)?|RequestThrottled(?:Exception)?|RequestLimitExceeded|SlowDown|BandwidthLimitExceeded|ProvisionedThroughputExceededException|PriorRequestNotComplete|EC2ThrottledException)$/

const credentials =
  /^(?:ExpiredToken(?:Exception)?|RequestExpired|InvalidClientTokenId|UnrecognizedClient(?:Exception)?|InvalidAccessKeyId|InvalidToken|SignatureDoesNotMatch|InvalidSignature(?:Exception)?|IncompleteSignature(?:Exception)?|MissingAuthenticationToken(?:Exception)?|AuthFailure|TokenRefreshRequired|RequestTimeTooSkewed|RequestInTheFuture)$/

const forbidden =
  /^(?:AccessDenied(?:Exception)?|UnauthorizedOperation|AuthorizationError|NotAuthorized|OptInRequired|SubscriptionRequired(?:Exception)?|AllAccessDisabled|InvalidRegion)$/

/** No other request will be answered with these either, in whichever region. */
export function isExpired({ reason }: AwsFault): boolean {
  return /^(?:ExpiredToken|RequestExpired|TokenRefreshRequired)/.test(reason)
}

/** A refusal, by its code where there is one. */
export function codeOf(status: number, reason: string): FaultCode {
  if (throttling.test(reason)) return 'throttled'
  if (credentials.test(reason)) return 'auth'
  if (forbidden.test(reason)) return 'forbidden'
  if (status === 429 || status === 503) return 'throttled'
  if (status === 401 || status === 403) return 'forbidden'
  return 'failed'
}

/** AWS's code of an error in any of its protocols; '' where there is none, or none that looks like one. */
export function reasonIn(headers: Headers, body: string): { reason: string; region?: string } {
  const header = headers.get('x-amzn-errortype') ?? headers.get('x-amzn-query-error')?.split(';')[0]
  if (header) return { reason: asReason(header.split(':')[0]) }
  const told = body.trimStart().startsWith('{') ? inJson(body) : inXml(body)
  const region = headers.get('x-amz-bucket-region') ?? told.region
  return { reason: asReason(told.reason), ...(isRegion(region) && { region }) }
}

type Told = { reason?: unknown; region?: unknown }

function inJson(body: string): Told {
  try {
    const answer: unknown = JSON.parse(body)
    const type = at(answer, '__type') ?? at(answer, 'code') ?? at(answer, 'Code')
    return { reason: typeof type === 'string' ? type.split('#').at(-1) : undefined }
  } catch {
    return {}
  }
}

/** `<ErrorResponse><Error>`, in EC2 `<Response><Errors><Error>`, in S3 `<Error>` alone. */
function inXml(body: string): Told {
  try {
    const { value } = readXml(body)
    const error = at(value, 'Error') ?? at(value, 'Errors', 'Error') ?? value
    return { reason: at(error, 'Code'), region: at(error, 'Region') }
  } catch {
    return {}
  }
}

function asReason(told: unknown): string {
  return typeof told === 'string' && /^[A-Za-z][\w.]{0,79}$/.test(told) ? told.replace(/^.*\./, '') : ''
}

/** It becomes part of a host's name. */
export function isRegion(region: unknown): region is string {
  return typeof region === 'string' && /^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/.test(region)
}

/** Nothing came back: what was thrown instead of an answer. */
export function faultOf(thrown: unknown, host: string): AwsFault {
  if (thrown instanceof AwsFault) return thrown
  const { name, message } = thrown instanceof Error ? thrown : { name: '', message: '' }
  if (thrown instanceof ForbiddenAddress) return new AwsFault('unreachable', `${host} may not be called from here`)
  if (name === 'TimeoutError' || name === 'AbortError') return new AwsFault('timeout', `${host} did not answer in time`)
  if (message === 'the answer is too long') return new AwsFault('too_large', `${host} answered with too much`)
  return new AwsFault('unreachable', `${host} could not be reached`, { reason: 'connection' })
}
