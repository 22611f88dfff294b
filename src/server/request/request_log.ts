// How often each operation is called, by whom and how long it takes: gathered in memory, written in batches.
import type { FastifyInstance } from 'fastify'
import type { Caller, Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { KeepRequests, RequestCount } from '../../kit/requests.ts'
import { operation as lookUp, operationIds } from '../../operations.ts'
import type { Platform } from './platform.ts'
import { rehearsed } from './relay.ts'

export type RequestLog = {
  /** `ms` is null where the answer lasts as long as somebody reads it. */
  add(caller: Caller, operation: string, status: number, ms: number | null): void
  flush(): Promise<void>
  stop(): Promise<void>
}

const flushMs = 10_000
const hourMs = 3_600_000
/** Beyond this new ones are let go until the next batch; those that are known go on being counted. */
const mostWaiting = 20_000

export function gatherRequests(database: Database, keep: KeepRequests, now: () => Date, log: Log): RequestLog {
  let waiting = new Map<string, RequestCount>()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** One batch after the other, so that two never wait for each other's rows. */
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    const counts = waiting
    if (counts.size === 0) return
    waiting = new Map()
    try {
      await keep(database, [...counts.values()])
    } catch (error) {
      log.error({ err: error }, 'requests could not be counted; they are added to the next ones')
      for (const [key, count] of counts) addTo(key, count)
      timer ??= setTimeout(() => void flush(), flushMs).unref()
    }
  }

  function addTo(key: string, count: RequestCount): void {
    const known = waiting.get(key)
    if (known) {
      known.requests += count.requests
      known.timed += count.timed
      known.ms += count.ms
    } else if (waiting.size < mostWaiting) waiting.set(key, count)
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(write)
    return writing
  }

  return {
    add(caller, operation, status, ms) {
      const workspaceId = caller.boundTo ?? caller.workspaceId
      // A stranger counts in nobody's figures.
      if (workspaceId === null || (caller.boundTo === null && caller.role === null)) return
      const credential = caller.credential === 'key' ? caller.credentialId : caller.credential
      const hour = Math.floor(now().getTime() / hourMs)
      const key = `${hour} ${workspaceId} ${credential} ${operation} ${status}`
      const timed = ms === null ? 0 : 1
      const known = waiting.get(key)
      if (known) {
        known.requests++
        known.timed += timed
        known.ms += ms ?? 0
        return
      }
      const at = new Date(hour * hourMs).toISOString()
      addTo(key, { workspaceId, hour: at, credential, operation, status, requests: 1, timed, ms: ms ?? 0 })
      timer ??= setTimeout(() => void flush(), flushMs).unref()
    },
    flush,
    async stop() {
      await flush()
      clearTimeout(timer)
    },
  }
}

/** Files and streams. */
const lasting: ReadonlySet<string> = new Set(operationIds.filter(id => lookUp(id)?.produces !== undefined))

/** Once a request is answered; those that were refused before anybody was known are nobody's. */
export function countRequests(app: FastifyInstance, { requestLog }: Pick<Platform, 'requestLog'>): void {
  app.addHook('onResponse', (request, reply, next) => {
    const { operationId, entered } = request
    if (operationId !== undefined && entered?.caller && reply.statusCode !== rehearsed) {
      const ms = lasting.has(operationId) ? null : reply.elapsedTime
      requestLog.add(entered.caller, operationId, reply.statusCode, ms)
    }
    next()
  })
}
