// Work after the answer: enqueued in the caller's transaction, taken from the queue when a commit or a poll says so.
import { randomUUID } from 'node:crypto'
import { Compile } from 'typebox/compile'
import { inBackground } from '../../kit/background.ts'
import type { Enqueue, Log } from '../../kit/context.ts'
import type { Database, Tx } from '../../kit/db.ts'
import type { Job, Jobs } from '../../kit/jobs.ts'
import { once } from '../../kit/once.ts'
import type { Settings } from '../../kit/settings.ts'
import type { Tracer } from '../watch/tracing.ts'
import { inTime } from './in_time.ts'
import type { JobContextMaker } from './job_context.ts'
import { openQueue, type Queue, type Taken, timeoutOf, waitingJobs } from './queue.ts'
import { startSchedules } from './schedules.ts'

/** The request that a job goes back to, kept with it so that both can be found together. */
export type Cause = { requestId?: string; traceparent?: string }

export type JobRunner = {
  /** For a handler: the job exists exactly when its transaction commits; `wake` is called after that. */
  enqueueIn(tx: Pick<Tx, 'plain'>, cause?: Cause): Enqueue
  /** Outside any transaction: the job exists, and is started, at once. */
  enqueue(cause?: Cause): Enqueue
  /** Takes up at once what a commit has left of these kinds, instead of at the next poll. */
  wake(kinds?: Iterable<string>): void
  /** A job at once, without the queue. */
  runNow(kind: string, payload?: object): Promise<void>
  /** How many of each kind are still to be done; nothing where the database does not say so in time. */
  waiting(): Promise<Record<string, number>>
  stop(): Promise<void>
}

type Options = {
  database: Database
  jobs: Jobs
  context: JobContextMaker
  settings: Pick<Settings, 'billing'>
  now: () => Date
  log: Log
  tracer?: Tracer | undefined
}

/** For retries, for jobs with a delay, and for what a process that died or is busy has enqueued. */
const pollMs = 2_500
const stopMs = 5_000
const settleMs = 1_000

export async function startJobs(options: Options): Promise<JobRunner> {
  const { database, jobs, settings, now, log } = options
  const queue = await openQueue(database, jobs, log)
  const enqueue = enqueuer(options, queue.add)
  const run = performer(options, cause => enqueueNow(cause))
  const enqueueNow =
    (cause: Cause = {}): Enqueue =>
    async (kind, payload, terms) => {
      await enqueue(database, cause, kind, payload, terms)
      crew.wake([kind])
    }
  const crew = startCrew({ jobs, queue, log, run })
  const schedules = startSchedules({
    jobs,
    database,
    settings,
    now,
    log,
    add: async (kind, id) => {
      await queue.add(kind, {}, { id })
      crew.wake([kind])
    },
  })
  return {
    enqueueIn:
      (tx, cause = {}) =>
      (kind, payload, terms) =>
        enqueue(tx, cause, kind, payload, terms),
    enqueue: enqueueNow,
    wake: (kinds = Object.keys(jobs)) => crew.wake(kinds),
    runNow: (kind, payload = {}) =>
      run(kind, { id: randomUUID(), data: payload, retryCount: 0, group: null }, new AbortController().signal),
    waiting: () => waitingJobs(database),
    async stop() {
      schedules.stop()
      await crew.stop()
      await queue.stop()
    },
  }
}

/** Checks and adds: what a job cannot be run with is the fault of who enqueues it, and is shown there. */
function enqueuer({ jobs, tracer }: Options, add: Queue['add']) {
  const validators = new Map(Object.entries(jobs).map(([kind, { payload }]) => [kind, once(() => Compile(payload))]))
  return async (
    db: Pick<Tx, 'plain'>,
    cause: Cause,
    kind: string,
    payload: object,
    { startAfterSeconds }: Parameters<Enqueue>[2] = {},
  ): Promise<void> => {
    const validator = validators.get(kind)?.()
    if (!validator) throw new Error(`there is no job ${kind}`)
    if (!validator.Check(payload)) {
      const [first] = validator.Errors(payload)
      throw new Error(`the payload of ${kind} is not what it declares: ${first?.instancePath} ${first?.message}`)
    }
    const key = jobs[kind]?.key?.(payload)
    const group = jobs[kind]?.group?.(payload)
    const traceparent = tracer?.current()
    const _cause = { ...cause, ...(traceparent && { traceparent }) }
    await add(
      kind,
      { ...payload, _cause },
      {
        db,
        ...(key !== undefined && { key }),
        ...(group !== undefined && { group }),
        ...(startAfterSeconds && { startAfterSeconds }),
      },
    )
  }
}

type Run = (kind: string, taken: Taken, stopping: AbortSignal) => Promise<void>

