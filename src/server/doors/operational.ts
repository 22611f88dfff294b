// What an operator's machinery asks: is the process up, can it work, how is it doing.
import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { sql } from '../../kit/sql.ts'
import { isSameSecret } from '../../kit/tokens.ts'
import type { Platform } from '../request/platform.ts'
import type { Pressure } from '../request/pressure.ts'
import { gatherFigures } from '../upkeep/workers.ts'
import { measure } from './metrics.ts'

const slowest = 2_000
const withoutRedis = 'Redis does not answer: limits are counted in each process by itself until it is back.'
/** Under any load: who watches must be able to tell a busy service from a dead one. */
const vital = { config: { load: 'vital' } } as const

export function mountOperational(app: FastifyInstance, platform: Platform, pressure: Pressure): void {
  const { config, database, limiter, ledger } = platform
  const metrics = measure(app, platform, pressure)
  const written = writerOf(metrics)

  app.get('/healthz', vital, async (_, reply) => reply.type('text/plain').send('ok\n'))

  app.get('/readyz', vital, async (_, reply) => {
    const checks = {
      database: await answers(database.query(sql`select 1 as one`)),
      redis: limiter.ping ? await answers(limiter.ping()) : undefined,
    }
    // In either case the rest of the service works: sending requests elsewhere would mend nothing.
    const tampered = ledger.alarm.chains()
    const degraded = [
      ...(checks.redis === false ? [withoutRedis] : []),
      ...(tampered > 0 ? [`${tampered} ledgers were tampered with; the log names them.`] : []),
    ]
    return reply.code(checks.database ? 200 : 503).send({ ready: checks.database, degraded, checks })
  })

  app.get('/metrics', vital, async (request, reply) => {
    const isAllowed = config.METRICS_TOKEN
      ? isSameSecret(request.headers.authorization ?? '', `Bearer ${config.METRICS_TOKEN}`)
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
