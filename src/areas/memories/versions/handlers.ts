// Carries out the operations on versions of memories.
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { change } from '../changing.ts'
import { find } from '../store.ts'
import { versions } from './contract.ts'
import * as store from './store.ts'

export default implement(versions, {
  'memories.versions.list': async ({ db, caller, now }, { workspaceId, id, ...query }) => {
    await found(find(db, caller, workspaceId, id, now()), 'memory')
    return await store.pageOfVersions(db, query, id)
  },

  'memories.versions.revert': async (ctx, { workspaceId, id, version }) => {
    const { db, caller, now, note } = ctx
    const { isCurrent, ...text } = await found(
      store.findText(db, caller, workspaceId, id, Number(version)),
      'version of the memory',
    )
    if (!isCurrent) return await change(ctx, workspaceId, id, text)
    note({ unchanged: true })
    return await found(find(db, caller, workspaceId, id, now()), 'memory')
  },
})
