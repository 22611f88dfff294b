// The envelope around every JSON answer: its schemas and its builders.
import { type TSchema, Type } from 'typebox'
import { type ApiError, errors } from './errors.ts'
import { choice, object, record } from './records.ts'

export const successTexts = {
  200: 'Successful request',
  201: 'Resource created',
  202: 'Request accepted',
  204: 'No content',
} as const

export type SuccessStatus = keyof typeof successTexts

export function successSchema(status: SuccessStatus, result: TSchema) {
  return object({
    success: Type.Unsafe<true>({ type: 'boolean', const: true }),
    message: object({ message: choice([successTexts[status]]) }),
    error: Type.Null(),
    result,
  })
}

type Answering = { result: TSchema; status?: SuccessStatus; envelope?: false }

/** What an operation answers where it went well: the envelope, or the result alone where a protocol wants that; 204 has neither. */
export function answerSchema({ result, status = 200, envelope }: Answering): TSchema {
  return envelope === false || status === 204 ? result : successSchema(status, result)
}

export const FailureEnvelope = record('Failure', {
  success: Type.Unsafe<false>({ type: 'boolean', const: false }),
  message: Type.Null(),
  error: object({
    message: Type.String(),
    detail: Type.Optional(Type.String()),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
})

export function success(status: SuccessStatus, result: unknown) {
  return { success: true, message: { message: successTexts[status] }, error: null, result }
}

export function failure(error: ApiError) {
  const { detail, metadata } = error
  return { success: false, message: null, error: { message: errors[error.kind].message, detail, metadata } }
}
