// Carries out the operations on claims.
import { notFound } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { keepAlive, keepUsers } from '../store.ts'
import { claims } from './contract.ts'
import * as store from './store.ts'

export default implement(claims, {
  'workspaces.claims.list': ({ db, caller }, query) => store.pageOfClaims(db, query, caller.ownerId),

  'workspaces.claims.accept': async ({ db, caller, now, note, enqueue }, { id }) => {
    const userId = caller.ownerId
    const claim = await found(store.findClaim(db, userId, id), 'claim')
    const { workspaceId } = claim
    // People, then the workspace, then the place: whoever joins holds them in this order.
    const people = await keepUsers(db, [userId, id])
    await keepAlive(db, workspaceId)
    if (people.size < 2 || !(await store.putClaim(db, id, userId))) throw notFound('claim')
    const takesSeat = await store.takePlace(db, workspaceId, id, userId, now())
    await enqueue('workspaces.claim', {})
    note({ workspaceId, target: { object: 'workspace_member', id: userId }, ...(!takesSeat && { addsNothing: true }) })
    return claim
  },

  'workspaces.claims.del': async ({ db, caller, now, note }, { id }) => {
    note({ before: await found(store.findClaim(db, caller.ownerId, id), 'claim') })
    if (!(await store.putDeclined(db, id, now()))) throw notFound('claim')
    return { id, _object: 'workspace_claim' as const }
  },
})
