// Jobs that run by themselves: every process knows when, and an id made of kind and time lets only one add the job.
import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { Jobs } from '../../kit/jobs.ts'

type Scheduled = {
  kind: string
  cron: Cron
  next: number
  ifChanged: readonly string[] | undefined
  isChanged: boolean
}

/** No timer is set for longer, so that a machine that slept or a clock that was set is noticed. */
const longestWaitMs = 60_000
/** What came due while no process ran is made up for where the next time is further off than this. */
const rareMs = 2 * 3_600_000

type Options = {
  jobs: Jobs
  database: Pick<Database, 'onCommit'>
  log: Log
  /** Adds a job once, whichever process does. */
  add: (kind: string, id: string) => Promise<void>
}

export function startSchedules({ jobs, database, log, add }: Options): { stop(): void } {
  const all = Object.entries(jobs).flatMap<Scheduled>(([kind, { schedule, ifChanged }]) => {
    if (!schedule) return []
    const cron = new Cron(schedule, { paused: true, timezone: 'UTC', mode: '5-part' })
    return [{ kind, cron, next: nextOf(cron), ifChanged, isChanged: true }]
  })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const addOne = (kind: string, at: number) =>
    add(kind, occurrenceId(kind, at)).catch(error =>
      log.error({ err: error, job: kind }, 'a scheduled job could not be added; it runs at its next time'),
    )

  async function addDue(): Promise<void> {
    for (const one of all) {
      const due = one.next
      if (due > Date.now()) continue
      one.next = nextOf(one.cron)
      if (one.ifChanged && !one.isChanged) continue
      one.isChanged = false
      await addOne(one.kind, due)
    }
    wait()
  }

  async function addMissed(): Promise<void> {
    for (const { kind, cron, next } of all) {
      const last = cron.previousRuns(1)[0]?.getTime()
      if (!isStopped && last !== undefined && next - last > rareMs) await addOne(kind, last)
    }
  }

  function wait(): void {
    if (isStopped || all.length === 0) return
    const soonest = Math.min(...all.map(({ next }) => next))
    timer = setTimeout(addDue, Math.min(Math.max(soonest - Date.now(), 0), longestWaitMs)).unref()
  }

  database.onCommit(tables => {
    for (const one of all) {
      if (!one.isChanged && one.ifChanged?.some(name => tables.has(name) || tables.has(`+${name}`)))
        one.isChanged = true
    }
  })
  const missed = setTimeout(addMissed, longestWaitMs).unref()
  wait()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      clearTimeout(missed)
    },
  }
}

function nextOf(cron: Cron): number {
  return cron.nextRun()?.getTime() ?? Number.MAX_SAFE_INTEGER
}

/** A UUID, as the queue wants it. */
function occurrenceId(kind: string, at: number): string {
  const hex = createHash('sha256')
    .update(`${kind} ${new Date(at).toISOString()}`)
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
