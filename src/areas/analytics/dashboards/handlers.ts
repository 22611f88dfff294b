// Carries out the operations on dashboards.
import { implement } from '../../../kit/implement.ts'
import { enter } from '../../workspaces/entering/store.ts'
import { dashboards } from './contract.ts'
import * as store from './store.ts'
import { ofRole, ofUser, refuseBadTiles, type Shown } from './tiles.ts'

export default implement(dashboards, {
  'analytics.dashboards.mine': async ({ db, caller }, { workspaceId }) =>
    shown(await ofUser(db, workspaceId, caller.userId, caller.role ?? 'viewer')),

  'analytics.dashboards.putMine': async ({ db, caller, now, note }, { workspaceId, tiles }) => {
    if (tiles) refuseBadTiles(tiles, now())
    await enter(db, caller, workspaceId)
    // Whose dashboard it is, is whose session it is.
    const userId = caller.ownerId
    const role = caller.role ?? 'viewer'
    const before = shown(await ofUser(db, workspaceId, userId, role))
    await store.putOfUser(db, workspaceId, userId, tiles, now())
    const after = shown(await ofUser(db, workspaceId, userId, role))
    note({ target: { object: 'workspace', id: workspaceId }, before, after })
    return after
  },

  'analytics.dashboards.get': async ({ db }, { workspaceId, role }) => shown(await ofRole(db, workspaceId, role)),

  'analytics.dashboards.put': async ({ db, caller, now, note }, { workspaceId, role, tiles }) => {
    if (tiles) refuseBadTiles(tiles, now())
    await enter(db, caller, workspaceId)
    const before = shown(await ofRole(db, workspaceId, role))
    await store.putOfRole(db, workspaceId, role, tiles, now())
    const after = shown(await ofRole(db, workspaceId, role))
    note({ target: { object: 'workspace', id: workspaceId }, before, after })
    return after
  },
})

function shown({ tiles, ...rest }: Shown) {
  return { ...rest, tiles: tiles.map(copied) }
}

/** Lists of the contract can be written to. */
function copied({ metrics, groupBy, filters, ...rest }: Shown['tiles'][number]) {
  return {
    ...rest,
    metrics: [...metrics],
    ...(groupBy && { groupBy: [...groupBy] }),
    ...(filters && {
      filters: Object.fromEntries(
        Object.entries(filters).map(([name, values]) => [name, typeof values === 'string' ? values : [...values]]),
      ),
    }),
  }
}
