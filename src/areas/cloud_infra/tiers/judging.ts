// Gives every node whose tier nobody has set by hand the tier of the rules, a few at a time.
import type { JobContext } from '../../../kit/jobs.ts'
import { keepAlive } from '../../workspaces/store.ts'
import { changeOf } from '../applying/nodes.ts'
import * as applying from '../applying/store.ts'
import { checkedRules, tierBy } from './rules.ts'
import * as store from './store.ts'

const atOnce = 500

export async function judgeAll(ctx: JobContext, workspaceId: string): Promise<void> {
  const { db, transaction, now, signal } = ctx
  const tierOf = tierBy(checkedRules((await store.findRules(db, workspaceId))?.rules ?? []))
  for (let after = ''; ; ) {
    const nodes = await store.judgedAfter(db, workspaceId, after, atOnce)
    const others = nodes.flatMap(node => {
      const tier = tierOf(node)
      return tier === node.tier ? [] : [{ ...node, before: node.tier, tier }]
    })
    if (others.length > 0) {
      await transaction(async tx => {
        const at = now()
        await keepAlive(tx, workspaceId)
        const ids = others.map(({ id }) => id)
        await applying.lockNodes(tx, ids)
        await applying.keepStates(tx, ids, at)
        await store.setTiers(tx, others, at)
        const changes = others.map(node =>
          changeOf(node, 'changed', [{ path: 'tier', before: node.before, after: node.tier }]),
        )
        await applying.insertChanges(tx, { workspaceId, id: null }, { at, syncId: null }, changes)
      })
    }
    const last = nodes.at(-1)
    if (!last || nodes.length < atOnce) return
    after = last.id
    signal.throwIfAborted()
  }
}
