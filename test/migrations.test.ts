// The schema: the same on both engines, reached once, and built so that erasing and listing stay cheap.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../src/kit/db.ts'
import { snake, sql } from '../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { type Migration, migrate, readMigrations } from '../src/server/upkeep/migrations.ts'
import { administer, isPostgres, postgresUrl, urlOf } from './helpers/engines.ts'

/** References to a user or a workspace that do not take the row with them, each with its reason. */
const outlives: Record<string, string> = {
  'workspaces.owner_id': 'no reference: handed to the next owner in the transaction in which the owner leaves',
  'workspace_members.invited_by': 'a member stays when the one who invited them goes',
  'teams.lead_id': 'a team stays when its lead goes',
  'agent_tool_approvals.owner_id': 'repeated as owner_user_id, which cascades',
  'api_keys.owner_id': 'repeated as owner_user_id and owner_team_id, which cascade',
  'api_key_counts.workspace_id':
    'the changes of a deleted workspace sum up to nothing, and go with the next summing up',
  'placeholders.workspace_id': 'no reference: they are users, whom the hourly removal takes once the workspace is gone',
  'placeholders.claimed_by': 'nobody has claimed the person any more',
  'inbox_entries.actor_id': 'what somebody was told of stays when the one who did it goes',
  'issues.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'issues.team_id': 'emptied when the team goes (`refers` in the directory)',
  'issue_activity.workspace_id': 'goes with the issue',
  'issue_timeline.workspace_id': 'goes with the issue that it began with (`origin_id`)',
  'issue_alerts.workspace_id': 'goes by a trigger',
  'issue_rules.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'threads.owner_id': 'passes to the owner of the workspace, or ends where it is private (`owned` in the directory)',
  'threads.team_id': 'emptied when the team goes (`refers` in the directory)',
  'labels.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'memories.owner_id': 'passes to the owner of the workspace, or ends where it is private (`owned` in the directory)',
  'memories.team_id': 'emptied when the team goes (`refers` in the directory)',
  'pages.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'automations.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'autofixes.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'datasets.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'cloud_infra_nodes.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'cloud_infra_nodes.team_id': 'emptied when the team goes (`refers` in the directory)',
  'cloud_accounts.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'repositories.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'skills.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'integrations.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'telemetry_tokens.owner_id': 'passes to the owner of the workspace (`owned` in the directory)',
  'agent_runs.owner_id': 'repeated as owner_user_id, which cascades',
  'ledger.actor_id': 'the ledger keeps its entries; its personal part is erased by the account area',
}

/** Sort keys without an index of their own, each with its reason. */
const unindexed: Record<string, string> = {
  'billing.invoices.list dueAt': 'a workspace has one a month: few hundred in its life',
  'billing.invoices.list id': 'a workspace has one a month: few hundred in its life',
  'billing.invoices.list totalMinor': 'a workspace has one a month: few hundred in its life',
  'agent_tools.list': 'the tools are the operations, which are in memory',
  'audit_logs.list': 'ledger is indexed by its chain: chain and seq, at, action',
  'agent_tools.approvals.list id': 'approvals of a workspace, kept for 90 days, are few',
  'auth.grants.list': 'the consents of one user, found by the user, are few',
  'workspaces.exports.list': 'of one person in one workspace, at most a few',
  'workspaces.claims.list': 'of one person, found by the address, are few',
  'auth.sessions.list': 'at most 20 sessions per user',
  'integrations.people.list': 'at most as many as the workspace has members',
  'issues.alerts.list': 'the alerts of one issue, of the last 7 days, are read by its fingerprint',
  'issues.list lastSeen': 'a column of issue_activity, which is indexed by it',
  'issues.list occurrences': 'changes with every alert, which an index would make dearer',
  'issues.list severity': 'sorted by severity_rank, which is indexed',
  'issues.rules.list': 'at most 200 rules per workspace',
  'issues.timeline.list at': 'issue_timeline is indexed by its issue: issue_id and at',
  'messages.list seq': 'messages are indexed by their thread: thread_id and seq',
  'labels.list group': 'the labels of one workspace are few',
  'memories.list useCount': 'changes with every search of an agent, which an index would make dearer',
  'memories.versions.list': 'the texts of one memory are read by it',
  'oauth_clients.grants.list userId': 'the consents to one client are read by the client',
  'oauth_clients.grants.list lastUsedAt': 'the consents to one client are read by the client',
  'oauth_clients.grants.list expiresAt': 'the consents to one client are read by the client',
  'skills.files.list': 'at most 100 files, which are read by their skill',
  'skills.versions.list': 'the versions of one skill are read by it',
  'teams.members.list forename': 'a column of users; teams are small',
  'workspace_members.list position': 'few values; the members of one workspace are read by its key',
  'workspace_members.list forename': 'a column of users; the members of one workspace are read by its key',
  'workspace_members.list lastActive': 'the members of one workspace are read by its key',
  'workspace_members.list updated': 'the members of one workspace are read by its key',
  'workspace_members.invites.list email': 'open invites of one workspace are few',
  'workspace_members.invites.list expiresAt': 'open invites of one workspace are few',
  'workspace_members.invites.list updated': 'open invites of one workspace are few',
  'workspace_members.invites.list id': 'open invites of one workspace are few',
  'workspaces.list': 'the workspaces of one user, found by membership',
}

