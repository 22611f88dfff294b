// Sends over node:http what `fetch` would: loading `fetch` costs every call of the command line a tenth of a second.
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { Readable } from 'node:stream'

/** As much of an answer as the command line reads. */
type Answer = Pick<Response, 'status' | 'ok' | 'url' | 'text' | 'json'> & {
  headers: Pick<Headers, 'get'>
  body: AsyncIterable<Uint8Array> & { cancel(): Promise<void> }
}

export const send = ((address: string, init: RequestInit = {}): Promise<Answer> => {
  const { method = 'GET', headers, body, signal } = init
  const url = new URL(address)
  const ask = url.protocol === 'https:' ? secureRequest : plainRequest
  const isStream = typeof body === 'object' && body !== null && Symbol.asyncIterator in body
  return new Promise((resolve, reject) => {
    const outgoing = ask(url, {
      method,
      // Of a stream a service may refuse the rest: it must not close before its answer is read.
      headers: { ...(headers as Record<string, string>), ...lengthOf(body), ...(!isStream && { connection: 'close' }) },
      ...(signal && { signal }),
    })
    outgoing.on('error', reject)
    outgoing.on('response', incoming => resolve(answerOf(address, incoming)))
    if (isStream) stream(body as unknown as AsyncIterable<Uint8Array>, outgoing).on('error', reject)
    else outgoing.end(body ?? undefined)
  })
}) as unknown as typeof fetch

/** Until it is answered: who answers before the end wants no more of it. */
function stream(body: AsyncIterable<Uint8Array>, outgoing: ClientRequest): Readable {
  const source = Readable.from(body)
  outgoing.on('close', () => source.destroy())
  outgoing.on('response', incoming => {
    if (outgoing.writableEnded) return
    source.unpipe(outgoing).destroy()
    incoming.on('end', () => outgoing.destroy())
  })
  source.pipe(outgoing)
  return source
}

function lengthOf(body: unknown): Record<string, string> {
  const isKnown = typeof body === 'string' || body instanceof Uint8Array
  return isKnown ? { 'content-length': String(Buffer.byteLength(body)) } : {}
}

function answerOf(url: string, incoming: IncomingMessage): Answer {
  const status = incoming.statusCode ?? 0
  const text = async () => {
    const parts: Uint8Array[] = []
    for await (const part of incoming) parts.push(part)
    return Buffer.concat(parts).toString('utf8')
  }
  return {
    status,
    ok: status >= 200 && status < 300,
    url,
    headers: { get: name => [incoming.headers[name.toLowerCase()]].flat().join(', ') || null },
    text,
    json: async () => JSON.parse(await text()),
    body: Object.assign(incoming, {
      cancel: async () => {
        incoming.on('error', () => {})
        incoming.destroy()
      },
    }),
  }
}
