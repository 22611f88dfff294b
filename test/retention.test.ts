// Retention: what is past its time goes, in batches.
import { describe, expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { loadAreas } from '../src/server/areas.ts'
import { platformForTest, type TestPlatform } from './helpers/platform.ts'

const ages = {
  notes: { column: 'ended' },
  drafts: { column: 'ended', afterDays: 7 },
} as const

async function prepared(): Promise<TestPlatform> {
  const p = await platformForTest({ extra: { ages } })
  await p.database.script(`
    create table notes (id int primary key, ended timestamptz);
    create table drafts (id int primary key, ended timestamptz);`)
  return p
}

describe('what is over by itself', () => {
  it('is removed within the hour, however much there is, and nothing else is', async () => {
    const p = await prepared()
    await p.database.script(`
      insert into notes select n, now() - interval '1 minute' from generate_series(1, 1200) n;
      insert into notes values (5000, now() + interval '1 hour'), (5001, null);
      insert into drafts values (1, now() - interval '8 days'), (2, now() - interval '6 days');`)
    await p.platform.jobs.runNow('platform.sweep')
    const left = await p.database.query<{ id: number }>(sql`
      select id from notes union all select id from drafts order by id`)
    expect(left.map(({ id }) => id)).toEqual([2, 5000, 5001])
  })

  it('is declared by tables that are there', async () => {
    const p = await platformForTest()
    const { ages: declared } = await loadAreas()
    expect(Object.keys(declared)).toEqual(expect.arrayContaining(['codes', 'tries', 'oauth_objects']))
    for (const [table, age] of Object.entries(declared)) {
      await p.database.plain(`select ${age.column} < now() from ${table} limit 1`)
    }
    await p.platform.jobs.runNow('platform.sweep')
  })
})
