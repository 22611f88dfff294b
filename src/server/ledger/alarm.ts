// What was found to be wrong with ledgers: said in the log, counted for the metrics, told by /readyz.
import type { Log } from '../../kit/context.ts'

export type Alarm = {
  raise(chain: string, problem: string): void
  /** How often since the start. */
  raised(): number
  /** How many chains since the start. */
  chains(): number
}

const quietMs = 60_000

export function ledgerAlarm(log: Log): Alarm {
  const lastSaid = new Map<string, number>()
  let count = 0
  return {
    raise(chain, problem) {
      count++
      const now = performance.now()
      if (now - (lastSaid.get(chain) ?? Number.NEGATIVE_INFINITY) < quietMs) return
      lastSaid.set(chain, now)
      log.error({ chain, problem }, 'a ledger was tampered with: restore it from a backup, see docs/operating.md')
    },
    raised: () => count,
    chains: () => lastSaid.size,
  }
}
