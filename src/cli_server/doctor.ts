// Checks everything the service depends on without changing any of it, and says what to do about what is wrong.
import { existsSync } from 'node:fs'
import { access, constants, cp, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type OutputOptions, print } from '../cli/output.ts'
import type { Session } from '../cli/session.ts'
import type { Database } from '../kit/db.ts'
import { sql } from '../kit/sql.ts'
import { openEmbedded } from '../server/backends/pglite.ts'
import { type Config, readConfig } from '../server/config.ts'
import { areHeadsOld, brokenHeads, instanceProblem } from '../server/ledger/anchors.ts'
import { ledgerKey } from '../server/ledger/ledger.ts'
import { ownSecretKey } from '../server/upkeep/key_file.ts'
import { readMigrations } from '../server/upkeep/migrations.ts'
import { keyFingerprintOf } from '../server/upkeep/rotation.ts'
import { fingerprintOf } from '../server/upkeep/secrets.ts'
import { openDatabase, reasonOf } from './open_database.ts'

type State = 'ok' | 'warning' | 'failed'
type Finding = { check: string; state: State; finding: string; todo: string | null }

const enoughBytes = 1_000_000_000
const mostSkewMs = 2_000
/** A clock that is before this program was made is wrong. */
const earliest = Date.parse('2026-11-01T00:00:00Z')

/** 0 where the service can run, 1 where it cannot. */
export async function doctor({ terminal }: Session, options: OutputOptions): Promise<number> {
  const items = await examine(terminal.env)
  await print(terminal, { items, count: items.length }, { columns: 'check,state,finding,todo', ...options })
  return items.some(({ state }) => state === 'failed') ? 1 : 0
}

async function examine(env: Readonly<Record<string, string | undefined>>): Promise<Finding[]> {
  let config: Config
  try {
    config = readConfig(env)
  } catch (error) {
    return [failed('configuration', (error as Error).message, 'Correct it; atrium config shows all of it.')]
  }
  return [
    ok('configuration', `serves ${config.PUBLIC_URL}`),
    await disk(config),
    ...(await database(config)),
    await redis(config),
    ...(await clickhouse(config)),
    await mail(config),
  ]
}

function ok(check: string, finding: string): Finding {
  return { check, state: 'ok', finding, todo: null }
}

function failed(check: string, finding: string, todo: string, state: State = 'failed'): Finding {
  return { check, state, finding, todo }
}

/** Looks at the directory, or at the nearest one above it where it is not there yet; makes nothing. */
async function disk({ DATA_DIR }: Config): Promise<Finding> {
  const there = nearest(DATA_DIR)
  try {
    await access(there, constants.R_OK | constants.W_OK)
    const { bavail, bsize } = await statfs(there)
    const note = there === DATA_DIR ? '' : ' (atrium serve makes it)'
    const free = `${(Number(bavail * bsize) / 1e9).toFixed(1)} GB free in ${DATA_DIR}${note}`
    if (bavail * bsize >= enoughBytes) return ok('disk', free)
    return failed('disk', free, 'Make room, or set DATA_DIR to a larger disk.', 'warning')
  } catch (error) {
    return failed(
      'disk',
      `${DATA_DIR} cannot be written (${reasonOf(error)})`,
      `Check ${dirname(DATA_DIR)}, or set DATA_DIR.`,
    )
  }
}

function nearest(directory: string): string {
  return existsSync(directory) || dirname(directory) === directory ? directory : nearest(dirname(directory))
}

async function database(config: Config): Promise<Finding[]> {
  const folder = join(config.DATA_DIR, 'postgres')
  if (!config.DATABASE_URL && !existsSync(folder)) {
    return [failed('database', 'embedded, not made yet', 'Run: atrium serve, which makes it.', 'warning'), clock(null)]
  }
  let opened: Database
  try {
    opened = config.DATABASE_URL ? await openDatabase(config) : await openCopy(config, folder)
  } catch (error) {
    const text = (error as Error).message
    // The service itself holds the embedded database; it can say more than we can.
    if (/in use|another process|locked/i.test(text)) return [await ready(config), clock(null)]
    const todo = config.DATABASE_URL ? 'Start PostgreSQL there, or correct DATABASE_URL.' : 'Check DATA_DIR.'
    return [failed('database', `does not open (${reasonOf(error)})`, todo), clock(null)]
  }
  try {
    const [row] = await opened.query<{ version: string; now: string }>(sql`select version() as version, now() as now`)
    const pending = await pendingMigrations(opened)
    const name = row?.version.split(' ').slice(0, 2).join(' ') ?? opened.engine
    const state =
      pending > 0
        ? failed(
            'database',
            `${name}, ${pending} migrations to come`,
            'Run: atrium migrate (or atrium serve).',
            'warning',
          )
        : ok('database', `${name}, up to date`)
    const ofLedger = pending > 0 ? [] : [await ledger(config, opened)]
    return [state, ...ofLedger, clock(config.DATABASE_URL ? Date.parse(row?.now ?? '') : null)]
  } finally {
    await opened.close()
  }
}

