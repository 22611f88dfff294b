// Automations: how long from an event to the first step, and how many executions of three steps a second.
// Who makes the events, the service and its database share the machine.
import { type EngineName, onBothEngines } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium, type Server } from './load/servers.ts'

const events = Number(process.env.BENCH_EVENTS ?? 80)
/** As many run for each event, each with places and a queue of its own. */
const automations = Number(process.env.BENCH_AUTOMATIONS ?? 20)
const single = 100
const mostMs = 500
const least: Readonly<Record<EngineName, number>> = { embedded: 30, PostgreSQL: 100 }

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

const steps = [
  { id: 'made', do: 'create_issue', with: { title: 'Team {{ trigger.event.target.id }}' } },
  { id: 'read', do: 'issues.get', with: { id: '{{ steps.made.output.id }}' } },
  { id: 'list', do: 'labels.list', with: { perPage: 5 } },
]

async function make({ base }: Server, { workspaceId, session }: Person): Promise<string> {
  const fields = {
    ...{ workspaceId, name: 'Bench automation', triggers: [{ on: 'event', event: 'teams.post' }], steps },
    ...{ grants: ['teams:read', 'issues:read', 'issues:write', 'labels:read'] },
    ...{ concurrency: 'parallel', maxPerHour: 100_000 },
  }
  return (await ask<{ id: string }>(`${base}/v1/automations`, session, fields)).id
}

const team = ({ base }: Server, { workspaceId, session }: Person, name: string) =>
  ask(`${base}/v1/teams`, session, { workspaceId, name })

type Page = { count: number; items: { id: string }[] }

const page = ({ base }: Server, { workspaceId, session }: Person, id: string, query: string) =>
  ask<Page>(`${base}/v1/automations/${workspaceId}/${id}/executions?${query}`, session)

/** One after the other and seldom: who asks shares the machine with what is measured. */
async function succeeded(server: Server, person: Person, ids: readonly string[], wanted: number): Promise<void> {
  for (const id of ids) {
    while ((await page(server, person, id, 'status=succeeded&perPage=1')).count < wanted) await pause(100)
  }
}

type Whole = { trigger: { data: { event: { at: string } } }; steps: { started: string }[] }

/** One event at a time; in milliseconds, as the service wrote them down. */
async function latencies(server: Server, person: Person): Promise<number[]> {
  const id = await make(server, person)
  for (let no = 0; no < single; no++) {
    await team(server, person, `Single ${no}`)
    await pause(20)
  }
  await succeeded(server, person, [id], single)
  const path = `${server.base}/v1/automations/${person.workspaceId}/${id}/executions`
  const { items } = await page(server, person, id, 'perPage=100')
  const all = await Promise.all(items.map(item => ask<Whole>(`${path}/${item.id}`, person.session)))
  const late = all.map(
    ({ trigger, steps: [first] }) => Date.parse(first?.started ?? '') - Date.parse(trigger.data.event.at),
  )
  return late.sort((one, other) => one - other)
}

async function throughput(server: Server, person: Person): Promise<number> {
  const ids: string[] = []
  for (let no = 0; no < automations; no++) ids.push(await make(server, person))
  const began = performance.now()
  for (let no = 0; no < events; no++) await team(server, person, `Many ${no}`)
  await succeeded(server, person, ids, events)
  return (events * automations) / ((performance.now() - began) / 1_000)
}

await onBothEngines('automations', async (engine, env) => {
  const server = await atrium({ ...env, RATE_LIMIT: '1000000' })
  try {
    const late = await latencies(server, await atriumPerson(server.base, 20))
    const at = (share: number) => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0
    const rate = await throughput(server, await atriumPerson(server.base, 20))
    console.log(`${engine} | event to first step: median ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms (${mostMs})`)
    console.log(`${engine} | ${Math.round(rate)} executions of three steps a second (${least[engine]})`)
    return at(0.95) < mostMs && rate >= least[engine]
  } finally {
    await server.stop()
  }
})
