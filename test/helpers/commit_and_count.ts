// A process of its own: opens the embedded database in a directory, commits, and prints how many syncs each commit took.
import { statSync, writeFileSync } from 'node:fs'
import { sql } from '../../src/kit/sql.ts'
import { openEmbedded } from '../../src/server/backends/pglite.ts'

const file = process.env.SYNCS_FILE as string
writeFileSync(file, '')
const database = await openEmbedded({ directory: process.env.DATA_DIR as string })
const during = async (work: () => Promise<unknown>) => {
  const before = statSync(file).size
  await work()
  return statSync(file).size - before
}
const insert = (key: string) => sql`insert into tries (key, count, until) values (${key}, 1, now())`
const writes: number[] = []
for (let index = 0; index < 30; index++) {
  writes.push(await during(() => database.query(insert(`single ${index}`))))
  writes.push(await during(() => database.transaction(tx => tx.query(insert(`tx ${index}`)))))
}
const read = await during(() => database.query(sql`select count(*)::int as n from users`))
await database.close()
process.stdout.write(JSON.stringify({ writes, read }))
