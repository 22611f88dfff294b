// Infrastructure: how long a snapshot of 5,000 nodes and 20,000 edges takes, the same one again, and walks over 100,000 nodes.
// Who asks, the service and its database share the machine.
import { type EngineName, onBothEngines } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, type Server } from './load/servers.ts'

const nodes = Number(process.env.BENCH_NODES ?? 5_000)
const edgesPerNode = 4
/** Together they have as many nodes as walks are measured over. */
const accounts = Number(process.env.BENCH_ACCOUNTS ?? 20)
const walks = 60
const bounds: Readonly<Record<EngineName, { first: number; second: number }>> = {
  embedded: { first: 10, second: 2 },
  PostgreSQL: { first: 10, second: 2 },
}
const mostWalkMs = 300
const mostPast = 3

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

async function ask<T>(url: string, headers: Record<string, string>, body?: object): Promise<T> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { result: T }).result
}

/** Each node points at a few others, some near, some anywhere. */
function snapshot(workspaceId: string, accountId: string, generation: number) {
  const key = (index: number) => ({ type: 'bench.service', externalId: `service-${index}` })
  const things = Array.from({ length: nodes }, (_, index) => ({
    ...key(index),
    name: `Service ${index}`,
    category: 'compute',
    properties: { size: index % 7, generation: index % 10 === 0 ? generation : 0, image: `registry/app:${index % 50}` },
    tags: { env: index % 3 === 0 ? 'production' : 'test', team: `team-${index % 20}` },
  }))
  const edges = things.flatMap((_, index) =>
    Array.from({ length: edgesPerNode }, (_, place) => ({
      from: key(index),
      to: key((index + 1 + place * 37 + ((index * 31) % 11)) % nodes),
      relation: place % 2 === 0 ? 'invokes' : 'reads',
    })),
  )
  return { workspaceId, accountId, nodes: things, edges, complete: true }
}

type Sync = { id: string; status: string; nodesAdded: number; nodesChanged: number; edgesAdded: number }

/** Seconds from sending it until it is written. */
async function push(server: Server, person: Person, accountId: string, generation: number) {
  const body = snapshot(person.workspaceId, accountId, generation)
  const began = performance.now()
  const { id } = await ask<Sync>(`${server.base}/v1/cloud_infra/snapshots`, person.session, body)
  for (;;) {
    const path = `${server.base}/v1/cloud_accounts/${person.workspaceId}/${accountId}/syncs?perPage=5`
    const { items } = await ask<{ items: Sync[] }>(path, person.session)
    const sync = items.find(one => one.id === id)
    if (sync?.status === 'failed') throw new Error('a snapshot failed')
    if (sync?.status === 'succeeded') return { seconds: (performance.now() - began) / 1_000, sync }
    await pause(10)
  }
}

async function account(server: Server, { workspaceId, session }: Person, name: string): Promise<string> {
  const fields = { workspaceId, name, provider: 'push' }
  return (await ask<{ id: string }>(`${server.base}/v1/cloud_accounts`, session, fields)).id
}

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0

/** Milliseconds of each walk of depth 3, now or then. */
async function walkAll(server: Server, { workspaceId, session }: Person, ids: readonly string[], at?: string) {
  const times: number[] = []
  for (const id of ids) {
    const query = new URLSearchParams({ from: id, depth: '3', limit: '500', ...(at && { at }) })
    const began = performance.now()
    await ask(`${server.base}/v1/cloud_infra/${workspaceId}/traverse?${query}`, session)
    times.push(performance.now() - began)
  }
  return times
}

await onBothEngines('infra', async (engine, env) => {
  const server = await atrium(env)
  try {
    const person = await atriumPerson(server.base, 20)
    const accountId = await account(server, person, 'Bench 0')
    const first = await push(server, person, accountId, 0)
    const second = await push(server, person, accountId, 0)
    if (second.sync.nodesChanged + second.sync.nodesAdded > 0) throw new Error('the same snapshot changed something')
    const then = new Date().toISOString()
    await pause(50)
    const changed = await push(server, person, accountId, 1)
    const size = `${nodes} nodes, ${nodes * edgesPerNode} edges`
    console.log(
      `${engine} | ${size} | first ${first.seconds.toFixed(2)} s | unchanged ${second.seconds.toFixed(2)} s | ` +
        `a tenth changed ${changed.seconds.toFixed(2)} s`,
    )
    for (let index = 1; index < accounts; index++) {
      await push(server, person, await account(server, person, `Bench ${index}`), 0)
    }
    const path = `${server.base}/v1/cloud_infra/${person.workspaceId}/nodes?perPage=${walks}&accountId=${accountId}`
    const { items } = await ask<{ items: { id: string }[] }>(path, person.session)
    const ids = items.map(({ id }) => id)
    await walkAll(server, person, ids.slice(0, 10))
    const now = await walkAll(server, person, ids)
    await walkAll(server, person, ids.slice(0, 10), then)
    const past = await walkAll(server, person, ids, then)
    const [p95, median, pastMedian] = [percentile(now, 0.95), percentile(now, 0.5), percentile(past, 0.5)]
    console.log(
      `${engine} | walks of depth 3 over ${nodes * accounts} nodes | median ${median.toFixed(1)} ms, 95 % within ` +
        `${p95.toFixed(1)} ms (${mostWalkMs}) | as of then ${(pastMedian / median).toFixed(2)} times as long (${mostPast})`,
    )
    const bound = bounds[engine]
    return (
      first.seconds < bound.first &&
      second.seconds < bound.second &&
      p95 < mostWalkMs &&
      pastMedian / median <= mostPast
    )
  } finally {
    await server.stop()
  }
})
