// The embedded engine as seen from the event loop: a thread of its own behind a stream, so that no statement and no sync
// to disk stops an answer that needs none.
import { getCompileCacheDir } from 'node:module'
import { Duplex } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { EngineStart, FromEngine, ToEngine } from './embedded_thread.ts'

export type Engine = {
  /** For `pg`: what is written goes to the engine, what it answers comes back. */
  stream: Duplex
  dump(): Promise<Blob>
  /** The directory is free for others afterwards. */
  close(): Promise<void>
}

const ending = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'

export async function startEngine(options: Omit<EngineStart, 'compileCache'>): Promise<Engine> {
  const compileCache = getCompileCacheDir()
  const worker = new Worker(new URL(`./embedded_thread.${ending}`, import.meta.url), {
    workerData: { ...options, ...(compileCache && { compileCache }) } satisfies EngineStart,
  })
  const send = (message: ToEngine) => worker.postMessage(message, message instanceof Uint8Array ? [message.buffer] : [])
  const ready = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const dumps: PromiseWithResolvers<Blob>[] = []
  const stream = streamTo(send)
  let isReady = false
  let isClosing = false
  const die = (error: Error) => {
    ready.reject(error)
    closed.resolve()
    for (const dump of dumps.splice(0)) dump.reject(error)
    // Before it is ready nobody listens to the stream; the start itself fails instead.
    if (isReady) stream.destroy(error)
  }
  worker.on('message', (message: FromEngine) => {
    if (message instanceof Uint8Array) stream.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength))
    else if (message.kind === 'dump') dumps.shift()?.resolve(message.dump)
    else if (message.kind === 'died') die(message.error)
    else if (message.kind === 'ready') ready.resolve()
    else closed.resolve()
  })
  worker.on('error', die)
  worker.on('exit', code => {
    if (isClosing) closed.resolve()
    else die(new Error(`The thread of the embedded engine has ended (exit code ${code})`))
  })
  await ready.promise
  isReady = true
  return {
    stream,
    dump() {
      const dump = Promise.withResolvers<Blob>()
      dumps.push(dump)
      send('dump')
      return dump.promise
    },
    async close() {
      isClosing = true
      send('close')
      await closed.promise
    },
  }
}

/**
 * What is written in answer to one event goes to the engine in one message, before the next event is looked at: while
 * others ask, the engine is at work already.
 */
function streamTo(send: (message: Uint8Array<ArrayBuffer>) => void): Duplex {
  let written: Buffer[] = []
  let size = 0
  const flush = () => {
    // Not from a pool: the memory is handed over, not copied.
    const message = new Uint8Array(size)
    let offset = 0
    for (const part of written) {
      message.set(part, offset)
      offset += part.length
    }
    written = []
    size = 0
    // The engine must not hear the client's goodbye ('X'): the session is the engine itself.
    if (message.length > 0 && message[0] !== 0x58) send(message)
  }
  const stream: Duplex = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      if (written.push(chunk) === 1) process.nextTick(flush)
      size += chunk.length
      done()
    },
    final(done) {
      stream.push(null)
      done()
    },
  })
  const socket = stream as Duplex & Record<string, unknown>
  socket.connect = () => setImmediate(() => stream.emit('connect'))
  socket.setNoDelay = () => stream
  socket.setKeepAlive = () => stream
  socket.ref = () => stream
  socket.unref = () => stream
  return stream
}
