// Issues at a thousand and at a hundred thousand: lists, search and likeness must take no more than three times as long;
// alerts must be taken in at the rates of the table below, and a hundred that come back must cost, in one call, at most
// three times one of them. What a call costs where one alert in ten is a new problem is printed beside it.
import type { Database } from '../src/kit/db.ts'
import { sql } from '../src/kit/sql.ts'
import { type EngineName, onBothEngines, printGrowth } from './load/engines.ts'
import { atriumPerson, type Person } from './load/people.ts'
import { atrium } from './load/servers.ts'

const { BENCH_SECONDS = '5' } = process.env
const sizes = [1_000, Number(process.env.BENCH_ISSUES ?? 100_000)]
const times = 40
const mostGrowth = 3
const mostPerCall = 3
const leastAlerts = { embedded: 2_000, PostgreSQL: 5_000 }

/** Most problems are solved: so many in a hundred are of each status. */
const statuses = [
  ...Array(90).fill('resolved'),
  ...Array(4).fill('open'),
  'new',
  'new',
  'triaging',
  'mitigated',
  'dismissed',
  'dismissed',
]

async function fill(database: Database, { workspaceId }: Person, from: number, to: number): Promise<void> {
  const step = 10_000
  for (let start = from + 1; start <= to; start += step) {
    const numbers = sql`generate_series(${start}::int, ${Math.min(start + step - 1, to)}::int) n`
    const idOf = sql`'issue_' || substr(md5(n || ${workspaceId}), 1, 24)`
    await database.query(sql`
      insert into issues (id, workspace_id, owner_id, number, title, body, severity, alert_severity, status, source_type,
        fingerprint, is_current, resources, opened_at, closed_at, resolved_at, triaged_at, created, updated)
      select ${idOf}, ${workspaceId}, 'system', n,
        'Route ' || md5((n % 5000)::text) || ' of service' || n % 997 || ' answers ' || 400 + n % 200,
        'Since deployment ' || md5(n::text) || ' requests of customer' || n % 4001 || ' fail.',
        (array['critical', 'high', 'medium', 'low', 'info'])[1 + n % 5], 'medium', (${statuses}::text[])[1 + n % 100],
        'alert', 'seeded|' || n, true, array['service' || n % 997], at,
        case when (${statuses}::text[])[1 + n % 100] in ('resolved', 'dismissed') then at + interval '14 minutes' end,
        case when (${statuses}::text[])[1 + n % 100] = 'resolved' then at + interval '14 minutes' end, at, at, at
      from ${numbers}, lateral (select now() - make_interval(mins => n * 5) as at) t`)
    await database.query(sql`
      insert into issue_activity (issue_id, workspace_id, occurrences, first_seen, last_seen)
      select ${idOf}, ${workspaceId}, 10, now() - make_interval(mins => n * 5), now() - make_interval(mins => n) from ${numbers}`)
    await database.query(sql`
      insert into issue_occurrences (origin_id, issue_id, minute, count, first_at, last_at)
      select ${idOf}, ${idOf}, date_trunc('minute', now()) - make_interval(mins => n + m * 60), 1, now(), now()
      from ${numbers}, generate_series(1, 10) m`)
    await database.query(sql`
      insert into issue_timeline (id, workspace_id, issue_id, origin_id, at, type, actor_type, data)
      select 'issue_entry_' || substr(md5('e' || n || ${workspaceId}), 1, 24), ${workspaceId}, ${idOf}, ${idOf}, now(),
        'created', 'system', '{"to": "new"}' from ${numbers}`)
    await database.query(sql`
      insert into label_assignments (workspace_id, object, record_id, label_id)
      select ${workspaceId}, 'issue', ${idOf}, 'label_' || lpad((n % 50)::text, 24, '0') from ${numbers} where n % 4 = 0`)
  }
  await database.query(sql`
    insert into issue_counters (workspace_id, last_number) values (${workspaceId}, ${to})
    on conflict (workspace_id) do update set last_number = excluded.last_number`)
  for (const table of ['issues', 'issue_activity', 'issue_occurrences', 'issue_timeline', 'label_assignments']) {
    await database.plain(`vacuum analyze ${table}`)
  }
}

async function makeLabels(database: Database, { workspaceId }: Person): Promise<void> {
  await database.query(sql`
    insert into labels (id, workspace_id, owner_id, name, folded, color, created, updated)
    select 'label_' || lpad(n::text, 24, '0'), ${workspaceId}, 'system', 'Label ' || n, 'label ' || n, '#336699', now(), now()
    from generate_series(0, 49) n`)
}

type Ask = { name: string; paths: (base: string, round: number) => string[] }

