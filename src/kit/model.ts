// Asks a language model once and gives its answer as it comes; the packages for that are loaded when first used.
import type { Fetch } from './context.ts'
import { once } from './once.ts'

export const modelWires = ['openai', 'anthropic'] as const

export type ModelEndpoint = {
  /** Which of the two forms of requests the address takes. */
  wire: (typeof modelWires)[number]
  /** With its version: `/chat/completions` or `/messages` is added. */
  baseUrl: string
  model: string
  key: string | null
}

export type ModelTool = { name: string; description: string; inputSchema: object }

export type ModelCall = { callId: string; tool: string; args: Readonly<Record<string, unknown>> }

/** What was said so far: each call of a turn has its result in the turn right behind it. */
export type ModelTurn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: readonly ModelCall[] }
  | { role: 'tool'; results: readonly { callId: string; tool: string; ok: boolean; output: string }[] }

export type ModelRequest = {
  system: string
  turns: readonly ModelTurn[]
  tools: readonly ModelTool[]
  mostOutput: number
  signal: AbortSignal
  timeoutMs: number
}

export type ModelEvent =
  | { type: 'text'; text: string }
  /** `args` is null where what the model wrote is no JSON object. */
  | { type: 'call'; tool: string; args: Record<string, unknown> | null }
  /** The last one, with what it took where the endpoint tells. `isCut`: it stopped because it reached `mostOutput`. */
  | { type: 'end'; in: number | null; out: number | null; isCut: boolean }

/** The endpoint refused, failed or was cut off. `isPassing`: it may go well the next time. */
export class ModelFailure extends Error {
  readonly isPassing: boolean
  readonly retryAfterMs: number | null

  constructor(message: string, isPassing: boolean, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ModelFailure'
    this.isPassing = isPassing
    this.retryAfterMs = retryAfterMs
  }
}

const mostAnswerBytes = 16 * 1024 * 1024

/** Neither is needed by a service that has no model. */
const packages = once(async () => {
  const [ai, openai, anthropic] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
    import('@ai-sdk/anthropic'),
  ])
  // What it would print is for developers of the package.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })
  return { ...ai, ...openai, ...anthropic }
})

export async function* askModel(
  fetch: Fetch,
  endpoint: ModelEndpoint,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const { streamText, jsonSchema } = await packages()
  const { system, turns, tools, mostOutput, signal } = request
  const taken = tools.map(({ name, description, inputSchema }) => [
    name,
    { description, inputSchema: jsonSchema(inputSchema) },
  ])
  const { fullStream } = streamText({
    model: await modelOf(guarded(fetch, request), endpoint),
    instructions: system,
    messages: turns.map(messageOf),
    tools: Object.fromEntries(taken),
    maxOutputTokens: mostOutput,
    // Who asks counts the tries.
    maxRetries: 0,
    abortSignal: signal,
    // Arguments are taken whole; not every address of this form knows how to send them in pieces.
    providerOptions: { anthropic: { toolStreaming: false } },
    // It is thrown below; otherwise it would be printed.
    onError: () => {},
  })
  try {
    yield* eventsOf(fullStream as AsyncIterable<StreamedPart>)
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error, endpoint.key)
  }
  signal.throwIfAborted()
}

type StreamedPart = {
  type: string
  text?: string
  toolName?: string
  input?: unknown
  error?: unknown
  finishReason?: string
  usage?: { inputTokens?: number; outputTokens?: number }
}

async function* eventsOf(parts: AsyncIterable<StreamedPart>): AsyncGenerator<ModelEvent> {
  for await (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta' && part.text) yield { type: 'text', text: part.text }
    if (part.type === 'tool-call') yield { type: 'call', tool: part.toolName ?? '', args: objectIn(part.input) }
    if (part.type === 'finish-step') yield ended(part)
  }
}

