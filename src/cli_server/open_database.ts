// The configured database, opened as the service would open it.
import type { Database } from '../kit/db.ts'
import { openEmbedded } from '../server/backends/pglite.ts'
import { openPostgres } from '../server/backends/postgres.ts'
import { type Config, StartError } from '../server/config.ts'

export async function openDatabase(config: Config): Promise<Database> {
  if (config.DATABASE_URL) return await openPostgres({ url: config.DATABASE_URL })
  return await openEmbedded({ directory: config.DATA_DIR }).catch(error => {
    throw asStartError(error)
  })
}

/** That another process has the directory is said in full; anything else is left to the caller. */
export function asStartError(error: Error): Error {
  if (!error.message.includes('in use by another process')) return error
  return new StartError(`${error.message[0]?.toUpperCase()}${error.message.slice(1)}.`, { cause: error })
}

/** The shortest thing that says why. */
export function reasonOf(error: unknown): string {
  const { code, message, cause } = error as Error & { code?: string }
  const inner = cause as (Error & { code?: string }) | undefined
  return code ?? inner?.code ?? inner?.message ?? message ?? String(error)
}
