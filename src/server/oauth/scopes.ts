// What can be asked for: the platform's scopes for one of two resources, and a few about who the user is.
import type { Client, KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import { roleScopes } from '../../contract/permissions.ts'
import { scopes as platformScopes, type Scope } from '../../contract/scopes.ts'
import { operation, operationIds } from '../../operations.ts'
import type { Resource } from '../principals.ts'

export const identityScopes = ['openid', 'profile', 'email', 'offline_access'] as const

export const resourceNames: readonly Resource[] = ['v1', 'mcp']

export function resourceUri(publicUrl: string, name: Resource): string {
  return `${publicUrl}/${name}`
}

export function nameOfResource(publicUrl: string, audience: unknown): Resource | null {
  return resourceNames.find(name => resourceUri(publicUrl, name) === audience) ?? null
}

/** Scopes that some operation needs: the rest of the list opens nothing yet. */
export const scopesInUse: readonly Scope[] = platformScopes.filter(scope =>
  operationIds.some(id => {
    const { access } = operation(id) ?? {}
    return Array.isArray(access) && access.includes(scope)
  }),
)

/** The smallest useful set: what a member may look at. More is asked for when it is needed. */
export const modestScopes: readonly Scope[] = scopesInUse.filter(
  scope => scope.endsWith(':read') && roleScopes.member.has(scope),
)

/** The built-in client of the command line. */
const commandLine = 'atrium-cli'

const known: ReadonlySet<string> = new Set<string>([...identityScopes, ...platformScopes])

export function isPlatformScope(scope: string): scope is Scope {
  return platformScopes.includes(scope as Scope)
}

/** Of a client that names none: its own list, everything for the command line, else what is modest. */
function usualScopes({ clientId, scope }: Pick<Client, 'clientId' | 'scope'>): readonly string[] {
  if (scope) return scope.split(' ').filter(isPlatformScope)
  return clientId === commandLine ? platformScopes : modestScopes
}

/** The library drops what it does not know; a client that asks for it should hear so. Asking for nothing has a meaning. */
export function settleScopes(ctx: KoaContextWithOIDC): string[] {
  const { params = {}, client, route } = ctx.oidc
  if (route === 'authorization' || route === 'device_authorization') {
    params.scope ??= (client ? usualScopes(client) : modestScopes).join(' ')
    const unknown = String(params.scope)
      .split(' ')
      .find(scope => !known.has(scope))
    if (unknown !== undefined) throw new errors.InvalidScope('requested scope is not known', unknown)
  }
  return String(params.scope ?? '').split(' ')
}
