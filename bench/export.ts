// Exports a long audit log over HTTP and watches the memory of the process: it must not grow with the log.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { id as idSchema } from '../src/contract/ids.ts'
import { newId } from '../src/kit/random.ts'
import { sql } from '../src/kit/sql.ts'
import { newToken, tokenHash } from '../src/kit/tokens.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { readConfig } from '../src/server/config.ts'
import { ledgerKey, signHead } from '../src/server/ledger/ledger.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'
import { startPlatform } from '../src/server/start.ts'
import { atrium, folder, ownDatabase, removeFolder } from './load/servers.ts'

const entries = Number(process.env.BENCH_ENTRIES ?? 1_000_000)
const { BENCH_DATABASE_URL } = process.env
const own = BENCH_DATABASE_URL ? await ownDatabase(BENCH_DATABASE_URL, 'export') : null
const directory = join(folder, 'export')
const database = own ? await openPostgres({ url: own.url }) : await openEmbedded({ directory })
const config = readConfig({ SECRET_KEY: 'k'.repeat(40), LOG_LEVEL: 'silent', DATA_DIR: directory })
const running = await startPlatform({ config, database, limiter: memoryLimiter(), logger: pino({ level: 'silent' }) })

const [userId, workspaceId] = [newId(idSchema('usr', 32)), newId(idSchema('ws', 32))]
const token = newToken('sess')
const now = new Date()
await database.query(
  sql`insert into users (id, forename, created, updated, verified_at) values (${userId}, 'Bench', ${now}, ${now}, ${now})`,
)
await database.query(
  sql`insert into workspaces (id, name, slug, owner_id, created, updated) values (${workspaceId}, 'Bench', ${workspaceId.slice(3)}, ${userId}, ${now}, ${now})`,
)
await database.query(
  sql`insert into workspace_members (workspace_id, user_id, position, created, updated) values (${workspaceId}, ${userId}, 'owner', ${now}, ${now})`,
)
await database.query(
  sql`insert into sessions (id, user_id, hash, created, last_used, expires) values (${newId(idSchema('session', 24))}, ${userId}, ${tokenHash(token)}, ${now}, ${now}, ${new Date(now.getTime() + 86_400_000)})`,
)
const step = 20_000
for (let from = 1; from <= entries; from += step) {
  await database.query(sql`
    insert into ledger (chain, seq, id, entry, personal, previous_hash, hash, at, action, outcome, actor_id,
      target_object, target_id)
    select ${workspaceId}, n, 'aud_' || lpad(n::text, 24, '0'),
      '{"v":1,"at":"2026-11-15T09:30:00.000Z","action":"teams.post","outcome":"success","actor":{"type":"session","id":"usr_x","surface":"rest"},"target":{"object":"team","id":"team_' || n || '"},"changes":[{"path":"name","after":"Team ' || n || '"}],"requestId":"req_' || n || '"}',
      null, md5(n::text), md5((n + 1)::text), '2026-11-15T09:30:00.000Z', 'teams.post', 'success', 'usr_x',
      'team', 'team_' || n
    from generate_series(${from}::int, ${Math.min(from + step - 1, entries)}::int) n`)
}

const signature = signHead(ledgerKey(config.SECRET_KEY), workspaceId, entries, '')
await database.query(
  sql`insert into ledger_heads (chain, seq, previous_hash, hash, signature, version) values (${workspaceId}, ${entries}, '', '', ${signature}, 2)`,
)
await running.close()

// Asked of a process of its own, so that only the service's memory is seen.
const server = await atrium({
  SECRET_KEY: config.SECRET_KEY ?? '',
  ...(process.env.BENCH_NODE_OPTIONS && { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS }),
  DATA_DIR: directory,
  ...(own && { DATABASE_URL: own.url }),
})
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) / 1024
for (const format of ['ndjson', 'csv']) {
  const idle = memory()
  const thirds = [0, 0, 0]
  let [bytes, lines] = [0, 0]
  const began = performance.now()
  const answer = await fetch(`${server.base}/v1/audit_logs/${workspaceId}/export?format=${format}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!answer.ok) throw new Error(`the export was answered with ${answer.status}: ${await answer.text()}`)
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines++
    const third = Math.min(Math.floor((lines / entries) * 3), 2)
    thirds[third] = Math.max(thirds[third] ?? 0, memory())
  }
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${database.engine} ${format}: ${lines} lines, ${(bytes / 1024 / 1024).toFixed(0)} MiB in ${seconds.toFixed(1)} s; ` +
      `memory ${idle.toFixed(0)} MiB before, at most ${thirds.map(most => most.toFixed(0)).join(', ')} MiB in each third`,
  )
}
await server.stop()
await own?.drop()
removeFolder()
