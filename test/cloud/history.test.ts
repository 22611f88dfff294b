// Random snapshots of an account, one after the other: at every past moment the graph is what was told then.
// SEQUENCES says how many sequences are tried, SEED which.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SyncId } from '../../src/areas/cloud_accounts/fields/contract.ts'
import type { Found, FoundEdge, FoundNode, NodeKey } from '../../src/areas/cloud_accounts/found/contract.ts'
import { applyFound } from '../../src/areas/cloud_infra/applying/applying.ts'
import type { Applying } from '../../src/areas/cloud_infra/applying/telling.ts'
import { newId } from '../../src/kit/random.ts'
import { type World, world } from '../calls.ts'
import { platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'
import { accountIn } from './account_calls.ts'

const sequences = Number(process.env.SEQUENCES ?? 30)
const seed = Number(process.env.SEED ?? 20261125)

let p: TestPlatform
let owner: TestCaller
let here: World
beforeAll(async () => {
  p = await platform()
  here = await world(p)
  owner = here.owner
})
afterAll(() => p.close())

/** Mulberry32. */
function randomFrom(start: number) {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const categories = ['compute', 'database', 'network'] as const
const relations = ['depends_on', 'contains', 'reads'] as const

function snapshot(random: () => number): Found {
  const below = (most: number) => Math.floor(random() * most)
  const nodes: FoundNode[] = []
  for (let index = 0; index < 8; index++) {
    if (random() < 0.35) continue
    const category = categories[below(categories.length)] ?? 'other'
    const properties = random() < 0.5 ? { size: below(3) } : { size: below(3), zone: `z${below(2)}` }
    const tags: Record<string, string> = random() < 0.5 ? {} : { env: ['a', 'b'][below(2)] ?? 'a' }
    const region = index % 2 === 0 ? '' : 'eu'
    nodes.push({ type: 'thing', externalId: `x${index}`, region, name: `n${below(2)}`, category, properties, tags })
  }
  const edges: FoundEdge[] = []
  for (let tries = 0; tries < 10 && nodes.length > 1; tries++) {
    const [from, to] = [nodes[below(nodes.length)], nodes[below(nodes.length)]]
    if (!from || !to || from === to) continue
    const relation = relations[below(relations.length)] ?? 'reads'
    edges.push({ from: keyIn(from), to: keyIn(to), relation, confidence: [0.5, 1][below(2)] ?? 1 })
  }
  return { externalId: null, nodes, edges, unseen: [] }
}

const keyIn = ({ type, externalId, region }: NodeKey): NodeKey => ({ type, externalId, region })
const textOf = ({ type, externalId, region }: NodeKey) => `${type} ${region} ${externalId}`

/** As plain text lines, in order: nodes with what they hold, edges by the keys of their ends; the last telling counts. */
function told({ nodes, edges }: Found): string[] {
  const things = nodes.map(node => JSON.stringify([textOf(node), node.name, node.category, node.properties, node.tags]))
  const lines = new Map(
    edges.map(edge => [`${textOf(edge.from)} ${edge.relation} ${textOf(edge.to)}`, edge.confidence]),
  )
  return [...things, ...[...lines].map(([line, confidence]) => `${line} ${confidence}`)].sort()
}

type Shown = { id: string; name: string; category: string; properties: object; tags: object } & NodeKey

async function graphAt(accountId: string, at?: string): Promise<string[]> {
  const asked = { workspaceId: owner.workspaceId, accountId, perPage: 100, ...(at && { at }) }
  const { result: nodes } = await p.call('cloud_infra.nodes.list', asked, owner)
  const { result: edges } = await p.call('cloud_infra.edges.list', asked, owner)
  const keys = new Map((nodes.items as Shown[]).map(node => [node.id, textOf(node)]))
  const things = (nodes.items as Shown[]).map(node =>
    JSON.stringify([textOf(node), node.name, node.category, sorted(node.properties), node.tags]),
  )
  const lines = (edges.items as { fromId: string; toId: string; relation: string; confidence: number }[]).map(
    edge => `${keys.get(edge.fromId)} ${edge.relation} ${keys.get(edge.toId)} ${edge.confidence}`,
  )
  return [...things, ...lines].sort()
}

const sorted = (value: object) =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))

it(`is what was told then, over ${sequences} sequences of snapshots`, {
  timeout: 60_000 + sequences * 2_000,
}, async () => {
  const record = async () => {}
  const ctx: Applying = {
    db: p.database,
    transaction: work => p.database.transaction(work),
    record,
    signal: new AbortController().signal,
  }
  for (let sequence = 0; sequence < sequences; sequence++) {
    const random = randomFrom(seed + sequence)
    const account = {
      id: (await accountIn(here, owner)).id,
      workspaceId: owner.workspaceId,
      ownerId: owner.userId,
      provider: 'push',
    }
    const began = p.now().getTime() - 3_600_000
    const past: { at: string; lines: string[] }[] = []
    const known = new Map<string, FoundNode>()
    for (let step = 0; step < 5; step++) {
      const at = new Date(began + step * 60_000)
      const found = snapshot(random)
      const complete = step === 0 || random() < 0.7
      await applyFound(ctx, account, { syncId: newId(SyncId), at, complete, source: 'push' }, found)
      if (complete) known.clear()
      for (const node of found.nodes) known.set(textOf(node), node)
      // What is not complete adds to what is known, edges too; those are compared where all was told.
      if (complete) past.push({ at: new Date(at.getTime() + 30_000).toISOString(), lines: told(found) })
    }
    for (const { at, lines } of past) {
      expect({ sequence, at, lines: await graphAt(account.id, at) }).toEqual({ sequence, at, lines })
    }
  }
})
