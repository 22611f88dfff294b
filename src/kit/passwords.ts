// Password hashing: argon2id on the thread pool, a few at a time, with a queue that ends.
import { hash, verify } from '@node-rs/argon2'
import { ApiError } from '../contract/errors.ts'

/** 19 MiB, two passes: the recommendation for argon2id. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const atOnce = 2
const mostWaiting = 200

let running = 0
const waiting: (() => void)[] = []

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting) {
      throw new ApiError('unavailable', 'Too many people are logging in at this moment; try again shortly.')
    }
    // Whoever ends hands its place on, so that nobody can slip in between.
    await new Promise<void>(resolve => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost))
}

/** Of a password that nobody has; checked where there is no account, so that both cost the same time. */
let nobodysHash: Promise<string> | undefined

/** A missing hash takes the same time and never matches. */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword('nobody has this password')
  const comparison = stored ?? (await nobodysHash)
  const matches = await inTurn(() => verify(comparison, password))
  return matches && typeof stored === 'string'
}
