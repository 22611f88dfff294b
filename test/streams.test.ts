// Streams over real sockets: a reader that takes nothing is dropped, and a server that stops does not wait for readers.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Fastify, { type FastifyReply } from 'fastify'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { endStreamsOnClose, type StreamOptions, sendStream } from '../src/server/request/streams.ts'
import { platformForTest } from './helpers/platform.ts'

const chunk = 'x'.repeat(64 * 1024)

type Watched = { taken: number; mostQueued: number; isReturned: boolean; failures: unknown[]; reply?: FastifyReply }

/** A server with one stream that always has more to say, and what becomes of it. */
async function flood(options: Partial<StreamOptions> = {}, contentType = 'text/event-stream') {
  const watched: Watched = { taken: 0, mostQueued: 0, isReturned: false, failures: [] }
  async function* chunks(raw: FastifyReply['raw']) {
    try {
      for (;;) {
        watched.mostQueued = Math.max(watched.mostQueued, raw.writableLength, raw.socket?.writableLength ?? 0)
        watched.taken++
        yield chunk
        // Lets timers and sockets have their turn, as the database does in an area.
        await new Promise(resolve => setImmediate(resolve))
      }
    } finally {
      watched.isReturned = true
    }
  }
  const app = Fastify()
  endStreamsOnClose(app)
  app.get('/', async (_, reply) => {
    watched.reply = reply
    await sendStream(
      reply,
      { contentType, chunks: chunks(reply.raw) },
      { isStillAllowed: async () => true, onFailure: error => void watched.failures.push(error), ...options },
    )
    return reply
  })
  onTestFinished(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, watched, port: (app.server.address() as AddressInfo).port }
}

/** Asks, and reads nothing until it is resumed; a client that would never hang up by itself. */
async function connected(port: number, path = '/', headers: Record<string, string> = {}): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).pause()
  onTestFinished(() => void socket.destroy())
  // A cut connection is what is asked for.
  socket.on('error', () => {})
  await once(socket, 'connect')
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  return socket
}

const isBackedUp = ({ reply }: Watched) => expect(reply?.raw.writableNeedDrain).toBe(true)

describe('a reader that takes nothing', () => {
  it.each(['text/event-stream', 'application/x-ndjson'])('of %s is dropped, and little waits for it', async type => {
    const { watched, port } = await flood({ patienceMs: 200, checkMs: 20 }, type)
    await connected(port)
    await vi.waitFor(() => expect(watched.reply?.raw.destroyed).toBe(true), { timeout: 10_000 })
    await vi.waitFor(() => expect(watched.isReturned).toBe(true))
    // What the kernel took is gone from memory here; of the rest, two chunks at most were ever queued.
    expect(watched.mostQueued).toBeLessThanOrEqual(2 * chunk.length)
    expect(watched.failures).toEqual([])
  })

  it('keeps its place as long as it goes on reading in time', async () => {
    const { watched, port } = await flood({ patienceMs: 5_000 })
    const socket = await connected(port)
    await vi.waitFor(() => isBackedUp(watched), { timeout: 10_000 })
    const { taken } = watched
    socket.resume()
    await vi.waitFor(() => expect(watched.taken).toBeGreaterThan(taken + 100), { timeout: 10_000 })
    expect(watched.reply?.raw.destroyed).toBe(false)
    socket.destroy()
    await vi.waitFor(() => expect(watched.isReturned).toBe(true))
  })
})

describe('a long answer', () => {
  it('is sent in the memory of a few pieces, not of all', async () => {
    const path = join(import.meta.dirname, 'helpers/long_stream.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=64', path])
    expect(Number(stdout)).toBe(300_000_000)
  })
})

describe('a server that stops', () => {
  it('does not wait for a reader that takes nothing', async () => {
    const { app, watched, port } = await flood()
    await connected(port)
    await vi.waitFor(() => isBackedUp(watched), { timeout: 10_000 })
    // Far sooner than the patience of half a minute, which the test itself does not have.
    await app.close()
    await vi.waitFor(() => expect(watched.isReturned).toBe(true))
  })

  it('ends the streams of live updates, also where the reader would keep the connection', async () => {
    const p = await platformForTest()
    const owner = await p.user()
    await p.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = p.app.server.address() as AddressInfo
    const socket = await connected(port, `/v1/events/${owner.workspaceId}/stream`, owner.headers)
    let text = ''
    socket.setEncoding('utf8').on('data', more => {
      text += more
    })
    socket.resume()
    await vi.waitFor(() => expect(text).toContain(': from '), { timeout: 10_000 })
    await p.app.close()
    // The last chunk of the encoding: an end, not a cut.
    await vi.waitFor(() => expect(text).toMatch(/\r\n0\r\n\r\n$/))
  })
})
