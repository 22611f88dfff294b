// One workspace reads deep into a long list, many times at once; another user's requests must hardly notice (PostgreSQL).
import { Agent } from 'node:http'
import { Client } from 'pg'
import type { Service } from '../helpers/service.ts'
import { pause, percentile } from './driver.ts'
import { account, mostWhoamiMs, type Report, send } from './hostile.ts'

const rows = 300_000
const atOnce = 60
const seconds = 20

/** Entries of the ledger, so that there is something to page through; made in the database, since the service would take long. */
async function fill(databaseUrl: string, chain: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `insert into ledger (chain, seq, id, entry, previous_hash, hash, at, action, outcome, actor_id)
       select l.chain, 1000 + n, 'deep_' || n, l.entry, l.hash, l.hash, l.at, l.action, l.outcome, l.actor_id
       from (select * from ledger where chain = $1 limit 1) l, generate_series(1, $2::int) n`,
      [chain, rows],
    )
    await client.query('analyze ledger')
  } finally {
    await client.end()
  }
}

export async function deepLists(service: Service, databaseUrl: string, { say, expectThat }: Report): Promise<void> {
  const { url } = service
  const [greedy, other] = [await account(url, 'greedy@example.com'), await account(url, 'other@example.com')]
  await fill(databaseUrl, greedy.workspaceId)
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  const statuses = new Map<number, number>()
  const line = async () => {
    while (!isOver) {
      const page = 1 + Math.floor((rows / 100) * Math.random())
      const path = `/v1/audit_logs/${greedy.workspaceId}?perPage=100&page=${page}&orderBy=action`
      const status = await send(url, agent, { path, headers: greedy.headers })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const lines = Array.from({ length: atOnce }, line)
  const times: number[] = []
  let refused = 0
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await pause(50)) {
    const since = performance.now()
    if ((await send(url, agent, { path: '/v1/auth/whoami', headers: other.headers })) !== 200) refused++
    times.push(performance.now() - since)
  }
  isOver = true
  await Promise.all(lines)
  agent.destroy()
  const slowest = percentile(times, 0.99)
  say(
    `${atOnce} deep lists at once over ${rows} rows`,
    [...statuses].map(([status, n]) => `${n} × ${status}`).join(', '),
  )
  say(
    "another user's whoami meanwhile, median and p99",
    `${Math.round(percentile(times, 0.5))} and ${Math.round(slowest)} ms`,
  )
  expectThat(refused === 0, 'a request of another user was refused')
  expectThat(slowest < mostWhoamiMs, `another user's whoami took ${mostWhoamiMs} ms or more (p99)`)
}
