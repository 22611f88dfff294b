// What is true of every kind of record in the directory: its tables are as it says, and it leaves nothing behind.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuditLogRow, shownAfter } from '../src/areas/audit_logs/store.ts'
import { maySee, viewerOf } from '../src/areas/events/visibility.ts'
import type { Caller } from '../src/kit/context.ts'
import { doesTake } from '../src/kit/removal.ts'
import { camel, raw, sql } from '../src/kit/sql.ts'
import { directory, operation as lookUp, operationIds } from '../src/operations.ts'
import { inputFor, type World, world } from './calls.ts'
import { platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
let columns: Column[]

type Column = { table: string; name: string; type: string; needed: boolean; refersTo: string | null; ends: boolean }

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  columns = await p.database.query<Column>(sql`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      a.attnotnull and not a.atthasdef and a.attgenerated = '' as needed,
      f.confrelid::regclass::text as refers_to, coalesce(f.confdeltype = 'c', false) as ends
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and a.attnum = any(f.conkey)
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1, a.attnum`)
})
afterAll(() => p.close())

const kinds = [...directory.kinds.values()].map(kind => [kind.object, kind] as const)
/** Kinds that keep the place of a record that is gone, each with its reason. */
const tombstones: Record<string, string> = { message: 'the numbers in a thread have no gaps' }

const column = (table: string, name: string) => columns.find(one => one.table === table && one.name === name)
const prefixOf = ({ at, area }: { at?: string; area: string }) => at ?? area

/** Columns that hold an id, follow no foreign key and are declared nowhere, each with its reason. */
const loose: Record<string, string> = {
  'agent_runs.owner_id': 'owner_user_id, made of it, goes with the member; a team’s own opens nothing without the team',
  'agent_runs.runner_id': 'tells which credential took it up, also when that is gone',
  'agent_runs.starter_id': 'the key or consent that it ends with: without it the token opens nothing',
  'agent_tool_approvals.owner_id': 'owner_user_id, made of it, goes with the account; of a team it goes by its age',
  'analytics_states.record_id': 'what was counted last of a record of the ledger, also when that is gone',
  'api_key_counts.workspace_id': 'sums to nothing when the keys are gone, and goes then',
  'api_keys.created_by': 'tells which credential made it, also when that is gone',
  'api_keys.created_by_user_id': 'tells who made it, as an id that says nothing about a person who is gone',
  'autofixes.run_id': 'tells which run made it, also when that is gone',
  'automation_steps.step_id': 'of a step in a definition, which is no record',
  'automation_tokens.automation_id': 'opens nothing without the automation, and is over after minutes',
  'billing_accounts.tax_id': 'of who pays, given by the state',
  'cloud_accounts.external_id': 'of an account elsewhere, which is no record',
  'cloud_accounts.trust_external_id': 'what a role of AWS asks for, which is no record',
  'cloud_infra_changes.account_id': 'stays when the account goes: its changes are history',
  'cloud_infra_changes.sync_id': 'of a sync, which is no record and goes sooner',
  'cloud_infra_edges.account_id': 'stays when the account goes: its edges end then',
  'cloud_infra_nodes.account_id': 'stays when the account goes: its nodes are missing then, and purged later',
  'cloud_infra_nodes.external_id': 'of something elsewhere, which is no record',
  'cloud_infra_seen.account_id': 'goes when the nodes of the account are forgotten',
  'dataset_logs.span_id': 'of a sender’s own trace, which is no record',
  'dataset_logs.trace_id': 'of a sender’s own trace, which is no record',
  'dataset_traces.parent_span_id': 'of a sender’s own trace, which is no record',
  'dataset_traces.span_id': 'of a sender’s own trace, which is no record',
  'dataset_traces.trace_id': 'of a sender’s own trace, which is no record',
  'integration_deliveries.message_id': 'of a message to a target, which is no record',
  'integration_oauth_grants.client_id': 'names the platform at another authorization server',
  'integration_oauth_starts.client_id': 'names the platform at another authorization server',
  'integration_people.external_id': 'of an account elsewhere, which is no record',
  'invoices.external_id': 'of an invoice at the provider, which is no record',
  'issue_activity.workspace_id': 'goes with the issue',
  'issue_alerts.workspace_id': 'goes by a trigger: the check of a key would take half the time of keeping an alert',
  'issue_occurrences.issue_id': 'goes with `origin_id`, which has come back to itself before an issue goes',
  'issue_occurrences.origin_id': 'goes by a trigger: the check of a key would take half the time of counting an alert',
  'issue_timeline.issue_id': 'goes with `origin_id`, which has come back to itself before an issue goes',
  'issue_timeline.workspace_id': 'goes with `origin_id`',
  'ledger.actor_id': 'the past stays as it was',
  'ledger.target_id': 'the past stays as it was',
  'mailbox.message_id': 'of a mail, which is no record',
  'placeholders.workspace_id': 'outlives it until the purge, which takes the people who never came',
  'workspace_file_pieces.file_id': 'of an export or a history, with which they go; both go with the workspace',
  'workspaces.owner_id': 'handed over before its user goes',
}

