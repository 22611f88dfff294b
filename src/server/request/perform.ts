// One operation carried out: `before`, then handler and ledger entry in one transaction.
import { setTimeout } from 'node:timers/promises'
import type { Operation } from '../../contract/operation.ts'
import { isAudited, isWrite, methodOf } from '../../contract/operation.ts'
import type { Ruling } from '../../contract/tool_policy.ts'
import type { BeforeContext, Caller, Context, LedgerNote, Take } from '../../kit/context.ts'
import type { Db, Tx } from '../../kit/db.ts'
import type { Git } from '../../kit/git.ts'
import { type AnyHandler, answerOf, Outdated } from '../../kit/implement.ts'
import { instanceChain } from '../../kit/ledger_records.ts'
import { operation as operationNamed } from '../../operations.ts'
import { fieldKinds } from '../ledger/changes.ts'
import type { LedgerEntry } from '../ledger/ledger.ts'
import { toldBetween } from '../ledger/private_texts.ts'
import { HeadMoved } from '../ledger/writer.ts'
import { claim, earlierAnswer, keepAnswer, repeatOf } from './idempotency.ts'
import { planKeeper } from './plan_limits.ts'
import type { Platform } from './platform.ts'
import { callOperation, rehearseOperation, type relay } from './relay.ts'

/** What a call brings; the rest of the context is the platform's. */
export type Call = Pick<Context, 'caller' | 'access' | 'origin' | 'log'> & {
  relay: () => ReturnType<typeof relay>
  /** Aborted when the connection ends before the answer is sent. */
  signal: () => AbortSignal
  /** What the policy over tools says of it; null where it is none of the policy's business. */
  ruling: Ruling | null
  /** The approval that comes with it, and why it is wanted. */
  approval: { id: string | null; reason: string | null }
  /** Of tool and arguments, once they are known. */
  digest?: string
  /** The approval that somebody is asked for instead of carrying it out. */
  waitsFor?: string
  /** Uses the approval up; throws where that cannot be. */
  claim?: (db: Db) => Promise<void>
}

type Perform = (call: Call, input: object) => Promise<unknown>

export function performer(platform: Platform, id: string, operation: Operation): Perform {
  const { database, settings, now, jobs, feed, limiter, outbound: fetch, git, gather, clickhouse, carriers } = platform
  const handler = platform.handlers[id]
  if (!handler) throw new Error(`no handler for ${id}`)
  const enqueue = jobs.enqueue()
  const { before } = handler
  const take: Take = async (key, perMinute, weight) => (await limiter.take(key, perMinute, weight)).allowed
  const prepare =
    before &&
    ((call: Call, ctx: Context, input: object) =>
      before({ ...ctx, ...calling(call), fetch, git: gitOf(git, call), gather, take, clickhouse, carriers }, input))
  const note = () => {}
  const isReading = doesRead(operation)
  const outside = ({ caller, access, origin, log }: Call): Context => {
    const db = isReading ? database.readingFor(access?.workspaceId ?? caller?.ownerId ?? '') : database
    return { caller, access, origin, log, db, settings, now, enqueue, note, feed }
  }
  // What comes with a signal is written by `before`: no transaction may wait for that.
  if (operation.signal === undefined && (isWrite(operation) || isAudited(operation))) {
    return writing(platform, id, operation, handler, (call, input) => {
      const cause = { requestId: call.origin.requestId }
      return prepare?.(call, { ...outside(call), enqueue: jobs.enqueue(cause) }, input)
    })
  }
  if (!prepare) {
    return (call, input) => {
      const reading = () => handler.handle(outside(call), input, undefined)
      return call.claim ? call.claim(database).then(reading) : reading()
    }
  }
  return async (call, input) => {
    await call.claim?.(database)
    const ctx = outside(call)
    return await handler.handle(ctx, input, await prepare(call, ctx, input))
  }
}

/** A POST that only computes waits for its like as a GET does. */
function doesRead(operation: Operation): boolean {
  if (!isWrite(operation)) return true
  const { access } = operation
  return !isAudited(operation) && typeof access !== 'string' && access.every(scope => scope.endsWith(':read'))
}

/** Ends with the request, and shares with others by the workspace. */
function gitOf(git: Platform['git'], { access, caller, signal }: Call): Git {
  return git.of({ key: access?.workspaceId ?? caller?.ownerId ?? '', signal: signal() })
}

