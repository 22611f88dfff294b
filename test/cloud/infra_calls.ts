// Good inputs for every operation of cloud_infra.
import { NodeId } from '../../src/areas/cloud_infra/fields/contract.ts'
import * as nodes from '../../src/areas/cloud_infra/nodes/store.ts'
import { newId } from '../../src/kit/random.ts'
import type { CallRow, World } from '../calls.ts'
import type { TestCaller } from '../helpers/platform.ts'
import { accountIn } from './account_calls.ts'

let count = 0

/** Of the caller, by the area's own statement: whoever only reads has one, too. */
export async function nodeIn(
  { p, workspaceId }: World,
  caller: TestCaller,
): Promise<{ workspaceId: string; id: string }> {
  const id = newId(NodeId)
  const name = `Node ${count++}`
  const key = { provider: 'manual', accountId: null, region: '', type: 'service', externalId: id }
  const facts = { name, category: 'compute', properties: {}, tags: {}, tier: 'normal', tierSource: 'auto' } as const
  await p.database.transaction(tx =>
    nodes.insert(tx, { id, workspaceId, ownerId: caller.userId, teamId: null, digest: '', ...key, ...facts }, p.now()),
  )
  return { workspaceId, id }
}

async function edgeIn(world: World, caller: TestCaller) {
  const [one, other] = [await nodeIn(world, caller), await nodeIn(world, caller)]
  const { p, workspaceId, owner } = world
  const ends = { workspaceId, fromId: one.id, toId: other.id, relation: 'depends_on' }
  const maker = caller.userId === world.viewer.userId ? owner : caller
  const { result } = await p.call('cloud_infra.edges.post', ends, maker)
  return { workspaceId, id: result.id }
}

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })

async function twoNodes(world: World, caller: TestCaller) {
  const [one, other] = [await nodeIn(world, caller), await nodeIn(world, caller)]
  return { workspaceId: world.workspaceId, from: one.id, to: other.id }
}

export const calls = {
  'cloud_infra.nodes.list': { input: inWorkspace },
  'cloud_infra.nodes.search': { input: w => ({ ...inWorkspace(w), q: 'node' }) },
  'cloud_infra.nodes.get': { input: nodeIn },
  'cloud_infra.nodes.post': {
    input: w => ({ ...inWorkspace(w), name: `Node ${count++}`, type: 'service', category: 'compute' }),
  },
  'cloud_infra.nodes.patch': { input: async (w, caller) => ({ ...(await nodeIn(w, caller)), tier: 'high' }) },
  'cloud_infra.nodes.del': { input: nodeIn },
  'cloud_infra.nodes.neighbours': { input: nodeIn },
  'cloud_infra.nodes.impact': { input: nodeIn },
  'cloud_infra.telemetry': { input: nodeIn },
  'cloud_infra.traverse': {
    input: async (w, caller) => ({ workspaceId: w.workspaceId, from: (await nodeIn(w, caller)).id }),
  },
  'cloud_infra.path': { input: twoNodes },
  'cloud_infra.edges.list': { input: inWorkspace },
  'cloud_infra.edges.post': {
    input: async (w, caller) => {
      const { workspaceId, from, to } = await twoNodes(w, caller)
      return { workspaceId, fromId: from, toId: to, relation: 'depends_on' }
    },
  },
  'cloud_infra.edges.del': { input: edgeIn },
  'cloud_infra.changes.list': { input: inWorkspace },
  'cloud_infra.snapshots.post': {
    input: async w => {
      const { workspaceId, id: accountId } = await accountIn(w, w.owner)
      return { workspaceId, accountId, nodes: [{ type: 'service', externalId: 'checkout' }] }
    },
  },
  'cloud_infra.tiers.get': { input: inWorkspace },
  'cloud_infra.tiers.put': {
    input: w => ({ ...inWorkspace(w), rules: [{ when: 'node.category == "database"', tier: 'critical' }] }),
  },
} satisfies Record<string, CallRow>
