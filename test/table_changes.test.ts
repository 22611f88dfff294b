// What is remembered is dropped by every write that could change it: the tables of a statement are never guessed wrongly.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cachedUntil, type Sql, sql } from '../src/kit/sql.ts'
import { operationIds } from '../src/operations.ts'
import { rowCache } from '../src/server/backends/row_cache.ts'
import { changesOf, changesOn, everything, withWriters } from '../src/server/backends/table_changes.ts'
import { watched as behindCredentials } from '../src/server/credentials/providers.ts'
import { watched as behindPolicies } from '../src/server/credentials/tool_policies.ts'
import { rowOf, world } from './calls.ts'
import { platform, type TestPlatform } from './helpers/platform.ts'

const root = join(import.meta.dirname, '..')

let p: TestPlatform
const texts = new Set<string>()
let catalogue = new Set<string>()

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' }, onStatement: ({ text }) => void texts.add(text) })
  const rows = await p.database.query<{ name: string }>(
    sql`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
  )
  catalogue = new Set(rows.map(({ name }) => name))
})
afterAll(() => p.close())

describe('a text', () => {
  const forms: [text: string, tables: string[]][] = [
    ['select * from t where x = 1', []],
    ['update t set a = 1', ['t']],
    ['UPDATE T SET a = 1', ['t']],
    ['update "t" set a = 1', ['t']],
    ['update "T" set a = 1', ['T']],
    ['update only t set a = 1', ['t']],
    ['update only "t" as x set a = 1', ['t']],
    ['update public.t set a = 1', ['t']],
    ['update "public"."t" set a = 1', ['t']],
    ['update jobs.t set a = 1', []],
    ['update/* which */t/**/set a = 1', ['t']],
    ['update -- which\n t set a = 1', ['t']],
    ['update /* a /* b */ c */ t set a = 1', [everything]],
    ['update U&"t" set a = 1', [everything]],
    ['update public.U&"t" set a = 1', [everything]],
    ['delete from t', ['t']],
    ['delete from only public.t using u where u.id = t.id', ['t']],
    ['merge into t using u on t.id = u.id when matched then do nothing', ['+t', 't']],
    ['insert into t (a) values ($1)', ['+t']],
    ['insert into "t" (a) values ($1) on conflict do nothing', ['+t']],
    ['insert into t (a) values ($1) on conflict (a) do update set b = 1', ['+t', 't']],
    [
      'with gone as (delete from only "t" returning id), more as (insert into u select 1) select * from gone',
      ['t', '+u'],
    ],
    ['with x as (select 1) update t set a = 1', ['t']],
    ['select id from t for update', []],
    ['select id from t for no key update of t skip locked', []],
    ["select 'delete from t; update t', e'\\'; truncate t', $$drop table t$$ as text", []],
    ['select "update" from t', []],
    ['truncate t', ['t']],
    ['truncate table only t, "u", public.v restart identity cascade', ['t', 'u', 'v']],
    ['begin; set local x = 1; delete from t; commit', ['t']],
    ['(select 1) union (select 2)', []],
  ]
  it.each(forms)('%s', (text, tables) => {
    expect([...changesOf(text)].sort()).toEqual([...tables].sort())
  })

  it.each([
    'update $1 set a = 1',
    'delete t',
    'copy t from stdin',
    'do $$ begin delete from t; end $$',
    'call change_all()',
    'alter table t drop column a',
    'create table t (a int)',
    'drop table t',
    'select 1; refresh materialized view v',
    'merge t using u on true when matched then delete',
  ])('%s is taken for a change of everything', text => {
    expect(changesOf(text)).toContain(everything)
    expect(changesOn(new Set(changesOf(text))).has('any table at all')).toBe(true)
  })
})

/** The templates of a source text, inner ones by themselves; what is put in stands as a parameter. */
function templates(source: string): string[] {
  const found: string[] = []
  const read = (start: number): number => {
    let text = ''
    let at = start
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        let depth = 1
        at += 2
        while (depth > 0 && at < source.length) {
          if (source[at] === '`') at = read(at + 1)
          else if (source[at] === '{') depth++
          else if (source[at] === '}') depth--
          at++
        }
        text += ' $1 '
      } else text += source[at++]
    }
    found.push(text)
    return at
  }
  for (const match of source.matchAll(/\bsql`/g)) read(match.index + match[0].length)
  return found
}

describe('every write', () => {
  const folder = join(import.meta.dirname, '../src')
  const files = globSync('**/*.ts', { cwd: folder }).filter(file => !file.endsWith('.test.ts'))
  const written = files.flatMap(file =>
    templates(readFileSync(join(folder, file), 'utf8'))
      .filter(text => /\b(insert\s+into|update|delete|merge|truncate)\b/i.test(text.replace(/'[^']*'/g, '')))
      .map(text => [file, text.trim().replace(/\s+/g, ' ')] as const),
  )

  it('in the sources names tables that there are', () => {
    expect(written.length).toBeGreaterThan(80)
    const wrong = written.flatMap(([file, text]) => {
      // The directory or a declaration names the table when it runs: those texts are walked below.
      if (/\b(update|delete from|insert into) \$1/.test(text)) return []
      // A part of a statement begins with any word.
      const tables = changesOf(`select ${text}`).map(table => table.replace('+', ''))
      return tables.filter(table => !catalogue.has(table)).map(table => `${file}: ${table} in ${text}`)
    })
    expect(wrong).toEqual([])
  })

  it('that operations make is recognised, and what they read is not taken for a write', async () => {
    const w = await world(p)
    for (const id of operationIds) {
      const ending = id === 'auth.logout' ? await p.session(w.owner.userId) : w.owner
      const row = rowOf(id)
      const caller = (await row.by?.(w)) ?? ending
      if (id !== 'events.stream') await p.call(id, await row.input(w, caller), caller)
    }
    const strange = [...texts].filter(text =>
      changesOf(text).some(table => table === everything || !catalogue.has(table.replace('+', ''))),
    )
    expect(strange).toEqual([])
    expect([...texts].filter(text => changesOf(text).length > 0).length).toBeGreaterThan(50)
  }, 180_000)

  it('of the job queue, at rest and at work, drops nothing that is remembered', async () => {
    const heard: string[] = []
    p.database.onCommit(({ tables }) => heard.push(...tables))
    await p.call('auth.signup', { email: 'queue@example.com', password: 'Correct4Horse!' })
    await p.mails('queue@example.com')
    expect(heard).not.toContain(everything)
  })
})

describe('what is watched', () => {
  it.each([
    ['credentials', behindCredentials],
    ['tool policies', behindPolicies],
  ])('by %s has all tables that change it by a foreign key or a trigger', async (_, watched) => {
    expect(new Set(await withWriters(p.database, watched))).toEqual(new Set([...watched, everything]))
  })

  it('has the tables whose triggers write, whatever the statement says', async () => {
    expect(await withWriters(p.database, ['api_key_counts'])).toEqual(
      expect.arrayContaining(['api_key_counts', 'api_keys', '+api_keys', 'workspaces', 'users']),
    )
  })

  it('has the tables whose triggers call what writes', async () => {
    expect(await withWriters(p.database, ['workspace_deleted_usage'])).toEqual(
      expect.arrayContaining(['telemetry_tokens', 'agent_runs', 'workspaces']),
    )
  })

  it('is read from the catalogue once, whichever array names the tables', async () => {
    const looks = async () => {
      await p.database.query(sql`select pg_stat_force_next_flush()`)
      const [row] = await p.database.query<{ count: number }>(sql`
        select (seq_scan + coalesce(idx_scan, 0))::int as count from pg_stat_sys_tables where relname = 'pg_trigger'`)
      return row?.count ?? 0
    }
    const read = (value: number) => p.database.query(cachedUntil(['teams'], sql`select ${value}::int as value`))
    await read(0)
    const before = await looks()
    for (let value = 1; value <= 20; value++) await read(value)
    expect(await looks()).toBe(before)
  })
})

it.each([
  ['quoted', (id: string) => sql`update "api_keys" set enabled = false where id = ${id}`],
  ['only', (id: string) => sql`update only api_keys set enabled = false where id = ${id}`],
  ['with its schema', (id: string) => sql`update public.api_keys set enabled = false where id = ${id}`],
  [
    'by a merge',
    (id: string) => sql`
    merge into api_keys k using (select ${id}::text as id) x on x.id = k.id when matched then update set enabled = false`,
  ],
  [
    'as a part',
    (id: string) => sql`
    with off as (update only "public"."api_keys" set enabled = false where id = ${id} returning id) select id from off`,
  ],
])('a key that is disabled %s is refused on the next request', async (_, disable) => {
  const owner = await p.user()
  const { workspaceId } = owner
  const key = await p.key(owner)
  const ask = async () => [
    (await p.call('auth.whoami', {}, key)).status,
    (await p.call('api_keys.get', { workspaceId, id: key.id }, owner)).result?.enabled,
  ]
  expect(await ask()).toEqual([200, true])
  await p.database.query(disable(key.id))
  expect(await ask()).toEqual([401, false])
})

describe('rows in memory', () => {
  const statement = (value: string): Sql => sql`select ${value}::text as text`
  const rows = (size: number) => async (onSend: () => void) => {
    onSend()
    return [{ text: 'x'.repeat(size) }]
  }

  it('are bounded in bytes, the oldest going first', async () => {
    const memory = rowCache(1_000_000)
    for (let index = 0; index < 500; index++) {
      await memory.read(statement(`${index}`), ['t'], rows(10_000))
      expect(memory.size().bytes).toBeLessThanOrEqual(1_000_000)
    }
    expect(memory.size().readings).toBeGreaterThan(5)
    expect(memory.find(statement('499'))).toHaveLength(1)
    expect(memory.find(statement('0'))).toBeUndefined()
  })

  it('cost something even where they are short, and one that is too large is not kept at all', async () => {
    const memory = rowCache(1_000_000)
    for (let index = 0; index < 5_000; index++) await memory.read(statement(`${index}`), ['t'], rows(0))
    expect(memory.size().readings).toBeLessThan(2_000)
    await memory.read(statement('large'), ['t'], rows(1_000_000))
    expect(memory.find(statement('large'))).toBeUndefined()
    expect(memory.size().bytes).toBeLessThanOrEqual(1_000_000)
  })

  it('are not kept for long filters, neither when found nor while under way', async () => {
    const memory = rowCache()
    const reading = memory.read(statement('n'.repeat(60_000)), ['t'], rows(10))
    expect(memory.size().underWay).toBe(0)
    expect(await reading).toEqual([{ text: 'xxxxxxxxxx' }])
    expect(memory.size()).toEqual({ readings: 0, underWay: 0, bytes: 0 })
    expect(memory.find(statement('n'.repeat(60_000)))).toBeUndefined()
  })

  it('are all dropped by a change of everything, also those under way', async () => {
    const memory = rowCache()
    const until = ['t', everything]
    await memory.read(statement('a'), until, rows(1))
    const sent = Promise.withResolvers<void>()
    const during = memory.read(statement('b'), until, async onSend => {
      onSend()
      await sent.promise
      return [{ text: 'old' }]
    })
    memory.changed(changesOn(new Set([everything])))
    sent.resolve()
    await during
    expect([memory.find(statement('a')), memory.find(statement('b'))]).toEqual([undefined, undefined])
  })
})

describe('a reading that is kept', () => {
  const kept = globSync('src/**/*.ts', { cwd: root, exclude: path => path.endsWith('.test.ts') }).flatMap(path =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/cachedUntil\((?!tables:)[^`]*(?:`[^`]*`)?/g)].map(
      ([call]) => [path, call] as const,
    ),
  )
  /** Those whose tables and statement stand elsewhere. */
  const looked: Record<string, string> = {
    'src/areas/api_keys/store.ts': 'one key by its id',
    'src/kit/list_sql.ts': 'what a list names',
    'src/server/credentials/principals.ts': 'one credential by its hash',
  }

  it.each(kept)('names the rows that are added too, or asks for one by its id: %s', (path, call) => {
    const [, tables = '', text = ''] = /^cachedUntil\(\s*\[([^\]]*)\],\s*sql`([^`]*)`/.exec(call) ?? []
    if (tables === '') return expect(Object.keys(looked)).toContain(path)
    const names = [...tables.matchAll(/'([^']+)'/g)].map(match => match[1] ?? '')
    const unadded = names.filter(name => !name.startsWith('+') && !names.includes(`+${name}`))
    if (unadded.length > 0) expect(text).toMatch(/\bid = \$\{/)
  })
})
