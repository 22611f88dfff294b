// Senders of logs while the service is killed: what was answered with 200 is there once, and what is counted is there.
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { signUp } from '../helpers/persistent.ts'
import { freePort, type Service, start } from '../helpers/service.ts'
import { type Client, client } from './writers.ts'

const between = (least: number, most: number) => least + Math.random() * (most - least)
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const senders = 6

/** One request: how many records it had, and whether it was answered with 200. */
type Batch = { word: string; size: number; isAnswered: boolean }

type Figures = { rounds: number; answered: number; unanswered: number; ofThemThere: number; rows: number }

export async function killTelemetry(env: Record<string, string>, rounds: number): Promise<Figures> {
  const port = await freePort()
  const limits = { RATE_LIMIT: '1000000', ANONYMOUS_RATE_LIMIT: '1000000', LOG_LEVEL: 'silent' }
  const settings = { ...env, ...limits, PUBLIC_URL: `http://127.0.0.1:${port}` }
  const batches: Batch[] = []
  let service: Service | undefined = await start(settings, port)
  try {
    const { token, workspaceId } = await signUp(service)
    const send = client(service.url, token)
    const dataset = await send('POST', '/datasets', { workspaceId, slug: 'crash', kind: 'logs' })
    const id = String(dataset.result.id)
    const made = await send('POST', '/telemetry_tokens', { workspaceId, name: 'Crash', routes: { logs: id } })
    const secret = String(made.result.token)
    for (let round = 1; round <= rounds; round++) {
      const { url } = service
      const sending = Promise.all(Array.from({ length: senders }, () => sendUntilKilled(url, secret, batches)))
      await pause(between(50, 1_500))
      await service.stop('SIGKILL')
      await sending
      service = await start(settings, port)
    }
    return { rounds, ...(await compare(send, workspaceId, id, batches)) }
  } finally {
    await service?.stop('SIGKILL')
  }
}

async function sendUntilKilled(url: string, secret: string, batches: Batch[]): Promise<void> {
  for (;;) {
    const batch: Batch = { word: randomBytes(6).toString('hex'), size: Math.ceil(between(1, 120)), isAnswered: false }
    batches.push(batch)
    try {
      const { status } = await post(url, secret, batch)
      if (status === 200) batch.isAnswered = true
    } catch {
      return
    }
  }
}

async function post(url: string, secret: string, { word, size }: Batch): Promise<Response> {
  const logRecords = Array.from({ length: size }, (_, n) => ({
    timeUnixNano: `${BigInt(Date.now()) * 1_000_000n}`,
    severityNumber: 9,
    body: { stringValue: `line ${n}` },
    attributes: [{ key: 'batch', value: { stringValue: word } }],
  }))
  const answer = await fetch(`${url}/v1/otlp/v1/logs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: new Uint8Array(gzipSync(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))),
  })
  await answer.arrayBuffer()
  return answer
}

async function compare(
  send: Client,
  workspaceId: string,
  id: string,
  batches: readonly Batch[],
): Promise<Omit<Figures, 'rounds'>> {
  const there = await readAll(send, workspaceId, id)
  for (const { word, size, isAnswered } of batches) {
    const found = there.get(word) ?? 0
    if (isAnswered) expect(found, `an answered batch of ${size}`).toBe(size)
    else expect([0, size], `an unanswered batch of ${size}`).toContain(found)
  }
  const rows = [...there.values()].reduce((sum, count) => sum + count, 0)
  const { result } = await send('GET', `/datasets/${workspaceId}/${id}`)
  expect(result.rows).toBe(rows)
  const token = await send('GET', `/telemetry_tokens/${workspaceId}`)
  const [use] = token.result.items as { accepted30d: number }[]
  // A use is counted after the rows are written: it may be missing, and is never too much.
  expect(use?.accepted30d).toBeLessThanOrEqual(rows)
  const unanswered = batches.filter(({ isAnswered }) => !isAnswered)
  return {
    answered: batches.length - unanswered.length,
    unanswered: unanswered.length,
    ofThemThere: unanswered.filter(({ word }) => there.has(word)).length,
    rows,
  }
}

/** Rows of each batch, by reading all of them. */
async function readAll(send: Client, workspaceId: string, id: string): Promise<Map<string, number>> {
  const there = new Map<string, number>()
  let after = ''
  do {
    const path = `/datasets/${workspaceId}/${id}/rows?perPage=1000${after && `&after=${after}`}`
    const { result } = await send('GET', path)
    for (const { attributes } of result.items as { attributes: { batch: string } }[]) {
      there.set(attributes.batch, (there.get(attributes.batch) ?? 0) + 1)
    }
    after = typeof result.next === 'string' ? result.next : ''
  } while (after)
  return there
}
