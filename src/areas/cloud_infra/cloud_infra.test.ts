import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { platform, type TestCaller, type TestPlatform } from '../../../test/helpers/platform.ts'

let p: TestPlatform
let owner: TestCaller
let workspaceId: string
beforeAll(async () => {
  p = await platform()
  owner = await p.user()
  workspaceId = owner.workspaceId
})
afterAll(() => p.close())

type Fields = Record<string, unknown>

let count = 0

async function addNode(fields: Fields = {}, by = owner) {
  const given = { workspaceId: by.workspaceId, name: `Thing ${count++}`, type: 'service', ...fields }
  const answer = await p.call('cloud_infra.nodes.post', given, by)
  expect(answer.error).toBeNull()
  return answer.result
}

async function addEdge(fromId: string, toId: string, relation = 'depends_on') {
  const { result, error } = await p.call('cloud_infra.edges.post', { workspaceId, fromId, toId, relation }, owner)
  expect(error).toBeNull()
  return result
}

async function pushAccount() {
  const fields = { workspaceId, name: `Account ${count++}`, provider: 'push' }
  const { result, error } = await p.call('cloud_accounts.post', fields, owner)
  expect(error).toBeNull()
  return result.id as string
}

/** Sent, and written. */
async function push(accountId: string, nodes: Fields[], edges: Fields[] = [], complete = true) {
  const answer = await p.call('cloud_infra.snapshots.post', { workspaceId, accountId, nodes, edges, complete }, owner)
  expect(answer.status).toBe(202)
  for (let tries = 0; tries < 400; tries++) {
    const { result } = await p.call('cloud_accounts.syncs.list', { workspaceId, id: accountId }, owner)
    const sync = result.items.find(({ id }: { id: string }) => id === answer.result.id)
    if (!['waiting', 'running'].includes(sync.status)) return sync
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the snapshot was not written')
}

const nodesOf = async (accountId: string, fields: Fields = {}) =>
  (await p.call('cloud_infra.nodes.list', { workspaceId, accountId, ...fields }, owner)).result.items

const thing = (externalId: string, fields: Fields = {}) => ({ type: 'service', externalId, ...fields })
const end = (externalId: string) => ({ type: 'service', externalId })

describe('cloud_infra.snapshots.post', () => {
  it('adds nodes and edges, and tells what it did', async () => {
    const accountId = await pushAccount()
    const sync = await push(
      accountId,
      [
        thing('web', { name: 'Web', category: 'compute', tags: { env: 'prod' } }),
        thing('db', { category: 'database' }),
      ],
      [{ from: end('web'), to: end('db'), relation: 'reads', confidence: 0.8 }],
    )
    expect(sync).toMatchObject({ status: 'succeeded', nodesAdded: 2, edgesAdded: 1, nodesChanged: 0, nodesRemoved: 0 })
    const nodes = await nodesOf(accountId, { orderBy: 'name', order: 'asc' })
    expect(nodes).toMatchObject(
      [
        { name: 'Web', category: 'compute', provider: 'push', source: 'push', status: 'active', tags: { env: 'prod' } },
        { name: 'db', category: 'database', region: '', accountId },
      ].sort((one, other) => (String(one.name) < String(other.name) ? -1 : 1)),
    )
  })

  it('leaves alone what is as it was, writes what has changed, and finds missing what is gone', async () => {
    const accountId = await pushAccount()
    await push(
      accountId,
      [thing('a', { properties: { size: 1 } }), thing('b'), thing('c')],
      [{ from: end('a'), to: end('c'), relation: 'reads' }],
    )
    const before = await nodesOf(accountId, { orderBy: 'name', order: 'asc' })
    const again = await push(accountId, [thing('a', { properties: { size: 2 } }), thing('b')])
    expect(again).toMatchObject({ nodesAdded: 0, nodesChanged: 1, nodesRemoved: 1, edgesRemoved: 0 })
    const [a, b] = await nodesOf(accountId, { orderBy: 'name', order: 'asc' })
    expect(a.updated > before[0].updated).toBe(true)
    expect(b.updated).toBe(before[1].updated)
    expect(b.lastSeen > before[1].lastSeen).toBe(true)
    const missing = await nodesOf(accountId, { status: 'missing' })
    expect(missing.map(({ name }: Fields) => name)).toEqual(['c'])
    const { result } = await p.call('cloud_infra.changes.list', { workspaceId, nodeId: a.id }, owner)
    expect(result.items[0]).toMatchObject({ kind: 'changed', diff: [{ path: 'properties.size', before: 1, after: 2 }] })
    const { result: edges } = await p.call('cloud_infra.edges.list', { workspaceId, accountId }, owner)
    expect(edges.count).toBe(0)
  })

  it('adds to what is known where it is not complete', async () => {
    const accountId = await pushAccount()
    await push(accountId, [thing('a')])
    await push(accountId, [thing('b')], [{ from: end('b'), to: end('a'), relation: 'invokes' }], false)
    expect(await nodesOf(accountId)).toHaveLength(2)
  })

  it('takes secrets out of what it is told', async () => {
    const accountId = await pushAccount()
    const token = `ghp_${'a'.repeat(36)}`
    const properties = { dbPassword: 'hunter2', hasPassword: true, note: `uses ${token}`, owner: 'ada@example.com' }
    await push(accountId, [thing('a', { properties, tags: { api_key: 'abc' } })])
    const text = JSON.stringify(await nodesOf(accountId))
    for (const secret of ['hunter2', token, 'ada@example.com', '"abc"']) expect(text).not.toContain(secret)
    expect(text).toContain('"hasPassword":true')
  })

  it('refuses edges to nowhere and to themselves, nodes told twice, and large properties', async () => {
    const accountId = await pushAccount()
    const send = (nodes: Fields[], edges: Fields[] = []) =>
      p.call('cloud_infra.snapshots.post', { workspaceId, accountId, nodes, edges }, owner)
    const edge = (from: unknown, to: unknown) => [{ from, to, relation: 'reads' }]
    const answers = [
      await send([thing('a')], edge(end('a'), end('x'))),
      await send([thing('a')], edge(end('a'), end('a'))),
      await send([thing('a'), thing('a')]),
      await send([thing('a')], edge(end('a'), 'node_0123456789abcdefghijklmn')),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(answers.map(({ error }) => error?.metadata?.issues[0].path)).toEqual([
      ...['edges.0.to', 'edges.0.to', 'nodes.1', 'edges.0.to'],
    ])
    const large = await send([thing('a', { properties: { text: 'x'.repeat(70_000) } })])
    expect(large.status).toBe(413)
  })

  it('refuses a complete one of an account that is read, and every one of an unknown account', async () => {
    const read = { workspaceId, name: 'Read', provider: 'terraform_state' }
    const { id } = (await p.call('cloud_accounts.post', read, owner)).result
    const send = (accountId: string, complete: boolean) =>
      p.call('cloud_infra.snapshots.post', { workspaceId, accountId, nodes: [], complete }, owner)
    expect((await send(id, true)).status).toBe(403)
    expect((await send(id, false)).status).toBe(409)
    const other = await p.user()
    const theirs = { workspaceId: other.workspaceId, name: 'Theirs', provider: 'push' }
    const foreign = (await p.call('cloud_accounts.post', theirs, other)).result.id
    const answers = [await send(foreign, true), await send('cloud_account_0123456789abcdefghijklmn', true)]
    expect(answers.map(({ status }) => status)).toEqual([404, 404])
  })
})

describe('cloud_infra.nodes.list', () => {
  it('filters by tags and status, and shows how it was', async () => {
    const accountId = await pushAccount()
    await push(accountId, [thing('a', { tags: { env: 'prod' } }), thing('b', { tags: { env: 'test' } })])
    const then = new Date(p.now().getTime()).toISOString()
    await new Promise(resolve => setTimeout(resolve, 20))
    await push(accountId, [thing('a', { tags: { env: 'test' } })])
    const names = async (fields: Fields) => (await nodesOf(accountId, fields)).map(({ name }: Fields) => name).sort()
    expect(await names({ tag: 'env=prod' })).toEqual([])
    expect(await names({ tag: 'env' })).toEqual(['a'])
    expect(await names({ tag: 'env=prod', at: then })).toEqual(['a'])
    expect(await names({ at: then })).toEqual(['a', 'b'])
    expect(await names({ at: '2020-01-01T00:00:00.000Z' })).toEqual([])
  })
})

describe('cloud_infra.nodes.search', () => {
  it('finds parts of names, types, external ids and tags', async () => {
    const node = await addNode({
      name: 'Ledger writer',
      type: 'queue.worker',
      externalId: 'q-77',
      tags: { squad: 'mint' },
    })
    for (const q of ['LEDGER', 'queue.w', 'q-77', 'mint']) {
      const { result } = await p.call('cloud_infra.nodes.search', { workspaceId, q }, owner)
      expect(result.items.map(({ id }: Fields) => id)).toContain(node.id)
    }
  })
})

describe('cloud_infra.nodes.post', () => {
  it('refuses the same key twice, a team of others, and an account of others', async () => {
    await addNode({ externalId: 'once' })
    const post = (fields: Fields) =>
      p.call('cloud_infra.nodes.post', { workspaceId, name: 'Twice', type: 'service', ...fields }, owner)
    expect((await post({ externalId: 'once' })).status).toBe(409)
    expect((await post({ teamId: 'team_0123456789abcdefghijklmn' })).status).toBe(400)
    expect((await post({ accountId: 'cloud_account_0123456789abcdefghijklmn' })).status).toBe(400)
  })
})

describe('cloud_infra.nodes.patch', () => {
  it('changes what was added by hand, and only tier, team, labels and status of what a source tells', async () => {
    const node = await addNode()
    const { result } = await p.call(
      'cloud_infra.nodes.patch',
      { workspaceId, id: node.id, name: 'Renamed', tier: 'critical' },
      owner,
    )
    expect(result).toMatchObject({ name: 'Renamed', tier: 'critical', tierSource: 'manual' })
    const accountId = await pushAccount()
    await push(accountId, [thing('told')])
    const [told] = await nodesOf(accountId)
    const patch = (fields: Fields) => p.call('cloud_infra.nodes.patch', { workspaceId, id: told.id, ...fields }, owner)
    expect((await patch({ name: 'Mine' })).status).toBe(409)
    expect((await patch({ tier: 'high' })).result).toMatchObject({ tier: 'high', tierSource: 'manual' })
    await push(accountId, [thing('told', { properties: { x: 1 } })])
    expect((await nodesOf(accountId))[0]).toMatchObject({ tier: 'high', properties: { x: 1 } })
    expect((await patch({ tier: null })).result).toMatchObject({ tier: 'normal', tierSource: 'auto' })
  })
})

describe('cloud_infra.nodes.del', () => {
  it('removes what was added by hand, and keeps away what a source tells of', async () => {
    const node = await addNode()
    await p.call('cloud_infra.nodes.del', { workspaceId, id: node.id }, owner)
    expect((await p.call('cloud_infra.nodes.get', { workspaceId, id: node.id }, owner)).status).toBe(404)
    const accountId = await pushAccount()
    await push(accountId, [thing('unwanted')])
    const [told] = await nodesOf(accountId)
    await p.call('cloud_infra.nodes.del', { workspaceId, id: told.id }, owner)
    await push(accountId, [thing('unwanted', { properties: { new: true } })])
    expect(await nodesOf(accountId)).toEqual([])
    expect(await nodesOf(accountId, { status: 'ignored' })).toHaveLength(1)
    await p.call('cloud_infra.nodes.patch', { workspaceId, id: told.id, status: 'active' }, owner)
    await push(accountId, [thing('unwanted', { properties: { new: true } })])
    expect((await nodesOf(accountId))[0]).toMatchObject({ id: told.id, properties: { new: true } })
  })
})

describe('cloud_infra.edges.post', () => {
  it('refuses itself, what is unknown, and what is there already', async () => {
    const [one, other] = [await addNode(), await addNode()]
    const post = (fromId: string, toId: string) =>
      p.call('cloud_infra.edges.post', { workspaceId, fromId, toId, relation: 'reads' }, owner)
    expect((await post(one.id, one.id)).status).toBe(400)
    expect((await post(one.id, 'node_0123456789abcdefghijklmn')).status).toBe(400)
    expect((await post(one.id, other.id)).status).toBe(201)
    expect((await post(one.id, other.id)).status).toBe(409)
  })
})

describe('cloud_infra.edges.del', () => {
  it('ends an edge of a person, and refuses one of a source', async () => {
    const [one, other] = [await addNode(), await addNode()]
    const edge = await addEdge(one.id, other.id)
    expect((await p.call('cloud_infra.edges.del', { workspaceId, id: edge.id }, owner)).status).toBe(200)
    expect((await p.call('cloud_infra.edges.del', { workspaceId, id: edge.id }, owner)).status).toBe(404)
    const accountId = await pushAccount()
    await push(accountId, [thing('a'), thing('b')], [{ from: end('a'), to: end('b'), relation: 'reads' }])
    const { result } = await p.call('cloud_infra.edges.list', { workspaceId, accountId }, owner)
    const told = { workspaceId, id: result.items[0].id }
    expect((await p.call('cloud_infra.edges.del', told, owner)).status).toBe(409)
  })
})

describe('the graph', () => {
  it('is walked by direction, relation and depth, and says where it was cut', async () => {
    const nodes = []
    for (let index = 0; index < 5; index++) nodes.push(await addNode({ name: `chain ${index}` }))
    for (let index = 0; index < 4; index++) await addEdge(nodes[index].id, nodes[index + 1].id)
    await addEdge(nodes[4].id, nodes[0].id, 'reads')
    const ids = (all: { id: string }[]) => all.map(({ id }) => id)
    const walk = async (fields: Fields) =>
      (await p.call('cloud_infra.traverse', { workspaceId, ...fields }, owner)).result
    const all = await walk({ from: nodes[0].id, depth: 6 })
    expect(ids(all.nodes)).toEqual(ids(nodes))
    expect(all).toMatchObject({ truncated: false, depths: { [nodes[4].id]: 4 } })
    expect(all.edges).toHaveLength(5)
    expect(ids((await walk({ from: nodes[0].id, depth: 2 })).nodes)).toEqual(ids(nodes.slice(0, 3)))
    expect(await walk({ from: nodes[0].id, limit: 2, depth: 6 })).toMatchObject({ truncated: true })
    expect(ids((await walk({ from: nodes[0].id, direction: 'in', depth: 1 })).nodes)).toEqual([
      nodes[0].id,
      nodes[4].id,
    ])
    expect(ids((await walk({ from: nodes[0].id, relation: 'reads', depth: 6 })).nodes)).toEqual([nodes[0].id])
    const near = await p.call(
      'cloud_infra.nodes.neighbours',
      { workspaceId, id: nodes[0].id, direction: 'both' },
      owner,
    )
    expect(ids(near.result.nodes).sort()).toEqual([nodes[1].id, nodes[4].id].sort())
    expect((await p.call('cloud_infra.traverse', { workspaceId }, owner)).status).toBe(400)
  })

  it('has a shortest way, or none', async () => {
    const [a, b, c, d] = [await addNode(), await addNode(), await addNode(), await addNode()]
    await addEdge(a.id, b.id)
    await addEdge(b.id, c.id)
    await addEdge(a.id, c.id, 'reads')
    const way = async (from: string, to: string, fields: Fields = {}) =>
      (await p.call('cloud_infra.path', { workspaceId, from, to, ...fields }, owner)).result
    expect(await way(a.id, c.id)).toMatchObject({ found: true, hops: 1, nodes: [{ id: a.id }, { id: c.id }] })
    const longer = await way(a.id, c.id, { relation: 'depends_on' })
    expect(longer).toMatchObject({ hops: 2, nodes: [{ id: a.id }, { id: b.id }, { id: c.id }] })
    expect(longer.edges).toMatchObject([
      { fromId: a.id, toId: b.id },
      { fromId: b.id, toId: c.id },
    ])
    expect(await way(c.id, a.id)).toMatchObject({ found: false, hops: null, nodes: [] })
    expect(await way(c.id, a.id, { direction: 'in' })).toMatchObject({ found: true, hops: 1 })
    expect(await way(a.id, d.id, { direction: 'both' })).toMatchObject({ found: false, truncated: false })
    expect(await way(a.id, a.id)).toMatchObject({ found: true, hops: 0 })
  })

  it('is walked as it was', async () => {
    const accountId = await pushAccount()
    await push(accountId, [thing('a'), thing('b')], [{ from: end('a'), to: end('b'), relation: 'reads' }])
    const [a] = await nodesOf(accountId, { name: 'a' })
    const then = new Date(p.now().getTime()).toISOString()
    await new Promise(resolve => setTimeout(resolve, 20))
    await push(accountId, [thing('a')])
    const walk = async (at?: string) =>
      (await p.call('cloud_infra.traverse', { workspaceId, from: a.id, ...(at && { at }) }, owner)).result.nodes.length
    expect([await walk(), await walk(then)]).toEqual([1, 2])
  })
})

describe('cloud_infra.nodes.impact', () => {
  it('names dependents with tiers, owners and open issues', async () => {
    const { result: team } = await p.call('teams.post', { workspaceId, name: 'Payments' }, owner)
    const db = await addNode({ name: 'orders-db', category: 'database' })
    const api = await addNode({ name: 'orders-api', tier: 'critical', teamId: team.id })
    const web = await addNode({ name: 'shop' })
    const table = await addNode({ name: 'orders-table' })
    await addEdge(api.id, db.id, 'reads')
    await addEdge(web.id, api.id, 'invokes')
    await addEdge(db.id, table.id, 'contains')
    await p.call('issues.post', { workspaceId, title: 'Slow orders', resources: ['orders-api'] }, owner)
    const { result } = await p.call('cloud_infra.nodes.impact', { workspaceId, id: db.id }, owner)
    const depths = result.dependents.map(({ node, depth }: { node: { name: string }; depth: number }) => [
      node.name,
      depth,
    ])
    expect(Object.fromEntries(depths)).toEqual({ 'orders-api': 1, 'orders-table': 1, shop: 2 })
    expect(result.tiers).toEqual([
      { tier: 'critical', count: 1 },
      { tier: 'normal', count: 2 },
    ])
    expect(result.owners).toEqual([{ teamId: team.id, codeowner: null, repositoryId: null, nodeIds: [api.id] }])
    expect(result.issues).toMatchObject([{ title: 'Slow orders', nodeIds: [api.id] }])
    const key = await p.key(owner, { scopes: ['cloud_infra:read'] })
    const less = await p.call('cloud_infra.nodes.impact', { workspaceId, id: db.id }, key)
    expect(less.result).toMatchObject({ issues: [], health: [] })
  })
})

describe('cloud_infra.telemetry', () => {
  it('shows how the service of a node fares', async () => {
    const dataset = { workspaceId, slug: 'spans-of-nodes', kind: 'traces' }
    const { id } = (await p.call('datasets.post', dataset, owner)).result
    const at = new Date(p.now().getTime() - 60_000).toISOString()
    const rows = ['ok', 'ok', 'ok', 'error'].map((status, index) => ({
      ...{ at, traceId: '5b8efff798038103d269b633813fc60c', spanId: `eee19b7ec3c1b17${index}`, name: 'GET /' },
      ...{ service: 'basket', durationMs: 10, status },
    }))
    const content = { kind: 'json', bytes: new TextEncoder().encode(JSON.stringify(rows)) }
    await p.call('datasets.rows.post', { workspaceId, id, content }, owner)
    const node = await addNode({ name: 'basket', category: 'compute' })
    const { result } = await p.call('cloud_infra.telemetry', { workspaceId, id: node.id }, owner)
    expect(result).toMatchObject({ service: 'basket', requests: 4, errors: 1, errorRate: 0.25, datasets: [id] })
    expect(result.lastErrors).toMatchObject([{ name: 'GET /', datasetId: id }])
  })
})

describe('cloud_infra.tiers.put', () => {
  it('gives nodes their tier at once and with every snapshot, but not those set by hand', async () => {
    const accountId = await pushAccount()
    await push(accountId, [thing('gold', { tags: { class: 'gold' } }), thing('plain')])
    const [plain] = await nodesOf(accountId, { name: 'plain' })
    await p.call('cloud_infra.nodes.patch', { workspaceId, id: plain.id, tier: 'low' }, owner)
    const put = (rules: Fields[]) => p.call('cloud_infra.tiers.put', { workspaceId, rules }, owner)
    const { status, error } = await put([{ when: 'node.nope == 1', tier: 'high' }])
    expect([status, error.metadata.issues[0].path]).toEqual([400, 'rules.0.when'])
    expect((await put([{ when: 'node.tags["class"] == "gold"', tier: 'critical' }])).status).toBe(200)
    await expect.poll(async () => (await nodesOf(accountId, { name: 'gold' }))[0].tier).toBe('critical')
    await push(accountId, [thing('gold2', { tags: { class: 'gold' } })], [], false)
    expect((await nodesOf(accountId, { name: 'gold2' }))[0].tier).toBe('critical')
    expect((await nodesOf(accountId, { name: 'plain' }))[0].tier).toBe('low')
    await put([])
  })
})
