// The forms that an answer can take, and what can be said about a single call.

export type CallOptions = {
  signal?: AbortSignal
  /** Sent with this call, such as `if-match`. */
  headers?: Readonly<Record<string, string>>
  /** How long one attempt may take. For files and streams: until the answer begins. */
  timeoutMs?: number
  /** How often it is sent again. */
  retries?: number
  /** The Idempotency-Key; a new one for every call where nothing is said, none where it is false. */
  idempotencyKey?: string | false
}

/** `next`: what `after` takes for the next page, in lists that are read by cursor. */
export type ListPage<T> = { items: T[]; count: number; next?: string | null }

/** Awaited: one page. In `for await`: every item, page after page. Nothing is sent before one of the two. */
export interface ListCall<T> extends Promise<ListPage<T>> {
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>
}

/** A file as it comes. Nothing is sent before it is read; it can be read once. */
export interface FileStream extends AsyncIterable<Uint8Array> {
  /** Line by line, such as the records of NDJSON. */
  lines(): AsyncGenerator<string, void, undefined>
  text(): Promise<string>
  /** The answer itself: status, headers and an unread body. */
  response(): Promise<Response>
}

export type StreamEvent<T = unknown> = { id: string; event: string; data: T }

/** Server-sent events. A connection that ends is made again where it stopped; break out of the loop to end it. */
export type EventStream<T = unknown> = AsyncIterable<StreamEvent<T>>
