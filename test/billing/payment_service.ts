// A stand-in for an operator's own payment service: it checks signatures, and answers as it is told.
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export const serviceSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

type Charge = { status: string; reference?: string }

export async function paymentService() {
  const signing = new Webhook(serviceSecret)
  const calls: { path: string; key: string; body: Record<string, unknown> }[] = []
  let charge: Charge = { status: 'paid', reference: 'ch_1' }

  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    // By the time that it says: the clock of tests is moved.
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = request.headers
    const expected = signing.sign(String(id), new Date(Number(time) * 1000), text)
    if (signature !== expected) throw new Error('the signature is wrong')
    const body = JSON.parse(text) as Record<string, unknown>
    const path = request.url ?? ''
    calls.push({ path, key: String(request.headers['idempotency-key']), body })
    if (path === '/pay/charge') return [200, charge]
    if (path === '/pay/checkout' || path === '/pay/portal') return [200, { url: `https://pay.example.com${path}` }]
    return [404, {}]
  }
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, body]) => response.writeHead(status).end(JSON.stringify(body)),
      error => response.writeHead(401).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay/`,
    calls,
    setCharge: (next: Charge) => {
      charge = next
    },
    close: () => server.close(),
  }
}
