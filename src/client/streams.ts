// Files and streams of events as async iterables.
import type { EventStream, FileStream, StreamEvent } from './answers.ts'
import { ConnectionError, pause } from './transport.ts'

/** Sends the request; a refusal is thrown. */
export type Open = (headers?: Readonly<Record<string, string>>) => Promise<Response>

export function fileStream(open: Open): FileStream {
  let opened: Promise<Response> | undefined
  const response = () => {
    opened ??= open()
    return opened
  }
  async function* bytes() {
    yield* chunksOf(await response())
  }
  return {
    response,
    text: async () => (await response()).text(),
    lines: () => linesOf(bytes()),
    [Symbol.asyncIterator]: bytes,
  }
}

async function* chunksOf(answer: Response): AsyncGenerator<Uint8Array, void, undefined> {
  if (!answer.body) return
  const reader = answer.body.getReader()
  try {
    for (;;) {
      const { done, value } = await read(reader, answer.url)
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, url: string) {
  try {
    return await reader.read()
  } catch (cause) {
    if ((cause as Error).name === 'AbortError') throw cause
    throw new ConnectionError(url, cause)
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decoder.decode()
  if (rest) yield rest
}

type Following = { retries: number; signal: AbortSignal | undefined }

export function eventStream(open: Open, { retries, signal }: Following): EventStream {
  async function* follow(): AsyncGenerator<StreamEvent, void, undefined> {
    const state = { lastId: '', waitMs: 1000 }
    for (let failed = 0; ; ) {
      try {
        const answer = await open(state.lastId ? { 'last-event-id': state.lastId } : {})
        for await (const event of eventsIn(linesOf(chunksOf(answer)), state)) {
          failed = 0
          yield event
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof ConnectionError) || failed >= retries) throw error
      }
      failed += 1
      if (failed > retries) return
      await pause(state.waitMs, signal)
    }
  }
  return { [Symbol.asyncIterator]: follow }
}

type StreamState = { lastId: string; waitMs: number }

/** The format of server-sent events; data that is JSON is parsed. */
async function* eventsIn(lines: AsyncIterable<string>, state: StreamState): AsyncGenerator<StreamEvent> {
  let event = ''
  let data: string[] = []
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield { id: state.lastId, event: event || 'message', data: parsed(data.join('\n')) }
      event = ''
      data = []
      continue
    }
    const [, name, value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id') state.lastId = value
    else if (name === 'retry' && /^\d+$/.test(value)) state.waitMs = Number(value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
