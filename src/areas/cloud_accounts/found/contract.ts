// What a source of infrastructure tells: things, how they hang together, and what could not be seen.

export const categories = [
  'compute',
  'storage',
  'database',
  'network',
  'messaging',
  'security',
  'observability',
  'code',
  'identity',
  'config',
  'external',
  'other',
] as const

export type Category = (typeof categories)[number]

export const relations = ['contains', 'connects_to', 'invokes', 'deploys_to', 'reads', 'writes', 'depends_on'] as const

export type Relation = (typeof relations)[number]

/** Within one account these three name one thing. The region of what has none is ''. */
export type NodeKey = { type: string; externalId: string; region: string }

export type FoundNode = NodeKey & {
  name: string
  category: Category
  properties: Record<string, unknown>
  tags: Record<string, string>
}

/** An end may be something that nobody has told of: then the edge is left out. */
export type FoundEdge = { from: NodeKey; to: NodeKey; relation: Relation; confidence: number }

/** What could not be seen, so that nothing is concluded from its absence. Null means all regions, or all types. */
export type Unseen = {
  region: string | null
  types: readonly string[] | null
  code: 'auth' | 'forbidden' | 'unreachable' | 'throttled' | 'timeout' | 'too_large' | 'malformed' | 'failed'
  /** What went wrong and what to do about it; never with a secret in it. */
  text: string
}

/** `externalId` is what the source calls the account itself: account number, uid of a cluster, lineage of a state. */
export type Found = { externalId: string | null; nodes: FoundNode[]; edges: FoundEdge[]; unseen: Unseen[] }
