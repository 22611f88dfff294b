// Work after the answer: pg-boss on either engine, enqueued in the caller's transaction.
import { randomUUID } from 'node:crypto'
import { PgBoss } from 'pg-boss'
import type { Enqueue, Log } from '../kit/context.ts'
import type { Database, Tx } from '../kit/db.ts'
import type { JobContext, Jobs } from '../kit/implement.ts'
import type { Tracer } from './tracing.ts'

/** The request that a job goes back to, kept with it so that both can be found together. */
export type Cause = { requestId?: string; traceparent?: string }

export type JobRunner = {
  /** For a handler: the job exists exactly when its transaction commits. */
  enqueueIn(tx: Pick<Tx, 'plain'>, cause?: Cause): Enqueue
  /** Takes up at once what a commit has left, instead of at the next poll. */
  wake(): void
  /** A job at once, without the queue. */
  runNow(kind: string, payload?: object): Promise<void>
  /** How many of each kind are still to be done; nothing where the database does not say so in time. */
  waiting(): Promise<Record<string, number>>
  stop(): Promise<void>
}

type Options = {
  database: Database
  jobs: Jobs
  context: (jobId: string, log: Log) => Omit<JobContext, 'enqueue' | 'attempt'>
  log: Log
  tracer?: Tracer | undefined
}

/** After seconds at first, then every hour, for about two days: as long as a mail server may be away. */
const retries = { retryLimit: 60, retryDelay: 5, retryBackoff: true, retryDelayMax: 3_600 }
const longestRunSeconds = 120
const patienceMs = 1_000

export async function startJobs({ database, jobs, context, log, tracer }: Options): Promise<JobRunner> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => database.plain(text, values) },
    schema: 'jobs',
    // The embedded engine has one process, so nobody else's clock or queue can differ.
    superviseIntervalSeconds: 120,
  })
  boss.on('error', error => log.error({ err: error }, 'the job queue failed; it tries again by itself'))
  await boss.start()

  const enqueueIn =
    (tx: Pick<Tx, 'plain'>, cause: Cause = {}): Enqueue =>
    async (kind, payload, { startAfterSeconds } = {}) => {
      const traceparent = tracer?.current()
      const _cause = { ...cause, ...(traceparent && { traceparent }) }
      const db = { executeSql: (text: string, values?: unknown[]) => tx.plain(text, values) }
      await boss.send(kind, { ...payload, _cause }, { db, ...(startAfterSeconds && { startAfter: startAfterSeconds }) })
    }

  async function run(kind: string, sent: object, id: string, attempt: number): Promise<void> {
    const { _cause: cause = {}, ...payload } = sent as { _cause?: Cause }
    const { requestId, traceparent: parent } = cause
    const jobLog = withFields(log, { job: kind, jobId: id, ...(requestId && { requestId }) })
    const work = async () => {
      await jobs[kind]?.run({ ...context(id, jobLog), enqueue: enqueueIn(database, cause), attempt }, payload)
    }
    const since = performance.now()
    try {
      await (tracer ? tracer.during({ name: `job ${kind}`, kind: 'consumer', parent }, work) : work())
      jobLog.info({ attempt, ms: performance.now() - since }, 'a job is done')
    } catch (error) {
      jobLog.error({ err: error, attempt }, 'a job failed; it is tried again')
      throw error
    }
  }

  // What an earlier start has left is not made again: each statement costs time before the first answer.
  const queues = new Map((await boss.getQueues()).map(queue => [queue.name, queue.retryLimit]))
  const schedules = new Map((await boss.getSchedules()).map(schedule => [schedule.name, schedule.cron]))
  const workers: string[] = []
  for (const [kind, job] of Object.entries(jobs)) {
    if (!queues.has(kind)) await makeQueue(boss, kind)
    else if (queues.get(kind) !== retries.retryLimit) await boss.updateQueue(kind, retries)
    if (job.schedule && schedules.get(kind) !== job.schedule) await boss.schedule(kind, job.schedule, {})
    let worker = ''
    worker = await boss.work(
      kind,
      { pollingIntervalSeconds: 2, batchSize: 1, includeMetadata: true },
      async ([taken]) => {
        if (!taken) return
        await run(kind, (taken.data ?? {}) as object, taken.id, taken.retryCount)
        // There may be more of it: looked for at once, not at the next poll.
        if (worker) boss.notifyWorker(worker)
      },
    )
    workers.push(worker)
  }
  return {
    enqueueIn,
    wake: () => {
      for (const worker of workers) boss.notifyWorker(worker)
    },
    runNow: (kind, payload = {}) => run(kind, payload, randomUUID(), 0),
    waiting: () => waitingJobs(database),
    stop: () => boss.stop({ graceful: true, timeout: 5_000 }),
  }
}

/** The tables of the queue, without anybody to work on them. */
export async function prepareJobs(database: Database): Promise<void> {
  const db = { executeSql: (text: string, values?: unknown[]) => database.plain(text, values) }
  const boss = new PgBoss({ db, schema: 'jobs', supervise: false, schedule: false })
  await boss.start()
  await boss.stop()
}

/** Whoever watches is told the rest also where the database is away. */
async function waitingJobs(database: Database): Promise<Record<string, number>> {
  const text = `select name, count(*)::int as n from jobs.job where state in ('created', 'retry') group by name`
  const late = new Promise<{ rows: never[] }>(resolve => setTimeout(resolve, patienceMs, { rows: [] }).unref())
  const { rows } = await Promise.race([database.plain(text), late]).catch(() => ({ rows: [] }))
  return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]))
}

function withFields(log: Log, fields: object): Log {
  return {
    info: (more, text) => log.info({ ...fields, ...more }, text),
    warn: (more, text) => log.warn({ ...fields, ...more }, text),
    error: (more, text) => log.error({ ...fields, ...more }, text),
  }
}

async function makeQueue(boss: PgBoss, kind: string): Promise<void> {
  await boss.createQueue(kind, { ...retries, expireInSeconds: longestRunSeconds, deleteAfterSeconds: 7 * 86_400 })
  // Asked once here, the queue is remembered: enqueueing inside a transaction must not ask again.
  await boss.getQueueStats(kind)
}
