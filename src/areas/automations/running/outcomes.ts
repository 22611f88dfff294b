// What comes of a step: done, to be continued, or the end of the execution.
export type Outcome =
  | { is: 'done' }
  /** Nothing is held meanwhile; it is looked at again then, or when something wakes it. */
  | { is: 'waiting'; until: Date }
  | { is: 'failed'; error: string }
  /** Cancelled, or another's now. */
  | { is: 'over' }
  /** The job has worked for long; another goes on. */
  | { is: 'paused' }

/** What one deed gave; the walk writes it down. */
export type Result =
  | { is: 'succeeded'; output: unknown; threadId?: string }
  | { is: 'failed'; error: string; output?: unknown; isRetried: boolean; isFinal?: boolean; threadId?: string }
  | { is: 'waiting'; until: Date; waitsFor: string | null; output?: unknown; threadId?: string }
  | { is: 'paused' }

export const done: Outcome = { is: 'done' }

/** What a step waits for that is tried again. */
export const retrying = 'retry'
