// Carries out the operations on versions of automations.
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { definitionOf, existing, held, save } from '../changing.ts'
import type { Shown } from '../store.ts'
import { versions } from './contract.ts'
import * as store from './store.ts'

export default implement(versions, {
  'automations.versions.list': async (ctx, { workspaceId, id, ...query }) => {
    await existing(ctx, workspaceId, id)
    return await store.pageOfVersions(ctx.db, query, id)
  },

  'automations.versions.get': async (ctx, { workspaceId, id, version }) => {
    await existing(ctx, workspaceId, id)
    return await found(store.findVersion(ctx.db, id, Number(version)), 'version of the automation')
  },

  'automations.versions.revert': async (ctx, { workspaceId, id, version }) => {
    const before = await held(ctx, workspaceId, id)
    const was = await found(store.findVersion(ctx.db, id, Number(version)), 'version of the automation')
    ctx.note({ before })
    await save(ctx, before, { definition: definitionOf(was as unknown as Shown) })
    return await existing(ctx, workspaceId, id)
  },
})
