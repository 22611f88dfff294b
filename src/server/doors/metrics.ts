// The figures of the service: counted in plain numbers while it works, written out when they are asked for.
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Platform } from '../request/platform.ts'
import type { Pressure } from '../request/pressure.ts'
import { unhandledRejections } from '../watch/rejections.ts'

/** Seconds; what is slower than the last is in `+Inf`. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Of one operation. Plain arrays: the metrics library would hash the labels again on each request. */
type Tally = { statuses: Map<number, number>; buckets: Float64Array; seconds: number }

type Value = { labels: Record<string, string | number>; value: number; metricName?: string }

/** How the figures of several workers become one. */
type Together = 'sum' | 'max'

export function measure(app: FastifyInstance, platform: Platform, pressure: Pressure): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  measureRequests(app, platform, registry)
  measureSaturation(platform, pressure, registry)
  return registry
}

function add(
  registry: Registry,
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  read: () => Value[] | Promise<Value[]>,
  aggregator: Together = 'sum',
): void {
  const get = async () => ({ name, help, type, aggregator, values: await read() })
  registry.registerMetric({ name, help, type, aggregator, get } as unknown as Metric)
}

/** The id of a page opens it, and so does the token of a webhook address: whoever reads the log is to do neither. */
const opening = /(?<=page_)[0-9a-z]{40}|(?<=\/hooks\/(in|automations)\/)[^/]+/g

/** Traffic, errors and time per operation. */
function measureRequests(app: FastifyInstance, { config }: Platform, registry: Registry): void {
  const tallies = new Map<string, Tally>()
  const isLogged = ['info', 'debug', 'trace'].includes(config.LOG_LEVEL)
  app.addHook('onResponse', (request, reply, next) => {
    const operation = request.operationId ?? 'other'
    const { statusCode: status, elapsedTime: ms } = reply
    let tally = tallies.get(operation)
    if (!tally) {
      tally = { statuses: new Map(), buckets: new Float64Array(bounds.length + 1), seconds: 0 }
      tallies.set(operation, tally)
    }
    count(tally, status, ms / 1000)
    if (isLogged) {
      const path = request.url.split('?', 1)[0]?.replace(opening, '…')
      request.log.info({ operation, method: request.method, path, status, ms }, 'answered')
    }
    next()
  })
  add(registry, 'counter', 'atrium_requests_total', 'Requests answered', () =>
    [...tallies].flatMap(([operation, { statuses }]) =>
      [...statuses].map(([status, value]) => ({ labels: { operation, status }, value })),
    ),
  )
  const name = 'atrium_request_seconds'
  add(registry, 'histogram', name, 'Time from the request to the end of its answer', () =>
    [...tallies].flatMap(([operation, tally]) => histogram(name, operation, tally)),
  )
}

function count(tally: Tally, status: number, seconds: number): void {
  tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1)
  tally.seconds += seconds
  let index = 0
  while (index < bounds.length && seconds > (bounds[index] as number)) index++
  tally.buckets[index] = (tally.buckets[index] as number) + 1
}

function histogram(name: string, operation: string, { buckets, seconds }: Tally): Value[] {
  let total = 0
  const values = [...buckets].map((inBucket, index): Value => {
    total += inBucket
    const labels = { le: bounds[index] ?? '+Inf', operation }
    return { metricName: `${name}_bucket`, labels, value: total }
  })
  return [
    ...values,
    { metricName: `${name}_sum`, labels: { operation }, value: seconds },
    { metricName: `${name}_count`, labels: { operation }, value: total },
  ]
}

/** How full the service is: the loop, the requests, the connections to the database, the work that waits. */
function measureSaturation(
  { limiter, database, jobs, followers, ledger, feed }: Platform,
  pressure: Pressure,
  registry: Registry,
): void {
  const one = (value: number): Value[] => [{ labels: {}, value }]
  add(registry, 'gauge', 'atrium_requests_in_flight', 'Requests being worked on', () => one(pressure.inFlight()))
  add(registry, 'counter', 'atrium_requests_refused_total', 'Requests refused with 503 under too much load', () =>
    one(pressure.refused()),
  )
  add(registry, 'gauge', 'atrium_bytes_unsent', 'Bytes of answers that wait to be read', () =>
    one(pressure.unsentBytes()),
  )
  add(registry, 'counter', 'atrium_readers_dropped_total', 'Connections closed since nobody read the answer', () =>
    one(pressure.dropped()),
  )
  add(registry, 'counter', 'atrium_unhandled_rejections_total', 'Promises whose failure nobody handled: faults', () =>
    one(unhandledRejections()),
  )
  add(
    registry,
    'gauge',
    'atrium_event_loop_delay_seconds',
    'How late every step of the event loop was in the last moments, at least',
    () => one(pressure.delayMs() / 1000),
    'max',
  )
  add(registry, 'gauge', 'atrium_database_connections', 'Connections for transactions, by what they do', () =>
    Object.entries(database.load?.() ?? {}).map(([state, value]) => ({ labels: { state }, value })),
  )
  add(
    registry,
    'gauge',
    'atrium_jobs_waiting',
    'Jobs still to be done, by kind',
    async () => Object.entries(await jobs.waiting()).map(([kind, value]) => ({ labels: { kind }, value })),
    'max',
  )
  add(registry, 'counter', 'atrium_ledger_alarms_total', 'Findings that a ledger was tampered with', () =>
    one(ledger.alarm.raised()),
  )
  add(registry, 'gauge', 'atrium_live_readers', 'Open streams of live updates', () => one(feed.readers()))
  add(
    registry,
    'gauge',
    'atrium_follower_entries_behind',
    'Ledger entries that a follower has still to read',
    async () => Object.entries(await followers.behind()).map(([follower, value]) => ({ labels: { follower }, value })),
    'max',
  )
  add(
    registry,
    'gauge',
    'atrium_limits_local',
    '1 while Redis is away and limits are counted in this process only',
    () => one(limiter.isAway?.() ? 1 : 0),
    'max',
  )
}
