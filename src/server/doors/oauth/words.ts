// Scopes in words that a person can weigh.
import { type Scope, scopes } from '../../../contract/scopes.ts'

const nouns: Readonly<Record<string, string>> = {
  workspaces: 'Workspace',
  workspace_members: 'Members',
  billing: 'Billing',
  subscriptions: 'Subscriptions',
  threads: 'Threads',
  repositories: 'Repositories',
  ratings: 'Ratings',
  messages: 'Messages',
  integrations: 'Integrations',
  cloud_accounts: 'Cloud accounts',
  memories: 'Memories',
  cloud_infra: 'Cloud infrastructure',
  analytics: 'Analytics',
  audit_logs: 'Audit log',
  api_keys: 'API keys',
  telemetry_tokens: 'Telemetry tokens',
  datasets: 'Datasets',
  automations: 'Automations',
  autofixes: 'Autofixes',
  teams: 'Teams',
  labels: 'Labels',
  oauth_clients: 'OAuth clients',
  skills: 'Skills',
  agent_tools: 'Agent tools',
  issues: 'Issues',
  pages: 'Pages',
}

const verbs: Readonly<Record<string, string>> = {
  read: 'see',
  write: 'create and change',
  delete: 'delete',
  export: 'export',
}

export type ScopeGroup = { noun: string; scopes: { scope: Scope; verb: string }[] }

/** By area, in the order of the platform's list. */
export function inWords(wanted: ReadonlySet<string>): ScopeGroup[] {
  const groups = new Map<string, ScopeGroup>()
  for (const scope of scopes) {
    if (!wanted.has(scope)) continue
    const [area = '', verb = ''] = scope.split(':')
    const group = groups.get(area) ?? { noun: nouns[area] ?? area, scopes: [] }
    group.scopes.push({ scope, verb: scope === 'ratings:write' ? 'give' : (verbs[verb] ?? verb) })
    groups.set(area, group)
  }
  return [...groups.values()]
}
