// Answers of walks: the nodes that were found, and the edges among them.
import { notFound } from '../../../contract/errors.ts'
import type { Db } from '../../../kit/db.ts'
import { found } from '../../../kit/outcomes.ts'
import * as edges from '../edges/store.ts'
import * as nodes from '../nodes/store.ts'
import * as store from './store.ts'

const mostEdges = 5_000
/** So far is looked for a way from one node to another. */
const furthest = { depth: 12, nodes: 10_000 }

export type Graph = { nodes: nodes.NodeRow[]; edges: edges.EdgeRow[]; truncated: boolean }

/** 404 where the start is not there, or was not then. */
export async function walked(
  db: Db,
  workspaceId: string,
  from: string,
  way: store.Way,
  bounds: { depth: number; nodes: number },
): Promise<Graph & { levels: string[][] }> {
  await active(db, workspaceId, from, way.at)
  const { levels, truncated } = await store.walk(db, from, way, bounds)
  const graph = await graphOf(db, workspaceId, levels.flat(), way)
  return { ...graph, levels, truncated: truncated || graph.truncated }
}

async function graphOf(db: Db, workspaceId: string, ids: readonly string[], way: store.Way): Promise<Graph> {
  const terms = { relation: way.relation, at: way.at }
  const [rows, among] = await Promise.all([
    nodes.allOf(db, workspaceId, ids, way.at),
    edges.among(db, workspaceId, ids, terms, mostEdges + 1),
  ])
  const byId = new Map(rows.map(row => [row.id, row]))
  return {
    nodes: ids.flatMap(id => byId.get(id) ?? []),
    edges: among.slice(0, mostEdges),
    truncated: among.length > mostEdges,
  }
}

/** A node that is missing or ignored has no edges; who asks for it is told what it is by `nodes.get`. */
export async function active(db: Db, workspaceId: string, id: string, at: string | undefined): Promise<nodes.NodeRow> {
  const node = await found(nodes.find(db, workspaceId, id, at), 'node')
  if (node.status !== 'active') throw notFound('node')
  return node
}

export type Path = Graph & { found: boolean; hops: number | null }

/** Level by level from the start; then back from the end, one edge for each level. */
export async function pathBetween(
  db: Db,
  workspaceId: string,
  from: string,
  to: string,
  way: store.Way,
): Promise<Path> {
  await active(db, workspaceId, from, way.at)
  await active(db, workspaceId, to, way.at)
  const { levels, truncated } = await store.walk(db, from, way, { ...furthest, until: to })
  const depth = levels.findIndex(level => level.includes(to))
  if (depth === -1) return { nodes: [], edges: [], truncated, found: false, hops: null }
  const ids = [to]
  const edgeIds: string[] = []
  for (let level = depth - 1; level >= 0; level--) {
    const step = await store.stepTo(db, levels[level] ?? [], ids[0] ?? to, way)
    // Ended between the two statements.
    if (!step) return { nodes: [], edges: [], truncated: true, found: false, hops: null }
    ids.unshift(step.from)
    edgeIds.unshift(step.edgeId)
  }
  const graph = await graphOf(db, workspaceId, ids, way)
  const walkedEdges = edgeIds.flatMap(id => graph.edges.find(edge => edge.id === id) ?? [])
  return { nodes: graph.nodes, edges: walkedEdges, truncated: false, found: true, hops: depth }
}
