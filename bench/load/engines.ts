// A measurement on the embedded engine and, with BENCH_DATABASE_URL, on PostgreSQL; its table; and its bound as exit code.
import { join } from 'node:path'
import type { Database } from '../../src/kit/db.ts'
import { openEmbedded } from '../../src/server/backends/pglite.ts'
import { openPostgres } from '../../src/server/backends/postgres.ts'
import { folder, ownDatabase, removeFolder } from './servers.ts'

export type EngineName = 'embedded' | 'PostgreSQL'

/** Says whether its bounds hold. `open` opens the database of the service that `env` starts, while that is stopped. */
type Measure = (engine: EngineName, env: Record<string, string>, open: () => Promise<Database>) => Promise<boolean>

export async function onBothEngines(name: string, measure: Measure): Promise<void> {
  const { BENCH_ENGINE, BENCH_DATABASE_URL } = process.env
  try {
    const directory = join(folder, name)
    let holds = true
    if (BENCH_ENGINE !== 'postgres') {
      holds = await measure('embedded', { DATA_DIR: directory }, () => openEmbedded({ directory }))
    }
    if (BENCH_DATABASE_URL) {
      const { url, drop } = await ownDatabase(BENCH_DATABASE_URL, name)
      const env = { DATABASE_URL: url, DATA_DIR: join(folder, `${name}_key`) }
      holds = (await measure('PostgreSQL', env, () => openPostgres({ url })).finally(drop)) && holds
    } else console.log('Left out: PostgreSQL (set BENCH_DATABASE_URL)')
    process.exitCode = holds ? 0 : 1
  } finally {
    removeFolder()
  }
}

/** The first size beside the last; false where something has grown by more than `most` times. */
export function printGrowth(title: string, results: readonly ReadonlyMap<string, number>[], most: number): boolean {
  let holds = true
  console.log(`${title} | growth, in ms`)
  for (const [what, first] of results[0] ?? []) {
    const last = results.at(-1)?.get(what) ?? 0
    console.log(`${what} | ${first.toFixed(1)} | ${last.toFixed(1)} | ${(last / first).toFixed(2)}`)
    holds = last / first <= most && holds
  }
  return holds
}
