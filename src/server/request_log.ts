// The log of a request, whose lines carry its id. Made when something is said: most requests say nothing.
import type { FastifyBaseLogger } from 'fastify'

type Bindings = Parameters<FastifyBaseLogger['child']>[0]
type Options = Parameters<FastifyBaseLogger['child']>[1]

export class RequestLog {
  readonly #above: FastifyBaseLogger
  readonly #bindings: Bindings
  readonly #options: Options
  #made: FastifyBaseLogger | undefined

  constructor(above: FastifyBaseLogger, bindings: Bindings, options: Options) {
    this.#above = above
    this.#bindings = bindings
    this.#options = options
  }

  get own(): FastifyBaseLogger {
    this.#made ??= this.#above.child(this.#bindings, this.#options)
    return this.#made
  }

  get level(): string {
    return this.#above.level
  }

  child(bindings: Bindings, options?: Options): FastifyBaseLogger {
    return this.own.child(bindings, options)
  }
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

// On the prototype: the framework looks at every method of every request's log.
for (const level of levels) {
  Object.defineProperty(RequestLog.prototype, level, {
    value(this: RequestLog, ...words: Parameters<FastifyBaseLogger['info']>) {
      this.own[level](...words)
    },
  })
}
