// Tokens and batches for tests that send telemetry.
import type { TestCaller, TestPlatform } from '../helpers/platform.ts'

export type Signal = 'traces' | 'logs' | 'metrics'

let count = 0

export async function datasetIn(p: TestPlatform, owner: TestCaller, kind: Signal | 'table'): Promise<string> {
  const fields = { workspaceId: owner.workspaceId, slug: `telemetry-${count++}`, kind, retentionDays: 30 }
  const { result, status, text } = await p.call('datasets.post', fields, owner)
  if (status !== 201) throw new Error(text)
  return result.id
}

export type Sender = { id: string; token: string; routes: Record<Signal, string>; headers: Record<string, string> }

/** A token that takes all three signals. */
export async function senderIn(p: TestPlatform, owner: TestCaller, fields: object = {}): Promise<Sender> {
  const routes = {
    traces: await datasetIn(p, owner, 'traces'),
    logs: await datasetIn(p, owner, 'logs'),
    metrics: await datasetIn(p, owner, 'metrics'),
  }
  const body = { workspaceId: owner.workspaceId, name: 'Test sender', routes, ...fields }
  const { result, status, text } = await p.call('telemetry_tokens.post', body, owner)
  if (status !== 201) throw new Error(text)
  return { id: result.id, token: result.token, routes, headers: { authorization: `Bearer ${result.token}` } }
}

const nanos = (at: Date) => `${at.getTime()}000000`

/** Log records as an export request in JSON. */
export function logs(at: Date, many: number, body = 'hello'): string {
  const logRecords = Array.from({ length: many }, (_, index) => ({
    timeUnixNano: nanos(at),
    severityNumber: 9,
    body: { stringValue: `${body} ${index}` },
  }))
  return JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords }] }] })
}

export function spans(at: Date, many: number): string {
  const list = Array.from({ length: many }, (_, index) => ({
    traceId: '5b8efff798038103d269b633813fc60c',
    spanId: (index + 1).toString(16).padStart(16, '0'),
    name: `span ${index}`,
    kind: 2,
    startTimeUnixNano: nanos(at),
    endTimeUnixNano: nanos(new Date(at.getTime() + 5)),
  }))
  return JSON.stringify({ resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans: list }] }] })
}

export function points(at: Date, many: number): string {
  const dataPoints = Array.from({ length: many }, (_, index) => ({ timeUnixNano: nanos(at), asInt: String(index) }))
  const metrics = [{ name: 'queue.length', unit: '1', gauge: { dataPoints } }]
  return JSON.stringify({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ scope: {}, metrics }] }] })
}

type Field = [number: number, value: Buffer | string | bigint]

/** A message of protobuf: texts and messages by their length, big integers as 64 fixed bits. */
export function message(...fields: Field[]): Buffer {
  const parts = fields.map(([number, value]) => {
    if (typeof value === 'bigint') {
      const fixed = Buffer.alloc(8)
      fixed.writeBigUInt64LE(value)
      return Buffer.concat([varint((number << 3) | 1), fixed])
    }
    const bytes = Buffer.from(value as string)
    return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes])
  })
  return Buffer.concat(parts)
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}

/** The same as `spans` makes, as protobuf. */
export function spansAsProtobuf(at: Date, many: number): Buffer {
  const start = BigInt(nanos(at))
  const list = Array.from({ length: many }, (_, index): Field => {
    const spanId = Buffer.from((index + 1).toString(16).padStart(16, '0'), 'hex')
    const traceId = Buffer.from('5b8efff798038103d269b633813fc60c', 'hex')
    return [2, message([1, traceId], [2, spanId], [5, `span ${index}`], [7, start], [8, start + 5_000_000n])]
  })
  return message([1, message([2, message(...list)])])
}

/** google.rpc.Status, and the partial success of an export, as protobuf: field 1 a number, field 2 a text. */
export function readNumberAndText(bytes: Buffer): { number: number; text: string } {
  let at = 0
  const next = () => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] as number
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }
  const found = { number: 0, text: '' }
  while (at < bytes.length) {
    const tag = next()
    if (tag === 8) found.number = next()
    else if (tag === 18) {
      const length = next()
      found.text = bytes.subarray(at, at + length).toString()
      at += length
    } else throw new Error(`a strange tag ${tag}`)
  }
  return found
}