/** Only `before` may call operations. */
function calling({ relay }: Call): Pick<BeforeContext, 'call' | 'rehearse'> {
  return { call: callOperation(relay), rehearse: rehearseOperation(relay) }
}

/** `before` outside, then handler, ledger and kept answer in one transaction; jobs hear after the commit, and readers from the ledger. */
function writing(
  platform: Platform,
  id: string,
  operation: Operation,
  handler: AnyHandler,
  prepare: (call: Call, input: object) => Promise<unknown> | undefined,
): Perform {
  const { database, settings, now, jobs, feed, secretKey } = platform
  const writer = isAudited(operation) ? ledgerWriter(platform, id, operation) : null
  const { after } = handler
  const keepToPlan = operation.counts && planKeeper(platform, operation.counts)
  const settled = async ({ caller, access, origin, log }: Call, input: object, value: unknown) => {
    if (!after) return value
    const enqueue = jobs.enqueue({ requestId: origin.requestId })
    const note = () => {}
    return await after({ caller, access, origin, log, db: database, settings, now, enqueue, note, feed }, input, value)
  }
  return async (call, input) => {
    const repeat = call.caller && repeatOf(id, operation, call.caller, call.origin, input, settings.sign)
    // Where nothing happens before the transaction, that looks itself when it takes the key.
    const earlier = repeat && handler.before && (await earlierAnswer(database, secretKey, repeat))
    if (earlier) {
      // The repeat is not to be told sooner than the first that it is done.
      await database.synced()
      return await settled(call, input, earlier.value)
    }
    const { caller, access, origin, log } = call
    // What `before` does cannot be undone: no two calls may get that far with one approval.
    const isClaimed = handler.before !== undefined
    if (isClaimed) await call.claim?.(database)
    const kinds = new Set<string>()
    let told: Parameters<Context['feed']['tell']>[] = []
    const carryOut = (prepared: unknown, isRepeatable: boolean) =>
      database.transaction(async tx => {
        told = []
        if (repeat && !(await claim(tx, repeat, now()))) return (await earlierAnswer(tx, secretKey, repeat))?.value
        const notes: LedgerNote = {}
        const enqueueIn = jobs.enqueueIn(tx, { requestId: origin.requestId })
        const enqueue: Context['enqueue'] = (kind, payload, options) => {
          kinds.add(kind)
          return enqueueIn(kind, payload, options)
        }
        const note = (more: LedgerNote) => void Object.assign(notes, more)
        const held = { ...feed, tell: (...one: (typeof told)[number]) => void told.push(one) }
        const ctx = { caller, access, origin, log, db: tx, settings, now, enqueue, note, feed: held }
        const carried = () => handler.handle(ctx, input, prepared)
        const returned = await (keepToPlan ? keepToPlan(tx, access, notes, carried) : carried())
        // Used up exactly if the call is carried out. Last, since others lock approvals after all else.
        if (!isClaimed) await call.claim?.(tx)
        // Sent together: the answer is kept while the head of the ledger is waited for.
        await Promise.all([
          repeat && keepAnswer(tx, secretKey, repeat, returned),
          writer && !notes.unchanged && writer(tx, call, notes, input, answerOf(returned).result, isRepeatable),
        ])
        return returned
      })
    const result = await untilCurrent(async () => {
      const prepared = await prepare(call, input)
      return await carryOut(prepared, true).catch(error => {
        if (error instanceof HeadMoved) return carryOut(prepared, false)
        throw error
      })
    })
    if (kinds.size > 0) jobs.wake(kinds)
    for (const one of told) feed.tell(...one)
    return await settled(call, input, result)
  }
}

/** Over about two seconds, each time after a longer wait: whoever overtook is likely to be through by then. */
const mostPreparations = 20
const waitMs = 10

/** What was prepared may have been overtaken: then it is prepared and carried out again. */
async function untilCurrent<T>(carryOut: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await carryOut()
    } catch (error) {
      if (!(error instanceof Outdated) || tries === mostPreparations) throw error
      // Of two that overtake each other, one waits longer.
      await setTimeout(Math.random() * waitMs * tries)
    }
  }
}

const kindsIn = ({ query, body, result }: Partial<Operation>) => fieldKinds([query, body, result])

