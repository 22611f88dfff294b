// The answers of OTLP: what went wrong as google.rpc.Status, and what was not taken, each as protobuf.
import type { ErrorKind } from '../contract/errors.ts'

const codes = {
  invalidArgument: 3,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const

/** gRPC has no code for each of ours: senders look at the status of HTTP, and people at the message. */
const codeOf: Readonly<Partial<Record<ErrorKind, keyof typeof codes>>> = {
  bad_request: 'invalidArgument',
  payload_too_large: 'invalidArgument',
  unauthorized: 'unauthenticated',
  forbidden: 'permissionDenied',
  not_found: 'notFound',
  too_many_requests: 'resourceExhausted',
  unavailable: 'unavailable',
}

type RpcStatus = { code: number; message: string }

export function rpcStatus(kind: ErrorKind, message: string): RpcStatus {
  return { code: codes[codeOf[kind] ?? 'internal'], message }
}

/** google.rpc.Status: `code` is field 1, `message` field 2. */
export function statusBytes({ code, message }: RpcStatus): Buffer {
  return Buffer.concat([number(1, code), text(2, message)])
}

/** What an export answers: a count of what was not taken, under a name of the signal's own, and why. */
export type ExportResult = { partialSuccess?: Readonly<Record<string, string>> }

/** Export{Trace,Logs,Metrics}ServiceResponse: `partial_success` is field 1; in it the count is field 1, the text field 2. */
export function exportBytes({ partialSuccess }: ExportResult): Buffer {
  if (!partialSuccess) return Buffer.alloc(0)
  const { errorMessage = '', ...counts } = partialSuccess
  const [count = '0'] = Object.values(counts)
  return lengthed(1, Buffer.concat([number(1, Number(count)), text(2, errorMessage)]))
}

const wholeNumber = 0
const ofLength = 2

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint((field << 3) | wholeNumber), varint(value)])
}

function text(field: number, value: string): Buffer {
  return lengthed(field, Buffer.from(value))
}

function lengthed(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | ofLength), varint(bytes.length), bytes])
}

/** Seven bits a byte, the lowest first; the highest bit says that more follow. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
