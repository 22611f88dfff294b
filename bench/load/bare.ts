// The yardstick: node:http and nothing else, giving back the bytes that were put under a path.
import { createServer } from 'node:http'

const answers = new Map<string, Buffer>()

createServer((request, response) => {
  const path = request.url ?? '/'
  if (request.method === 'PUT') {
    const parts: Buffer[] = []
    request.on('data', part => parts.push(part))
    request.on('end', () => {
      answers.set(path, Buffer.concat(parts))
      response.end()
    })
    return
  }
  request.resume()
  const body = answers.get(path)
  if (!body) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length })
  response.end(body)
}).listen(Number(process.env.PORT), '127.0.0.1')
