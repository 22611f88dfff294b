// Jobs that run by themselves: every process knows when, and an id made of kind and time lets only one add the job.
import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import type { Log } from '../../kit/context.ts'
import type { Database } from '../../kit/db.ts'
import type { Job, Jobs } from '../../kit/jobs.ts'
import type { Settings } from '../../kit/settings.ts'
import { join, plannedAnew, type Sql, sql } from '../../kit/sql.ts'

type Scheduled = {
  kind: string
  cron: Cron
  next: number
  ifChanged: readonly string[] | undefined
  isChanged: boolean
  due: Job['due']
}

/** A kind, and when it should have begun. */
type Occurrence = { one: Scheduled; at: number }

/** No timer is set for longer, so that a machine that slept or a clock that was set is noticed. */
const longestWaitMs = 60_000
/** What came due while no process ran is made up for where the next time is further off than this. */
const rareMs = 2 * 3_600_000

type Options = {
  jobs: Jobs
  database: Pick<Database, 'onCommit' | 'query'>
  settings: Pick<Settings, 'billing'>
  now: () => Date
  log: Log
  /** Adds a job once, whichever process does. */
  add: (kind: string, id: string) => Promise<void>
}

export function startSchedules({ jobs, database, settings, now, log, add }: Options): { stop(): void } {
  const all = Object.entries(jobs).flatMap<Scheduled>(([kind, { schedule, ifChanged, due }]) => {
    if (!schedule) return []
    const cron = new Cron(schedule, { paused: true, timezone: 'UTC', mode: '5-part' })
    return [{ kind, cron, next: nextOf(cron), ifChanged, isChanged: true, due }]
  })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const addOne = (kind: string, at: number) =>
    add(kind, occurrenceId(kind, at)).catch(error =>
      log.error({ err: error, job: kind }, 'a scheduled job could not be added; it runs at its next time'),
    )

  async function addDue(): Promise<void> {
    const come: Occurrence[] = []
    for (const one of all) {
      const at = one.next
      if (at > Date.now()) continue
      one.next = nextOf(one.cron)
      if (one.ifChanged && !one.isChanged) continue
      one.isChanged = false
      come.push({ one, at })
    }
    await addAll(come)
    wait()
  }

  async function addMissed(): Promise<void> {
    const missed = all.flatMap<Occurrence>(one => {
      const at = one.cron.previousRuns(1)[0]?.getTime()
      return at !== undefined && one.next - at > rareMs ? [{ one, at }] : []
    })
    if (!isStopped) await addAll(missed)
  }

  /** Those that have something to do, as the database says in one statement for all of them. */
  async function addAll(come: readonly Occurrence[]): Promise<void> {
    const questions = come.map(({ one }) => one.due?.(now(), settings) ?? null)
    const answers = await answersOf(database, questions).catch(error => {
      log.error(
        { err: error },
        'it could not be asked which scheduled jobs have something to do; all of them are added',
      )
      return questions.map(() => true)
    })
    for (const [index, { one, at }] of come.entries()) if (answers[index] && !isStopped) await addOne(one.kind, at)
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

/** For each: null is a yes, and otherwise one of the selects must give a row. */
async function answersOf(db: Pick<Database, 'query'>, questions: readonly (readonly Sql[] | null)[]) {
  const asked = questions.filter(selects => selects !== null && selects.length > 0) as (readonly Sql[])[]
  if (asked.length === 0) return questions.map(selects => selects === null)
  const conditions = asked.map(selects =>
    join(
      selects.map(select => sql`exists (${select})`),
      ' or ',
    ),
  )
  // Which ones come together differs from minute to minute: no connection keeps a text for each.
  const statement = plannedAnew(sql`select array[${join(conditions, ', ')}] as due`)
  const [row] = await db.query<{ due: boolean[] }>(statement)
  return questions.map(selects => selects === null || (row?.due[asked.indexOf(selects)] ?? false))
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
