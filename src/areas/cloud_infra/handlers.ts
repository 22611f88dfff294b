// Carries out snapshots and the rules of tiers; nodes, edges and the graph are spread in.
import { conflict, forbidden } from '../../contract/errors.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { pack } from '../../kit/packing.ts'
import * as syncs from '../cloud_accounts/syncs/store.ts'
import { keepAlive } from '../workspaces/store.ts'
import { ownInfra } from './contract.ts'
import edgeHandlers from './edges/handlers.ts'
import graphHandlers from './graph/handlers.ts'
import nodeHandlers from './nodes/handlers.ts'
import { toldIn } from './snapshots.ts'
import { checkedRules } from './tiers/rules.ts'
import * as tierStore from './tiers/store.ts'

const own = implement(ownInfra, {
  'cloud_infra.snapshots.post': staged(
    async ({ db }, input) => await pack(await toldIn(db, input)),
    async ({ db, now, enqueue, note }, { workspaceId, accountId, complete = false }, told) => {
      await keepAlive(db, workspaceId)
      const account = await found(syncs.findAccountForPush(db, workspaceId, accountId), 'cloud account')
      note({ target: { object: 'cloud_account', id: accountId } })
      if (account.provider !== 'push') {
        const detail = `Only accounts of the provider push take snapshots; this one is read by ${account.provider}.`
        throw complete ? forbidden(detail) : conflict(detail, { provider: account.provider })
      }
      const sync = await syncs.insertSync(db, account, { complete, source: 'push', found: told }, now())
      await enqueue('cloud_infra.apply', { workspaceId, accountId })
      return sync
    },
  ),

  'cloud_infra.tiers.get': async ({ db }, { workspaceId }) => await rulesOf(db, workspaceId),

  'cloud_infra.tiers.put': async ({ db, now, note, enqueue }, { workspaceId, rules }) => {
    checkedRules(rules)
    note({ before: await rulesOf(db, workspaceId), target: { object: 'workspace', id: workspaceId } })
    await tierStore.putRules(db, workspaceId, rules, now())
    await enqueue('cloud_infra.judge', { workspaceId })
    return await rulesOf(db, workspaceId)
  },
})

async function rulesOf(db: Parameters<typeof tierStore.findRules>[0], workspaceId: string) {
  const { rules = [], updated = null } = (await tierStore.findRules(db, workspaceId)) ?? {}
  return { workspaceId, rules, updated, _object: 'tier_rules' as const }
}

export default { ...own, ...nodeHandlers, ...edgeHandlers, ...graphHandlers }
