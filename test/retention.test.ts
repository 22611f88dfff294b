// Retention: what is past its time goes, in batches, and a workspace's ledger tells of its records.
import { describe, expect, it } from 'vitest'
import { sql } from '../src/kit/sql.ts'
import { areas } from '../src/operations.ts'
import { loadAreas } from '../src/server/areas.ts'
import { platformForTest, type TestPlatform } from './helpers/platform.ts'

const ages = {
  notes: { column: 'ended' },
  drafts: { column: 'ended', afterDays: 7 },
  things: { column: 'created', setting: 'auditDays', defaultDays: 400, event: 'things.removed' },
} as const

async function prepared(): Promise<TestPlatform> {
  const p = await platformForTest({ extra: { ages } })
  await p.database.script(`
    create table notes (id int primary key, ended timestamptz);
    create table drafts (id int primary key, ended timestamptz);
    create table things (id int generated always as identity, workspace_id text not null, created timestamptz not null);`)
  return p
}

const count = async (p: TestPlatform, table: string) =>
  Number((await p.database.plain(`select count(*) as n from ${table}`)).rows[0]?.n)

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

  it('is declared by tables that are there, and by events of the area', async () => {
    const p = await platformForTest()
    const { ages: declared } = await loadAreas()
    expect(Object.keys(declared)).toEqual(expect.arrayContaining(['codes', 'tries', 'oauth_objects']))
    for (const [table, age] of Object.entries(declared)) {
      await p.database.plain(`select ${age.column} < now() from ${table} limit 1`)
      const events = areas.flatMap(area => Object.keys(area.events))
      if ('event' in age) expect(events).toContain(age.event)
    }
    await p.platform.jobs.runNow('platform.sweep')
    await p.platform.jobs.runNow('platform.retain')
  })
})

describe('records of a workspace', () => {
  it('are kept as long as its settings say; then they go, with one entry in its ledger', async () => {
    const p = await prepared()
    const [short, long, broken] = [await p.user(), await p.user(), await p.user()]
    for (const { workspaceId } of [short, broken]) {
      await p.database.query(sql`
        update workspaces set settings = jsonb_set(settings, '{retention}', '{"auditDays": 30}') where id = ${workspaceId}`)
    }
    for (const { workspaceId } of [short, long, broken]) {
      await p.database.query(sql`
        insert into things (workspace_id, created)
        select ${workspaceId}, ${p.now()}::timestamptz - make_interval(days => case when n <= 900 then 60 else 5 end)
        from generate_series(1, 910) n`)
    }
    await p.database.script(`
      create function refuse() returns trigger language plpgsql as $$ begin
        if old.workspace_id = '${broken.workspaceId}' then raise exception 'not these'; end if; return old; end $$;
      create trigger refuse before delete on things for each row execute function refuse();`)
    await p.platform.jobs.runNow('platform.retain')
    await p.platform.jobs.runNow('platform.retain')
    const left = await p.database.query<{ workspaceId: string; n: number }>(sql`
      select workspace_id, count(*)::int as n from things group by 1`)
    expect(Object.fromEntries(left.map(({ workspaceId, n }) => [workspaceId, n]))).toEqual({
      [short.workspaceId]: 10,
      [long.workspaceId]: 910,
      [broken.workspaceId]: 910,
    })
    const entries = await p.database.query(sql`
      select chain, target_id from ledger where action = 'things.removed'`)
    expect(entries).toEqual([{ chain: short.workspaceId, targetId: short.workspaceId }])
    expect(await count(p, 'things')).toBe(1830)
  })
})