function performer({ jobs, context, log, tracer }: Options, enqueue: (cause: Cause) => Enqueue): Run {
  return async (kind, { id, data, retryCount: attempt, group }, stopping) => {
    const job = jobs[kind]
    if (!job) throw new Error(`there is no job ${kind}`)
    const { _cause: cause = {}, ...payload } = data as { _cause?: Cause }
    const { requestId, traceparent: parent } = cause
    const jobLog = withFields(log, { job: kind, jobId: id, ...(requestId && { requestId }) })
    const work = () =>
      inTime(timeoutOf(job) * 1000, stopping, signal =>
        job.run({ ...context(id, jobLog, signal, group ?? id), enqueue: enqueue(cause), attempt, signal }, payload),
      )
    const since = performance.now()
    try {
      await (tracer ? tracer.during({ name: `job ${kind}`, kind: 'consumer', parent }, work) : work())
      jobLog.info({ attempt, ms: performance.now() - since }, 'a job is done')
    } catch (error) {
      jobLog.error({ err: error, attempt }, 'a job failed; it is tried again')
      throw error
    }
  }
}

type Place = { running: Set<Taken>; isWanted: boolean; isTaking: boolean }

type CrewOptions = { jobs: Jobs; queue: Queue; log: Log; run: Run }

/** Takes jobs and runs them, of each kind as many at a time as it declares. */
function startCrew({ jobs, queue, log, run }: CrewOptions) {
  const places = new Map<string, Place>()
  for (const kind of Object.keys(jobs)) places.set(kind, { running: new Set(), isWanted: false, isTaking: false })
  const stopping = new AbortController()
  let isStopped = false

  const look = (kind: string, place: Place) => inBackground(() => takeAll(kind, place))

  async function takeAll(kind: string, place: Place): Promise<void> {
    if (place.isTaking) return
    place.isTaking = true
    try {
      while (place.isWanted && !isStopped) {
        const free = placesOf(jobs[kind]) - place.running.size
        // Whoever ends looks again.
        if (free <= 0) break
        place.isWanted = false
        // Of groups one after the other, since two that are taken together may be of one.
        const most = jobs[kind]?.group ? 1 : free
        const taken = await queue.take(kind, most, groupsIn(place))
        if (taken.length === most) place.isWanted = true
        for (const one of taken) void start(kind, place, one)
      }
    } catch (error) {
      place.isWanted = false
      log.error({ err: error, job: kind }, 'jobs could not be taken from the queue; the next poll tries again')
    } finally {
      place.isTaking = false
    }
  }

  async function start(kind: string, place: Place, taken: Taken): Promise<void> {
    place.running.add(taken)
    const failure = await run(kind, taken, stopping.signal).then(
      () => null,
      error => ({ error }),
    )
    const settling = failure ? queue.failed(kind, taken, failure.error) : queue.done(kind, taken)
    await settling.catch(error =>
      log.error({ err: error, job: kind, jobId: taken.id }, 'the end of a job was not noted; it runs again'),
    )
    place.running.delete(taken)
    // Whoever is of the same group was passed over until now.
    if (taken.group !== null) place.isWanted = true
    if (place.isWanted) void look(kind, place)
  }

  function wake(kinds: Iterable<string>): void {
    for (const kind of kinds) {
      const place = places.get(kind)
      if (!place) continue
      place.isWanted = true
      void look(kind, place)
    }
  }

  const poll = () =>
    inBackground(() => queue.ready()).then(wake, error =>
      log.error({ err: error }, 'the job queue could not be read; it is read again'),
    )
  let polling = setTimeout(function again() {
    void poll().finally(() => {
      if (!isStopped) polling = setTimeout(again, pollMs).unref()
    })
  }, 0).unref()

  const isIdle = () => [...places.values()].every(({ running, isTaking }) => running.size === 0 && !isTaking)
  async function stop(): Promise<void> {
    isStopped = true
    clearTimeout(polling)
    const quiet = async (ms: number) => {
      for (const until = performance.now() + ms; !isIdle() && performance.now() < until; ) {
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    }
    await quiet(stopMs)
    // What is cut off is tried again.
    stopping.abort(new Error('the service stops'))
    await quiet(settleMs)
  }

  return { wake, stop }
}

function groupsIn({ running }: Place): string[] {
  return [...running].flatMap(({ group }) => (group === null ? [] : [group]))
}

function placesOf(job: Job | undefined): number {
  return job?.concurrency ?? (job?.schedule ? 1 : 2)
}

function withFields(log: Log, fields: object): Log {
  return {
    info: (more, text) => log.info({ ...fields, ...more }, text),
    warn: (more, text) => log.warn({ ...fields, ...more }, text),
    error: (more, text) => log.error({ ...fields, ...more }, text),
  }
}
