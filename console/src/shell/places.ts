// The places of the console, once: the menu, the command palette and the titles read them here.
import {
  Activity,
  AppWindow,
  BadgeCheck,
  Bell,
  Bot,
  FileText,
  Gauge,
  KeyRound,
  Laptop,
  Layers,
  Lock,
  type LucideIcon,
  Plug,
  Settings,
  Shield,
  User,
  Users,
  UsersRound,
} from 'lucide-react'
import { areas, operation, type Scope } from '../../../src/client/catalogue.ts'
import { wordsOf } from '../format.ts'

export type Place = { title: string; to: string; icon: LucideIcon; scope?: Scope; area?: string; words?: string }

/** Below /w/{workspaceId}. `area`: shown only where the service has it. */
const made: readonly Place[] = [
  { title: 'Overview', to: '', icon: Gauge, words: 'home start activity' },
  { title: 'API keys', to: '/keys', icon: KeyRound, scope: 'api_keys:read', words: 'token secret credential' },
  { title: 'Members', to: '/members', icon: Users, scope: 'workspace_members:read', words: 'people invite' },
  { title: 'Teams', to: '/teams', icon: UsersRound, scope: 'teams:read', words: 'groups' },
  { title: 'OAuth clients', to: '/oauth_clients', icon: AppWindow, scope: 'oauth_clients:read', area: 'oauth_clients' },
  { title: 'Agent tools', to: '/agent_tools', icon: Bot, scope: 'agent_tools:read', area: 'agent_tools' },
  { title: 'Audit log', to: '/audit_log', icon: Activity, scope: 'audit_logs:read', area: 'audit_logs' },
  { title: 'Settings', to: '/settings', icon: Settings, words: 'rename delete timezone' },
]

export const connect: Place = { title: 'Connect', to: '/connect', icon: Plug, words: 'command line mcp sdk curl' }

export const mine: readonly Place[] = [
  { title: 'Profile', to: '/me/profile', icon: User, words: 'name e-mail address username' },
  { title: 'Password', to: '/me/password', icon: Lock },
  { title: 'Sessions', to: '/me/sessions', icon: Laptop, words: 'devices log out' },
  { title: 'Notifications', to: '/me/notifications', icon: Bell, words: 'mail settings' },
  { title: 'Applications', to: '/me/applications', icon: BadgeCheck, words: 'oauth grants consent' },
  { title: 'Privacy', to: '/me/privacy', icon: Shield, words: 'export delete my account' },
]

const known = new Set(areas.map(({ name }) => name))
const withPages = new Set(
  'access api_keys audit_logs auth events scopes teams workspace_members workspaces oauth_clients'.split(' '),
)

export const workspacePlaces: readonly Place[] = made.filter(({ area }) => area === undefined || known.has(area))

/** Areas that have a list of their own in a workspace and no page made by hand. */
export const otherAreas: readonly Place[] = areas
  .filter(({ name }) => !withPages.has(name) && name !== 'agent_tools' && isListed(name))
  .map(({ name }) => ({
    title: wordsOf(name),
    to: `/a/${name}`,
    icon: name === 'pages' ? FileText : Layers,
    scope: `${name}:read` as Scope,
  }))

function isListed(area: string): boolean {
  const path = operation(`${area}.list`)?.path
  return path !== undefined && Object.keys(path.properties).join() === 'workspaceId'
}