/** Kinds of which a delete leaves something, each with its reason. */
const remain: Record<string, string> = {
  page: 'is revoked: its address answers 410, and who shared it stays known; what it said goes after 30 days',
}

/** Rows of the workspace that speak of a record; the ledger may tell of it for ever, and figures follow the ledger later. */
async function rowsAbout(id: string): Promise<string[]> {
  const { workspaceId } = here
  const ofWorkspace = columns.filter(({ table, name }) => name === 'workspace_id' && !table.startsWith('analytics_'))
  const tables = new Set(ofWorkspace.map(({ table }) => table))
  const found: string[] = []
  for (const table of tables) {
    // Who was removed is told so, after it: the notice says nothing but the name of the workspace.
    const told = table === 'inbox_entries' ? sql`and not t.is_outside` : sql``
    const rows = await p.database.query<{ row: string }>(sql`
      select t::text as row from ${raw(`"${table}"`)} t
      where t.workspace_id = ${workspaceId} and strpos(t::text, ${id}) > 0 ${told}`)
    found.push(...rows.map(({ row }) => `${table} ${row}`))
  }
  return found.sort()
}

let count = 0

/** The value of a column that must have one. */
async function filler({ refersTo, type, name }: Column): Promise<unknown> {
  if (refersTo === 'users') return here.owner.userId
  if (refersTo) {
    const [row] = await p.database.query<{ id: string }>(sql`
      select id from ${raw(refersTo)} where workspace_id = ${here.workspaceId} order by id limit 1`)
    return row?.id
  }
  return type.startsWith('timestamp')
    ? p.now()
    : /^(int|big|num|double)/.test(type)
      ? 1
      : type === 'jsonb'
        ? '{}'
        : name === 'id'
          ? `id_${count++}`
          : name
}

/** One row in every table whose rows can hang on such a record, and one in every column that can point at it. */
async function hangAllOn(object: string, id: string): Promise<number> {
  const kind = directory.kinds.get(object)
  const tables = directory.attaches.filter(({ takes }) => kind && doesTake(kind, takes))
  for (const { table } of tables) {
    const given: Record<string, unknown> = { workspace_id: here.workspaceId, object, record_id: id }
    for (const one of columns.filter(({ table: t, needed }) => t === table && needed)) {
      given[one.name] ??= await filler(one)
    }
    const names = Object.keys(given)
    const text = `insert into ${table} (${names.join()}) values (${names.map((_, index) => `$${index + 1}`).join()})`
    await p.database.plain(text, Object.values(given))
  }
  const references = directory.refers.filter(reference => reference.object === object)
  for (const { table, column: name, isList } of references) {
    // Another row: none points at itself, and a chain that ends in itself would be followed for ever.
    const other = table === kind?.table ? sql`and ${raw(kind.key ?? 'id')} <> ${id}` : sql``
    await p.database.query(sql`
      update ${raw(table)} set ${raw(name)} = ${isList ? sql`array[${id}]::text[]` : sql`${id}`}
      where ctid = (select ctid from ${raw(table)} where workspace_id = ${here.workspaceId} ${other} limit 1)`)
  }
  // Several columns may be of one row.
  return new Set([...tables, ...references].map(({ table }) => table)).size
}