function ended({ finishReason = '', usage = {} }: StreamedPart): ModelEvent {
  if (['stop', 'length', 'tool-calls'].includes(finishReason)) {
    const { inputTokens, outputTokens } = usage
    return { type: 'end', in: inputTokens || null, out: outputTokens || null, isCut: finishReason === 'length' }
  }
  if (finishReason === 'content-filter') throw new ModelFailure('the model endpoint withheld the answer', false)
  throw new ModelFailure('the connection to the model endpoint ended before the answer did', true)
}

function objectIn(input: unknown): Record<string, unknown> | null {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : null
}

type Fetching = typeof globalThis.fetch

/** Only through the guard against private addresses, with the bounds of the request. */
function guarded(outside: Fetch, { timeoutMs }: ModelRequest): Fetching {
  return (async (input: string | URL, init: RequestInit = {}) => {
    const { method = 'GET', headers, body, signal } = init
    return await outside(input, {
      method,
      headers: new Headers(headers),
      ...(typeof body === 'string' && { body }),
      ...(signal && { signal }),
      timeoutMs,
      maxBytes: mostAnswerBytes,
      isStreamed: true,
    })
  }) as Fetching
}

/** The key is always named: without one, the packages would take one from the environment of the service. */
async function modelOf(fetch: Fetching, { wire, baseUrl, model, key }: ModelEndpoint) {
  const { createAnthropic, createOpenAICompatible } = await packages()
  const baseURL = baseUrl.replace(/\/+$/, '')
  if (wire === 'anthropic') return createAnthropic({ baseURL, apiKey: key ?? '', fetch })(model)
  const sent = { name: 'model', baseURL, fetch, includeUsage: true, ...(key !== null && { apiKey: key }) }
  return createOpenAICompatible(sent)(model)
}

function messageOf(turn: ModelTurn) {
  if (turn.role === 'user') return { role: turn.role, content: turn.text }
  if (turn.role === 'assistant') {
    const said = turn.text === '' ? [] : [{ type: 'text' as const, text: turn.text }]
    const calls = turn.calls.map(({ callId, tool, args }) => ({
      type: 'tool-call' as const,
      toolCallId: callId,
      toolName: tool,
      input: args,
    }))
    return { role: turn.role, content: [...said, ...calls] }
  }
  const content = turn.results.map(({ callId, tool, ok, output }) => ({
    type: 'tool-result' as const,
    toolCallId: callId,
    toolName: tool,
    output: { type: ok ? ('text' as const) : ('error-text' as const), value: output },
  }))
  return { role: turn.role, content }
}

const passingStatuses = [408, 409, 425, 429, 500, 502, 503, 504, 529]
const longestShown = 300

type CallError = {
  statusCode?: number
  responseHeaders?: Record<string, string>
  responseBody?: string
  cause?: unknown
}

/** In words for whoever reads why the run stopped: without the key, also where the endpoint repeats it. */
function failureOf(error: unknown, key: string | null): ModelFailure {
  if (error instanceof ModelFailure) return error
  const { statusCode, responseHeaders = {}, responseBody, cause } = (error ?? {}) as CallError
  if (statusCode !== undefined && statusCode >= 300) {
    const said = hidden(saidIn(responseBody), key).slice(0, longestShown)
    const text = `the model endpoint answered ${statusCode}${said ? `: ${said}` : ''}`
    return new ModelFailure(text, passingStatuses.includes(statusCode), waitIn(responseHeaders['retry-after']))
  }
  const origin = cause instanceof Error ? cause : error
  const why = hidden(origin instanceof Error ? origin.message : 'unknown', key).slice(0, longestShown)
  const isRefused = /OUTBOUND_ALLOW|only http and https/.test(why)
  return new ModelFailure(`the model endpoint could not be reached or was cut off: ${why}`, !isRefused)
}

function saidIn(body: string | undefined): string {
  try {
    const { error, message } = JSON.parse(body ?? '') as { error?: { message?: string } | string; message?: string }
    const text = typeof error === 'string' ? error : (error?.message ?? message ?? '')
    return String(text)
  } catch {
    return ''
  }
}

function hidden(text: string, key: string | null): string {
  return key ? text.replaceAll(key, '[secret]') : text
}

function waitIn(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null
}
