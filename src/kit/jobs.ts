// Work after the answer, as an area declares it: what a kind is given, how often it is tried, and what it may touch.
import type { Static, TSchema } from 'typebox'
import type { Carrier } from './carrying.ts'
import type { ClickHouse } from './clickhouse.ts'
import type { Context, Feed, Fetch } from './context.ts'
import type { Tx } from './db.ts'
import type { Git } from './git.ts'
import type { Settings } from './settings.ts'
import type { Sql } from './sql.ts'

/** What a call answered; a refusal is an answer too. */
export type CallAnswer = {
  status: number
  result: unknown
  error: { detail?: string; metadata?: object } | null
  /** Nothing was done yet: a person is asked first. */
  approvalId: string | null
}

/**
 * With an `idempotencyKey`, a call that is made again after a crash does no more than the first. What a person must
 * approve is answered with 202 and `approvalId`; the same call goes through with it when they have.
 */
export type CallAsRun = (
  token: string,
  id: string,
  input: object,
  terms?: { idempotencyKey?: string; approvalId?: string | null; reason?: string | null },
) => Promise<CallAnswer>

/** Thrown by a call that comes when the service no longer takes any: it can be made again after the next start. */
export class ServiceStops extends Error {
  constructor() {
    super('the service stops and takes no more calls')
    this.name = 'ServiceStops'
  }
}

/** The tools that a run's token is offered over MCP, called the same way; null where the token opens nothing. */
export type ToolsOfRun = (token: string) => Promise<RunTools | null>

export type RunTools = {
  list: readonly { name: string; description: string; inputSchema: object }[]
  call(name: string, args: Readonly<Record<string, unknown>>, terms: ToolTerms): Promise<ToolAnswer>
}

export type ToolTerms = { idempotencyKey: string; approvalId: string | null; reason: string | null }

export type ToolAnswer = {
  ok: boolean
  /** What a model is told: JSON, or why it did not go well. */
  text: string
  /** The token has ended: whoever uses it must stop. */
  isOver: boolean
  /** Nothing was done yet: a person is asked first. */
  approvalId: string | null
}

/** The payload is what `ctx.enqueue` was given. */
export type JobContext = Omit<Context, 'caller' | 'access' | 'origin' | 'note' | 'feed'> & {
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  sendMail: (mail: Mail) => Promise<void>
  fetch: Fetch
  git: Git
  /** Null where the operator has none. */
  clickhouse: ClickHouse | null
  /** What areas carry in the archive of a workspace beside their tables. */
  carriers: readonly Carrier[]
  /** An operation by the credential of a run, through the door that every client uses. */
  call: CallAsRun
  tools: ToolsOfRun
  /** Told at once, so never before the commit that it is about. */
  feed: Pick<Feed, 'tell'>
  /** Writes what the job did to a ledger, all at once; the last statement of its transaction. */
  record: (tx: Tx, events: JobEvent | readonly JobEvent[]) => Promise<void>
  /** Of the job, the same on each try. */
  id: string
  /** 0 the first time; the queue tries again what failed. */
  attempt: number
  /** Aborted when the job's time is over or the service stops. */
  signal: AbortSignal
}

/**
 * An action that a contract declares among its events; `chain` is a workspace, or `instance`. Also an operation, where
 * the platform did what it does, or with an actor, who did it from elsewhere.
 */
export type JobEvent = {
  chain: string
  action: string
  target: { object: string; id: string }
  /** The platform itself where nothing is said. */
  actor?: JobActor
  /** As for an operation: the declared fields that differ are written down. */
  before?: object
  after?: object
  /** Numbers that the entry tells of, each under a name of its own. */
  counts?: Readonly<Record<string, number>>
}

/** A user in whose name a job acts: from where they said so, and the id of what brought it. */
export type JobActor = { userId: string; surface: 'slack'; cause: string }

export type Mail = {
  to: string
  /** Where a job sends several: the same each time that the same is sent. */
  id?: string
  subject: string
  text: string
  html: string
  /** Users whom it names, so that a mail which is kept can be erased with them. */
  names?: readonly string[]
}

type Terms<P> = {
  /** A cron line in UTC, where the job runs by itself: once for all processes. */
  schedule?: string
  /** With a schedule: left out while this process has changed none of these tables since the last time. */
  ifChanged?: readonly string[]
  /**
   * With a schedule: selects, of which one gives a row where there is something to do; left out where none does. They
   * ask the database each time, so nothing is missed that another process wrote, a restart left or a clock made due.
   */
  due?: (now: Date, settings: Pick<Settings, 'billing'>) => readonly Sql[]
  /** 120 where nothing is said; a try that takes longer has failed. */
  timeoutSeconds?: number
  /** 60 where nothing is said: after seconds at first, then every hour, for about two days. */
  retries?: number
  /** How many run at the same time in one process: 2 where nothing is said, 1 where there is a schedule. */
  concurrency?: number
  /** While a job with the same key waits to be started, another is not added. */
  key?: (payload: P) => string
  /** Of one group, one runs at a time in a process; the others wait and leave their places to other groups. */
  group?: (payload: P) => string
}

export type Job = Terms<object> & {
  payload: TSchema
  run: (ctx: JobContext, payload: object) => Promise<void>
}

/** A job with the schema of what it is given: nothing secret that is not `sealed()`, since payloads are kept. */
export function job<P extends TSchema>(
  options: Terms<Static<P>> & { payload: P; run: (ctx: JobContext, payload: Static<P>) => Promise<void> },
): Job {
  return options as unknown as Job
}

export type Jobs = Readonly<Record<string, Job>>
