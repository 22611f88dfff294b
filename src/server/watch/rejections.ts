// Rejections that nobody handles: told and counted, and never the end of a process that serves others.
import type { Log } from '../../kit/context.ts'

let count = 0

/** For the metrics: a fault of ours each time. */
export function unhandledRejections(): number {
  return count
}

/** Left to itself, the runtime would end the process, and with it the requests of everybody else. */
export function surviveRejections(log: Pick<Log, 'error'>): void {
  process.on('unhandledRejection', reason => {
    count++
    log.error({ err: reason }, 'a promise was rejected and nobody handled it')
  })
}
