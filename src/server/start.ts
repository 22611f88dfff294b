// Puts the platform together: database and migrations, handlers found by folder name, jobs, HTTP.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Ages } from '../kit/ages.ts'
import type { ClickHouse } from '../kit/clickhouse.ts'
import type { Log } from '../kit/context.ts'
import type { Database } from '../kit/db.ts'
import type { Follower } from '../kit/follow.ts'
import { sql } from '../kit/sql.ts'
import { buildApp } from './app.ts'
import { areaFolders, loadAreas } from './areas.ts'
import { type Config, StartError } from './config.ts'
import { principals } from './credentials/principals.ts'
import { policyReader } from './credentials/tool_policies.ts'
import { gatherUses } from './credentials/uses.ts'
import { toolsOfRuns } from './doors/run_tools.ts'
import { ledgerAlarm } from './ledger/alarm.ts'
import { areChainsBegun, beginChains, ledgerJobs } from './ledger/anchors.ts'
import { startFeed } from './ledger/feed.ts'
import { exportKey, type LedgerKey, ledgerKey, ledgerSigner } from './ledger/ledger.ts'
import { type Ledger, openLedger } from './ledger/writer.ts'
import { billingFrom, refuseMissingPlans } from './plans.ts'
import { gatherCalls } from './request/call_log.ts'
import { callsOfRuns } from './request/calls.ts'
import type { Limiter } from './request/limits.ts'
import type { Platform } from './request/platform.ts'
import { gatherRequests } from './request/request_log.ts'
import { readClickHouseTables } from './upkeep/clickhouse_tables.ts'
import { secretKey } from './upkeep/key_file.ts'
import { migrate, readMigrations, takeSchemaLock } from './upkeep/migrations.ts'
import { fingerprintOf, secretsFrom } from './upkeep/secrets.ts'
import { startVacuum } from './upkeep/vacuum.ts'
import { findVectors } from './upkeep/vectors.ts'
import type { Tracer } from './watch/tracing.ts'
import { startFollowers } from './work/followers.ts'
import { gathering } from './work/gathering.ts'
import { openGit } from './work/git/git.ts'
import { jobContexts } from './work/job_context.ts'
import { startJobs } from './work/jobs.ts'
import { outboundFrom } from './work/outbound.ts'
import { retentionJobs } from './work/retention.ts'

/** Its tables are made at the start. */
type StoreOfRows = ClickHouse & { prepare(statements: readonly string[]): Promise<void>; close(): Promise<void> }

export type Parts = {
  config: Config
  database: Database
  limiter: Limiter
  /** Where CLICKHOUSE_URL is set. */
  clickhouse?: StoreOfRows | undefined
  logger: FastifyBaseLogger
  now?: () => Date
  /** Beside what the areas declare. */
  extra?: { followers?: readonly Follower[]; ages?: Ages }
  /** Folders that hold the folders of the registry's areas. */
  areasIn?: readonly string[]
}

export type Running = { app: FastifyInstance; platform: Platform; close(): Promise<void> }

const defaultVerifyUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

