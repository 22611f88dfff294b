// What an application gets that asks for scopes: those it named, or the usual ones.
import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { roleScopes } from '../../../contract/permissions.ts'
import { scopes as platformScopes } from '../../../contract/scopes.ts'
import { identityScopes, isPlatformScope, modestScopes } from './scopes.ts'

/** The built-in client of the command line. */
const commandLine = 'atrium-cli'

const known: ReadonlySet<string> = new Set<string>([...identityScopes, ...platformScopes])

/** Of a client that names none: its own list, everything for the command line, else what is modest. */
function usualScopes({ clientId, scope }: Pick<Client, 'clientId' | 'scope'>): readonly string[] {
  if (scope) return scope.split(' ').filter(isPlatformScope)
  return clientId === commandLine ? platformScopes : modestScopes
}

/** The client asks with its own secret and acts for itself; no user is behind it. */
export function isForItself({ oidc: { route, params } }: KoaContextWithOIDC): boolean {
  return route === 'token' && params?.grant_type === 'client_credentials'
}

/** At most what a member may do. There is no user to know, and no refresh token: the secret serves for both. */
function scopesForItself({ scope = '' }: Pick<Client, 'scope'>, asked: unknown): string {
  const isOpen = (one: string) => isPlatformScope(one) && roleScopes.member.has(one)
  if (!asked) return scope.split(' ').filter(isOpen).join(' ')
  const closed = String(asked)
    .split(' ')
    .find(one => !isOpen(one))
  if (closed === undefined) return String(asked)
  const why = known.has(closed) ? 'a client that acts for itself cannot have the scope' : 'requested scope is not known'
  throw new errors.InvalidScope(why, closed)
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
  if (client && isForItself(ctx)) params.scope = scopesForItself(client, params.scope)
  return String(params.scope ?? '').split(' ')
}
