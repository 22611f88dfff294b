// Looks after a run while it is worked on: its lease is renewed, and it stops soon after it was cancelled or its time is over.
import { leaseEnd, leaseSeconds } from '../leases.ts'
import type { Work } from '../own.ts'
import { renew } from '../store.ts'
import type { Outcome } from './stopping.ts'
import { Stop } from './stopping.ts'
import * as store from './store.ts'

const lookMs = 1_000

export type Watch = { signal: AbortSignal; stop(): void }

/** `isOutOfTime` says why, once it is. */
export function watch({ ctx, run, hash }: Work, isOutOfTime: () => Outcome | null): Watch {
  const ending = new AbortController()
  const end = (outcome: Outcome) => ending.abort(new Stop(outcome))
  let renewed = ctx.now().getTime()
  let isLooking = false

  async function look(): Promise<void> {
    if (!(await store.isHeld(ctx.db, run.id, hash))) return end({ is: 'over' })
    const now = ctx.now()
    if (now.getTime() - renewed > (leaseSeconds / 3) * 1000) {
      await renew(ctx.db, run.id, run.attempt, leaseEnd(now), now)
      renewed = now.getTime()
    }
    const late = isOutOfTime()
    if (late) end(late)
  }

  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    look()
      .catch(error => ctx.log.warn({ err: error, runId: run.id }, 'a run could not be looked after; it is tried again'))
      .finally(() => {
        isLooking = false
      })
  }, lookMs)
  const stopping = () => end({ is: 'later', afterSeconds: 1 })
  ctx.signal.addEventListener('abort', stopping, { once: true })
  if (ctx.signal.aborted) stopping()
  return {
    signal: ending.signal,
    stop() {
      clearInterval(timer)
      ctx.signal.removeEventListener('abort', stopping)
    },
  }
}
