// Following the ledger: an area reads every entry that concerns it, at least once and in order within a workspace.
import type { JobContext } from './jobs.ts'

/** As the ledger has it; what is personal stands apart there and is not handed on. */
export type FollowedEntry = {
  /** The workspace, or `instance`. */
  chain: string
  seq: number
  id: string
  at: string
  action: string
  outcome: 'success' | 'denied'
  actor: { type: string; id: string | null; credentialId: string | null; callerKind: string | null; surface: string }
  target: { object: string; id: string } | null
  changes: readonly { path: string; before?: unknown; after?: unknown }[]
  requestId: string | null
}

export type Follower = {
  /** Of the area; the place it has reached is kept under this name. */
  name: string
  /** `api_keys.post`, `api_keys.*` or `*`. */
  pattern: string
  /** Where it begins that never ran before: with what comes, or with all that is there. */
  from: 'now' | 'start'
  /**
   * The same entry may come twice, with the same `ctx.id`. While it fails its workspace waits, the others do not.
   * Slow work is enqueued.
   */
  run: (ctx: JobContext, entry: FollowedEntry) => Promise<void>
}

export function follow(
  name: string,
  pattern: string,
  run: Follower['run'],
  { from = 'now' }: { from?: Follower['from'] } = {},
): Follower {
  return { name, pattern, run, from }
}
