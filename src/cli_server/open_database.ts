// The configured database, opened as the service would open it.
import type { Database } from '../kit/db.ts'
import { openEmbedded } from '../server/backends/pglite.ts'
import { openPostgres } from '../server/backends/postgres.ts'
import type { Config } from '../server/config.ts'

export async function openDatabase(config: Config): Promise<Database> {
  if (config.DATABASE_URL) return await openPostgres({ url: config.DATABASE_URL })
  return await openEmbedded({ directory: config.DATA_DIR })
}

/** The shortest thing that says why. */
export function reasonOf(error: unknown): string {
  const { code, message, cause } = error as Error & { code?: string }
  const inner = cause as (Error & { code?: string }) | undefined
  return code ?? inner?.code ?? inner?.message ?? message ?? String(error)
}
