// The embedded engine has a thread of its own: what one person asks of it stops nobody who asks nothing of it.
import { expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { isPostgres } from './helpers/engines.ts'
import { platform } from './helpers/platform.ts'

const embedded = it.skipIf(isPostgres)

embedded('answers what needs no statement while a long one runs', async () => {
  const p = await platform()
  const owner = await p.user()
  await p.call('auth.whoami', {}, owner)
  let isOver = false
  const long = p.database
    .query(sql`select count(*)::int as n from generate_series(1, 3000) a, generate_series(1, 8000) b`)
    .finally(() => {
      isOver = true
    })
  for (let index = 0; index < 20; index++) {
    expect(await p.call('auth.whoami', {}, owner)).toMatchObject({ status: 200 })
    expect(await p.request({ method: 'GET', url: '/healthz' })).toMatchObject({ status: 200 })
  }
  expect(isOver).toBe(false)
  expect(await long).toEqual([{ n: 24_000_000 }])
  await p.close()
})

embedded('runs statements in the order in which they were sent, however many', async () => {
  const p = await platform()
  const sent = Array.from({ length: 500 }, (_, index) => index)
  const answers = await Promise.all(sent.map(index => p.database.query(sql`select ${index}::int as n`)))
  expect(answers.map(([row]) => row)).toEqual(sent.map(n => ({ n })))
  const [large] = await p.database.query<{ text: string }>(sql`select repeat('x', 3000000) as text`)
  expect(large?.text).toHaveLength(3_000_000)
  await p.close()
})