const kindsByAction = new Map<string, ReturnType<typeof fieldKinds>>()

/** An event is no operation and declares no fields. */
function kindsOf(action: string): ReturnType<typeof fieldKinds> {
  const known = kindsByAction.get(action) ?? kindsIn(operationNamed(action) ?? {})
  kindsByAction.set(action, known)
  return known
}

function ledgerWriter({ ledger, now }: Platform, id: string, operation: Operation) {
  const kinds = kindsIn(operation)
  const subject = id.slice(0, id.lastIndexOf('.'))
  const isDeletion = methodOf(operation) === 'DELETE'
  return async (
    tx: Tx,
    call: Call,
    notes: LedgerNote,
    input: object,
    result: unknown,
    isRepeatable: boolean,
  ): Promise<void> => {
    const value = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>
    const sent = input as Record<string, unknown>
    const after = notes.after ?? (isDeletion ? undefined : { ...sent, ...value })
    const targetId = sent.id ?? value.id ?? sent.userId ?? call.access?.workspaceId ?? call.caller?.userId
    const target =
      notes.target ?? (typeof targetId === 'string' ? { object: String(value._object ?? subject), id: targetId } : null)
    const { changes, personal } = toldBetween(kinds, target, notes.before, after)
    const entry: LedgerEntry = {
      at: now().toISOString(),
      action: id,
      outcome: 'success',
      actor: notes.actor ? { ...actorOf(call), id: notes.actor } : actorOf(call),
      target,
      changes,
      requestId: call.origin.requestId,
      ...(isDeletion && isShared(notes.before) && { wasShared: true }),
    }
    const who = notes.isErased ? { address: null, userAgent: null } : whoOf(call)
    const entries = [
      {
        chain: notes.workspaceId ?? call.access?.workspaceId ?? instanceChain,
        entry,
        personal: { ...who, changes: personal },
      },
      ...(notes.also ?? []).map(({ workspaceId, action, target, before, after }) => {
        const { changes, personal } = toldBetween(kindsOf(action), target, before, after)
        const caused = { ...entry, action, target, changes, cause: id }
        return { chain: workspaceId, entry: caused, personal: { ...who, changes: personal } }
      }),
    ]
    await ledger.append(tx, entries, true, isRepeatable)
  }
}

function isShared(before: object | undefined): boolean {
  return before !== undefined && 'visibility' in before && before.visibility === 'workspace'
}

export function actorOf({ caller, origin }: Pick<Call, 'caller' | 'origin'>): LedgerEntry['actor'] {
  return {
    type: caller?.credential ?? 'anonymous',
    id: caller?.ownerId ?? null,
    credentialId: caller?.credentialId ?? null,
    callerKind: caller?.callerKind ?? null,
    surface: origin.surface,
  }
}

function whoOf({ origin }: Call): { address: string | null; userAgent: string | null } {
  return { address: origin.address, userAgent: origin.userAgent }
}

/** The first hundred refusals of a credential in a minute are written each; after that one in a hundred. */
const writtenEach = 100

export type Refusal = { reason: string; missing: readonly string[] }

export function refusalWriter({ database, ledger, now, log }: Platform) {
  let minute = 0
  let counts = new Map<string, number>()
  return async (id: string, call: Call & { caller: Caller }, { reason, missing }: Refusal): Promise<void> => {
    const { caller } = call
    const current = Math.floor(now().getTime() / 60_000)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    const count = (counts.get(caller.credentialId) ?? 0) + 1
    counts.set(caller.credentialId, count)
    if (count > writtenEach && count % writtenEach !== 0) return
    const entry: LedgerEntry = {
      at: now().toISOString(),
      action: id,
      outcome: 'denied',
      reason,
      missing,
      ...(count > writtenEach && { omitted: writtenEach - 1 }),
      actor: actorOf(call),
      target: null,
      changes: [],
      requestId: call.origin.requestId,
    }
    const chain = caller.role !== null && caller.workspaceId !== null ? caller.workspaceId : instanceChain
    // A refusal stays a refusal, also where it cannot be written down.
    const addition = { chain, entry, personal: { ...whoOf(call), changes: [] } }
    await database
      .transaction(tx => ledger.append(tx, [addition], true))
      .catch(error => log.error({ err: error }, 'a refusal could not be written to the ledger'))
  }
}
