// A lock between processes that the system frees however its holder ends: an exclusive transaction on a small file.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './failures.ts'

const longestMs = 30_000
const stepMs = 25

export async function underLock<T>(folder: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { DatabaseSync } = await import('node:sqlite')
  const file = new DatabaseSync(join(folder, 'lock'))
  try {
    await acquire(() => file.exec('begin exclusive'), signal)
    return await work()
  } finally {
    file.close()
  }
}

async function acquire(tryOnce: () => void, signal: AbortSignal): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    try {
      return tryOnce()
    } catch (error) {
      if (!/locked|busy/.test((error as Error).message)) throw error
      if (waitedMs >= longestMs) {
        throw new CliError('failed', 'Another atrium command holds the credentials.', 'Stop it, then try again.')
      }
      await sleep(stepMs, undefined, { signal })
    }
  }
}
