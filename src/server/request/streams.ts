// Answers that are files or streams: sent as fast as the caller reads, ended when the credential ends.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Stream } from '../../contract/operation.ts'

export type StreamOptions = {
  /** Asked every few seconds while a stream of events is open. */
  isStillAllowed: () => Promise<boolean>
  onFailure: (error: unknown) => void
  checkMs?: number
  /** A reader that takes nothing for this long is dropped; it can come back with Last-Event-ID. */
  patienceMs?: number
}

const openStreams = new WeakMap<FastifyInstance, Set<() => void>>()

/** Before the server closes: readers of live updates come back elsewhere, with Last-Event-ID. */
export function endStreamsOnClose(app: FastifyInstance): void {
  const open = new Set<() => void>()
  openStreams.set(app, open)
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })
}

export async function sendStream(reply: FastifyReply, stream: Stream, options: StreamOptions): Promise<void> {
  const { contentType, fileName, headers: own = {}, chunks } = stream
  const { isStillAllowed, onFailure, checkMs = 15_000, patienceMs = 30_000 } = options
  const isLive = contentType === 'text/event-stream'
  reply.header('content-type', contentType).header('cache-control', 'no-store').header('x-accel-buffering', 'no')
  reply.headers(own)
  if (fileName) reply.header('content-disposition', attachment(fileName))
  const headers = reply.getHeaders()
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, headers as Record<string, string>)
  const open = openStreams.get(reply.server)
  const gone = new AbortController()
  const source = (typeof chunks === 'function' ? chunks(gone.signal) : chunks)[Symbol.asyncIterator]()
  let isOpen = true
  const end = () => {
    if (!isOpen) return
    isOpen = false
    clearInterval(checking)
    open?.delete(end)
    raw.end()
  }
  if (isLive) open?.add(end)
  const check = async () => {
    if (!(await isStillAllowed().catch(() => false))) return end()
    // Ended while the question was open, nothing may be written; backed up, nothing more should wait.
    if (isOpen && !raw.writableNeedDrain) raw.write(': still here\n\n')
  }
  const checking = isLive ? setInterval(() => void check(), checkMs).unref() : undefined
  raw.once('close', end)
  try {
    while (isOpen) {
      const next = await orClosed(raw, source.next())
      if (!next || next.done || !isOpen) break
      if (!raw.write(next.value)) await drained(raw, patienceMs)
    }
    end()
  } catch (error) {
    onFailure(error)
    // A cut connection, not a clean end: what was sent is not the whole.
    raw.destroy()
  } finally {
    clearInterval(checking)
    // First the wait, then the generator: one that waits cannot be ended.
    gone.abort()
    void source.return?.()?.catch(() => {})
  }
}

/** Browsers read the second form; what stands in the first must be ASCII. */
function attachment(fileName: string): string {
  const plain = fileName.replace(/[^ -~]/g, '_')
  const form = `attachment; filename="${plain}"`
  return plain === fileName
    ? form
    : `${form}; filename*=UTF-8''${encodeURIComponent(fileName).replace(/['()*]/g, escape)}`
}

/** Not a race against one lasting promise: that would hold on to every chunk until the end. */
function orClosed<T>(raw: FastifyReply['raw'], coming: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const onClose = () => resolve(undefined)
    if (raw.closed) onClose()
    raw.once('close', onClose)
    coming.then(resolve, reject).finally(() => raw.off('close', onClose))
  })
}

function drained(raw: FastifyReply['raw'], patienceMs: number): Promise<void> {
  return new Promise(resolve => {
    const late = setTimeout(() => raw.destroy(), patienceMs)
    const done = () => {
      clearTimeout(late)
      raw.off('drain', done)
      raw.off('close', done)
      resolve()
    }
    raw.once('drain', done)
    raw.once('close', done)
    if (raw.closed) done()
  })
}
