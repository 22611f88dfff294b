// Password hashing: argon2id on the thread pool, a few at a time, with a queue that ends.
import { randomBytes } from 'node:crypto'
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

/**
 * Checked where there is no account, so that both cost the same. It is of no password at all: a salt and an outcome at
 * random, so that nothing has to be hashed first and nothing can fail.
 */
const nobodysHash = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${cost.parallelism}$${unpadded(16)}$${unpadded(32)}`

function unpadded(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '')
}

/** A missing hash takes the same time and the same place in the queue, and never matches. */
export async function isPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await inTurn(() => verify(stored ?? nobodysHash, password))
  return matches && typeof stored === 'string'
}
