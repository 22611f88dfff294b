// What agents called: gathered in memory and written in batches, never on the path of a request.
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { toolNameOf } from '../../contract/tools.ts'
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { Gate, LoggedCall } from '../../kit/gate.ts'
import type { Call } from './perform.ts'
import type { Platform } from './platform.ts'
import { currentSurface, isRehearsal } from './surface.ts'

export type CallLog = {
  add(call: LoggedCall): void
  flush(): Promise<void>
  stop(): Promise<void>
}

/** Soon enough for whoever looks, late enough for many calls to be one statement. */
const flushMs = 250
/** Beyond this the rest of a moment is let go: the ledger has every change all the same. */
const mostWaiting = 5_000

export function gatherCalls(database: Database, gate: Pick<Gate, 'log'>, log: Log): CallLog {
  let waiting: LoggedCall[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** One batch after the other, so that two never wait for each other's rows. */
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const calls = waiting
    waiting = []
    if (calls.length > 0) await gate.log(database, calls)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write).catch(error => log.error({ err: error }, 'calls of agents could not be written down'))
    return writing
  }

  return {
    add(call) {
      if (waiting.length >= mostWaiting) return
      waiting.push(call)
      timer ??= setTimeout(() => void flush(), flushMs).unref()
    },
    flush,
    stop: flush,
  }
}

/** Writes down the calls of agents, and those that are made through a tool by anybody. */
export function callLogger({ callLog, now }: Pick<Platform, 'callLog' | 'now'>, id: string, operation: Operation) {
  const tool = toolNameOf(id)
  return <T>(call: Call, work: () => Promise<T>): Promise<T> => {
    const isOne = call.caller !== null && (call.caller.callerKind !== null || currentSurface() !== undefined)
    if (!isOne || operation.tool === false || isRehearsal()) return work()
    const begun = performance.now()
    const end = (outcome: LoggedCall['outcome']) => {
      const { caller, origin, approval } = call
      // Whose call it was is known by now; a stranger writes into nobody's log.
      if (!caller || (caller.boundTo === null && caller.role === null)) return
      callLog.add({
        workspaceId: caller.boundTo ?? caller.workspaceId ?? '',
        tool,
        argsDigest: call.digest ?? null,
        outcome,
        ms: Math.round(performance.now() - begun),
        run: caller.run?.id ?? null,
        approval: call.waitsFor ?? approval.id,
        callerKind: caller.callerKind,
        surface: origin.surface,
        at: now().toISOString(),
      })
    }
    return work().then(
      value => {
        end(call.waitsFor === undefined ? 'ok' : 'pending')
        return value
      },
      error => {
        end(error instanceof ApiError && error.kind === 'forbidden' ? 'denied' : 'error')
        throw error
      },
    )
  }
}