describe.each(kinds)('the kind %s', (object, kind) => {
  it('has the tables and columns that it declares', () => {
    const told = kind.told?.table ?? kind.table
    const own = [kind.key ?? 'id', 'workspace_id', 'created', 'updated']
    if (kind.owned || kind.visibility === true || kind.read.reach) own.push('owner_id')
    if (kind.visibility === true) own.push('visibility', 'team_id')
    else if (kind.visibility) own.push(kind.visibility.by)
    if (kind.told) own.push(kind.told.by)
    expect(own.filter(name => !column(kind.table, name))).toEqual([])
    expect([...[kind.title].flat(), ...(kind.search ?? [])].filter(name => !column(told, name))).toEqual([])
    expect((kind.id as { pattern?: string }).pattern).toBeDefined()
  })

  it('has an index for the words that are searched', async () => {
    if (!kind.search) return
    const told = kind.told?.table ?? kind.table
    expect(column(told, 'search')?.type).toBe('tsvector')
    const indexes = await p.database.query<{ text: string }>(sql`
      select indexdef as text from pg_indexes where tablename = ${told} and indexdef ilike '%using gin (search)%'`)
    expect(indexes).toHaveLength(1)
  })

  it.skipIf(remain[object])('leaves nothing behind when one goes', async () => {
    const del = `${prefixOf(kind)}.del`
    // One of everything, so that every column that can point at it is in some row.
    for (const id of operationIds.filter(id => id.endsWith('.del') && lookUp(id)?.path?.properties.workspaceId)) {
      if (!/^(auth|workspaces)\./.test(id)) await inputFor(id, here)
    }
    // What is never deleted can point at it all the same.
    await inputFor('agent_tools.approvals.get', here)
    await inputFor('integrations.tools.review', here)
    await inputFor('automations.executions.get', here)
    const input = await inputFor(del, here)
    const id = String(input[Object.keys(lookUp(del)?.path?.properties ?? {}).at(-1) ?? ''])
    const hung = await hangAllOn(object, id)
    expect((await rowsAbout(id)).length).toBeGreaterThan(hung)
    expect((await p.call(del, input, here.owner)).error).toBeNull()
    const left = (await rowsAbout(id)).filter(row => !tombstones[object] || !row.startsWith(`${kind.table} `))
    expect(left).toEqual([])
  })
})

const owned = kinds.filter(([, kind]) => kind.owned)

