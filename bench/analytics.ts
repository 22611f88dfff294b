// Analytics over a million entries: counted as they come and counted again, number by number, and how long a question takes.
import { createHash } from 'node:crypto'
import { onEntries } from '../src/areas/analytics/following/following.ts'
import { answer } from '../src/areas/analytics/querying/answering.ts'
import { planOf } from '../src/areas/analytics/querying/planning.ts'
import { rebuildOne } from '../src/areas/analytics/rebuilding.ts'
import type { Log } from '../src/kit/context.ts'
import type { Database } from '../src/kit/db.ts'
import type { FollowedEntry } from '../src/kit/follow.ts'
import type { JobContext } from '../src/kit/jobs.ts'
import { sql } from '../src/kit/sql.ts'
import { startVacuum } from '../src/server/upkeep/vacuum.ts'
import { onBothEngines } from './load/engines.ts'
import { atriumPerson } from './load/people.ts'
import { atrium } from './load/servers.ts'

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const days = 90
const dayMs = 86_400_000
const mostQueryMs = 200
const asked = 20
const end = Date.parse('2026-11-01T00:00:00.000Z')
const berlin = 'Europe/Berlin'
/** One of each kind: counts, levels, means with the middle of many values, and people; with several values, and from facts alone. */
const questions: readonly [metric: string, dimension: string, timezone: string][] = [
  ['issues.opened', 'severity', berlin],
  ['issues.opened', 'label', berlin],
  ['issues.opened', 'node', berlin],
  ['issues.open', 'severity', berlin],
  ['issues.open', 'team', berlin],
  ['issues.time_to_resolve', 'severity', berlin],
  ['ratings.score', 'object', berlin],
  ['members.active', 'surface', berlin],
  // Half an hour away: no whole hours are read.
  ['issues.opened', 'severity', 'Asia/Kolkata'],
]
const severities = ['critical', 'high', 'medium', 'low', 'info']
const sources = ['alert', 'alert', 'alert', 'manual', 'telemetry', 'agent']
const named = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`)
const teams = [null, ...named('team_', 6)]
const labels = named('label_', 12)
const resources = named('service/', 40)
const surfaces = ['rest', 'console', 'console', 'cli', 'mcp']

/** None, one or two of them, as most records have. */
const some = (all: readonly string[], n: number) =>
  [...new Set([pick(all, n), pick(all, n + 7)])].slice(0, pick([0, 1, 1, 2], n))

/** The same for a number, whichever run it is. */
const pick = <T>(all: readonly T[], n: number): T => all[((n * 2_654_435_761) >>> 7) % all.length] as T

/** Of ten entries two make issues, two end one, one is a rating, and the rest is what else people do. */
function entryOf(chain: string, seq: number): FollowedEntry {
  const at = new Date(end - days * dayMs + Math.floor((seq / entries) * days * dayMs)).toISOString()
  const userId = `usr_${String(seq % 200).padStart(32, '0')}`
  const actor = { type: 'session', id: userId, credentialId: null, callerKind: null, surface: pick(surfaces, seq) }
  const shared = { chain, seq, id: `aud_${seq}`, at, outcome: 'success' as const, actor, requestId: null }
  const kind = seq % 10
  const id = `issue_${kind < 2 ? seq : seq - 2}`
  if (kind < 2) {
    const after = {
      status: 'new',
      severity: pick(severities, seq),
      'source.type': pick(sources, seq + 1),
      teamId: pick(teams, seq + 2),
      labels: some(labels, seq + 3),
      resources: some(resources, seq + 4),
    }
    const changes = Object.entries(after).map(([path, value]) => ({ path, after: value }))
    return { ...shared, action: 'issues.post', target: { object: 'issue', id }, changes }
  }
  if (kind < 4) {
    const changes = [
      { path: 'status', before: 'new', after: 'resolved' },
      { path: 'mttrSeconds', before: null, after: (seq * 7) % 86_400 },
    ]
    return { ...shared, action: 'issues.patch', target: { object: 'issue', id }, changes }
  }
  if (kind === 4) {
    const changes = [
      { path: 'object', after: 'issue' },
      { path: 'value', after: seq % 3 === 0 ? -1 : 1 },
    ]
    return { ...shared, action: 'ratings.post', target: { object: 'rating', id: `rating_${seq}` }, changes }
  }
  return { ...shared, action: 'labels.patch', target: { object: 'label', id: 'label_1' }, changes: [] }
}

/** Nobody checks these hashes here: the service is stopped. */
async function fill(database: Database, chain: string): Promise<void> {
  const batch = 5_000
  for (let from = 1; from <= entries; from += batch) {
    const rows = Array.from({ length: Math.min(batch, entries - from + 1) }, (_, index) => entryOf(chain, from + index))
    const told = rows.map(({ seq, id, at, action, actor, target, ...rest }) => ({
      ...{ seq, id, at, action, actorId: actor.id, object: target?.object, targetId: target?.id },
      entry: JSON.stringify({ at, action, actor, target, ...rest }),
    }))
    await database.query(sql`
      insert into ledger (chain, seq, id, entry, previous_hash, hash, at, action, outcome, actor_id, target_object, target_id)
      select ${chain}, n.seq, n.id, n.entry, '', '', n.at, n.action, 'success', n."actorId", n.object, n."targetId"
      from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) n (seq bigint, id text, at text, action text,
        "actorId" text, object text, "targetId" text, entry text)`)
  }
}

/** As the follower hands them over. */
async function countAll(database: Database, chain: string): Promise<void> {
  const ctx = {
    db: database,
    transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) => database.transaction(work),
    now: () => new Date(),
  } as unknown as JobContext
  const atOnce = 50
  for (let from = 1; from <= entries; from += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, entries - from + 1) }, (_, index) =>
      entryOf(chain, from + index),
    )
    await onEntries(ctx, some)
  }
}

/** Of every fact, hour and state. */
async function digestOf(database: Database, chain: string): Promise<string> {
  const hash = createHash('sha256')
  for (const table of ['facts', 'hours', 'states'] as const) {
    const statements = {
      facts: sql`select md5(string_agg(concat_ws('|', metric, at, seq, place, weight, value, spread, dims), ',' order by metric, seq, place)) as sum
        from analytics_facts where workspace_id = ${chain}`,
      hours: sql`select md5(string_agg(concat_ws('|', metric, dimension, hour, name, weight, value, analytics_spread(spread)), ',' order by metric, dimension, hour, name)) as sum
        from analytics_hours where workspace_id = ${chain}`,
      states: sql`select md5(string_agg(concat_ws('|', object, record_id, fields), ',' order by object, record_id)) as sum
        from analytics_states where workspace_id = ${chain}`,
    }
    const [row] = await database.query<{ sum: string }>(statements[table])
    hash.update(`${table} ${row?.sum}`)
  }
  return hash.digest('hex')
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1_000
}

await onBothEngines('analytics', async (engine, env, open) => {
  const server = await atrium(env)
  const { workspaceId } = await atriumPerson(server.base, 1)
  await server.stop()
  const database = await open()
  try {
    // What making the person has written is not part of it.
    for (const table of [
      sql`ledger where chain`,
      sql`analytics_facts where workspace_id`,
      sql`analytics_hours where workspace_id`,
      sql`analytics_states where workspace_id`,
      sql`analytics_places where workspace_id`,
    ]) {
      await database.query(sql`delete from ${table} = ${workspaceId}`)
    }
    await fill(database, workspaceId)
    // So that plans are made for tables as they are: the service does that, and PostgreSQL where it is not turned off.
    const vacuum = startVacuum(database, { warn: console.error } as unknown as Log)
    const counted = await seconds(() => countAll(database, workspaceId))
    await vacuum.stop()
    const before = await digestOf(database, workspaceId)
    const again = await seconds(() =>
      database.transaction(async tx => {
        await tx.unhurried()
        await rebuildOne(tx, workspaceId)
      }),
    )
    const isEqual = before === (await digestOf(database, workspaceId))
    await database.query(sql`analyze`)
    const query = {
      from: new Date(end - days * dayMs).toISOString(),
      to: new Date(end).toISOString(),
      granularity: 'day' as const,
    }
    let holds = isEqual
    console.log(
      `${engine} | ${entries} entries | counted in ${counted.toFixed(0)} s | again in ${again.toFixed(0)} s | ${isEqual ? 'equal' : 'NOT EQUAL'}`,
    )
    for (const [metric, dimension, timezone] of questions) {
      const plan = planOf({ metrics: [metric], groupBy: [dimension], timezone, ...query })
      const times: number[] = []
      for (let n = 0; n < asked; n++) {
        times.push((await seconds(() => answer(database, workspaceId, plan, new Date(end)))) * 1_000)
      }
      const median = times.toSorted((one, other) => one - other)[asked / 2] ?? 0
      console.log(
        `${engine} | ${metric} by day of ${timezone} and ${dimension} over ${days} days | median ${median.toFixed(1)} ms (${mostQueryMs})`,
      )
      holds &&= median < mostQueryMs
    }
    return holds
  } finally {
    await database.close()
  }
})
