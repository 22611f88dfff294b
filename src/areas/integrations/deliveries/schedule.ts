// When a message is tried again, and when a target is left alone, failing or given up.
import { hash } from 'node:crypto'

/** Seconds after the failure of the attempt before, with which a message becomes dead when they are used up. */
const waits = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]

/**
 * The moment of the next attempt after so many; null after the last. Up to a tenth later, by the message, so that not
 * all come at once.
 */
export function nextAttempt(attempts: number, messageId: string, now: Date): Date | null {
  const seconds = waits[attempts]
  const later = hash('sha256', `${messageId} ${attempts}`, 'buffer').readUInt16BE() / 65_536 / 10
  return seconds === undefined ? null : new Date(now.getTime() + seconds * (1 + later) * 1_000)
}

/** A message that failed so often counts against its target. */
export const countsAfter = 3
export const failingAfter = 10
export const disabledAfterMs = 5 * 86_400_000

const missesBeforeRest = 5
const longestRestSeconds = 60

/** After some failures in a row one message a while is tried, until one gets through: the others wait in their order. */
export function restAfter(misses: number, now: Date): Date | null {
  if (misses < missesBeforeRest) return null
  const seconds = Math.min(5 * 2 ** Math.min(misses - missesBeforeRest, 10), longestRestSeconds)
  return new Date(now.getTime() + seconds * 1_000)
}
