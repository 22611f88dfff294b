// What a node, an edge and a change of the infrastructure are, and the words that their operations share.
import { Type } from 'typebox'
import { id, OwnerId, TeamId, WorkspaceId } from '../../../contract/ids.ts'
import { choice, nullable, object, record, shown, timestamp } from '../../../contract/records.ts'
import { CloudAccountId, SyncId } from '../../cloud_accounts/fields/contract.ts'
import { categories, relations } from '../../cloud_accounts/found/contract.ts'
import { LabelIds } from '../../labels/contract.ts'

export const NodeId = id('node', 24)
export const EdgeId = id('edge', 24)
export const ChangeId = id('chg', 24)

export const tiers = ['critical', 'high', 'normal', 'low'] as const
export const nodeSources = ['sync', 'manual', 'telemetry', 'push'] as const
export const directions = ['out', 'in', 'both'] as const

export const name = Type.String({ minLength: 1, maxLength: 256, examples: ['checkout'] })
export const type = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.:/-]*$',
  'x-hint': 'letters, digits and _ . : / -, such as aws.ec2.instance',
  examples: ['aws.ec2.instance'],
})
export const externalId = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'What its source calls it: an ARN, an address, a path.',
  examples: ['i-0abc123'],
})
export const region = Type.String({
  maxLength: 64,
  description: 'Empty where it is in none.',
  examples: ['eu-central-1'],
})
export const category = choice(categories)
export const tier = choice(tiers)
export const relation = choice(relations)
export const confidence = Type.Number({
  minimum: 0,
  maximum: 1,
  description: '1 where a source says so, less where it is concluded.',
})

/** How large they may be is measured in bytes by the handler: 413 names the node. */
export const properties = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 1000,
  propertyNames: { maxLength: 256 },
  description: 'Facts, at most 64 KiB as JSON. What looks like a secret or an address of a person is taken out.',
  examples: [{ size: 't3.small' }],
})
export const tags = Type.Record(Type.String(), Type.String({ maxLength: 1024 }), {
  maxProperties: 100,
  propertyNames: { maxLength: 256 },
  examples: [{ team: 'payments' }],
})

export const at = Type.Optional({
  ...timestamp,
  description: 'As it was then; now where nothing is said. The past is kept for 90 days.',
})

export const InfraNode = record(
  'InfraNode',
  {
    id: NodeId,
    workspaceId: WorkspaceId,
    ownerId: { ...OwnerId, description: 'Who added it, or whose account told of it.' },
    provider: Type.String({ maxLength: 64, examples: ['aws'] }),
    accountId: nullable(CloudAccountId),
    region,
    type,
    externalId,
    name,
    category,
    properties,
    tags,
    tier,
    tierSource: choice(['auto', 'manual'], { description: 'auto: by the rules of the workspace.' }),
    source: choice(nodeSources),
    status: choice(['active', 'missing', 'ignored'], {
      description: 'missing: its source no longer has it; ignored: somebody deleted it, so it stays away.',
    }),
    isStale: Type.Boolean({ description: 'The last sync could not see it: it is shown as it was before.' }),
    teamId: nullable(TeamId),
    firstSeen: timestamp,
    lastSeen: timestamp,
    labels: LabelIds,
    created: timestamp,
    updated: timestamp,
    _object: choice(['node']),
  },
  { columns: ['name', 'type', 'category', 'tier', 'region', 'status', 'lastSeen', 'labels'] },
)

export const InfraEdge = record(
  'InfraEdge',
  {
    id: EdgeId,
    workspaceId: WorkspaceId,
    fromId: NodeId,
    toId: NodeId,
    relation,
    source: choice(nodeSources),
    accountId: nullable(CloudAccountId),
    confidence,
    firstSeen: timestamp,
    lastSeen: timestamp,
    created: timestamp,
    _object: choice(['edge']),
  },
  { columns: ['fromId', 'relation', 'toId', 'source', 'confidence', 'firstSeen'] },
)

const value = Type.Unknown({ description: 'Null where there was none.' })

export const InfraChange = record(
  'InfraChange',
  {
    id: ChangeId,
    workspaceId: WorkspaceId,
    at: timestamp,
    nodeId: NodeId,
    nodeName: Type.String({ description: 'As it was called then.' }),
    nodeType: Type.String(),
    accountId: nullable(CloudAccountId),
    syncId: nullable(SyncId),
    kind: choice(['added', 'changed', 'removed']),
    diff: Type.Array(
      record('InfraDifference', {
        path: Type.String({ examples: ['properties.size'] }),
        before: value,
        after: value,
      }),
      { description: 'What differs; of edges, `edges.<relation>` with the id of the other end.' },
    ),
    _object: choice(['change']),
  },
  { columns: ['at', 'kind', 'nodeName', 'nodeType', 'diff'] },
)

/** Nodes and the edges among them. */
export const graphFields = {
  nodes: Type.Array(InfraNode),
  edges: Type.Array(InfraEdge, { description: 'All between these nodes, as far as they were walked.' }),
  truncated: Type.Boolean({ description: 'There is more than the limits let through.' }),
}

export const TierRule = record('TierRule', {
  when: shown(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'A CEL expression over `node`: name, type, category, provider, region, tags, properties.',
      examples: ['node.category == "database" && node.tags["env"] == "production"'],
    }),
    { format: 'cel' },
  ),
  tier,
})

export const TierRules = record('TierRules', {
  workspaceId: WorkspaceId,
  rules: Type.Array(TierRule, { maxItems: 50, description: 'The first that holds counts; none: normal.' }),
  updated: nullable(timestamp),
  _object: choice(['tier_rules']),
})

export const inWorkspace = { workspaceId: WorkspaceId }
export const node = { workspaceId: WorkspaceId, id: NodeId }
export const edge = { workspaceId: WorkspaceId, id: EdgeId }

/** Names a node in a snapshot: by its key within the account, or by its id. */
export const NodeName = Type.Unsafe<string | { type: string; externalId: string; region?: string }>({
  anyOf: [NodeId, object({ type, externalId, region: Type.Optional(region) })],
  description: 'The id of a node, or type and external id (and region) of one of the same account.',
})
