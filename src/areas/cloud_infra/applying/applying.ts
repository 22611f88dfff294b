// Writes what a source told of an account: only what differs, in short pieces, all at one moment of the graph's history.
import type { JobEvent } from '../../../kit/jobs.ts'
import type { FoundNode, Unseen } from '../../cloud_accounts/found/contract.ts'
import { holdOwner } from '../../cloud_accounts/syncs/store.ts'
import { digestOf, withoutSecrets } from '../accepting.ts'
import { checkedRules, tierBy } from '../tiers/rules.ts'
import { findRules } from '../tiers/store.ts'
import { applyEdges } from './edges.ts'
import { addNodes, changeNodes, removeNodes } from './nodes.ts'
import * as store from './store.ts'
import {
  type Account,
  type Applying,
  type Counts,
  inWorkspace,
  keyOf,
  piecesOf,
  type Telling,
  type Told,
  type ToldNode,
} from './telling.ts'

/** Of a sync that changes more, automations and webhooks are told by the sync alone. */
const mostEvents = 100

/** What was begun before a crash is found done, so the same telling can be applied again. */
export async function applyFound(ctx: Applying, account: Account, telling: Telling, found: Told): Promise<Counts> {
  const isFirst = (await store.seenAt(ctx.db, account.id)) === null
  const told = await prepared(ctx, account, found.nodes)
  const differing = await store.differing(ctx.db, account, told)
  const { added, changed } = differing
  const removed = telling.complete ? differing.absent.filter(node => !isUnseen(node, found.unseen)) : []
  const unseen = telling.complete ? differing.absent.filter(node => isUnseen(node, found.unseen)) : []
  const events: JobEvent[] = []
  const tell = (action: string, ids: readonly string[]) => {
    if (events.length > mostEvents) return
    events.push(...ids.map(id => ({ chain: account.workspaceId, action, target: { object: 'node', id } })))
  }
  const fresh = new Set<string>()
  for (const piece of piecesOf(added)) {
    const ids = await inWorkspace(ctx, account, async tx => {
      const ownerId = await holdOwner(tx, account.id)
      return ownerId === null ? [] : await addNodes(tx, { ...account, ownerId }, telling, nodesAt(told, piece))
    })
    for (const id of ids) fresh.add(id)
    tell('cloud_infra.added', ids)
    ctx.signal.throwIfAborted()
  }
  let nodesChanged = 0
  for (const piece of piecesOf(changed)) {
    const ids = await inWorkspace(ctx, account, tx => changeNodes(tx, account, telling, told, piece))
    nodesChanged += ids.length
    tell('cloud_infra.changed', ids)
    ctx.signal.throwIfAborted()
  }
  let nodesRemoved = 0
  for (const piece of piecesOf(removed)) {
    const ids = await inWorkspace(ctx, account, tx =>
      removeNodes(
        tx,
        account,
        telling,
        piece.map(({ id }) => id),
      ),
    )
    nodesRemoved += ids.length
    tell('cloud_infra.removed', ids)
    ctx.signal.throwIfAborted()
  }
  for (const piece of piecesOf(unseen)) {
    await ctx.transaction(tx =>
      store.markStale(
        tx,
        piece.map(({ id }) => id),
        telling.at,
      ),
    )
  }
  const edges = await applyEdges(ctx, account, telling, found, fresh)
  if (telling.isGone) await store.forgetSeen(ctx.db, account.id)
  else if (!telling.complete) await store.touch(ctx.db, account, told, telling.at)
  else await store.keepSeen(ctx.db, account, telling.at)
  if (!isFirst && events.length > 0 && events.length <= mostEvents) {
    await ctx.transaction(tx => ctx.record(tx, events))
  }
  return { nodesAdded: fresh.size, nodesChanged, nodesRemoved, ...edges }
}

/** Without secrets, each once, with what it is compared by. */
async function prepared({ db }: Applying, account: Account, nodes: readonly FoundNode[]): Promise<ToldNode[]> {
  const tierOf = tierBy(checkedRules((await findRules(db, account.workspaceId))?.rules ?? []))
  const byKey = new Map<string, ToldNode>()
  for (const [index, node] of nodes.entries()) {
    // Thousands of nodes take a while to be looked through; others get their turn in between.
    if (index % 100 === 99) await new Promise(resolve => setImmediate(resolve))
    const clean = withoutSecrets(node)
    const tier = tierOf({ ...clean, provider: account.provider })
    byKey.set(keyOf(node), { ...clean, digest: digestOf(clean), tier })
  }
  return [...byKey.values()]
}

function isUnseen({ region, type }: { region: string; type: string }, unseen: readonly Unseen[]): boolean {
  return unseen.some(
    one => (one.region === null || one.region === region) && (one.types === null || one.types.includes(type)),
  )
}

function nodesAt(told: readonly ToldNode[], places: readonly number[]): ToldNode[] {
  return places.flatMap(place => told[place] ?? [])
}