/** The table behind a list, where it is not named like the operation. */
const tables: Record<string, string> = {
  'billing.invoices.list': 'invoices',
  'agent_tools.approvals.list': 'agent_tool_approvals',
  'agent_tools.calls.list': 'agent_tool_calls',
  'workspaces.claims.list': 'of one person, found by the address, are few',
  'auth.sessions.list': 'sessions',
  'auth.grants.list': 'oauth_grants',
  'auth.inbox.list': 'inbox_entries',
  'automations.executions.list': 'automation_executions',
  'automations.versions.list': 'automation_versions',
  'cloud_accounts.syncs.list': 'cloud_account_syncs',
  'integrations.deliveries.list': 'integration_deliveries',
  'integrations.payloads.list': 'integration_payloads',
  'integrations.tools.list': 'integration_tools',
  'oauth_clients.grants.list': 'oauth_grants',
  'threads.runs.list': 'agent_runs',
  'teams.members.list': 'team_members',
  'workspace_members.invites.list': 'invites',
}

const migrations = readMigrations()
let database: Database
const closers: (() => Promise<void>)[] = []

async function emptyEmbedded(): Promise<Database> {
  const opened = await openEmbedded({})
  closers.push(() => opened.close())
  return opened
}

async function emptyPostgres(): Promise<Database> {
  const name = `atrium_empty_${Math.random().toString(36).slice(2, 10)}`
  await administer(`create database ${name}`)
  const opened = await openPostgres({ url: urlOf(name) })
  closers.push(async () => {
    await opened.close()
    await administer(`drop database if exists ${name} with (force)`)
  })
  return opened
}

beforeAll(async () => {
  database = isPostgres ? await emptyPostgres() : await emptyEmbedded()
  await migrate(database, migrations)
})
afterAll(async () => {
  for (const close of closers) await close()
})

type Column = { tableName: string; columnName: string; type: string; notNull: boolean; fallback: string | null }
type Key = { tableName: string; columns: string[]; target: string; onDelete: string }
type Index = { tableName: string; name: string; columns: (string | null)[]; definition: string; isPartial: boolean }

function columnsOf(db: Database): Promise<Column[]> {
  return db.query<Column>(sql`
    select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as not_null, a.attgenerated::text || a.attidentity::text || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as fallback
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped order by 1, 2`)
}

function foreignKeysOf(db: Database): Promise<Key[]> {
  return db.query<Key>(sql`
    select c.conrelid::regclass::text as table_name, c.confrelid::regclass::text as target, c.confdeltype::text as on_delete,
      array(select a.attname::text from unnest(c.conkey) with ordinality k (number, place)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number order by k.place) as columns
    from pg_constraint c where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by c.conname`)
}

function indexesOf(db: Database): Promise<Index[]> {
  return db.query<Index>(sql`
    select i.indrelid::regclass::text as table_name, n.relname as name, pg_get_indexdef(i.indexrelid) as definition,
      i.indpred is not null as is_partial,
      array(select a.attname::text from unnest(i.indkey::int2[]) with ordinality k (number, place)
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by k.place) as columns
    from pg_index i join pg_class n on n.oid = i.indexrelid
    -- Those of a partition come with the table, under names of the database's own.
    where n.relnamespace = 'public'::regnamespace and not n.relispartition order by 1, 2`)
}

async function catalogueOf(db: Database) {
  const checks = await db.query(sql`
    select conrelid::regclass::text as table_name, conname, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`)
  return { columns: await columnsOf(db), indexes: await indexesOf(db), constraints: checks }
}

