// What the ledger costs: the same small write with and without it, and many writes into one workspace.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pino } from 'pino'
import { openAccount } from '../src/areas/auth/accounts.ts'
import { SessionId } from '../src/areas/auth/sessions/contract.ts'
import { insertSession } from '../src/areas/auth/sessions/store.ts'
import * as accounts from '../src/areas/auth/store.ts'
import type { Operation } from '../src/contract/operation.ts'
import { newId } from '../src/kit/random.ts'
import { sql } from '../src/kit/sql.ts'
import { newToken, tokenHash } from '../src/kit/tokens.ts'
import { operation } from '../src/operations.ts'
import { openEmbedded } from '../src/server/backends/pglite.ts'
import { openPostgres } from '../src/server/backends/postgres.ts'
import { readConfig } from '../src/server/config.ts'
import { memoryLimiter } from '../src/server/request/limits.ts'
import { startPlatform } from '../src/server/start.ts'
import { folder, ownDatabase, removeFolder } from './load/servers.ts'

const rounds = 5
const perRound = 600

type Writer = { headers: Record<string, string>; workspaceId: string }

async function start(url: string | undefined) {
  const directory = join(folder, randomBytes(4).toString('hex'))
  const database = url ? await openPostgres({ url, poolSize: 16 }) : await openEmbedded({ directory })
  const env = { SECRET_KEY: 'k'.repeat(40), RATE_LIMIT: '1000000', LOG_LEVEL: 'silent', DATA_DIR: directory }
  return await startPlatform({
    config: readConfig(env),
    database,
    limiter: memoryLimiter(),
    logger: pino({ level: 'silent' }),
  })
}

type Running = Awaited<ReturnType<typeof start>>

async function writer({ platform: { database } }: Running): Promise<Writer> {
  const now = new Date()
  const email = `${randomBytes(6).toString('hex')}@example.com`
  const token = newToken('sess')
  const userId = await database.transaction(async tx => {
    const { id } = await openAccount(tx, { email, passwordHash: null, ref: null, inviteHash: null }, now)
    await accounts.updateUser(tx, id, { provenEmail: email, verifiedAt: now.toISOString() }, now)
    const session = { id: newId(SessionId), userId: id, hash: tokenHash(token), address: '127.0.0.1', userAgent: null }
    await insertSession(tx, session, now)
    return id
  })
  const [row] = await database.query<{ workspaceId: string }>(
    sql`select workspace_id from workspace_members where user_id = ${userId}`,
  )
  return { headers: { authorization: `Bearer ${token}` }, workspaceId: row?.workspaceId ?? '' }
}

/** Writes a second, with `inFlight` at once. */
async function rate({ app }: Running, writers: readonly Writer[], inFlight: number): Promise<number> {
  let sent = 0
  const began = performance.now()
  const lane = async (index: number) => {
    while (sent < perRound) {
      sent++
      const { headers, workspaceId } = writers[index % writers.length] as Writer
      const payload = { workspaceId, name: `bench ${sent} ${index}`, scopes: [] }
      const { statusCode } = await app.inject({ method: 'POST', url: '/v1/api_keys', headers, payload })
      if (statusCode !== 201) throw new Error(`a write was answered with ${statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, index) => lane(index)))
  return (perRound / (performance.now() - began)) * 1000
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

async function compare(name: string, url: string | undefined, workspaces: number): Promise<void> {
  const declared = operation('api_keys.post') as Operation
  const withLedger = await start(url)
  declared.audit = false
  // The same database: only the entry is left out.
  const { buildApp } = await import('../src/server/app.ts')
  const without = { ...withLedger, app: await buildApp(withLedger.platform, pino({ level: 'silent' })) }
  declared.audit = true
  const writers = await Promise.all(Array.from({ length: workspaces }, () => writer(withLedger)))
  const [withs, withouts]: [number[], number[]] = [[], []]
  await rate(withLedger, writers, 16)
  for (let round = 0; round < rounds; round++) {
    withouts.push(await rate(without, writers, 16))
    withs.push(await rate(withLedger, writers, 16))
  }
  const one = await rate(withLedger, writers.slice(0, 1), 16)
  const [a, b] = [median(withs), median(withouts)]
  console.log(
    `${name}: ${a.toFixed(0)}/s with, ${b.toFixed(0)}/s without the ledger: ${(a / b).toFixed(2)}; into one workspace ${one.toFixed(0)}/s`,
  )
  await withLedger.close()
}

await compare('embedded', undefined, 1)
if (process.env.BENCH_DATABASE_URL) {
  const { url, drop } = await ownDatabase(process.env.BENCH_DATABASE_URL, 'ledger')
  await compare('PostgreSQL, 16 workspaces', url, 16).finally(drop)
} else console.log('PostgreSQL: left out, BENCH_DATABASE_URL is not set')
removeFolder()
