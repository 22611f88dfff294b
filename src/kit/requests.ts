// How often a credential called an operation in an hour, with which answer: gathered by the server, kept by an area.
import type { Database } from './db.ts'

export type RequestCount = {
  workspaceId: string
  /** Where the hour begins, in ISO 8601. */
  hour: string
  /** The id of an API key; of other credentials their kind. */
  credential: string
  operation: string
  status: number
  requests: number
  /** Of those whose answer was sent at once: files and streams last as long as somebody reads. */
  timed: number
  /** Milliseconds that these took together. */
  ms: number
}

/** An area exports one as `keepRequests` from its `jobs.ts`. */
export type KeepRequests = (database: Database, counts: readonly RequestCount[]) => Promise<void>