export async function startPlatform({
  config,
  database: bare,
  limiter,
  clickhouse,
  logger,
  now = () => new Date(),
  extra,
  areasIn = areaFolders,
}: Parts): Promise<Running> {
  const secret = secretKey(config)
  const secrets = secretsFrom(secret)
  const key = ledgerKey(secret)
  const outbound = outboundFrom(config)
  const git = openGit(config)
  const tracer = await tracerOf(config, logger)
  const database = tracer ? traced(bare, tracer) : bare
  await migrate(database, readMigrations(areasIn))
  await clickhouse?.prepare(readClickHouseTables(areasIn))
  await refuseOtherKey(database, fingerprintOf(secret))
  const areas = await loadAreas(areasIn)
  const billing = billingFrom(config)
  if (billing) await refuseMissingPlans(database, areas.limits, billing)
  const feed = await startFeed(database, logger)
  const ledger = openLedger({ key, alarm: ledgerAlarm(logger), database, feed })
  await beginLedger(database, key, ledger, now())
  const settings = {
    billing,
    publicUrl: config.PUBLIC_URL,
    signups: config.SIGNUPS,
    turnstile: config.TURNSTILE_SECRET_KEY
      ? { secretKey: config.TURNSTILE_SECRET_KEY, verifyUrl: config.TURNSTILE_VERIFY_URL ?? defaultVerifyUrl }
      : null,
    ...secrets,
    signLedger: ledgerSigner(key),
    exportKey: exportKey(secret),
    vectors: await findVectors(database, logger),
  }
  const calls = callsOfRuns()
  const tools = toolsOfRuns()
  const context = jobContexts({
    config,
    database,
    settings,
    ledger,
    feed,
    outbound,
    git,
    clickhouse: clickhouse ?? null,
    carriers: areas.carriers,
    call: calls.call,
    tools: tools.of,
    tracer,
    now,
  })
  const jobs = await startJobs({
    database,
    jobs: {
      ...areas.jobs,
      ...retentionJobs({ ...areas.ages, ...ownAges, ...extra?.ages }),
      ...ledgerJobs({ database, key, ledger, outside: config.LEDGER_HEADS }),
    },
    settings,
    now,
    log: logger,
    tracer,
    context,
  })
  const followers = await startFollowers({
    database,
    feed,
    followers: [...areas.followers, ...(extra?.followers ?? [])],
    log: logger,
    context: (id, log, signal, attempt) => ({ ...context(id, log, signal), enqueue: jobs.enqueue(), attempt, signal }),
  })
  const vacuum = database.engine === 'pglite' ? startVacuum(database, logger) : undefined
  const uses = gatherUses(database, now, logger)
  const callLog = gatherCalls(database, areas.gate, logger)
  const requestLog = gatherRequests(database, areas.keepRequests, now, logger)
  const platform: Platform = {
    config,
    settings,
    database,
    principals: principals(database, { requireVerifiedEmail: config.REQUIRE_VERIFIED_EMAIL === 'true', now }),
    policies: policyReader(database),
    gate: areas.gate,
    limits: areas.limits,
    callLog,
    requestLog,
    limiter,
    jobs,
    followers,
    uses,
    ledger,
    feed,
    secretKey: secret,
    outbound,
    git,
    gather: gathering(database, clickhouse ?? null),
    clickhouse: clickhouse ?? null,
    carriers: areas.carriers,
    handlers: areas.handlers,
    tracer,
    log: logger,
    now,
  }
  const app = await buildApp(platform, logger)
  // Not before: a call makes the app ready, and whoever started it could add nothing to it any more.
  app.addHook('onReady', async () => {
    calls.open(app)
    tools.open(app, platform)
  })
  return {
    app,
    platform,
    async close() {
      calls.close()
      tools.close()
      await app.close()
      await followers.stop()
      await feed.stop()
      await uses.stop()
      await callLog.stop()
      await requestLog.stop()
      await jobs.stop()
      git.close()
      await vacuum?.stop()
      await limiter.close()
      await clickhouse?.close()
      await tracer?.stop()
      await database.close()
    },
  }
}

/** Not even loaded where nobody collects. */
async function tracerOf(config: Config, log: Log): Promise<Tracer | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined
  return (await import('./watch/tracing.ts')).openTracer(config, log)
}

function traced(database: Database, tracer: Tracer): Database {
  const begin = { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const
  return { ...database, transaction: work => tracer.during(begin, () => database.transaction(work)) }
}

/** Of the platform's own tables. */
const ownAges: Ages = {
  idempotency_keys: { column: 'created', afterDays: 1 },
  mailbox: { column: 'created', afterDays: 30 },
}

/** With another key, codes, sealed values and signatures of this database would silently stop working. */
async function refuseOtherKey(database: Database, fingerprint: string): Promise<void> {
  const [row] = await database.query<{ value: string }>(sql`
    insert into instance (name, value) values ('secret_key_fingerprint', ${fingerprint})
    on conflict (name) do update set value = instance.value returning value`)
  if (row?.value !== fingerprint) {
    throw new StartError(
      'SECRET_KEY is not the one that this database was made with; give the original key, or run atrium secrets rotate.',
    )
  }
}

/** Two processes may start at once: the second waits, and then finds nothing to do. */
async function beginLedger(database: Database, key: LedgerKey, ledger: Ledger, now: Date): Promise<void> {
  if (await areChainsBegun(database)) return
  await database.transaction(async tx => {
    await tx.unhurried()
    await takeSchemaLock(tx)
    await beginChains(tx, key, ledger, now)
  })
}
