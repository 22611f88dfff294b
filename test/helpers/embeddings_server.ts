// A stand-in for an embeddings endpoint: words that mean the same are one direction, and what is not exactly right is refused.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const embeddingsKey = 'sk-embeddings'

/** Each is one direction; words of none are no part of a meaning. */
const meanings = [
  ['pool', 'connections', 'sockets'],
  ['checkout', 'payment', 'till'],
  ['slow', 'latency', 'sluggish'],
  ['deploy', 'release', 'rollout'],
  ['certificate', 'tls', 'expiry'],
]

export type Fault =
  | { status: number }
  | 'cut'
  | 'slow'
  | 'nonsense'
  | 'few'
  | 'nan'
  | 'zero'
  | 'unequal'
  | { dimensions: number }

type Asked = { model: string; input: string[] }

export type EmbeddingsServer = Awaited<ReturnType<typeof embeddingsServer>>

export async function embeddingsServer() {
  const asked: Asked[] = []
  const faults: string[] = []
  let fault: Fault | null = null
  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      faults.push(String(error))
      response.destroy()
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const part of request) body += part
    const refusal = wrongIn(request, body)
    if (refusal) {
      faults.push(refusal)
      return answer(response, 400, { error: { message: refusal } })
    }
    const one = JSON.parse(body) as Asked
    asked.push(one)
    if (fault === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' })
      response.write('{"data": [', () => response.destroy())
      return
    }
    // Whoever asked has long gone.
    if (fault === 'slow') return
    // Endpoints repeat what they were sent.
    if (typeof fault === 'object' && fault && 'status' in fault) {
      return answer(response, fault.status, { error: { message: `${embeddingsKey} ${one.input.join(' ')}` } })
    }
    if (fault === 'nonsense') return void response.end('<html>')
    answer(response, 200, { object: 'list', data: dataOf(one.input, fault), model: one.model })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    /** What was wrong with requests. */
    faults,
    /** From now on; null: all is well. */
    fail(next: Fault | null): void {
      fault = next
    },
    /** Every text that it was sent. */
    texts: () => asked.flatMap(({ input }) => input),
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function wrongIn({ method, url, headers }: IncomingMessage, body: string): string | null {
  if (method !== 'POST' || url !== '/v1/embeddings') return `${method} ${url}`
  if (headers['content-type'] !== 'application/json') return `content-type ${headers['content-type']}`
  if (headers.authorization !== `Bearer ${embeddingsKey}`) return 'the key is not the right one'
  const { model, input, encoding_format, ...rest } = JSON.parse(body)
  if (Object.keys(rest).length > 0) return `unknown fields ${Object.keys(rest)}`
  if (typeof model !== 'string' || encoding_format !== 'float') return 'model or encoding_format'
  const isRight = Array.isArray(input) && input.length > 0 && input.length <= 64
  return isRight && input.every(text => typeof text === 'string' && text !== '') ? null : 'input'
}

function dataOf(input: readonly string[], fault: Fault | null): object[] {
  const longer = typeof fault === 'object' && fault && 'dimensions' in fault ? fault.dimensions : null
  const data = input.map((text, index) => {
    const embedding: unknown[] = vectorOf(text)
    if (longer !== null) embedding.push(...Array(longer - embedding.length).fill(0))
    if (fault === 'unequal' && index > 0) embedding.push(0)
    if (fault === 'nan') embedding[0] = null
    return { object: 'embedding', index, embedding: fault === 'zero' ? embedding.map(() => 0) : embedding }
  })
  // In any order, as the index is there for.
  return fault === 'few' ? data.slice(1) : data.reverse()
}

/** The last number is the same in all, so that no text is without a direction. */
function vectorOf(text: string): number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  const counts = meanings.map(same => words.filter(word => same.includes(word)).length * 10)
  return [...counts, 1]
}
