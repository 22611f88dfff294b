// The queue in the database: pg-boss as a store of jobs. It starts nothing by itself, so an idle service asks little.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import type { Log } from '../../kit/context.ts'
import type { Database, Tx } from '../../kit/db.ts'
import type { Job, Jobs } from '../../kit/jobs.ts'

export type Taken = { id: string; data: object; retryCount: number; group: string | null }

/** What pg-boss is told of a kind. */
type Terms = { retryLimit: number; expireInSeconds: number; policy: 'short' | 'standard' }

/** The id of no job. */
const nobody = '00000000-0000-0000-0000-000000000000'
const maintenanceMs = 120_000
/** Between two statements of the maintenance, which nobody waits for: a service with nothing to do stays quiet. */
const maintenancePauseMs = 4_000
/** An index that an upgrade of pg-boss leaves to be built; asked for seldom, since upgrades are. */
const upgradeSeconds = 600
const cacheSeconds = 86_400

/** After seconds at first, then every hour: as long as a mail server may be away. */
const backoff = { retryDelay: 5, retryBackoff: true, retryDelayMax: 3_600 }

export function timeoutOf(job: Job): number {
  return job.timeoutSeconds ?? 120
}

function termsOf(job: Job): Terms {
  return {
    retryLimit: job.retries ?? 60,
    expireInSeconds: timeoutOf(job),
    // One job per key may wait; without a key, any number.
    policy: job.key ? 'short' : 'standard',
  }
}

const over = (db: Pick<Tx, 'plain'>) => ({
  executeSql: (text: string, values?: unknown[]) => db.plain(text, values),
})

/** While it is set, each statement waits before it is sent; aborted, none does. */
const unhurried = new AsyncLocalStorage<AbortSignal>()

const whenItsTime = (db: Pick<Tx, 'plain'>) => ({
  async executeSql(text: string, values?: unknown[]) {
    const signal = unhurried.getStore()
    if (signal) await pause(maintenancePauseMs, undefined, { signal, ref: false }).catch(() => {})
    return await db.plain(text, values)
  },
})

export type Queue = Awaited<ReturnType<typeof openQueue>>

export async function openQueue(database: Database, jobs: Jobs, log: Log) {
  const boss = new PgBoss({
    db: whenItsTime(database),
    schema: 'jobs',
    supervise: false,
    schedule: false,
    bamIntervalSeconds: upgradeSeconds,
    queueCacheIntervalSeconds: cacheSeconds,
  })
  const failed = (error: unknown) => log.error({ err: error }, 'the job queue failed; it tries again by itself')
  boss.on('error', failed)
  await boss.start()
  await makeQueues(boss, database, jobs)
  if (database.engine === 'pglite') await takeBack(database)
  const stopping = new AbortController()
  const maintain = () => unhurried.run(stopping.signal, () => boss.supervise().catch(failed))
  const maintenance = setInterval(maintain, maintenanceMs).unref()
  const kinds = Object.keys(jobs)

  return {
    /** With an id, it is added once, whoever else adds it too. */
    async add(
      kind: string,
      data: object,
      options: { db?: Pick<Tx, 'plain'>; id?: string; key?: string; group?: string; startAfterSeconds?: number } = {},
    ): Promise<void> {
      const { db = database, id, key, group, startAfterSeconds } = options
      await boss.send(kind, data, {
        db: over(db),
        ...(id && { id }),
        ...(key !== undefined && { singletonKey: key }),
        ...(group !== undefined && { group: { id: group } }),
        ...(startAfterSeconds && { startAfter: startAfterSeconds }),
      })
    },
    /** None of the groups that are named. */
    async take(kind: string, most: number, butGroups: readonly string[] = []): Promise<Taken[]> {
      const taken = await boss.fetch(kind, { batchSize: most, includeMetadata: true, ignoreGroups: [...butGroups] })
      return taken.map(({ id, data, retryCount, groupId = null }) => {
        return { id, retryCount, data: (data ?? {}) as object, group: groupId }
      })
    },
    done: (kind: string, taken: Taken) => boss.complete(kind, taken as never),
    failed: (kind: string, taken: Taken, error: unknown) => boss.fail(kind, taken as never, error as object),
    /** The kinds of which a job could be started now: one statement for all of them. */
    async ready(): Promise<string[]> {
      const { rows } = await database.plain(
        `select kind from unnest($1::text[]) kind where exists (
           select from jobs.job where name = kind and state < 'active' and start_after <= now())`,
        [kinds],
      )
      return rows.map(({ kind }) => String(kind))
    },
    /** Gives back what a process that died has left, and forgets what is long done. */
    maintain: () => boss.supervise(),
    async stop() {
      clearInterval(maintenance)
      stopping.abort()
      await boss.stop({ graceful: false })
    },
  }
}

/** What an earlier start has left is not made again: each statement costs time before the first answer. */
async function makeQueues(boss: PgBoss, database: Database, jobs: Jobs): Promise<void> {
  const queues = new Map((await boss.getQueues()).map(queue => [queue.name, queue]))
  for (const [kind, job] of Object.entries(jobs)) {
    const { policy, ...terms } = termsOf(job)
    const queue = queues.get(kind)
    if (!queue) {
      await boss.createQueue(kind, { ...backoff, ...terms, policy, deleteAfterSeconds: 7 * 86_400 })
      // Named once here, the queue is remembered: enqueueing inside a transaction must not ask again.
      await boss.complete(kind, nobody)
      continue
    }
    if (queue.retryLimit !== terms.retryLimit || queue.expireInSeconds !== terms.expireInSeconds) {
      await boss.updateQueue(kind, { ...backoff, ...terms })
    }
    // pg-boss has no call for it; each job takes the policy from here when it is added.
    if (queue.policy !== policy) {
      await database.plain('update jobs.queue set policy = $2 where name = $1', [kind, policy])
    }
  }
}

/** Alone on its database, a process that starts knows that whoever had these is gone, and need not wait for their time. */
async function takeBack(database: Database): Promise<void> {
  await database.plain(`update jobs.job set state = 'retry', start_after = now() where state = 'active'`)
}

/** The tables of the queue, without anybody to work on them. */
export async function prepareJobs(database: Database): Promise<void> {
  const boss = new PgBoss({ db: over(database), schema: 'jobs', supervise: false, schedule: false })
  await boss.start()
  await boss.stop()
}

const metricTimeoutMs = 1_000

/** Whoever watches is told the rest also where the database is away. */
export async function waitingJobs(database: Database): Promise<Record<string, number>> {
  const text = `select name, count(*)::int as n from jobs.job where state in ('created', 'retry') group by name`
  const late = new Promise<{ rows: never[] }>(resolve => setTimeout(resolve, metricTimeoutMs, { rows: [] }).unref())
  const { rows } = await Promise.race([database.plain(text), late]).catch(() => ({ rows: [] }))
  return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]))
}
