// `--web`: the page of the console that shows what a command is about.
import { openBrowser } from './browser.ts'
import type { Entry } from './digest.ts'
import { usage } from './failures.ts'
import type { Session } from './session.ts'

/** Areas whose page has another name than the area; all others are under /a/. */
const places: Readonly<Record<string, string>> = {
  api_keys: 'keys',
  workspace_members: 'members',
  teams: 'teams',
  oauth_clients: 'oauth_clients',
  agent_tools: 'agent_tools',
  audit_logs: 'audit_log',
  events: 'audit_log',
  workspaces: 'settings',
}
const withRecords = ['api_keys', 'teams', 'oauth_clients']

export async function openPage({ terminal, settings }: Session, entry: Entry, words: readonly string[]): Promise<void> {
  const path = pagePath(entry, words, settings.workspaceId)
  const address = settings.baseUrl + path
  terminal.stderr.write(`Opening ${address}\n`)
  openBrowser(address, terminal.env)
}

export function pagePath({ id, path }: Pick<Entry, 'id' | 'path'>, words: readonly string[], preset?: string): string {
  const [area = ''] = id.split('.')
  if (area === 'auth') return id.includes('sessions') ? '/me/sessions' : '/me/profile'
  if (area === 'access' || area === 'scopes' || (area === 'workspaces' && !path.includes('{'))) return '/'
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const isNamed = words[0]?.startsWith('ws_') ?? false
  const workspaceId = isNamed ? words[0] : preset
  if (!workspaceId) throw usage('Which workspace? None is named.', 'Give it, or: atrium profile set --workspace <id>')
  const place = places[area] ?? `a/${area}`
  const record = names.includes('id') && (withRecords.includes(area) || !places[area]) ? words[isNamed ? 1 : 0] : null
  return `/w/${workspaceId}/${place}${record ? `/${encodeURIComponent(record)}` : ''}`
}
