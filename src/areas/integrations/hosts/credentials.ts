// The credentials of GitHub, GitLab and Gitea: where they may be sent, and what is sent there.
import type { Fetch } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { openValues } from '../../../kit/sealed.ts'
import type { Settings } from '../../../kit/settings.ts'
import type { Target } from '../kinds.ts'
import { type Connection, connection } from '../store.ts'
import { secretsColumn } from '../types/contract.ts'
import { installationTokenOf, isApp } from './app.ts'
import { HostFault } from './faults.ts'

type Asking = { fetch: Fetch; now: () => Date }
type Place = Pick<Target, 'type' | 'config'>

export const hostTypes = ['github', 'gitlab', 'gitea'] as const
export type HostType = (typeof hostTypes)[number]

const trimmed = (url: unknown, usual: string) => String(url ?? usual).replace(/\/+$/, '')

export function apiOf({ type, config }: Place): string {
  if (type === 'github') return trimmed(config.apiUrl, 'https://api.github.com')
  return type === 'gitlab' ? `${trimmed(config.url, 'https://gitlab.com')}/api/v4` : `${trimmed(config.url, '')}/api/v1`
}

/** Something that any credential may read. */
export function testAddressOf(target: Target): string {
  return `${apiOf(target)}${isApp(target) ? '/installation/repositories?per_page=1' : '/user'}`
}

export async function headersOf(asking: Asking, target: Target): Promise<Record<string, string>> {
  const token = await tokenOf(asking, target)
  if (token === null) return {}
  if (target.type === 'gitlab') return { 'private-token': token }
  return { authorization: target.type === 'gitea' ? `token ${token}` : `Bearer ${token}` }
}

/** Null where none is set; of an app, one that it is given for an hour. */
export async function tokenOf(asking: Asking, target: Target): Promise<string | null> {
  if (isApp(target)) return await installationTokenOf(asking, target, apiOf(target))
  return target.secrets.token ?? null
}

export function isHostType(type: string): type is HostType {
  return (hostTypes as readonly string[]).includes(type)
}

const usualBases: Readonly<Record<HostType, string>> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  gitea: '',
}

/** What the addresses of its repositories begin with: scheme, host, port and, where it is not at the top, its path. */
export function baseOf({ type, config }: Place): string | null {
  if (!isHostType(type)) return null
  const address = trimmed(type === 'github' ? config.apiUrl : config.url, usualBases[type])
  if (!URL.canParse(address)) return null
  const { protocol, host, origin, pathname } = new URL(address)
  if (type !== 'github') return `${origin}${pathname}`.replace(/\/+$/, '')
  // In the cloud the interface has a name of its own beside that of the code.
  const isCloud = host === 'api.github.com' || /^api\.[^.]+\.ghe\.com$/.test(host)
  return `${protocol}//${isCloud ? host.slice('api.'.length) : host}`
}

/** Whether an address is one of its own: nothing else is ever sent its token, nor may say anything in its name. */
export function isBelow(place: Place, url: string): boolean {
  const base = baseOf(place)
  return base !== null && url.startsWith(`${base}/`)
}

/** Undefined where there is none, or where it is something else than a host of code. */
export async function hostNamed(db: Db, workspaceId: string, id: string): Promise<HostConnection | undefined> {
  const found = await connection(db, workspaceId, id)
  return found && isHostType(found.type) ? (found as HostConnection) : undefined
}

export type HostConnection = Connection & { type: HostType }

/** What a repository is read and written with, and where its pull requests are asked for. */
export type HostAccess = { type: HostType; username: string; token: string; api: string; base: string }

const usernames: Readonly<Record<HostType, string>> = { github: 'x-access-token', gitlab: 'oauth2', gitea: 'git' }

/** Throws a `HostFault` where the address is of another host, or where there is no token to be had. */
export async function accessTo(
  ctx: Asking & { db: Db; settings: Settings },
  { workspaceId, integrationId, url }: { workspaceId: string; integrationId: string; url: string },
): Promise<HostAccess> {
  const found = await hostNamed(ctx.db, workspaceId, integrationId)
  if (!found)
    throw new HostFault('auth', 'The integration that it is read with is gone; name another, or set credentials.')
  const { status, type } = found
  if (status === 'paused' || status === 'disabled') {
    throw new HostFault('auth', `The integration that it is read with is ${status}; set its status to active.`)
  }
  const base = baseOf(found)
  if (base === null || !isBelow(found, url)) {
    throw new HostFault(
      'auth',
      'The integration that it is read with is of another host, which its token is not sent to.',
    )
  }
  const target = { ...found, secrets: openValues(ctx.settings, secretsColumn, found.id, found.secrets) }
  const token = await tokenOf(ctx, target)
  if (token === null) throw new HostFault('auth', 'The integration that it is read with has no token; set one there.')
  return { type, username: usernames[type], token, api: apiOf(found), base }
}