describe.each(owned)('what somebody owns, of the kind %s,', (object, kind) => {
  const table = raw(kind.table)
  async function ownedBySomeone(): Promise<{ someone: TestCaller; id: string }> {
    const someone = await p.as('member', here.workspaceId)
    const input = await inputFor(`${prefixOf(kind)}.get`, here, someone)
    return { someone, id: String(Object.values(input).at(-1)) }
  }
  const ownerOf = async (id: string) =>
    (await p.database.query<{ ownerId: string }>(sql`select owner_id from ${table} where id = ${id}`))[0]?.ownerId
  const afterwards = kind.owned === 'ends' ? undefined : () => here.owner.userId

  it('is exported, shown before its owner is removed, and then ends or passes on', async () => {
    const { someone, id } = await ownedBySomeone()
    const { workspaceId } = here
    const exported = await p.call('auth.export', {}, someone)
    expect(exported.result.records).toContainEqual(expect.objectContaining({ object, id, workspaceId }))
    const gone = { workspaceId, userId: someone.userId }
    const preview = await p.call('workspace_members.del', { ...gone, preview: true }, here.owner)
    expect(preview.result.takesAlong.records).toContainEqual(
      expect.objectContaining({ object, id, ends: kind.owned === 'ends' }),
    )
    expect(await ownerOf(id)).toBe(someone.userId)
    expect((await p.call('workspace_members.del', gone, here.owner)).error).toBeNull()
    expect(await ownerOf(id)).toBe(afterwards?.())
  })

  it('ends or passes on with the account', async () => {
    const { someone, id } = await ownedBySomeone()
    expect((await p.call('auth.del', {}, someone)).error).toBeNull()
    expect(await ownerOf(id)).toBe(afterwards?.())
    if (kind.owned !== true) return
    // Figures keep the id that the entries of the ledger keep.
    const left = (await rowsAbout(someone.userId)).filter(row => !row.startsWith('analytics_'))
    expect(left).toEqual([])
  })

  it.skipIf(kind.visibility !== true)(
    'and private, ends with all of its own, and takes nothing of others along',
    async () => {
      const { someone, id } = await ownedBySomeone()
      await p.database.query(sql`update ${table} set visibility = 'private', team_id = null where id = ${id}`)
      const ids = [id]
      for (const [inner, { visibility, table, read }] of kinds) {
        if (typeof visibility !== 'object' || visibility.table !== kind.table) continue
        const input = await inputFor(operationIds.find(one => lookUp(one) === read) ?? '', here)
        const one = String(Object.values(input).at(-1))
        const more = column(table, 'seq') ? sql`, seq = 1000` : sql``
        await p.database.query(sql`update ${raw(table)} set ${raw(visibility.by)} = ${id} ${more} where id = ${one}`)
        await hangAllOn(inner, one)
        ids.push(one)
      }
      // One thing of each kind can hang on one record alone.
      if (ids.length === 1) await hangAllOn(object, id)
      const [other] = await p.database.query<{ id: string }>(sql`
      select id from ${table} where workspace_id = ${here.workspaceId} and owner_id <> ${someone.userId} limit 1`)
      if (kind.below)
        await p.database.query(sql`update ${table} set ${raw(kind.below)} = ${id} where id = ${other?.id}`)
      const gone = { workspaceId: here.workspaceId, userId: someone.userId }
      expect((await p.call('workspace_members.del', gone, here.owner)).error).toBeNull()
      for (const one of ids) expect(await rowsAbout(one)).toEqual([])
      expect(await ownerOf(other?.id ?? '')).toBeDefined()
    },
  )

  it.skipIf(kind.visibility !== true)('is told to colleagues when it is deleted, if they could see it', async () => {
    const { workspaceId, admin } = here
    const caller = await p.platform.principals.resolve(admin.token ?? '', workspaceId, '127.0.0.1')
    const viewer = viewerOf(
      caller as Caller,
      { workspaceId, role: 'admin', scopes: [], reach: 'all' },
      () => new Date(),
    )
    for (const visibility of ['workspace', 'private']) {
      const { someone, id } = await ownedBySomeone()
      await p.database.query(sql`update ${table} set visibility = ${visibility}, team_id = null where id = ${id}`)
      expect((await p.call(`${prefixOf(kind)}.del`, { workspaceId, id }, someone)).error).toBeNull()
      const entry = (await shownAfter(p.database, workspaceId, 0, 10_000)).at(-1)
      expect(entry?.target?.id).toBe(id)
      expect(await maySee(p.database, viewer, entry as AuditLogRow)).toBe(visibility === 'workspace')
    }
  })

  it('holds up the end of a team, or goes over to another', async () => {
    const { id } = await ownedBySomeone()
    const [team, other] = [await inputFor('teams.get', here), await inputFor('teams.get', here)]
    await p.database.query(sql`update ${table} set owner_id = ${team.id} where id = ${id}`)
    const refused = await p.call('teams.del', team, here.owner)
    expect([refused.status, refused.error.metadata.owns]).toEqual([409, { [kind.area]: 1 }])
    expect((await p.call('teams.del', { ...team, transferTo: other.id }, here.owner)).error).toBeNull()
    expect(await ownerOf(id)).toBe(other.id)
  })
})

