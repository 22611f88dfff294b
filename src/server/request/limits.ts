// Rate limits: a sliding window of one-second buckets, here in this process or in a shared store.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { slowDown } from '../../contract/errors.ts'
import { sourceOf } from '../../kit/addresses.ts'
import type { Config } from '../config.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** Nothing until the request was counted. */
    limit: Told | null | undefined
  }
}

/** `headers` are the same on every answer under it, names and values in turn. */
export type Policy = { name: 'rest' | 'mcp' | 'anonymous'; limit: number; headers: readonly string[] }

export type Verdict = { allowed: boolean; remaining: number; resetSeconds: number }

type Told = { policy: Policy; verdict: Verdict }

/** Counts a request, or as many things as it brings, and says whether all may pass. What is refused is not counted. */
export type Limiter = {
  take(key: string, limit: number, weight?: number): Verdict | Promise<Verdict>
  close(): Promise<void>
  /** Of a shared store only: whether it answers, and whether it is away just now. */
  ping?(): Promise<void>
  isAway?(): boolean
}

export const windowSeconds = 60

/** The oldest bucket is counted whole, so that no 60 seconds ever hold more than the limit. */
const bucketCount = windowSeconds + 1

type Window = { counts: Uint32Array; second: number; total: number }

/** `nowMs` must never go back: a clock that is set back would open the window early. */
export function memoryLimiter(nowMs: () => number = () => performance.now()): Limiter {
  const windows = new Map<string, Window>()
  const sweep = setInterval(() => {
    const oldest = Math.floor(nowMs() / 1000) - bucketCount
    for (const [key, window] of windows) if (window.second < oldest) windows.delete(key)
  }, windowSeconds * 1000).unref()
  return {
    take(key, limit, weight = 1) {
      const second = Math.floor(nowMs() / 1000)
      let window = windows.get(key)
      if (!window) {
        window = { counts: new Uint32Array(bucketCount), second, total: 0 }
        windows.set(key, window)
      }
      advance(window, second)
      const room = Math.max(limit - window.total, 0)
      if (weight > room) return { allowed: false, remaining: room, resetSeconds: windowSeconds }
      const bucket = second % bucketCount
      window.counts[bucket] = (window.counts[bucket] as number) + weight
      window.total += weight
      return { allowed: true, remaining: limit - window.total, resetSeconds: windowSeconds }
    },
    async close() {
      clearInterval(sweep)
    },
  }
}

function advance(window: Window, second: number): void {
  const steps = Math.min(second - window.second, bucketCount)
  for (let step = 1; step <= steps; step++) {
    const bucket = (window.second + step) % bucketCount
    window.total -= window.counts[bucket] as number
    window.counts[bucket] = 0
  }
  if (steps > 0) window.second = second
}

export function policyOf(name: Policy['name'], limit: number): Policy {
  return {
    name,
    limit,
    headers: ['ratelimit-limit', String(limit), 'ratelimit-policy', `"${name}";q=${limit};w=${windowSeconds}`],
  }
}

/** On every answer that was counted. */
export function tellLimit(reply: FastifyReply, policy: Policy, verdict: Verdict): void {
  reply.limit = { policy, verdict }
  if (!verdict.allowed) reply.header('retry-after', String(windowSeconds))
}

export function limitHeaders(told: Told | null | undefined): readonly string[] {
  if (!told) return []
  const { policy, verdict } = told
  return [...policy.headers, 'ratelimit', `"${policy.name}";r=${verdict.remaining};t=${verdict.resetSeconds}`]
}

/** Tells what is left, and refuses (429) where nothing is. */
export function judge(reply: FastifyReply, policy: Policy, verdict: Verdict): void {
  tellLimit(reply, policy, verdict)
  if (!verdict.allowed) throw slowDown(overText(policy))
}

export function overText({ limit }: Policy): string {
  return `Over ${limit} requests in ${windowSeconds} seconds; wait a minute and go on.`
}

type Counted = { limiter: Limiter; config: Pick<Config, 'ANONYMOUS_RATE_LIMIT'> }

/** For what is no operation: counted by where it comes from, whoever asks; in a bucket of its own where one is named. */
export function countSource({ limiter, config }: Counted, bucket = 'anonymous', times = 1) {
  const policy = policyOf('anonymous', config.ANONYMOUS_RATE_LIMIT * times)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    judge(reply, policy, await limiter.take(`${bucket}:${sourceOf(request.ip)}`, policy.limit))
  }
}
