// What stands between a tool call that the policy lets in and its operation: argument rules, counts, approvals.
import type { Ruling } from '../contract/tool_policy.ts'
import type { Caller, Enqueue } from './context.ts'
import type { Db, Tx } from './db.ts'

/** A call with acceptable input, just before it is carried out. */
export type GatedCall = {
  workspaceId: string
  caller: Caller
  ruling: Ruling
  operationId: string
  /** As the operation takes it, without the workspace. */
  args: Readonly<Record<string, unknown>>
  /** The same for people to read: without secrets. */
  shownArgs: Readonly<Record<string, unknown>>
  hasSecrets: boolean
  /** Of tool and arguments together; keyed. */
  digest: string
  approvalId: string | null
  /** Why the caller wants to do it, in its own words. */
  reason: string | null
}

export type Wait = { approvalId: string; status: 'pending'; expiresAt: string }

/** `claim` uses the approval up, in the transaction of the call where it has one; it throws where that cannot be. */
export type Passage =
  | { is: 'open'; claim?: (db: Db) => Promise<void> }
  | { is: 'waiting'; wait: Wait }
  | { is: 'refused'; reason: 'policy' | 'approval'; detail: string }

export type GateContext = {
  db: Db
  now: () => Date
  /** One transaction; what was asked goes to the ledger at its end, and that the run in this thread waits for it. */
  ask: <T>(work: (tx: Tx, enqueue: Enqueue) => Promise<Asked<T>>) => Promise<T>
}

export type Asked<T> = { value: T; wantedId: string | null; parkedIn: string | null }

/** An area exports one as `gate` from its `gate.ts`. */
export type Gate = {
  pass: (ctx: GateContext, call: GatedCall) => Promise<Passage>
  /** What would be said, without asking anybody or counting anything. */
  rehearse: (call: Pick<GatedCall, 'caller' | 'ruling' | 'args'>) => 'open' | 'waiting' | PassageRefusal
  /** Written down in batches, never on the path of a request. */
  log: (db: Db, calls: readonly LoggedCall[]) => Promise<void>
}

export type PassageRefusal = Extract<Passage, { is: 'refused' }>

export type LoggedCall = {
  workspaceId: string
  tool: string
  argsDigest: string | null
  outcome: 'ok' | 'error' | 'denied' | 'pending'
  ms: number
  run: string | null
  approval: string | null
  callerKind: string | null
  surface: string
  at: string
}
