// Following the ledger: an area reads every entry that concerns it, at least once and in order within a workspace.
import type { Db } from './db.ts'
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
  wasShared?: true
}

export type Follower = {
  /** Of the area; the place it has reached is kept under this name. */
  name: string
  /** `api_keys.post`, `api_keys.*` or `*`. */
  pattern: string
  /** Where it begins that never ran before: with what comes, or with all that is there. */
  from: 'now' | 'start'
  /**
   * The same entry may come twice; alone it comes with the same `ctx.id`. While it fails its workspace waits, the
   * others do not. Slow work is enqueued.
   */
  run: (ctx: JobContext, entries: readonly FollowedEntry[]) => Promise<void>
  /** Entries of one chain that are handed over together, in order. */
  atOnce: number
  /**
   * Of these chains, those that it is for now → the number behind which entries are for it. The others are not read, so
   * that a follower of everything costs nothing where nobody wants it.
   */
  where?: (db: Db, chains: readonly string[]) => Promise<ReadonlyMap<string, number>>
  /** It comes this much later than the first entry, so that many are read together. */
  gatherMs?: number
}

type Options = Partial<Pick<Follower, 'from' | 'where' | 'gatherMs'>>

export function follow(
  name: string,
  pattern: string,
  run: (ctx: JobContext, entry: FollowedEntry) => Promise<void>,
  options: Options = {},
): Follower {
  const each: Follower['run'] = async (ctx, entries) => {
    for (const entry of entries) await run(ctx, entry)
  }
  return { ...followTogether(name, pattern, each, options), atOnce: 1 }
}

/** For what costs about as much for many as for one. */
export function followTogether(
  name: string,
  pattern: string,
  run: Follower['run'],
  { from = 'now', ...more }: Options = {},
): Follower {
  return { name, pattern, run, atOnce: 50, from, ...more }
}
