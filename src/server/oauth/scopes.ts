// What can be asked for: the platform's scopes for one of two resources, and a few about who the user is.
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

export function isPlatformScope(scope: string): scope is Scope {
  return platformScopes.includes(scope as Scope)
}
