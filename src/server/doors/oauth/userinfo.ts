// Who the user is, for a token that also opens the platform: the library would refuse it for being meant for another place.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { routes } from './routes.ts'

const atUserinfo = new AsyncLocalStorage<true>()

/** It must still hold `openid`: that, and not its audience, says that the user agreed to be known. */
export function openUserinfo(provider: Provider): void {
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    if (ctx.path === routes.userinfo) await atUserinfo.run(true, next)
    else await next()
  })
  const model = provider.AccessToken as unknown as { find(value: string, options?: object): Promise<{ aud?: unknown }> }
  const find = model.find.bind(model)
  Object.defineProperty(model, 'find', {
    value: async (value: string, options?: object) => {
      const token = await find(value, options)
      if (token && atUserinfo.getStore()) delete token.aud
      return token
    },
  })
}