async function ledger(config: Config, opened: Database): Promise<Finding> {
  const secret = config.SECRET_KEY || ownSecretKey(config)
  const fingerprint = await keyFingerprintOf(opened)
  if (!secret || fingerprint === undefined) return ok('ledger', 'the service has not run yet')
  if (fingerprint !== fingerprintOf(secret)) {
    return failed('ledger', 'cannot be checked: SECRET_KEY is not the one of this database', 'Give the original key.')
  }
  const key = ledgerKey(secret)
  if (await areHeadsOld(opened)) {
    return failed('ledger', 'is of an earlier version', 'Start the service once; it records every chain.', 'warning')
  }
  const problem = await instanceProblem(opened, key, config.LEDGER_HEADS)
  const others = await brokenHeads(opened, key)
  if (problem === null && others === 0) return ok('ledger', "the instance's chain is whole, and every head is signed")
  const finding = problem === null ? `${others} heads are not as signed` : `the instance's chain is broken: ${problem}`
  return failed('ledger', finding, 'Compare with a backup; see docs/operating.md.')
}

/** Opening the embedded database writes to it, so a copy is opened. */
async function openCopy({ DATA_DIR }: Config, folder: string): Promise<Database> {
  refuseWhileInUse(DATA_DIR)
  const directory = await mkdtemp(join(tmpdir(), 'atrium-doctor-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    await cp(folder, join(directory, 'postgres'), { recursive: true })
    const opened = await openEmbedded({ directory })
    return {
      ...opened,
      close: async () => {
        await opened.close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The service holds this file locked; reading it fails while it does. */
function refuseWhileInUse(directory: string): void {
  const file = join(directory, 'lock')
  if (!existsSync(file)) return
  const lock = new DatabaseSync(file, { readOnly: true })
  try {
    lock.prepare('select count(*) from sqlite_master').get()
  } catch (cause) {
    throw new Error('in use by another process', { cause })
  } finally {
    lock.close()
  }
}

async function pendingMigrations(opened: Database): Promise<number> {
  const [found] = await opened.query<{ name: string | null }>(sql`select to_regclass('migrations')::text as name`)
  const all = readMigrations()
  if (!found?.name) return all.length
  const rows = await opened.query<{ name: string }>(sql`select name from migrations`)
  const applied = new Set(rows.map(({ name }) => name))
  return all.filter(({ name }) => !applied.has(name)).length
}

async function ready({ PUBLIC_URL, HOST, PORT }: Config): Promise<Finding> {
  const address = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(3_000) })
    if (answer.ok) return ok('database', `in use by the service at ${address}, which is ready`)
    return failed('database', `the service at ${address} is not ready (${answer.status})`, 'Look at its log.')
  } catch {
    return failed(
      'database',
      'in use by another process',
      `Is another service running beside ${PUBLIC_URL}? Stop it.`,
      'warning',
    )
  }
}

function clock(databaseMs: number | null): Finding {
  const now = Date.now()
  if (now < earliest)
    return failed('clock', new Date(now).toISOString(), 'Set the clock; tokens and codes depend on it.')
  if (databaseMs === null) return ok('clock', new Date(now).toISOString())
  const skew = Math.abs(now - databaseMs)
  if (skew <= mostSkewMs) return ok('clock', `${skew} ms from the database's`)
  return failed(
    'clock',
    `${Math.round(skew / 1000)} s from the database's`,
    'Let both machines set their clocks by NTP.',
  )
}

async function redis({ REDIS_URL }: Config): Promise<Finding> {
  if (!REDIS_URL) return ok('redis', 'not used; limits are counted in the process')
  try {
    const { redisLimiter } = await import('../server/backends/redis.ts')
    const limiter = await redisLimiter(REDIS_URL, () => {})
    await limiter.ping?.()
    await limiter.close()
    return ok('redis', 'answers')
  } catch (error) {
    return failed('redis', `does not answer (${reasonOf(error)})`, 'Start Redis there, or correct REDIS_URL.')
  }
}

async function clickhouse({ CLICKHOUSE_URL }: Config): Promise<Finding[]> {
  if (!CLICKHOUSE_URL) return []
  try {
    const { pingClickHouse } = await import('../server/backends/clickhouse.ts')
    return [ok('clickhouse', `version ${await pingClickHouse(CLICKHOUSE_URL)} answers`)]
  } catch (error) {
    const todo = 'Start ClickHouse there, or correct CLICKHOUSE_URL.'
    return [failed('clickhouse', `does not answer (${reasonOf(error)})`, todo)]
  }
}

async function mail({ SMTP_URL, PUBLIC_URL, isLoopback }: Config): Promise<Finding> {
  if (!SMTP_URL && !isLoopback) {
    return failed('mail', 'neither sent nor shown, since HOST is not this machine alone', 'Set SMTP_URL.')
  }
  if (!SMTP_URL) return ok('mail', `not sent; shown on ${PUBLIC_URL}/dev/mailbox`)
  const { createTransport } = await import('nodemailer')
  const transport = createTransport(SMTP_URL, { connectionTimeout: 5_000, greetingTimeout: 5_000 } as never)
  try {
    await transport.verify()
    return ok('mail', 'the mail server accepts us')
  } catch (error) {
    return failed(
      'mail',
      `the mail server does not (${(error as Error).message})`,
      'Correct SMTP_URL, or start the mail server.',
    )
  } finally {
    transport.close()
  }
}
