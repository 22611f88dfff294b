// What an operator's machinery asks: is the process up, can it work, how is it doing.
import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { sql } from '../kit/sql.ts'
import { isSameSecret } from '../kit/tokens.ts'
import { measure } from './metrics.ts'
import type { Platform } from './platform.ts'
import type { Pressure } from './pressure.ts'
import { gatherFigures } from './workers.ts'

const slowest = 2_000
/** Under any load: who watches must be able to tell a busy service from a dead one. */
const vital = { config: { load: 'vital' } } as const

export function mountOperational(app: FastifyInstance, platform: Platform, pressure: Pressure): void {
  const { config, database, limiter } = platform
  const metrics = measure(app, platform, pressure)
  const written = writerOf(metrics)

  app.get('/healthz', vital, async (_, reply) => reply.type('text/plain').send('ok\n'))

  app.get('/readyz', vital, async (_, reply) => {
    const checks = {
      database: await answers(database.query(sql`select 1 as one`)),
      ...(limiter.ping && { redis: await answers(limiter.ping()) }),
    }
    const isReady = Object.values(checks).every(Boolean)
    return reply.code(isReady ? 200 : 503).send({ ready: isReady, checks })
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
