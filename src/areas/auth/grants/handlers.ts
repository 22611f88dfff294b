// Carries out the operations on a user's consents.
import { notFound } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { grants } from './contract.ts'
import * as store from './store.ts'

export default implement(grants, {
  'auth.grants.list': ({ db, caller, now }, query) => store.pageOfGrants(db, query, caller.ownerId, now()),

  'auth.grants.del': async ({ db, caller, note }, { id }) => {
    const before = await store.removeGrant(db, caller.ownerId, id)
    if (!before) throw notFound('consent')
    // The workspace that the application worked in should see that it left.
    note({ before, ...(before.workspaceId && { workspaceId: before.workspaceId }) })
    return { id, _object: 'grant' as const }
  },
})
