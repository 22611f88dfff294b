// The tables of areas on ClickHouse: statements that change nothing where everything is there, run at each start.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the folder `clickhouse` of each area, in the order of the files' names. */
export function readClickHouseTables(areasIn: readonly string[]): string[] {
  return areasIn.filter(existsSync).flatMap(folder =>
    globSync('*/clickhouse/*.sql', { cwd: folder })
      .sort()
      .flatMap(file => statementsOf(readFileSync(join(folder, file), 'utf8'))),
  )
}

function statementsOf(text: string): string[] {
  return text
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(Boolean)
}
