// A process of its own that sends a long file to itself: started with little memory, it ends badly if it keeps any of it.
import Fastify from 'fastify'
import { sendStream } from '../../src/server/request/streams.ts'

const megabytes = 300

async function* chunks() {
  for (let sent = 0; sent < megabytes; sent++) {
    yield `${String(sent).padStart(9, '0')}\n`.repeat(100_000)
    await new Promise(resolve => setImmediate(resolve))
  }
}

const app = Fastify()
app.get('/', async (_, reply) => {
  const options = { isStillAllowed: async () => true, onFailure: () => process.exit(1) }
  await sendStream(reply, { contentType: 'application/x-ndjson', chunks: chunks() }, options)
  return reply
})
const answer = await fetch(await app.listen({ port: 0 }))
let bytes = 0
for await (const part of answer.body ?? []) bytes += part.length
await app.close()
process.stdout.write(String(bytes))
