// Links members to their accounts elsewhere.
import { conflict } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import { enter } from '../../workspaces/entering/store.ts'
import * as integrations from '../store.ts'
import { people } from './contract.ts'
import * as store from './store.ts'

export default implement(people, {
  'integrations.people.list': async ({ db }, { workspaceId, id, ...query }) => {
    await found(integrations.connection(db, workspaceId, id), 'integration')
    return await store.pageOfPeople(db, query, id)
  },

  'integrations.people.put': async ({ db, caller, now, note }, { workspaceId, id, externalId }) => {
    await enter(db, caller, workspaceId)
    // Who is linked is whose session it is; nothing that is sent can say otherwise.
    const userId = caller.ownerId
    const { type } = await found(integrations.connection(db, workspaceId, id), 'integration')
    if (type !== 'slack')
      throw conflict(`Nothing comes from people by an integration of the type ${type}; use one of slack.`)
    const before = await store.find(db, id, userId)
    note({ target: { object: 'integration', id }, ...(before && { before }) })
    const kept = await store.put(db, { workspaceId, integrationId: id, userId, externalId }, now())
    if (!kept) throw conflict('This account is linked to another member; they or an admin can take that back.')
    return kept
  },

  'integrations.people.del': async ({ db, note }, { workspaceId, id, userId }) => {
    await found(integrations.connection(db, workspaceId, id), 'integration')
    const before = await found(store.find(db, id, userId), 'link')
    await store.remove(db, id, userId)
    note({ target: { object: 'integration', id }, before })
    return { workspaceId, id, userId, _object: 'integration_person' as const }
  },
})
