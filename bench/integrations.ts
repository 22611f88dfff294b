// Events to four targets, and the same beside a fifth that is dead: what it costs the others; and a thousand sent again.
// Who makes the events, the targets, the service and its database share the machine.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type EngineName, onBothEngines } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, freePort, processorTime, type Server } from './load/servers.ts'

const events = Number(process.env.BENCH_EVENTS ?? 20_000)
const targets = 4
const writers = 8
/** How much longer it may take with a dead target. */
const most = 1.1
const redelivered = Math.min(1_000, events)

type Target = { url: string; ids: Map<string, number>; reach(count: number): Promise<void> }

/** Takes everything, and knows what came how often. */
async function takeAll(): Promise<Target> {
  const ids = new Map<string, number>()
  let count = 0
  let wanted = { count: Number.POSITIVE_INFINITY, done: () => {} }
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const id = String(request.headers['webhook-id'])
      ids.set(id, (ids.get(id) ?? 0) + 1)
      response.end()
      if (++count >= wanted.count) wanted.done()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const reach = (asked: number) =>
    new Promise<void>(done => {
      wanted = { count: asked, done }
      if (count >= asked) done()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ids, reach }
}

async function post<T>(url: string, headers: Record<string, string>, body: object): Promise<T> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}: ${await answer.text()}`)
  return ((await answer.json()) as { result: T }).result
}

async function listen({ base }: Server, { workspaceId, session }: Person, url: string): Promise<string> {
  const fields = { workspaceId, name: 'Bench', type: 'webhook', config: { url }, events: ['teams.*'] }
  return (await post<{ id: string }>(`${base}/v1/integrations`, session, fields)).id
}

async function makeEvents({ base }: Server, { workspaceId, session }: Person, count: number): Promise<void> {
  let made = 0
  const one = async () => {
    while (made < count) await post(`${base}/v1/teams`, session, { workspaceId, name: `Team ${made++}` })
  }
  await Promise.all(Array.from({ length: writers }, one))
}

type Measured = { made: number; arrived: number; worked: number; resent: number }

/** In a workspace of its own, from the first event until the four have everything; in seconds. */
async function measure(server: Server, count: number, hasDead: boolean): Promise<Measured> {
  const person = await atriumPerson(server.base, 20)
  const receivers = await Promise.all(Array.from({ length: targets }, takeAll))
  const ids: string[] = []
  if (hasDead) await listen(server, person, `http://127.0.0.1:${await freePort()}`)
  for (const { url } of receivers) ids.push(await listen(server, person, url))
  const before = processorTime(server)
  const began = performance.now()
  const since = () => (performance.now() - began) / 1_000
  const all = Promise.all(receivers.map(({ reach }) => reach(count)))
  await makeEvents(server, person, count)
  const made = since()
  await all
  const arrived = since()
  const worked = processorTime(server) - before
  for (const { ids: there } of receivers) {
    if (there.size !== count) throw new Error(`a target has ${there.size} messages of ${count}`)
  }
  const [first, id] = [receivers[0], ids[0]]
  const again = first?.reach(count + Math.min(redelivered, count))
  const path = `${server.base}/v1/integrations/${person.workspaceId}/${id}/deliveries/redeliver`
  const answer = await post<{ redelivered: number }>(path, person.session, { status: 'succeeded' })
  if (answer.redelivered !== Math.min(redelivered, count)) throw new Error(`${answer.redelivered} were sent again`)
  await again
  return { made, arrived, worked, resent: since() - arrived }
}

function print(engine: EngineName, what: string, { made, arrived, worked, resent }: Measured): void {
  const rate = Math.round((events * targets) / arrived)
  console.log(
    `${engine} | ${what} | ${events} events made in ${made.toFixed(1)} s | all at ${targets} targets after ` +
      `${arrived.toFixed(1)} s, ${worked.toFixed(1)} s of the processor | ${rate} deliveries a second | ${redelivered} sent again in ${resent.toFixed(1)} s`,
  )
}

await onBothEngines('integrations', async (engine, env) => {
  const server = await atrium({ ...env, OUTBOUND_ALLOW: '127.0.0.1' })
  try {
    await measure(server, Math.ceil(events / 20), true)
    const alone = await measure(server, events, false)
    print(engine, 'four targets', alone)
    const beside = await measure(server, events, true)
    print(engine, 'beside a dead one', beside)
    const ratio = beside.arrived / alone.arrived
    console.log(`${engine} | ${ratio.toFixed(2)} times as long beside a dead target (${most})`)
    return ratio <= most
  } finally {
    await server.stop()
  }
})
