// The yardstick: node:http and nothing else, giving back the bytes that were put under a path, headers and all.
import { createServer } from 'node:http'

type Answer = { status: number; headers: Record<string, string>; body: string }

/** Whichever goes out faster: a short text in one piece with its headers, a long one as bytes. */
const longText = 2_048

const answers = new Map<string, Answer & { sent: string | Buffer }>()

createServer((request, response) => {
  const path = request.url ?? '/'
  if (request.method === 'PUT') {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      const answer = JSON.parse(Buffer.concat(parts).toString()) as Answer
      const bytes = Buffer.from(answer.body)
      answers.set(path, { ...answer, sent: bytes.length <= longText ? bytes.toString() : bytes })
      response.end()
    })
    return
  }
  request.resume()
  const answer = answers.get(path)
  if (!answer) return void response.writeHead(404).end()
  response.writeHead(answer.status, answer.headers)
  response.end(answer.sent)
}).listen(Number(process.env.PORT), '127.0.0.1')
