// Keeps what is read of an account; ends of edges that other services tell of are found when everything is read.
import type { Category, Found, FoundNode, NodeKey, Relation } from '../../found/contract.ts'
import { gather, keyText, mostNodes } from '../gathered.ts'
import { known } from '../values.ts'
import { AwsFault } from './faults.ts'

/** A thing, or the name under which whoever reads it makes it known. */
export type End = NodeKey | string | null | undefined

type NewNode = {
  key: NodeKey
  name: string
  category: Category
  properties?: Record<string, unknown>
  tags?: Record<string, string>
}

export type Collected = {
  node: (node: NewNode) => void
  /** An end that is not known is none. */
  edge: (from: End, to: End, relation: Relation, confidence?: number) => void
  name: (name: string | null | undefined, key: NodeKey) => void
  /** Tags that are told apart from their things, by ARN. */
  tag: (arn: string, tags: Record<string, string>) => void
  found: (account: string) => Found
}

type Waiting = { from: NodeKey | string; to: NodeKey | string; relation: Relation; confidence: number }

/** An edge to what has no name in the end is no edge; more of them than this nobody keeps. */
const mostWaiting = 50_000

export function collecting(): Collected {
  const gathered = gather('The account')
  const nodes = new Map<string, FoundNode>()
  const names = new Map<string, NodeKey>()
  const waiting: Waiting[] = []
  const tagged = new Map<string, Record<string, string>>()
  return {
    node: ({ key, name, category, properties = {}, tags = {} }) => {
      const text = keyText(key)
      if (nodes.has(text)) return
      if (nodes.size >= mostNodes) throw new AwsFault('too_large', `there are more than ${mostNodes} things`)
      const node: FoundNode = {
        ...key,
        name: name.slice(0, 256).toWellFormed(),
        category,
        properties: known(properties),
        tags,
      }
      nodes.set(text, node)
      gathered.node(node)
    },
    edge: (from, to, relation, confidence = 1) => {
      if (!from || !to) return
      if (typeof from !== 'string' && typeof to !== 'string') gathered.edge(from, to, relation, confidence)
      else if (waiting.length < mostWaiting) waiting.push({ from, to, relation, confidence })
    },
    name: (name, key) => {
      if (name && !names.has(name)) names.set(name, key)
    },
    tag: (arn, tags) => void (tagged.size < mostNodes * 4 && tagged.set(arn, tags)),
    found: account => {
      const meant = (end: NodeKey | string) => (typeof end === 'string' ? names.get(end) : end)
      for (const { from, to, relation, confidence } of waiting) {
        const [one, other] = [meant(from), meant(to)]
        if (one && other) gathered.edge(one, other, relation, confidence)
      }
      for (const node of nodes.values()) {
        if (Object.keys(node.tags).length === 0) node.tags = tagged.get(node.externalId) ?? {}
      }
      return gathered.found(account)
    },
  }
}
