// Reads the configuration, picks the engines, starts; says in one line what stops it.
import cluster from 'node:cluster'
import { existsSync } from 'node:fs'
import { createServer, type ListenOptions } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Database } from './kit/db.ts'
import { keepCompiled } from './server/compile_cache.ts'
import { type Config, readConfig, StartError } from './server/config.ts'
import { type Limiter, memoryLimiter } from './server/request/limits.ts'
import type { Running } from './server/start.ts'

const longestStopMs = 9_000
/** Connections that wait to be taken; who finds the queue full tries again only after a second, then three, then seven. */
const longestQueue = 4_096

async function main(): Promise<void> {
  const config = readConfig(process.env)
  // Loaded only now: a wrong setting is told at once, and what is loaded from here on is kept compiled.
  keepCompiled()
  if (config.WORKERS > 1 && cluster.isPrimary) return await lead(config)
  // The embedded engine is compiled on another core while the rest is loaded on this one.
  const opening = openDatabase(config)
  opening.catch(() => {})
  const { pino } = await import('pino')
  const { startPlatform } = await import('./server/start.ts')
  const { surviveRejections } = await import('./server/watch/rejections.ts')
  const logger = loggerOf(pino, config)
  surviveRejections(logger)
  const database = await opening
  const limiter = await openLimiter(config, logger)
  const clickhouse = await openRows(config)
  const running = await startPlatform({ config, database, limiter, clickhouse, logger })
  await openControl(running, logger)
  stopOnSignal(running)
  const { PORT, HOST, WORKERS } = config
  const where: ListenOptions = { port: PORT, host: HOST, backlog: longestQueue, reusePort: WORKERS > 1 }
  await running.app.listen(where).catch(async error => {
    await running.close()
    throw cannotListen(config, error)
  })
  if (cluster.isPrimary) greet(config)
  else (await import('./server/upkeep/workers.ts')).tellListening()
}

function cannotListen({ PORT, HOST }: Config, error: Error & { code?: string }): StartError {
  return error.code === 'EADDRINUSE'
    ? new StartError(`Port ${PORT} on ${HOST} is taken; stop what runs there or set PORT.`)
    : new StartError(`Cannot listen on ${HOST}:${PORT} (${reason(error)}); check HOST and PORT.`)
}

/** Workers share their port with whoever asks for it, so another service there would not be noticed by them. */
async function refuseTakenPort(config: Config): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(cannotListen(config, error)))
    server.listen({ port: config.PORT, host: config.HOST }, () => server.close(() => resolve()))
  })
}

/** The process beside the workers: it starts and replaces them, and sees neither the database nor a request. */
async function lead(config: Config): Promise<void> {
  const { pino } = await import('pino')
  const { superviseWorkers } = await import('./server/upkeep/workers.ts')
  const logger = loggerOf(pino, config)
  await refuseTakenPort(config)
  superviseWorkers({
    count: config.WORKERS,
    exec: import.meta.filename,
    onReady: () => greet(config),
    warn: (fields, text) => logger.warn(fields, text),
  })
}

function loggerOf(pino: typeof import('pino').pino, { LOG_LEVEL }: Config): Logger {
  return pino({ level: LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime })
}

/** Only the driver that is used is loaded. */
async function openDatabase({ DATABASE_URL, DATA_DIR }: Config): Promise<Database> {
  if (!DATABASE_URL) {
    const { openEmbedded } = await import('./server/backends/pglite.ts')
    const prepared = existsSync(join(DATA_DIR, 'postgres')) ? undefined : await findPrepared()
    return await openEmbedded({ directory: DATA_DIR, onDeath: end, ...(prepared && { prepared }) })
  }
  const { openPostgres } = await import('./server/backends/postgres.ts')
  return await openPostgres({ url: DATABASE_URL }).catch(error => {
    throw new StartError(`DATABASE_URL does not answer (${reason(error)}); is PostgreSQL running there?`)
  })
}

/** Looked for on a first start only. */
async function findPrepared(): Promise<string | undefined> {
  const { findPreparedDatabase } = await import('./server/upkeep/prepared_database.ts')
  return findPreparedDatabase()
}

/** Whoever keeps the service running starts it again; one that stayed could only refuse. */
function end(error: Error): void {
  const text = `the embedded database has stopped (${reason(error)}); free its disk and start again: what was acknowledged is kept`
  process.stderr.write(`atrium: ${text}\n`)
  process.exit(1)
}

async function openLimiter({ REDIS_URL }: Config, logger: Logger): Promise<Limiter> {
  if (!REDIS_URL) return memoryLimiter()
  const { redisLimiter } = await import('./server/backends/redis.ts')
  const warn = (error: unknown) => logger.warn({ err: error }, 'Redis is away; limits are counted in this process only')
  return await redisLimiter(REDIS_URL, warn).catch(error => {
    throw new StartError(`REDIS_URL does not answer (${reason(error)}); is Redis running there?`)
  })
}

async function openRows({ CLICKHOUSE_URL }: Config) {
  if (!CLICKHOUSE_URL) return undefined
  const { openClickHouse } = await import('./server/backends/clickhouse.ts')
  return await openClickHouse(CLICKHOUSE_URL).catch(error => {
    throw new StartError(`CLICKHOUSE_URL does not answer (${reason(error)}); is ClickHouse running there?`)
  })
}

/** Only the embedded database cannot be reached from outside. It stops being asked before it is closed. */
async function openControl({ app, platform }: Running, logger: Logger): Promise<void> {
  if (platform.config.DATABASE_URL) return
  const { openControl: open } = await import('./server/upkeep/control.ts')
  const control = await open(platform.config, platform.database, logger)
  app.addHook('onClose', () => control.close())
}

function greet(config: Config): void {
  const where = config.DATABASE_URL ? 'PostgreSQL (DATABASE_URL)' : `${config.DATA_DIR} (embedded PostgreSQL)`
  const shown = config.isLoopback ? `${config.PUBLIC_URL}/dev/mailbox` : 'the mail, once SMTP_URL is set'
  const codes = config.SMTP_URL ? 'the mail it sends' : shown
  const workers = config.WORKERS > 1 ? `\n  workers     ${config.WORKERS}` : ''
  process.stdout.write(`Atrium is running on ${config.PUBLIC_URL}
  data        ${where}${workers}
  console     ${config.PUBLIC_URL}/
  reference   ${config.PUBLIC_URL}/docs
  first key   sign up with POST /v1/auth/signup, read the code in ${codes},
              verify with POST /v1/auth/verify_email, then POST /v1/api_keys (README, "First key")
`)
}

/** In-flight requests finish, then the database is closed; a second signal or too long a wait ends it at once. */
function stopOnSignal(running: Running): void {
  let isStopping = false
  const stop = () => {
    // A worker hears it from the primary, and from the terminal or service manager too: once is meant.
    if (isStopping && cluster.isWorker) return
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), longestStopMs).unref()
    running.close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function reason(error: unknown): string {
  const { code, message, cause } = error as Error & { code?: string }
  const inner = cause as (Error & { code?: string }) | undefined
  return code ?? inner?.code ?? inner?.message ?? message ?? String(error)
}

main().catch(error => {
  const text = error instanceof StartError ? error.message : (error as Error).message
  process.stderr.write(`atrium: ${text}\n`)
  if (process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack}\n`)
  process.exit(1)
})
