// Logs that are made when something is said. Each request has one, whose lines carry its id; most requests say nothing.
import type { FastifyBaseLogger } from 'fastify'

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]

export function lazyLog(log: FastifyBaseLogger): FastifyBaseLogger {
  return new LazyLog(log, {}, {}) as unknown as FastifyBaseLogger
}

class LazyLog {
  readonly #above: FastifyBaseLogger | LazyLog
  readonly #bindings: Bindings
  readonly #options: Options
  #made: FastifyBaseLogger | undefined

  constructor(above: FastifyBaseLogger | LazyLog, bindings: Bindings, options: Options) {
    this.#above = above
    this.#bindings = bindings
    this.#options = options
  }

  get own(): FastifyBaseLogger {
    const above = this.#above instanceof LazyLog ? this.#above.own : this.#above
    this.#made ??= above.child(this.#bindings, this.#options)
    return this.#made
  }

  get level(): string {
    return this.#above.level
  }

  child(bindings: Bindings, options?: Options): LazyLog {
    return new LazyLog(this, bindings, options)
  }
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

for (const level of levels) {
  Object.defineProperty(LazyLog.prototype, level, {
    value(this: LazyLog, ...words: Parameters<FastifyBaseLogger['info']>) {
      this.own[level](...words)
    },
  })
}
