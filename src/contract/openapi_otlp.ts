// What the document says of answers in the form of OTLP: as JSON, or as protobuf where that was sent.
import { mediaTypes } from './content.ts'
import { type ErrorKind, errors } from './errors.ts'

type Json = Record<string, unknown>

type HeadersOf = (name?: 'Retry-After' | false) => Json

export const telemetryScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'x-telemetry-token',
  description: 'A telemetry token, for OpenTelemetry senders; it may be sent as bearer too.',
}

/** As the sender sent it. */
function inBothForms(schema: object, example: unknown): Json {
  return {
    [mediaTypes.protobuf[0]]: { schema: { type: 'string', format: 'binary' } },
    [mediaTypes.json[0]]: { schema, example },
  }
}

export function exportResponse(description: string, schema: Json, example: unknown, headers: HeadersOf): Json {
  return { description, headers: headers(), content: inBothForms(schema, example) }
}

const status = {
  type: 'object',
  description: 'google.rpc.Status.',
  properties: { code: { type: 'integer' }, message: { type: 'string' } },
  required: ['code', 'message'],
}

export function statusResponse(kind: ErrorKind, headers: HeadersOf): Json {
  const { status: ofHttp, message } = errors[kind]
  return {
    description: message,
    headers: headers((ofHttp === 429 || ofHttp === 503) && 'Retry-After'),
    content: inBothForms(status, { code: 3, message }),
  }
}
