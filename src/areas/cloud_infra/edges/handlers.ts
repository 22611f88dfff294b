// Carries out the operations on edges and changes.
import { badRequest, conflict, refused } from '../../../contract/errors.ts'
import { implement } from '../../../kit/implement.ts'
import { found, unique } from '../../../kit/outcomes.ts'
import { reachOf } from '../../../kit/owned.ts'
import { newId } from '../../../kit/random.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { EdgeId } from '../fields/contract.ts'
import { edges } from './contract.ts'
import * as store from './store.ts'

export default implement(edges, {
  'cloud_infra.edges.list': ({ db }, { workspaceId, ...query }) => store.pageOfEdges(db, query, workspaceId),

  'cloud_infra.edges.post': async ({ db, caller, now }, input) => {
    const { workspaceId, fromId, toId, relation, confidence = 1 } = input
    if (fromId === toId) throw refused('toId', 'distinct', 'another node than fromId')
    await enter(db, caller, workspaceId)
    const there = await store.holdActive(db, workspaceId, [fromId, toId])
    const absent = [['fromId', fromId] as const, ['toId', toId] as const].filter(([, id]) => !there.has(id))
    if (absent.length > 0) {
      const expected = 'an active node of this workspace'
      const issues = absent.map(([path]) => ({ path, rule: 'reference', expected }))
      throw badRequest(`"${issues[0]?.path}" does not name ${expected}.`, issues)
    }
    const fields = { id: newId(EdgeId), workspaceId, fromId, toId, relation, confidence }
    return await unique(store.insert(db, fields, now()), 'cloud_infra_edges__key', 'There is such an edge already.')
  },

  'cloud_infra.edges.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    const before = await found(store.find(db, workspaceId, id, reachOf(access, caller)), 'edge')
    if (before.source !== 'manual') {
      throw conflict('The edge comes from a source, which would tell of it again; change it there.', {
        source: before.source,
      })
    }
    await store.end(db, workspaceId, id, now())
    note({ before })
    return { workspaceId, id, _object: 'edge' as const }
  },

  'cloud_infra.changes.list': ({ db }, { workspaceId, ...query }) => store.pageOfChanges(db, query, workspaceId),
})
