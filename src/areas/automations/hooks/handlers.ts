// Carries out what is done with the webhook of an automation.
import { conflict } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { hintOf, tokenHash } from '../../../kit/tokens.ts'
import { existing, held } from '../changing.ts'
import { newHook, withHook } from '../creating.ts'
import * as store from '../store.ts'
import { hooked } from '../triggering/hooks.ts'
import { hooks } from './contract.ts'

export default implement(hooks, {
  'automations.rotateHook': async (ctx, { workspaceId, id }) => {
    const { db, now, note, settings } = ctx
    const before = await held(ctx, workspaceId, id)
    note({ before })
    const hook = newHook(settings, id, before.triggers)
    if (hook.token === null) throw conflict('It has no trigger `webhook`, so it has no address.')
    await store.update(db, id, { hookHint: hintOf(hook.token), hookSecret: hook.sealed }, now())
    await store.replaceHook(db, id, tokenHash(hook.token), now())
    return withHook(settings, await existing(ctx, workspaceId, id), hook)
  },

  'automations.hook': async (ctx, { token, content }) => await hooked(ctx, token, content),
})
