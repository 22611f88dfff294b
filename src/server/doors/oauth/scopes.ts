// What can be asked for: the platform's scopes for one of two resources, and a few about who the user is.
import type { Operations } from '../../../contract/operation.ts'
import { roleScopes } from '../../../contract/permissions.ts'
import { scopes as platformScopes, type Scope } from '../../../contract/scopes.ts'
import { type OperationTool, toolsOf } from '../../../contract/tools.ts'
import { operation, operationIds, operations } from '../../../operations.ts'
import type { Resource } from '../../credentials/providers.ts'

export const identityScopes = ['openid', 'profile', 'email', 'offline_access'] as const

/** Those that say something about the user. */
export const claimScopes = ['openid', 'profile', 'email'] as const

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

/** What the tools can use, changes included: older clients cannot ask for more later, and the person can untick each. */
export const mcpScopes: readonly Scope[] = usedBy(toolsOf(operations as Operations))

function usedBy(tools: readonly OperationTool[]): readonly Scope[] {
  const used = new Set(tools.flatMap(({ scopes }) => scopes))
  return platformScopes.filter(scope => used.has(scope))
}

export function isPlatformScope(scope: string): scope is Scope {
  return platformScopes.includes(scope as Scope)
}
