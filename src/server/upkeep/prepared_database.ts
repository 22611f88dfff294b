// The file of the database that an installation keeps ready for first starts.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrations } from './migrations.ts'

/** The same place for a checkout and for the package. */
const root = join(import.meta.dirname, '../../..')

/** Named by what it was made of: after a change of a migration or of the engine it is not found. */
export function preparedFile(): string {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const hash = createHash('sha256').update(dependencies['@electric-sql/pglite'])
  for (const { name, sha256 } of readMigrations()) hash.update(name).update(sha256)
  return join(root, 'dist', `database-${hash.digest('hex').slice(0, 16)}.gz`)
}

/** The file to begin from, where there is one of this version. */
export function findPreparedDatabase(): string | undefined {
  const path = preparedFile()
  return existsSync(path) ? path : undefined
}
