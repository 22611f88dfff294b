// Edges of one telling: those that are new begin, those that nobody tells of any more end.
import { newId } from '../../../kit/random.ts'
import { EdgeId } from '../fields/contract.ts'
import type { Difference } from './differences.ts'
import * as edgeStore from './edge_store.ts'
import { changeOf } from './nodes.ts'
import * as store from './store.ts'
import {
  type Account,
  type Applying,
  inWorkspace,
  keyOf,
  piecesOf,
  type Telling,
  type Told,
  type ToldEdge,
} from './telling.ts'

type Edge = { fromId: string; toId: string; relation: string; confidence: number }

/** Of one node, so many of its new and lost edges are written down. */
const mostTold = 50

/** Of nodes that are new themselves, edges are no change that anybody looks for. */
export async function applyEdges(
  ctx: Applying,
  account: Account,
  telling: Telling,
  found: Told,
  fresh: ReadonlySet<string>,
): Promise<{ edgesAdded: number; edgesRemoved: number }> {
  const told = await resolved(ctx, account, found.edges)
  const { added, absent } = await edgeStore.differingEdges(ctx.db, account, told)
  // Where an end could not be seen, nothing is concluded from the edge's absence.
  const removed = telling.complete && found.unseen.length === 0 ? absent : await seenToEnd(ctx, telling, found, absent)
  const diffs = new Map<string, Difference[]>()
  const note = (edge: { fromId: string; toId: string; relation: string }, isNew: boolean) => {
    if (fresh.has(edge.fromId)) return
    const diff = diffs.get(edge.fromId) ?? []
    const [before, after] = isNew ? [null, edge.toId] : [edge.toId, null]
    if (diff.length < mostTold) diff.push({ path: `edges.${edge.relation}`, before, after })
    diffs.set(edge.fromId, diff)
  }
  let edgesRemoved = 0
  for (const piece of piecesOf(removed)) {
    const ended = await ctx.transaction(tx =>
      edgeStore.endEdges(
        tx,
        piece.map(({ id }) => id),
        telling.at,
      ),
    )
    edgesRemoved += ended.length
    for (const edge of ended) note(edge, false)
  }
  let edgesAdded = 0
  for (const piece of piecesOf(added)) {
    const rows = piece.flatMap(place => told[place] ?? []).map(edge => ({ ...edge, id: newId(EdgeId) }))
    const begun = await inWorkspace(ctx, account, tx => edgeStore.insertEdges(tx, account, telling, rows))
    edgesAdded += begun.length
    for (const edge of begun) note(edge, true)
  }
  for (const piece of piecesOf([...diffs])) {
    const named = new Map(
      (
        await edgeStore.namesOf(
          ctx.db,
          piece.map(([id]) => id),
        )
      ).map(row => [row.id, row]),
    )
    const changes = piece.flatMap(([id, diff]) => {
      const node = named.get(id)
      return node ? [changeOf(node, 'changed', diff)] : []
    })
    await inWorkspace(ctx, account, tx => store.insertChanges(tx, account, telling, changes))
  }
  return { edgesAdded, edgesRemoved }
}

/** Edges between nodes that are there, each once; those whose end nobody has told of are left out. */
async function resolved({ db }: Applying, account: Account, edges: readonly ToldEdge[]): Promise<Edge[]> {
  const ids = new Map((await edgeStore.activeKeys(db, account.id)).map(row => [keyOf(row), row.id]))
  const given = edges.flatMap(({ from, to }) => [from, to]).flatMap(end => ('id' in end ? [end.id] : []))
  const known = new Set(given.length > 0 ? await edgeStore.activeIds(db, account.workspaceId, [...new Set(given)]) : [])
  const idOf = (end: ToldEdge['from']) => ('id' in end ? (known.has(end.id) ? end.id : undefined) : ids.get(keyOf(end)))
  const byKey = new Map<string, Edge>()
  for (const { from, to, relation, confidence } of edges) {
    const [fromId, toId] = [idOf(from), idOf(to)]
    if (!fromId || !toId || fromId === toId) continue
    byKey.set(`${fromId} ${toId} ${relation}`, { fromId, toId, relation, confidence })
  }
  return [...byKey.values()]
}

/** Those that end although something was not seen: their nodes were seen, or have gone. */
async function seenToEnd(
  { db }: Applying,
  telling: Telling,
  found: Told,
  absent: readonly edgeStore.EdgeRow[],
): Promise<edgeStore.EdgeRow[]> {
  if (!telling.complete || absent.length === 0) return []
  if (found.unseen.some(({ region, types }) => region === null && types === null)) return []
  const ends = [...new Set(absent.flatMap(({ fromId, toId }) => [fromId, toId]))]
  const stale = new Set(await edgeStore.staleAmong(db, ends))
  return absent.filter(({ fromId, toId }) => !stale.has(fromId) && !stale.has(toId))
}
