// Answers of the service put together as one graph, as far as it can be drawn.
import type { InfraEdge, InfraNode } from '../node.ts'

/** More than so many cannot be told apart; the list shows all. */
const mostDrawn = 300

export type Graph = {
  nodes: readonly InfraNode[]
  edges: readonly InfraEdge[]
  /** The service has more than it told. */
  isTruncated: boolean
  /** Nodes that were told and are not drawn. */
  left: number
}

type Told = { nodes: readonly InfraNode[]; edges: readonly InfraEdge[]; truncated: boolean }

/** In the order in which they were opened, so that what is cut off is what came last. */
export function together(parts: readonly Told[], most = mostDrawn): Graph {
  const nodes = new Map<string, InfraNode>()
  const edges = new Map<string, InfraEdge>()
  for (const part of parts) {
    for (const node of part.nodes) nodes.set(node.id, node)
    for (const edge of part.edges) edges.set(edge.id, edge)
  }
  const drawn = [...nodes.values()].slice(0, most)
  const ids = new Set(drawn.map(({ id }) => id))
  return {
    nodes: drawn,
    edges: [...edges.values()].filter(({ fromId, toId }) => ids.has(fromId) && ids.has(toId)),
    isTruncated: parts.some(({ truncated }) => truncated),
    left: nodes.size - drawn.length,
  }
}
