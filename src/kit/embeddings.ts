// Asks an embeddings endpoint what texts mean, as vectors of length one. What it answers is not trusted.
import type { Fetch } from './context.ts'

export type EmbeddingsEndpoint = {
  /** With its version: `/embeddings` is added. */
  baseUrl: string
  model: string
  key: string | null
}

/** In words that everybody may read: never what the endpoint said, which may repeat the texts it was sent. */
export class EmbeddingsFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EmbeddingsFailure'
  }
}

/** What the type of the database can hold. */
const mostDimensions = 16_000
const mostAnswerBytes = 32 * 1024 * 1024

type Asked = { timeoutMs: number; signal?: AbortSignal }

/** One vector for each text, in their order. */
export async function embed(
  outside: Fetch,
  { baseUrl, model, key }: EmbeddingsEndpoint,
  texts: readonly string[],
  { timeoutMs, signal }: Asked,
): Promise<number[][]> {
  const answer = await outside(`${baseUrl.replace(/\/+$/, '')}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
    timeoutMs,
    maxBytes: mostAnswerBytes,
    ...(signal && { signal }),
  }).catch(error => {
    signal?.throwIfAborted()
    throw new EmbeddingsFailure(`The embeddings endpoint could not be reached: ${reasonOf(error)}.`)
  })
  if (!answer.ok) throw new EmbeddingsFailure(`The embeddings endpoint answered ${answer.status}.`)
  const body = await answer.json().catch(() => {
    throw new EmbeddingsFailure('The embeddings endpoint did not answer with JSON.')
  })
  return vectorsIn(body, texts.length)
}

/** Ours and the system's words; a key or a text is in neither. */
function reasonOf(error: unknown): string {
  const { name, code, message } = error as Error & { code?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return 'it took too long'
  return code ?? message.slice(0, 200)
}

function vectorsIn(body: unknown, count: number): number[][] {
  const { data } = (body ?? {}) as { data?: unknown }
  if (!Array.isArray(data) || data.length !== count) {
    throw new EmbeddingsFailure('The embeddings endpoint did not answer with one vector for each text.')
  }
  const vectors = new Map<number, number[]>()
  for (const [place, item] of data.entries()) {
    const { index = place, embedding } = (item ?? {}) as { index?: number; embedding?: unknown }
    vectors.set(index, unitOf(embedding))
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index))
  const whole = ordered.filter(vector => vector !== undefined)
  if (whole.length < count || new Set(whole.map(vector => vector.length)).size > 1) {
    throw new EmbeddingsFailure(
      'The embeddings endpoint did not answer with one vector of the same length for each text.',
    )
  }
  return whole
}

/** A direction is all that is compared; one without any cannot be. */
function unitOf(embedding: unknown): number[] {
  const isVector = Array.isArray(embedding) && embedding.length > 0 && embedding.length <= mostDimensions
  if (isVector && embedding.every(value => typeof value === 'number' && Number.isFinite(value))) {
    const length = Math.hypot(...embedding)
    if (length > 0 && Number.isFinite(length)) return embedding.map(value => Math.fround(value / length))
  }
  throw new EmbeddingsFailure(
    `The embeddings endpoint answered with something else than vectors of 1 to ${mostDimensions} numbers.`,
  )
}
