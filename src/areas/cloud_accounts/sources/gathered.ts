// Gathers what a source tells, each thing once, and says what was left out because there is too much of it.
import type { Found, FoundEdge, FoundNode, NodeKey, Relation, Unseen } from '../found/contract.ts'

export const mostNodes = 5_000
export const mostEdges = 20_000
const mostUnseen = 100

export type Gathered = {
  node: (node: FoundNode) => void
  edge: (from: NodeKey, to: NodeKey, relation: Relation, confidence?: number) => void
  has: (key: NodeKey) => boolean
  unseen: (what: Unseen) => void
  /** True when another edge would be left out: then nobody needs to look for more. */
  isFull: () => boolean
  found: (externalId: string | null) => Found
}

/** `whole` names what is read, as in "The state": what is left out is said with it. */
export function gather(whole: string): Gathered {
  const nodes = new Map<string, FoundNode>()
  const edges = new Map<string, FoundEdge>()
  const unseen: Unseen[] = []
  const leftOut = { nodes: false, edges: false }
  return {
    node: node => {
      const key = keyText(node)
      if (nodes.has(key)) return
      if (nodes.size < mostNodes) nodes.set(key, node)
      else leftOut.nodes = true
    },
    edge: (from, to, relation, confidence = 1) => {
      const [fromText, toText] = [keyText(from), keyText(to)]
      const key = `${relation}\n${fromText}\n${toText}`
      if (fromText === toText || edges.has(key)) return
      if (edges.size < mostEdges) edges.set(key, { from: keyOf(from), to: keyOf(to), relation, confidence })
      else leftOut.edges = true
    },
    has: key => nodes.has(keyText(key)),
    unseen: what => {
      if (unseen.length < mostUnseen) unseen.push(what)
    },
    isFull: () => leftOut.edges,
    found: externalId => {
      const too = (limit: string): Unseen => ({
        region: null,
        types: null,
        code: 'too_large',
        text: `${whole} ${limit}`,
      })
      if (leftOut.nodes) unseen.push(too(`holds more than ${mostNodes} things; the rest is left out. Split it.`))
      if (leftOut.edges) unseen.push(too(`holds more than ${mostEdges} connections; the rest is left out. Split it.`))
      return { externalId, nodes: [...nodes.values()], edges: [...edges.values()], unseen }
    },
  }
}

export function keyOf({ type, externalId, region }: NodeKey): NodeKey {
  return { type, externalId, region }
}

/** No part has a line end in it: `textOf` refuses them. */
export function keyText({ type, externalId, region }: NodeKey): string {
  return `${type}\n${region}\n${externalId}`
}
