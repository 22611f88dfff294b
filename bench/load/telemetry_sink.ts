// The yardstick of ingest: node:http that inflates and decodes what it is sent, and keeps nothing.
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { decode } from '../../src/areas/telemetry_tokens/otlp/decode.ts'

createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    if (request.method === 'POST') {
      decode('traces', 'protobuf', gunzipSync(Buffer.concat(parts)), {
        resourceDefaults: {},
        now: BigInt(Date.now()) * 1_000_000n,
      })
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