describe('the directory', () => {
  it('points from columns that are there to kinds that are there', () => {
    const wrong = directory.refers.filter(({ table, column: name, object, isList }) => {
      const type = column(table, name)?.type
      return !directory.kinds.has(object) || type !== (isList ? 'text[]' : 'text') || !column(table, 'workspace_id')
    })
    expect(wrong).toEqual([])
  })

  it('hangs rows on records by tables that go with their workspace and find a record by an index', async () => {
    for (const { table } of directory.attaches) {
      expect(column(table, 'workspace_id')).toMatchObject({ refersTo: 'workspaces', ends: true })
      const indexes = await p.database.query(sql`
        select 1 as one from pg_indexes where tablename = ${table} and indexdef like '%(workspace_id, object, record_id%'`)
      expect(indexes.length, table).toBeGreaterThan(0)
    }
  })

  it('knows every column that holds an id and follows no foreign key', () => {
    const isKey = ({ table, name }: Column) => kinds.some(([, kind]) => kind.table === table && kind.key === name)
    const declared = (one: Column) =>
      one.refersTo !== null ||
      isKey(one) ||
      directory.refers.some(({ table, column: name }) => table === one.table && name === one.name) ||
      directory.attaches.some(({ table }) => table === one.table && one.name === 'record_id') ||
      kinds.some(([, kind]) => kind.table === one.table && one.name === 'owner_id' && kind.owned)
    const found = columns.filter(one => /(_ids?|_by)$/.test(one.name) && !declared(one))
    expect([...new Set(found.map(({ table, name }) => `${table}.${name}`))].sort()).toEqual(Object.keys(loose).sort())
  })
})

const patches = operationIds.filter(id => id.endsWith('.patch') && !lookUp(id)?.body?.required?.length)

describe.each(kinds.filter(([, { visibility }]) => visibility === true))('what a private %s says,', (_, kind) => {
  const prefix = prefixOf(kind)
  const names = [...new Set([kind.title, kind.search ?? []].flat())].map(camel)

  /** The texts that an operation takes, with a word in them that nothing else says. */
  function telling(id: string, word: string): Record<string, string> {
    const taken = Object.keys(lookUp(id)?.body?.properties ?? {})
    return Object.fromEntries(names.filter(name => taken.includes(name)).map(name => [name, `${word} ${name}`]))
  }

  it('stands nowhere in the ledger', async () => {
    const someone = await p.as('member', here.workspaceId)
    const input = await inputFor(`${prefix}.post`, here, someone)
    const { labels: _labels, teamId: _team, ...fields } = input
    const first = telling(`${prefix}.post`, 'Quokka')
    expect(first).not.toEqual({})
    const made = await p.call(`${prefix}.post`, { ...fields, ...first, visibility: 'private' }, someone)
    expect(made.error).toBeNull()
    const { id } = made.result
    const changed = await p.call(
      `${prefix}.patch`,
      { workspaceId: here.workspaceId, id, ...telling(`${prefix}.patch`, 'Wombat') },
      someone,
    )
    expect(changed.error).toBeNull()
    expect((await p.call(`${prefix}.del`, { workspaceId: here.workspaceId, id }, someone)).error).toBeNull()
    const entries = await p.database.query<{ action: string; text: string }>(
      sql`select action, l::text as text from ledger l where target_id = ${id} order by seq`,
    )
    expect(entries.map(({ action }) => action)).toEqual(['post', 'patch', 'del'].map(verb => `${prefix}.${verb}`))
    for (const { text } of entries) expect(text).not.toMatch(/Quokka|Wombat/)
  })
})

describe('an empty patch', () => {
  it.each(patches)('%s changes nothing and leaves no entry', async id => {
    const input = await inputFor(id, here)
    const names = Object.keys(lookUp(id)?.path?.properties ?? {})
    const path = Object.fromEntries(names.map(name => [name, input[name]]))
    const about = String(path[names.at(-1) ?? ''] ?? here.owner.userId)
    const state = async () => {
      const [row] = await p.database.query<{ count: number }>(sql`
        select count(*)::int as count from ledger where action = ${id}`)
      return {
        count: row?.count,
        rows: (await rowsAbout(about)).filter(text => !text.startsWith('workspace_members ')),
      }
    }
    const before = await state()
    p.advance(1_000)
    const answer = await p.call(id, path, here.owner)
    expect(answer.status).toBe(200)
    expect(await state()).toEqual(before)
  })
})

describe('a test of a 500', () => {
  it('can tell why', async () => {
    const q = await platform()
    const owner = await q.user()
    await q.database.script('alter table teams rename to lost')
    const answer = await q.call('teams.list', { workspaceId: owner.workspaceId }, owner)
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('relation')
    expect(answer.cause).toContain('relation "teams" does not exist')
    await q.close()
  })
})
