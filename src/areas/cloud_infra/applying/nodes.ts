// Nodes of one telling that are new, changed or gone: each state that ends is kept, and each change written down.
import type { Db } from '../../../kit/db.ts'
import { newId } from '../../../kit/random.ts'
import { ChangeId, NodeId } from '../fields/contract.ts'
import { type Difference, differences } from './differences.ts'
import * as store from './store.ts'
import type { Account, Telling, ToldNode } from './telling.ts'

export async function addNodes(
  db: Db,
  account: Account,
  telling: Telling,
  nodes: readonly ToldNode[],
): Promise<string[]> {
  const rows = nodes.map(node => ({ ...node, id: newId(NodeId) }))
  const made = new Set(await store.insertNodes(db, account, telling, rows))
  const added = rows.filter(({ id }) => made.has(id))
  await store.insertChanges(
    db,
    account,
    telling,
    added.map(node => changeOf(node, 'added', [])),
  )
  return added.map(({ id }) => id)
}

/** Also those that were missing and are back. One that somebody ignores in the meantime stays as it is. */
export async function changeNodes(
  db: Db,
  account: Account,
  telling: Telling,
  told: readonly ToldNode[],
  changed: readonly { id: string; place: number }[],
): Promise<string[]> {
  const before = new Map(
    (
      await store.lockNodes(
        db,
        changed.map(({ id }) => id),
      )
    ).map(row => [row.id, row]),
  )
  const pairs = changed.flatMap(({ id, place }) => {
    const [old, node] = [before.get(id), told[place]]
    if (!old || !node || old.status === 'ignored') return []
    const tier = old.tierSource === 'manual' ? old.tier : node.tier
    return [{ old, after: { ...node, id, tier, status: 'active' } }]
  })
  const changes = pairs.flatMap(({ old, after }) => {
    const diff = differences(old, after)
    return diff.length === 0 ? [] : [changeOf(after, old.status === 'missing' ? 'added' : 'changed', diff)]
  })
  await store.keepStates(
    db,
    changes.map(({ nodeId }) => nodeId),
    telling.at,
  )
  await store.updateNodes(
    db,
    telling,
    pairs.map(({ after }) => after),
  )
  await store.insertChanges(db, account, telling, changes)
  return changes.map(({ nodeId }) => nodeId)
}

export async function removeNodes(
  db: Db,
  account: Account,
  telling: Telling,
  ids: readonly string[],
): Promise<string[]> {
  const rows = (await store.lockNodes(db, ids)).filter(({ status }) => status === 'active')
  const gone = rows.map(({ id }) => id)
  await store.keepStates(db, gone, telling.at)
  await store.endNodes(db, gone, 'missing', telling.at)
  const changes = rows.map(row => changeOf(row, 'removed', [{ path: 'status', before: 'active', after: 'missing' }]))
  await store.insertChanges(db, account, telling, changes)
  return gone
}

export function changeOf(
  { id, name, type }: { id: string; name: string; type: string },
  kind: store.NewChange['kind'],
  diff: readonly Difference[],
): store.NewChange {
  return { id: newId(ChangeId), nodeId: id, nodeName: name, nodeType: type, kind, diff }
}