describe('migrations', () => {
  it('are named by time and deed, open with a reason, and are sorted', () => {
    for (const { name, text } of migrations) {
      expect(name).toMatch(/^\d{8}T\d{4}_[a-z]+(_[a-z0-9]+)+$/)
      expect(text).toMatch(/^-- \S/)
    }
    const names = migrations.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)].sort())
  })

  it('do nothing the second time', async () => {
    const before = await catalogueOf(database)
    expect(await migrate(database, migrations)).toEqual([])
    expect(await catalogueOf(database)).toEqual(before)
  })

  it('run once when two processes start together', async () => {
    const db = isPostgres ? await emptyPostgres() : await emptyEmbedded()
    const [one, other] = await Promise.all([migrate(db, migrations), migrate(db, migrations)])
    expect([...one, ...other].sort()).toEqual(migrations.map(({ name }) => name).sort())
  })

  it('refuse to start over an old file that was changed, and change nothing', async () => {
    const before = await catalogueOf(database)
    const changed = migrations.map((migration, index) =>
      index === 0 ? { ...migration, sha256: '0'.repeat(64) } : migration,
    )
    await expect(migrate(database, changed)).rejects.toThrow('was changed after it had been applied')
    expect(await catalogueOf(database)).toEqual(before)
  })

  it('refuse a database of a newer version, and add nothing to it', async () => {
    const { name } = migrations.at(-1) as Migration
    const later: Migration = { name: '29990101T0000_from_here', sha256: '1', text: 'create table from_here ()' }
    await expect(migrate(database, [...migrations.slice(0, -1), later])).rejects.toThrow(
      `newer version of Atrium (it has ${name})`,
    )
    expect(await columnsOf(database)).not.toContainEqual(expect.objectContaining({ tableName: 'from_here' }))
    expect(await database.query(sql`select name from migrations where name = ${later.name}`)).toEqual([])
  })

  it('leave nothing of a file that fails half way', async () => {
    const text = 'create table half_done (id text); select no_such_function()'
    const failing: Migration = { name: '29990101T0001_fail_half_way', sha256: '1', text }
    await expect(migrate(database, [...migrations, failing])).rejects.toThrow('no_such_function')
    expect(await database.query(sql`select to_regclass('half_done')::text as found`)).toEqual([{ found: null }])
  })

  it.skipIf(!postgresUrl)('give the same catalogue on both engines', async () => {
    const embedded = await emptyEmbedded()
    await migrate(embedded, migrations)
    expect(await catalogueOf(embedded)).toEqual(await catalogueOf(database))
  })
})

describe('the schema', () => {
  it('has an index for every foreign key', async () => {
    // What leaves out the rows that point nowhere holds all that can be looked for.
    const indexes = (await indexesOf(database)).filter(
      ({ isPartial, definition, columns }) => !isPartial || definition.endsWith(`WHERE (${columns[0]} IS NOT NULL)`),
    )
    const bare = (await foreignKeysOf(database)).filter(
      key =>
        !indexes.some(
          index =>
            index.tableName === key.tableName &&
            key.columns.every(column => index.columns.slice(0, key.columns.length).includes(column)),
        ),
    )
    expect(bare).toEqual([])
  })

  it('takes every row along with its user, team or workspace, but for the stated exceptions', async () => {
    const keys = await foreignKeysOf(database)
    const cascades = (table: string, column: string) =>
      keys.some(key => key.tableName === table && key.columns.includes(column) && key.onDelete === 'c')
    const refers = /^((owner_)?(user|workspace|team)_id|owner_id|actor_id)$/
    const pointing = new Set([
      ...(await columnsOf(database))
        .filter(({ columnName }) => refers.test(columnName))
        .map(({ tableName, columnName }) => `${tableName}.${columnName}`),
      ...keys
        .filter(({ target }) => ['users', 'workspaces', 'teams'].includes(target))
        .flatMap(({ tableName, columns }) => columns.map(column => `${tableName}.${column}`)),
    ])
    const left = [...pointing].filter(place => {
      const [table = '', column = ''] = place.split('.')
      return !cascades(table, column) && !outlives[place]
    })
    expect(left).toEqual([])
    expect(Object.keys(outlives).filter(place => !pointing.has(place))).toEqual([])
  })

  it('names its indexes after their table', async () => {
    const others = (await indexesOf(database)).filter(
      ({ name, tableName }) => !name.startsWith(`${tableName}__`) && name !== `${tableName}_pkey`,
    )
    expect(others).toEqual([])
  })

  it('keeps time in UTC with milliseconds', async () => {
    const others = (await columnsOf(database)).filter(
      ({ type }) => /^(timestamp|date|time)/.test(type) && type !== 'timestamp(3) with time zone',
    )
    expect(others).toEqual([])
  })

  it('has an index for every sort key of a list, or a stated reason', async () => {
    const indexes = await indexesOf(database)
    const bare = operationIds.flatMap(id => {
      const { orderBy } = (lookUp(id)?.query?.properties ?? {}) as Record<string, { enum?: string[] }>
      const table = tables[id] ?? id.slice(0, id.lastIndexOf('.')).replace('.', '_')
      return (orderBy?.enum ?? [])
        .filter(name => !unindexed[id] && !unindexed[`${id} ${name}`])
        .filter(name => !indexes.some(index => index.tableName === table && sorts(index, snake(name))))
        .map(name => `${id} ${name}`)
    })
    expect(bare).toEqual([])
  })
})

/** The column comes first, or right after what the list is always narrowed to. */
function sorts({ columns }: Index, column: string): boolean {
  const narrowed = ['workspace_id', 'user_id', 'team_id', 'chain', 'integration_id', 'automation_id', 'account_id']
  const rest = narrowed.includes(columns[0] ?? '') && columns[0] !== column ? columns.slice(1) : columns
  return rest[0] === column
}
