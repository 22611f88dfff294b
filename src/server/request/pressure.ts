// Under more load than it can carry, the service refuses part of it at once (503, Retry-After) instead of letting all wait.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import type { Connections } from './connections.ts'
import { overloaded } from './failures.ts'
import { currentSurface } from './surface.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `vital`: answered under any load. `lasting`: open for as long as the caller likes, or answered past the framework,
     * so not counted as in flight.
     */
    load?: 'vital' | 'lasting'
  }
  interface FastifyRequest {
    isInFlight: boolean
  }
}

/** As it stands now, for the metrics. */
export type Pressure = {
  inFlight(): number
  delayMs(): number
  refused(): number
  unsentBytes(): number
  /** Readers that were let go. */
  dropped(): number
  /** Of a request whose answer is written past the framework. */
  leave(request: FastifyRequest): void
}

const resolutionMs = 20
const checkMs = 250
/** One long step (a collection, a first compilation) is not overload: every step of a while must have been late. */
const fewestSteps = 3
/** How much more, or less, of what comes is refused from one check to the next. */
const shareStep = 0.1
const largestShare = 0.9
/** Nothing refused for this long: it is over. */
const quietMs = 5_000

type Bounds = Pick<Config, 'MAX_REQUESTS_IN_FLIGHT' | 'MAX_EVENT_LOOP_DELAY'>

export function refuseOverload(app: FastifyInstance, bounds: Bounds, connections: Connections): Pressure {
  /** From the headers to the answer, but not while a body trickles in; a caller that goes away leaves the work behind. */
  let inFlight = 0
  const enter = (request: FastifyRequest) => {
    if (!request.isInFlight) inFlight++
    request.isInFlight = true
  }
  const leave = (request: FastifyRequest) => {
    if (request.isInFlight) inFlight--
    request.isInFlight = false
  }
  app.decorateRequest('isInFlight', false)
  const delay = watchDelay(bounds.MAX_EVENT_LOOP_DELAY)
  const refusals = tellRefusals(app)
  let owed = 0

  function isTooMuch(): boolean {
    if (inFlight >= bounds.MAX_REQUESTS_IN_FLIGHT) return true
    owed += delay.shareToRefuse()
    if (owed < 1) return false
    owed--
    return true
  }

  app.addHook('onRequest', (request, _, next) => {
    if (isTooMuch() && isRefusable(request)) {
      refusals.count()
      request.operationId = request.routeOptions.config.id
      return next(overloaded)
    }
    enter(request)
    next()
  })
  app.addHook('onSend', (request, _, payload, done) => {
    leave(request)
    done(null, payload)
  })
  app.addHook('onRoute', route => {
    if (route.config?.load !== undefined) {
      route.onRequest = (request, _, done) => {
        leave(request)
        done()
      }
    }
    if (route.config?.load !== undefined || route.method === 'GET') return
    route.preParsing = (request, _, payload, done) => {
      leave(request)
      done(null, payload)
    }
    route.preValidation = (request, _, done) => {
      enter(request)
      done()
    }
  })
  app.addHook('onClose', async () => {
    delay.stop()
    refusals.stop()
  })
  const { unsentBytes, dropped } = connections
  return { inFlight: () => inFlight, delayMs: delay.leastMs, refused: refusals.total, unsentBytes, dropped, leave }
}

/** What a tool call asks for was let in with the call. */
function isRefusable(request: FastifyRequest): boolean {
  return request.routeOptions.config.load !== 'vital' && currentSurface() === undefined
}

/** How late the event loop was at least, over the last while, and what share of requests is too much for it. */
function watchDelay(mostMs: number) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  let leastMs = 0
  let share = 0
  const checking = setInterval(() => {
    if (delays.count < fewestSteps) return
    leastMs = Math.max(0, delays.min / 1e6 - resolutionMs)
    delays.reset()
    share = leastMs > mostMs ? Math.min(share + shareStep, largestShare) : Math.max(share - shareStep, 0)
  }, checkMs).unref()
  return {
    leastMs: () => leastMs,
    shareToRefuse: () => share,
    stop() {
      clearInterval(checking)
      delays.disable()
    },
  }
}

/** The log hears of it when it begins and when it is over, not each time. */
function tellRefusals(app: FastifyInstance) {
  let total = 0
  let before = 0
  let ending: NodeJS.Timeout | undefined
  let lastMs = 0
  const end = () => {
    const leftMs = lastMs + quietMs - performance.now()
    if (leftMs > 0) {
      ending = setTimeout(end, leftMs).unref()
      return
    }
    ending = undefined
    app.log.warn({ refused: total - before }, 'the load is within bounds again')
  }
  return {
    total: () => total,
    count() {
      total++
      lastMs = performance.now()
      if (ending) return
      before = total - 1
      app.log.warn({}, 'more load than can be carried: part of it is refused with 503')
      ending = setTimeout(end, quietMs).unref()
    },
    stop: () => clearTimeout(ending),
  }
}
