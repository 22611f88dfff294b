// Counts all figures again from the ledger: the numbers are the same, unless somebody has changed them.
import type { Session } from '../cli/session.ts'
import { sql } from '../kit/sql.ts'
import { loadAreas } from '../server/areas.ts'
import { readConfig, StartError } from '../server/config.ts'
import { openDatabase, reasonOf } from './open_database.ts'

export async function rebuildAnalytics({ terminal }: Session): Promise<number> {
  const config = readConfig(terminal.env)
  const { rebuilds } = await loadAreas()
  const database = await openDatabase(config).catch(error => {
    throw error instanceof StartError ? error : new StartError(`The database does not open (${reasonOf(error)}).`)
  })
  try {
    const [table] = await database.query<{ name: string | null }>(
      sql`select to_regclass('analytics_places')::text as name`,
    )
    if (!table?.name) throw new StartError('The database is behind; run atrium migrate first.')
    await rebuilds.analytics?.(database, ({ workspaceId, entries, isPruned }) => {
      const done = isPruned
        ? 'its ledger was pruned: what was counted stays, and its hours are summed up again'
        : `${entries} entries are counted again`
      terminal.stderr.write(`${workspaceId}: ${done}.\n`)
    })
  } finally {
    await database.close()
  }
  return 0
}
