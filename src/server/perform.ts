// One operation carried out: `before`, then handler and ledger entry in one transaction.
import type { Operation } from '../contract/operation.ts'
import { isAudited, isRepeatable, isWrite, methodOf } from '../contract/operation.ts'
import type { BeforeContext, Caller, Context, LedgerNote } from '../kit/context.ts'
import type { Tx } from '../kit/db.ts'
import type { AnyHandler } from '../kit/implement.ts'
import { changesBetween, fieldKinds } from './changes.ts'
import { claim, earlierAnswer, keepAnswer, repeatOf } from './idempotency.ts'
import { append, instanceChain, type LedgerEntry } from './ledger.ts'
import type { Platform } from './platform.ts'
import { callOperation, rehearseOperation, type relay } from './relay.ts'

/** What a call brings; the rest of the context is the platform's. */
export type Call = Pick<Context, 'caller' | 'access' | 'origin' | 'log'> & { relay: () => ReturnType<typeof relay> }

type Perform = (call: Call, input: object) => Promise<unknown>

export function performer(platform: Platform, id: string, operation: Operation): Perform {
  const { database, settings, now, jobs, feed } = platform
  const handler = platform.handlers[id]
  if (!handler) throw new Error(`no handler for ${id}`)
  const enqueue = jobs.enqueueIn(database)
  const { before } = handler
  const prepare = before && ((call: Call, ctx: Context, input: object) => before({ ...ctx, ...calling(call) }, input))
  const note = () => {}
  const outside = ({ caller, access, origin, log }: Call): Context => {
    return { caller, access, origin, log, db: database, settings, now, enqueue, note, feed }
  }
  if (isWrite(operation) || isAudited(operation)) {
    return writing(platform, id, operation, handler, (call, input) => {
      const cause = { requestId: call.origin.requestId }
      return prepare?.(call, { ...outside(call), enqueue: jobs.enqueueIn(database, cause) }, input)
    })
  }
  if (!prepare) return (call, input) => handler.handle(outside(call), input, undefined)
  return async (call, input) => {
    const ctx = outside(call)
    return await handler.handle(ctx, input, await prepare(call, ctx, input))
  }
}

/** Only `before` may call operations. */
function calling({ relay }: Call): BeforeContext {
  return { call: callOperation(relay), rehearse: rehearseOperation(relay) }
}

/** `before` outside, then handler, ledger and kept answer in one transaction; jobs and readers hear after the commit. */
function writing(
  platform: Platform,
  id: string,
  operation: Operation,
  handler: AnyHandler,
  prepare: (call: Call, input: object) => Promise<unknown> | undefined,
): Perform {
  const { database, settings, now, jobs, feed, secretKey } = platform
  const canRepeat = isRepeatable(operation)
  const writer = isAudited(operation) ? ledgerWriter(platform, id, operation) : null
  return async (call, input) => {
    const repeat = canRepeat && call.caller && repeatOf(id, call.caller, call.origin, input)
    const earlier = repeat && (await earlierAnswer(database, secretKey, repeat))
    if (earlier) {
      // The repeat is not to be told sooner than the first that it is done.
      await database.synced()
      return earlier.value
    }
    const { caller, access, origin, log } = call
    const prepared = await prepare(call, input)
    let hasJobs = false
    let chains: string[] = []
    const result = await database.transaction(async tx => {
      if (repeat && !(await claim(tx, repeat, now()))) return (await earlierAnswer(tx, secretKey, repeat))?.value
      const notes: LedgerNote = {}
      const enqueueIn = jobs.enqueueIn(tx, { requestId: origin.requestId })
      const enqueue: Context['enqueue'] = (kind, payload, options) => {
        hasJobs = true
        return enqueueIn(kind, payload, options)
      }
      const note = (more: LedgerNote) => void Object.assign(notes, more)
      const ctx = { caller, access, origin, log, db: tx, settings, now, enqueue, note, feed }
      const value = await handler.handle(ctx, input, prepared)
      if (repeat) await keepAnswer(tx, secretKey, repeat, value)
      if (writer && !notes.unchanged) chains = await writer(tx, call, notes, input, value)
      return value
    })
    if (hasJobs) jobs.wake()
    if (chains.length > 0) feed.changed(chains)
    return result
  }
}

function ledgerWriter({ ledgerKey, now }: Platform, id: string, operation: Operation) {
  const kinds = fieldKinds([operation.query, operation.body, operation.result])
  const subject = id.slice(0, id.lastIndexOf('.'))
  return async (tx: Tx, call: Call, notes: LedgerNote, input: object, result: unknown): Promise<string[]> => {
    const value = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>
    const sent = input as Record<string, unknown>
    const after = notes.after ?? (methodOf(operation) === 'DELETE' ? undefined : { ...sent, ...value })
    const { changes, personal } = changesBetween(kinds, notes.before, after)
    const targetId = sent.id ?? value.id ?? sent.userId ?? call.access?.workspaceId ?? call.caller?.userId
    const entry: LedgerEntry = {
      at: now().toISOString(),
      action: id,
      outcome: 'success',
      actor: notes.actor ? { ...actorOf(call), id: notes.actor } : actorOf(call),
      target:
        notes.target ??
        (typeof targetId === 'string' ? { object: String(value._object ?? subject), id: targetId } : null),
      changes,
      requestId: call.origin.requestId,
    }
    const who = notes.isErased ? { address: null, userAgent: null } : whoOf(call)
    const entries = [
      { chain: notes.workspaceId ?? call.access?.workspaceId ?? instanceChain, entry, personal },
      ...(notes.also ?? []).map(({ workspaceId, action, target }) => {
        return { chain: workspaceId, entry: { ...entry, action, target, changes: [], cause: id }, personal: [] }
      }),
    ]
    // Heads are locked in one order everywhere, so that two transactions cannot wait for each other.
    entries.sort((one, other) => (one.chain < other.chain ? -1 : 1))
    for (const [index, part] of entries.entries()) {
      const query = index === entries.length - 1 ? tx.last : tx.query
      await append({ query }, ledgerKey, part.chain, part.entry, { ...who, changes: part.personal })
    }
    return entries.map(part => part.chain)
  }
}

function actorOf({ caller, origin }: Call): LedgerEntry['actor'] {
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

export function refusalWriter({ database, ledgerKey, now, log, feed }: Platform) {
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
    await append(database, ledgerKey, chain, entry, { ...whoOf(call), changes: [] }).then(
      () => feed.changed([chain]),
      error => log.error({ err: error }, 'a refusal could not be written to the ledger'),
    )
  }
}
