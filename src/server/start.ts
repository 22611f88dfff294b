// Puts the platform together: database and migrations, handlers found by folder name, jobs, HTTP.
import { existsSync } from 'node:fs'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Log } from '../kit/context.ts'
import type { Database, Db } from '../kit/db.ts'
import type { Implementation, JobEvent, Jobs } from '../kit/implement.ts'
import { sql } from '../kit/sql.ts'
import { areas } from '../operations.ts'
import { buildApp } from './app.ts'
import { type Config, StartError, secretKey } from './config.ts'
import { startFeed } from './feed.ts'
import { forgetAnswers } from './idempotency.ts'
import { startJobs } from './jobs.ts'
import { append, exportKey, type LedgerKey, ledgerKey, signCheckpoint, signHead } from './ledger.ts'
import type { Limiter } from './limits.ts'
import { mailer } from './mail.ts'
import { migrate, readMigrations } from './migrations.ts'
import { outbound as guarded, type Outbound } from './outbound.ts'
import type { Platform } from './platform.ts'
import { principals } from './principals.ts'
import { fingerprintOf, secretsFrom } from './secrets.ts'
import { policyReader } from './tool_policies.ts'
import type { Tracer } from './tracing.ts'
import { gatherUses } from './uses.ts'

export type Parts = {
  config: Config
  database: Database
  limiter: Limiter
  logger: FastifyBaseLogger
  now?: () => Date
  outbound?: Outbound
}

export type Running = { app: FastifyInstance; platform: Platform; close(): Promise<void> }

const defaultVerifyUrl = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

export async function startPlatform({
  config,
  database: bare,
  limiter,
  logger,
  now = () => new Date(),
  outbound = guarded(),
}: Parts): Promise<Running> {
  const secret = secretKey(config)
  const secrets = secretsFrom(secret)
  const key = ledgerKey(secret)
  const tracer = await tracerOf(config, logger)
  const database = tracer ? traced(bare, tracer) : bare
  await migrate(database, readMigrations())
  await refuseOtherKey(database, fingerprintOf(secret))
  const { handlers, jobs: kinds } = await loadAreas()
  const settings = {
    publicUrl: config.PUBLIC_URL,
    signups: config.SIGNUPS,
    turnstile: config.TURNSTILE_SECRET_KEY
      ? { secretKey: config.TURNSTILE_SECRET_KEY, verifyUrl: config.TURNSTILE_VERIFY_URL ?? defaultVerifyUrl }
      : null,
    ...secrets,
    signLedger: (what: 'head' | 'checkpoint', chain: string, seq: number, hash: string) =>
      (what === 'head' ? signHead : signCheckpoint)(key, chain, seq, hash),
    exportKey: exportKey(secret),
  }
  const sendMail = mailer(config, database)
  const host = new URL(config.PUBLIC_URL).hostname
  const jobs = await startJobs({
    database,
    jobs: { ...kinds, ...platformJobs },
    log: logger,
    tracer,
    context: (jobId, log) => ({
      id: jobId,
      db: database,
      transaction: work => database.transaction(work),
      settings,
      now,
      log,
      sendMail: async message => {
        const messageId = `<${jobId}@${host}>`
        const send = () => sendMail(message, messageId)
        await (tracer ? tracer.during({ name: 'mail', kind: 'client' }, send) : send())
        // To whom it went is nobody's business here.
        log.info({ messageId }, 'a mail was handed over')
      },
      record: (db, event) => appendEvent(db, key, event, jobId, now()),
    }),
  })
  const feed = await startFeed(database, logger)
  const uses = gatherUses(database, now, logger)
  const platform: Platform = {
    config,
    settings,
    database,
    principals: principals(database, { requireVerifiedEmail: config.REQUIRE_VERIFIED_EMAIL === 'true', now }),
    policies: policyReader(database),
    limiter,
    jobs,
    uses,
    ledgerKey: key,
    feed,
    secretKey: secret,
    outbound,
    handlers,
    tracer,
    log: logger,
    now,
  }
  const app = await buildApp(platform, logger)
  return {
    app,
    platform,
    async close() {
      await app.close()
      await feed.stop()
      await uses.stop()
      await jobs.stop()
      await limiter.close()
      await tracer?.stop()
      await database.close()
    },
  }
}

/** Not even loaded where nobody collects. */
async function tracerOf(config: Config, log: Log): Promise<Tracer | undefined> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined
  return (await import('./tracing.ts')).openTracer(config, log)
}

function traced(database: Database, tracer: Tracer): Database {
  const begin = { name: 'transaction', kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const
  return { ...database, transaction: work => tracer.during(begin, () => database.transaction(work)) }
}

/** What the platform itself must clear away. */
const platformJobs: Jobs = {
  'platform.sweep': {
    schedule: '47 * * * *',
    run: async ({ db, now }) => await forgetAnswers(db, new Date(now().getTime() - 86_400_000)),
  },
}

async function appendEvent(db: Db, key: LedgerKey, { chain, action, target }: JobEvent, jobId: string, now: Date) {
  const actor = { type: 'system', id: 'system', credentialId: null, callerKind: null, surface: 'job' }
  const entry = {
    at: now.toISOString(),
    action,
    outcome: 'success' as const,
    actor,
    target,
    changes: [],
    requestId: null,
  }
  await append(db, key, chain, { ...entry, cause: jobId }, { address: null, userAgent: null, changes: [] })
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

/** An area's folder has the area's name; its handlers and jobs are looked up there. */
async function loadAreas(): Promise<{ handlers: Implementation; jobs: Jobs }> {
  const handlers: Implementation = {}
  const jobs: Jobs = {}
  for (const { name } of areas) {
    const folder = new URL(`../areas/${name}/`, import.meta.url)
    const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js'
    const { default: implementation } = await import(new URL(`handlers.${extension}`, folder).href)
    Object.assign(handlers, implementation)
    const jobFile = new URL(`jobs.${extension}`, folder)
    if (existsSync(jobFile)) Object.assign(jobs, (await import(jobFile.href)).default)
  }
  return { handlers, jobs }
}
