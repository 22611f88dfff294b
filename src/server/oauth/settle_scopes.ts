// What an application gets that asks for scopes: those it named, or the usual ones.
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { scopes as platformScopes } from '../../contract/scopes.ts'
import { identityScopes, isPlatformScope, modestScopes } from './scopes.ts'

/** The built-in client of the command line. */
const commandLine = 'atrium-cli'

const known: ReadonlySet<string> = new Set<string>([...identityScopes, ...platformScopes])

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
