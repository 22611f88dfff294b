// The queue behind the jobs: how long it goes on trying.
import { expect, it } from 'vitest'
import type { Database } from '../src/kit/db.ts'
import type { JobContext } from '../src/kit/implement.ts'
import { sql } from '../src/kit/sql.ts'
import { startJobs } from '../src/server/jobs.ts'
import { freshDatabase } from './helpers/engines.ts'

const log = { info() {}, warn() {}, error() {} }

function start(database: Database) {
  const jobs = { 'test.work': { run: async () => {} } }
  const context = () => ({}) as Omit<JobContext, 'enqueue' | 'attempt'>
  return startJobs({ database, jobs, context, log })
}

async function limit(database: Database): Promise<number | undefined> {
  const [row] = await database.query<{ retryLimit: number }>(
    sql`select retry_limit from jobs.queue where name = 'test.work'`,
  )
  return row?.retryLimit
}

it('a queue tries for two days, also one that was made when it tried for less', async () => {
  const { database, drop } = await freshDatabase()
  await (await start(database)).stop()
  expect(await limit(database)).toBe(60)
  await database.query(sql`update jobs.queue set retry_limit = 8 where name = 'test.work'`)
  await (await start(database)).stop()
  expect(await limit(database)).toBe(60)
  await database.close()
  await drop()
})
