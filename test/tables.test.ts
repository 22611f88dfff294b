// A table belongs to the area whose migration makes it; another area asks that area's store.
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Files that name a table of another area. May only shrink: a new one asks the store of the area that owns it. */
const strangers: readonly string[] = [
  // The ledger is the server's; this area is its reader.
  'audit_logs/store.ts instance',
  'audit_logs/store.ts ledger',
  'audit_logs/store.ts ledger_heads',
  'audit_logs/store.ts users',
  'audit_logs/store.ts workspaces',
  // A consent is a user's as much as an application's.
  'auth/grants/store.ts oauth_clients',
  'auth/grants/store.ts oauth_grants',
  // Erasure reaches what no foreign key does.
  'auth/erasure.ts integration_deliveries',
  'auth/erasure.ts automation_executions',
  'auth/erasure.ts automation_steps',
  'auth/erasure.ts automation_versions',
  'auth/erasure.ts automations',
  'auth/erasure.ts invites',
  'auth/erasure.ts ledger',
  'auth/erasure.ts mailbox',
  'auth/erasure.ts page_contents',
  'auth/erasure.ts oauth_clients',
  'auth/erasure.ts oauth_objects',
  'auth/store.ts ledger',
  // Names of people, joined in so that a list is one statement.
  'teams/store.ts users',
  'workspace_members/store.ts users',
  // Members are made with their workspace, and hold its row while positions change.
  'workspace_members/store.ts workspace_members',
  'workspace_members/store.ts workspaces',
  'workspace_members/invites/store.ts users',
  'workspace_members/invites/store.ts workspace_members',
  'workspace_members/invites/store.ts workspaces',
  'workspace_members/mails.ts users',
  'workspace_members/mails.ts workspace_members',
  'workspace_members/mails.ts workspaces',
  'workspace_members/addresses/store.ts users',
  'workspace_members/addresses/store.ts workspace_members',
  'workspaces/owners/store.ts invites',
  'workspaces/store.ts users',
  // An archive names people as they are, also those whom only its ledger names.
  'workspaces/exports/store.ts ledger',
  'workspaces/exports/store.ts users',
  // A workspace without a chain has never been seen by anybody.
  'workspaces/imports/store.ts ledger_heads',
  'workspaces/imports/store.ts users',
  // Placeholders are users, whom somebody with a proven address claims.
  'workspaces/claims/store.ts users',
  'api_keys/store.ts workspaces',
  'workspace_members/mails.ts notification_settings',
  // What acts in the name of a member ends with the membership, and a webhook with its workspace.
  'automations/store.ts workspaces',
  // An address that takes payloads is over with its workspace.
  'integrations/store.ts workspaces',
  // A page is over with its workspace, and shows its name.
  'pages/store.ts workspaces',
]

function owners(): Map<string, string> {
  const found = new Map<string, string>()
  // In the order in which they run: a table belongs to whoever made it last.
  const paths = globSync('src/{areas/*,server}/migrations/*.sql', { cwd: root })
  for (const path of paths.sort((one, other) => basename(one).localeCompare(basename(other)))) {
    const area = /areas\/(\w+)\//.exec(path)?.[1] ?? 'server'
    for (const [, table = ''] of read(path).matchAll(/^create table (?:if not exists )?(\w+)/gm)) found.set(table, area)
  }
  return found
}

/** Names of tables in the statements of a text; comments say "from" too. */
function tablesIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const named = code.matchAll(/\b(?:from|join|into|update|using)\s+(?:only\s+)?(?:public\.)?"?([a-z_]+)"?/g)
  return [...named].map(([, table = '']) => table)
}

describe('a table', () => {
  it('is named in the SQL of its own area only', () => {
    const owner = owners()
    const files = globSync('src/areas/**/*.ts', { cwd: root }).filter(path => !path.endsWith('.test.ts'))
    const found = files.flatMap(path => {
      const area = /areas\/(\w+)\//.exec(path)?.[1]
      const foreign = tablesIn(read(path)).filter(table => owner.has(table) && owner.get(table) !== area)
      return foreign.map(table => `${path.replace('src/areas/', '')} ${table}`)
    })
    expect([...new Set(found)].sort()).toEqual([...strangers].sort())
  })

  it('is found however a statement spells it', () => {
    expect(tablesIn('select 1 from "teams" t join public.users u using (id); update only x set a = 1')).toEqual([
      'teams',
      'users',
      'x',
    ])
    expect(tablesIn('// from teams\n/* join teams */')).toEqual([])
  })
})
