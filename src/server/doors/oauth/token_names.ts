// What the tokens of the authorization server look like, and how a client's secret is compared.
import type { Client, Provider } from 'oidc-provider'
import { isSameSecret, newToken, tokenHash } from '../../../kit/tokens.ts'

/** Each kind its own prefix, so that a leaked string names itself; a client's secret is compared by its hash. */
export function nameTokens(provider: Provider): void {
  const prefixes = {
    AccessToken: 'oat',
    AuthorizationCode: 'oac',
    ClientCredentials: 'occ',
    DeviceCode: 'odc',
    RefreshToken: 'ort',
  } as const
  for (const [kind, prefix] of Object.entries(prefixes)) {
    const model = provider[kind as keyof typeof prefixes] as unknown as { prototype: { generateTokenId(): string } }
    const { generateTokenId } = model.prototype
    Object.defineProperty(model.prototype, 'generateTokenId', {
      value(this: object) {
        // Also settles the token's format.
        generateTokenId.call(this)
        return newToken(prefix)
      },
    })
  }
  Object.defineProperty(provider.Client.prototype, 'compareClientSecret', {
    value(this: Client, actual: string) {
      return isSameSecret(tokenHash(actual), this.clientSecret ?? '')
    },
  })
}
