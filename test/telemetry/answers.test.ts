// Answers of OTLP as protobuf; as JSON they are what they are.
import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import { expect, it } from 'vitest'
import { exportBytes, rpcStatus, statusBytes } from '../../src/kit/rpc_status.ts'

it('are the empty message where all was taken', () => {
  expect(exportBytes({}).length).toBe(0)
})

it('say how many were refused, and why', () => {
  for (const name of ['rejectedSpans', 'rejectedLogRecords', 'rejectedDataPoints']) {
    const bytes = exportBytes({ partialSuccess: { [name]: '300', errorMessage: 'bad' } })
    expect(bytes.toString('hex')).toBe('0a0808ac021203626164')
  }
})

it('are read by the exporters', () => {
  const partialSuccess = { rejectedSpans: '100000', errorMessage: 'ü'.repeat(200) }
  const read = ProtobufTraceSerializer.deserializeResponse(exportBytes({ partialSuccess }))
  expect(Number(read.partialSuccess?.rejectedSpans)).toBe(100_000)
  expect(read.partialSuccess?.errorMessage).toBe(partialSuccess.errorMessage)
})

it('give errors as google.rpc.Status', () => {
  expect(rpcStatus('bad_request', 'no')).toEqual({ code: 3, message: 'no' })
  expect(statusBytes(rpcStatus('bad_request', 'no')).toString('hex')).toBe('080312026e6f')
  const kinds = ['unauthorized', 'forbidden', 'not_found', 'too_many_requests', 'unavailable', 'internal'] as const
  expect(kinds.map(kind => rpcStatus(kind, '').code)).toEqual([16, 7, 5, 8, 14, 13])
})
