// A stand-in for a model endpoint: takes both wire forms, refuses what is not exactly right, and plays a script.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Asked, anthropicRequest, openaiRequest } from './model_requests.ts'

export type Wire = 'openai' | 'anthropic'

export type Turn = {
  text?: string
  /** Arguments that are a text are sent as they are: nonsense. */
  calls?: readonly { tool: string; args: object | string }[]
  usage?: { in: number; out: number }
  /** Refused with this status. */
  status?: number
  retryAfter?: number
  message?: string
  /** The connection is cut behind the text. */
  isCut?: boolean
  /** It ends behind the text as if that were all, without saying why. */
  isEnded?: boolean
  /** It stopped because it may not write more. */
  isLong?: boolean
  /** Goes on behind the text when this is done. */
  until?: Promise<void>
}

type Scripted = Turn | ((asked: Asked) => Turn)

export const modelKey = 'sk-stand-in'

export type ModelServer = Awaited<ReturnType<typeof modelServer>>

/** `always`: what it answers where there is no script. */
export async function modelServer(always?: (asked: Asked) => Turn) {
  const script: Scripted[] = []
  const asked: Asked[] = []
  const faults: string[] = []
  let gone = 0
  const server = createServer((request, response) => {
    serve(request, response).catch(error => {
      faults.push(String(error))
      response.destroy()
    })
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const part of request) body += part
    const wire: Wire = request.url === '/v1/messages' ? 'anthropic' : 'openai'
    let one: Asked
    try {
      one = (wire === 'anthropic' ? anthropicRequest : openaiRequest)(request, body, modelKey)
    } catch (error) {
      faults.push(String(error))
      return refuse(response, { status: 400, message: String(error) })
    }
    asked.push(one)
    const next = script.shift() ?? always
    if (!next) {
      faults.push('asked more often than the script has turns')
      return refuse(response, { status: 400, message: 'the script is over' })
    }
    const turn = typeof next === 'function' ? next(one) : next
    if (turn.status) return refuse(response, turn)
    response.on('close', () => {
      if (!response.writableFinished && !turn.isCut) gone++
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    await (wire === 'anthropic' ? playAnthropic : playOpenai)(response, turn)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    baseUrl,
    /** What it was asked, oldest first. */
    asked,
    /** What was wrong with requests. */
    faults,
    play(...turns: Scripted[]): void {
      script.splice(0, script.length, ...turns)
      asked.length = 0
      gone = 0
    },
    /** How many stopped listening before the end. */
    gone: () => gone,
    /** How many turns nobody has asked for. */
    left: () => script.length,
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

function refuse(response: ServerResponse, { status = 400, retryAfter, message = 'refused' }: Turn): void {
  const wait = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  response.writeHead(status, { 'content-type': 'application/json', ...wait })
  response.end(JSON.stringify({ type: 'error', error: { type: 'scripted', message } }))
}

const piecesOf = (text: string) => text.match(/.{1,7}/gs) ?? []
const written = (args: object | string) => (typeof args === 'string' ? args : JSON.stringify(args))

/** True where it stops here. */
async function broken(response: ServerResponse, { isCut, isEnded, until }: Turn): Promise<boolean> {
  await until
  if (isCut) {
    // What was written must be on its way before the connection goes.
    await new Promise(resolve => setImmediate(resolve))
    response.destroy()
  } else if (isEnded) response.end()
  return Boolean(isCut || isEnded)
}

async function playOpenai(response: ServerResponse, turn: Turn): Promise<void> {
  const { text = '', calls = [], usage = { in: 10, out: 5 }, isLong } = turn
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'stand-in' }
  const send = (data: object) => response.write(`data: ${JSON.stringify({ ...head, ...data })}\n\n`)
  const chunk = (delta: object, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason }] })
  chunk({ role: 'assistant', content: '' })
  for (const content of piecesOf(text)) chunk({ content })
  if (await broken(response, turn)) return
  calls.forEach(({ tool, args }, index) => {
    // The same ids each time, as some endpoints do.
    chunk({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: tool, arguments: '' } }] })
    for (const piece of piecesOf(written(args))) chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
  })
  chunk({}, isLong ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop')
  const tokens = { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out }
  send({ choices: [], usage: tokens })
  response.end('data: [DONE]\n\n')
}

async function playAnthropic(response: ServerResponse, turn: Turn): Promise<void> {
  const { text = '', calls = [], usage = { in: 10, out: 5 }, isLong } = turn
  const send = (type: string, data: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  const usageAtFirst = { input_tokens: usage.in, output_tokens: 1 }
  const empty = { id: 'msg_1', type: 'message', role: 'assistant', content: [], model: 'stand-in' }
  send('message_start', { message: { ...empty, stop_reason: null, stop_sequence: null, usage: usageAtFirst } })
  send('ping', {})
  let index = 0
  if (text !== '') {
    send('content_block_start', { index, content_block: { type: 'text', text: '' } })
    for (const piece of piecesOf(text))
      send('content_block_delta', { index, delta: { type: 'text_delta', text: piece } })
    if (await broken(response, turn)) return
    send('content_block_stop', { index })
    index++
  } else if (await broken(response, turn)) return
  for (const { tool, args } of calls) {
    send('content_block_start', {
      index,
      content_block: { type: 'tool_use', id: `toolu_${index}`, name: tool, input: {} },
    })
    for (const partial_json of piecesOf(written(args))) {
      send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } })
    }
    send('content_block_stop', { index })
    index++
  }
  const stop_reason = isLong ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn'
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.out } })
  send('message_stop', {})
  response.end()
}
