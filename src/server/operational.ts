// What an operator's machinery asks: is the process up, can it work, how is it doing.
import cluster from 'node:cluster'
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { sql } from '../kit/sql.ts'
import type { Platform } from './platform.ts'
import { gatherFigures } from './workers.ts'

const slowest = 2_000

export function mountOperational(app: FastifyInstance, platform: Platform): void {
  const { config, database, limiter } = platform
  const metrics = measure(app, platform)
  const written = writerOf(metrics)

  app.get('/healthz', async (_, reply) => reply.type('text/plain').send('ok\n'))

  app.get('/readyz', async (_, reply) => {
    const checks = {
      database: await answers(database.query(sql`select 1 as one`)),
      ...(limiter.ping && { redis: await answers(limiter.ping()) }),
    }
    const isReady = Object.values(checks).every(Boolean)
    return reply.code(isReady ? 200 : 503).send({ ready: isReady, checks })
  })

  app.get('/metrics', async (request, reply) => {
    const isAllowed = config.METRICS_TOKEN
      ? isSame(request.headers.authorization ?? '', `Bearer ${config.METRICS_TOKEN}`)
      : config.isLoopback
    if (!isAllowed) return reply.callNotFound()
    return reply.type(metrics.contentType).send(await written())
  })
}

/** Whichever worker is asked answers for all of them. */
function writerOf(metrics: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => metrics.metrics()
  const gather = gatherFigures(() => metrics.getMetricsAsJSON())
  return async () => await AggregatorRegistry.aggregate((await gather()) as object[][]).metrics()
}

async function answers(question: Promise<unknown>): Promise<boolean> {
  const late = new Promise<false>(resolve => setTimeout(resolve, slowest, false).unref())
  return await Promise.race([question.then(() => true).catch(() => false), late])
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Rate, errors and time per operation; saturation from the process's own figures. */
function measure(app: FastifyInstance, { limiter }: Platform): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'atrium_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'status'] as const,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'atrium_request_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  new Gauge({
    name: 'atrium_limits_local',
    help: '1 while Redis is away and limits are counted in this process only',
    registers: [registry],
    collect() {
      this.set(limiter.isAway?.() ? 1 : 0)
    },
  })
  app.addHook('onResponse', (request, reply, next) => {
    const operation = request.routeOptions.config.id ?? 'other'
    requests.inc({ operation, status: reply.statusCode })
    seconds.observe({ operation }, reply.elapsedTime / 1000)
    request.log.info(
      {
        operation,
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: reply.elapsedTime,
      },
      'answered',
    )
    next()
  })
  return registry
}