const asks = (workspaceId: string): Ask[] => {
  const list = (base: string, query: string) => `${base}/v1/issues/${workspaceId}?${query}`
  return [
    { name: 'list by status', paths: base => [list(base, 'status=open')] },
    { name: 'list by label', paths: base => [list(base, 'labels=label%2012&status=open')] },
    { name: 'list without a label', paths: base => [list(base, 'labels=%21label%2012&status=open')] },
    {
      name: 'board',
      paths: base => ['new', 'triaging', 'open', 'mitigated'].map(status => list(base, `status=${status}&perPage=50`)),
    },
    {
      name: 'search',
      paths: (base, round) => [`${base}/v1/issues/${workspaceId}/search?q=service${round % 900}%20answers`],
    },
    { name: 'similar', paths: (base, round) => [`${base}/v1/issues/${workspaceId}/ID${round}/similar`] },
  ]
}

async function median(base: string, { session }: Person, { paths }: Ask, ids: readonly string[]): Promise<number> {
  const found: number[] = []
  for (let round = 0; round < times; round++) {
    const urls = paths(base, round).map(url => url.replace(`ID${round}`, ids[round % ids.length] ?? ''))
    const began = performance.now()
    const answers = await Promise.all(urls.map(url => fetch(url, { headers: session })))
    for (const answer of answers) {
      if (!answer.ok) throw new Error(`${answer.url} was answered with ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
    found.push(performance.now() - began)
  }
  return found.sort((one, other) => one - other)[times / 2] ?? 0
}

async function idsIn(base: string, { workspaceId, session }: Person): Promise<string[]> {
  const answer = await fetch(`${base}/v1/issues/${workspaceId}?perPage=40`, { headers: session })
  const { result } = (await answer.json()) as { result: { items: { id: string }[] } }
  return result.items.map(({ id }) => id)
}

let sent = 0

async function post(base: string, { workspaceId, session }: Person, alerts: object[]): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`${base}/v1/issues/alerts`, {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ workspaceId, alerts }),
  })
  const text = await answer.text()
  if (!answer.ok || /"refused":[1-9]/.test(text)) throw new Error(`alerts were answered with ${answer.status}: ${text}`)
  return performance.now() - began
}

/** One in so many is a new problem; the others come back. */
function alertsOf(count: number, most: number, newEvery = 10): object[] {
  return Array.from({ length: count }, () => {
    sent++
    const fingerprint = sent % newEvery === 0 ? `new|${sent}|${process.pid}` : `seeded|${1 + ((sent * 7_919) % most)}`
    return {
      title: 'Checkout answers 502',
      fingerprint,
      body: 'Since 12:04',
      resources: ['service12'],
      severity: 'medium',
    }
  })
}

async function rate(base: string, person: Person, clients: number): Promise<number> {
  const until = performance.now() + Number(BENCH_SECONDS) * 1_000
  let accepted = 0
  const work = async () => {
    while (performance.now() < until) {
      await post(base, person, alertsOf(100, 1_000))
      accepted += 100
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: clients }, work))
  return (accepted / (performance.now() - began)) * 1_000
}

async function perCall(base: string, person: Person, what: string, newEvery: number): Promise<number> {
  // On average: of single alerts, too, as many make an issue. In turns, so that both meet the same machine.
  let [one, many] = [0, 0]
  const rounds = 100
  for (let round = -15; round < rounds; round++) {
    const [single, hundred] = [
      await post(base, person, alertsOf(1, 1_000, newEvery)),
      await post(base, person, alertsOf(100, 1_000, newEvery)),
    ]
    if (round < 0) continue
    one += single / rounds
    many += hundred / rounds
  }
  console.log(
    `${what}: a call with 1 takes ${one.toFixed(1)} ms, with 100 ${many.toFixed(1)} ms: ${(many / one).toFixed(2)} times`,
  )
  return many / one
}

async function measure(name: EngineName, env: Record<string, string>, open: () => Promise<Database>): Promise<boolean> {
  const made = await atrium(env)
  const person = await atriumPerson(made.base, 20)
  await made.stop()
  const results: Map<string, number>[] = []
  let holds = true
  for (const [index, size] of sizes.entries()) {
    const database = await open()
    if (index === 0) await makeLabels(database, person)
    await fill(database, person, index === 0 ? 0 : (sizes[index - 1] ?? 0), size).finally(() => database.close())
    const server = await atrium(env)
    try {
      const found = new Map<string, number>()
      const ids = await idsIn(server.base, person)
      for (const ask of asks(person.workspaceId)) {
        await median(server.base, person, ask, ids)
        found.set(ask.name, await median(server.base, person, ask, ids))
      }
      results.push(found)
      if (index < sizes.length - 1) continue
      holds = (await perCall(server.base, person, 'alerts that come back', Infinity)) <= mostPerCall && holds
      await perCall(server.base, person, 'one alert in ten is new', 10)
      const reached = await rate(server.base, person, name === 'embedded' ? 4 : 8)
      console.log(
        `${name}: ${reached.toFixed(0)} alerts a second in calls of 100, at least ${leastAlerts[name]} are wanted`,
      )
      holds = reached >= leastAlerts[name] && holds
    } finally {
      await server.stop()
    }
  }
  return printGrowth(`${name}: what | at ${sizes.join(' | at ')} issues`, results, mostGrowth) && holds
}

await onBothEngines('issues', measure)
