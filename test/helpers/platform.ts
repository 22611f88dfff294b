// The one helper of the tests: a whole platform with its own database, and callers to use it.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { onTestFailed, onTestFinished } from 'vitest'
import { ApiKeyId } from '../../src/areas/api_keys/contract.ts'
import * as keys from '../../src/areas/api_keys/store.ts'
import { openAccount } from '../../src/areas/auth/accounts.ts'
import { SessionId } from '../../src/areas/auth/sessions/contract.ts'
import { insertSession } from '../../src/areas/auth/sessions/store.ts'
import * as accounts from '../../src/areas/auth/store.ts'
import { rightsOf } from '../../src/areas/threads/runs/starting.ts'
import * as runs from '../../src/areas/threads/runs/store.ts'
import * as workspaces from '../../src/areas/workspaces/store.ts'
import { requestOf } from '../../src/client/request.ts'
import { AgentRunId, WorkspaceId } from '../../src/contract/ids.ts'
import type { Role } from '../../src/contract/permissions.ts'
import { scopes as allScopes, type CallerKind, type Scope } from '../../src/contract/scopes.ts'
import type { Ages } from '../../src/kit/ages.ts'
import type { Caller } from '../../src/kit/context.ts'
import { type Database, first } from '../../src/kit/db.ts'
import type { Follower } from '../../src/kit/follow.ts'
import { newId } from '../../src/kit/random.ts'
import { type Sql, sql } from '../../src/kit/sql.ts'
import { hintOf, newKeySecret, newToken, tokenHash } from '../../src/kit/tokens.ts'
import { operation as lookUp } from '../../src/operations.ts'
import { readConfig } from '../../src/server/config.ts'
import { startPlatform } from '../../src/server/start.ts'
import { stripe, stripeKey, stripeWebhookSecret } from '../billing/stripe_server.ts'
import { areasIn } from '../example/areas_in.ts'
import { freshClickHouse, freshDatabase, freshLimiter } from './engines.ts'
import { repositoriesIn } from './repositories.ts'

export const password = 'Correct4Horse!'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and checked against their schemas elsewhere
type Loose = any

export type Answer = {
  status: number
  headers: Record<string, Loose>
  body: Loose
  result: Loose
  error: Loose
  text: string
  /** Of a 500: what was thrown, as the log has it. */
  cause?: string
}

export type TestCaller = {
  userId: string
  workspaceId: string
  headers: Record<string, string>
  token: string
  id: string
}

export type PlatformOptions = {
  env?: Record<string, string>
  /** Where log lines go; nowhere by default. */
  logTo?: (line: string) => void
  /** Beside what the areas declare. */
  extra?: { followers?: readonly Follower[]; ages?: Ages }
  /** Hears the text of every statement, and whether connections prepare it. */
  onStatement?: (statement: Sql) => void
}

export type TestPlatform = Awaited<ReturnType<typeof platform>>

let count = 0

/** Closed by itself when the file or test that asked for it ends, if `close` is not called. */
export async function platform({ env = {}, logTo, extra = {}, onStatement }: PlatformOptions = {}) {
  const fresh = await freshDatabase()
  const clock = { offsetMs: 0 }
  const now = () => new Date(Date.now() + clock.offsetMs)
  const folder = join(tmpdir(), `atrium-test-${randomBytes(8).toString('hex')}`)
  const config = readConfig({
    // Made only by tests that mirror a repository.
    DATA_DIR: folder,
    REPOSITORY_DIRS: repositoriesIn(),
    // Targets of integrations, and whatever else a test puts on loopback.
    OUTBOUND_ALLOW: '127.0.0.1',
    SECRET_KEY: randomBytes(32).toString('hex'),
    // Nobody pays unless a test says so; who does, pays a stand-in.
    BILLING_PROVIDERS: 'none manual stripe',
    PLANS_FILE: join(import.meta.dirname, '../billing/plans.json'),
    STRIPE_SECRET_KEY: stripeKey,
    STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
    STRIPE_API_URL: (await stripe()).url,
    ANONYMOUS_RATE_LIMIT: '1000000',
    // A machine that is busy with other tests is no reason to refuse.
    MAX_EVENT_LOOP_DELAY: '60000',
    LOG_LEVEL: logTo ? 'trace' : 'error',
    ...env,
  })
  const failures = new Map<string, string>()
  const write = (line: string) => {
    logTo?.(line)
    if (line.includes('"request failed"')) failures.set(JSON.parse(line).requestId, line)
  }
  const logger = pino({ level: logTo ? 'trace' : 'error' }, { write })
  const limiter = await freshLimiter()
  const running = await startPlatform({
    config,
    database: onStatement ? overheard(fresh.database, onStatement) : fresh.database,
    limiter,
    clickhouse: await freshClickHouse(),
    logger,
    now,
    extra,
    areasIn,
  })
  const { app } = running
  await app.ready()
  const { database } = running.platform
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    await running.close()
    await fresh.drop()
    rmSync(folder, { recursive: true, force: true })
  }

  /** A raw request; nothing is added to it. */
  async function request(options: InjectOptions): Promise<Answer> {
    // As a stream, since an answer may go on for ever: of live updates only the beginning is read.
    const sent = await app.inject({ ...options, payloadAsStream: true })
    const { statusCode: status, headers } = sent
    let text = ''
    for await (const chunk of sent.stream().setEncoding('utf8')) {
      text += chunk
      if (headers['content-type'] === 'text/event-stream') break
    }
    let body: Answer['body'] = null
    try {
      body = JSON.parse(text)
    } catch {
      // Not JSON: `text` has it.
    }
    const answer: Answer = {
      status,
      headers,
      body,
      result: body?.result,
      error: body === null ? null : body.error,
      text,
    }
    return status === 500 ? withCause(answer, failures.get(body?.error?.metadata?.requestId)) : answer
  }

  /** An operation by its id, as a caller or as nobody. */
  async function call(
    id: string,
    input: Record<string, unknown> = {},
    caller?: Pick<TestCaller, 'headers'> | null,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const operation = lookUp(id)
    if (!operation) throw new Error(`no operation ${id}`)
    const { method, path, body, contentType } = requestOf(operation, input)
    // Of an operation that hears them.
    const heard = (input.content as { headers?: Record<string, string> } | undefined)?.headers
    return await request({
      method: method as 'GET',
      url: path,
      headers: {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...heard,
        ...caller?.headers,
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
    })
  }

  /** A verified user with a session and a first workspace of their own. */
  async function user(email = `user${count++}@example.com`): Promise<TestCaller> {
    const userId = await database.transaction(async tx => {
      const account = await openAccount(tx, { email, passwordHash: null, ref: null, inviteHash: null }, now())
      await accounts.updateUser(tx, account.id, { provenEmail: email, verifiedAt: now().toISOString() }, now())
      return account.id
    })
    const row = await first<{ workspaceId: string }>(
      database,
      sql`select workspace_id from workspace_members where user_id = ${userId}`,
    )
    return { ...(await session(userId)), workspaceId: row?.workspaceId ?? '' }
  }

  async function session(userId: string): Promise<TestCaller> {
    const token = newToken('sess')
    const id = newId(SessionId)
    const fields = { id, userId, hash: tokenHash(token), address: '127.0.0.1', userAgent: null }
    await database.transaction(tx => insertSession(tx, fields, now()))
    return { userId, workspaceId: '', token, id, headers: { authorization: `Bearer ${token}` } }
  }

  async function workspace(ownerId: string): Promise<string> {
    const id = newId(WorkspaceId)
    const fields = { id, name: 'Test workspace', slug: `test-${count++}-${Date.now()}`, description: null, ownerId }
    await database.transaction(tx => workspaces.insert(tx, fields, now()))
    return id
  }

  /** A session of a member with this role in the workspace (one is made where none is given). */
  async function as(role: Role, workspaceId?: string): Promise<TestCaller> {
    const someone = await user()
    if (workspaceId === undefined && role === 'owner') return someone
    const place = workspaceId ?? (await user()).workspaceId
    await database.query(sql`
      insert into workspace_members (workspace_id, user_id, position, created, updated)
      values (${place}, ${someone.userId}, ${role}, ${now()}, ${now()})`)
    return { ...someone, workspaceId: place }
  }

  type KeyOptions = {
    scopes?: readonly Scope[]
    ownerId?: string
    callerKind?: CallerKind | null
    expires?: string | null
    allowedIps?: string[] | null
  }

  /** A key in the caller's workspace, with every scope where none are named. */
  async function key(owner: TestCaller, options: KeyOptions = {}): Promise<TestCaller> {
    const { scopes = allScopes, ownerId = owner.userId, callerKind = null, expires = null, allowedIps = null } = options
    const token = newKeySecret()
    const id = newId(ApiKeyId)
    const fields = {
      id,
      workspaceId: owner.workspaceId,
      ownerId,
      name: 'test key',
      scopes: [...scopes],
      expires,
      allowedIps,
    }
    const record = { ...fields, hint: hintOf(token), callerKind, createdBy: owner.id }
    await database.transaction(tx => keys.insert(tx, record, tokenHash(token), now()))
    return { userId: owner.userId, workspaceId: owner.workspaceId, token, id, headers: { 'x-api-key': token } }
  }

  type RunOptions = { starter?: TestCaller; threadId?: string; grants?: readonly Scope[] }

  /** A token of a run of this kind, taken up a moment ago, by whom it is started: with all that the kind may hold. */
  async function run(by: TestCaller, kind: CallerKind, options: RunOptions = {}): Promise<TestCaller> {
    const { starter = by, threadId = null, grants = allScopes } = options
    const { workspaceId, userId } = by
    const caller = (await running.platform.principals.resolve(starter.token, workspaceId, '127.0.0.1')) as Caller
    const [id, token] = [newId(AgentRunId), newToken('run')]
    const rights = rightsOf(caller, workspaceId, kind, { grants })
    await runs.insert(database, { ...rights, id, threadId, runner: 'external', instructions: null, steps: null }, now())
    await runs.lease(database, id, tokenHash(token), new Date(now().getTime() + 15 * 60_000), now())
    return { userId, workspaceId, token, id, headers: { authorization: `Bearer ${token}` } }
  }

  /** The mails to an address, oldest first, once there are that many. */
  async function mails(to: string, atLeast = 1): Promise<{ subject: string; text: string; html: string }[]> {
    const since = performance.now()
    for (;;) {
      const rows = await database.query<{ subject: string; text: string; html: string }>(
        sql`select subject, text, html from mailbox where recipient = ${to} order by number`,
      )
      if (rows.length >= atLeast) return rows
      // Long: where many ask at once, mails come after all of them.
      if (performance.now() - since > 45_000) throw new Error(`${to} has ${rows.length} mails, expected ${atLeast}`)
      running.platform.jobs.wake()
      await new Promise(resolve => setTimeout(resolve, 25))
    }
  }

  /** The code in the newest mail to an address. */
  async function code(to: string, atLeast = 1): Promise<string> {
    const mail = (await mails(to, atLeast)).at(-1)
    return /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(mail?.text ?? '')?.[0] ?? ''
  }

  return {
    app,
    database,
    platform: running.platform,
    config,
    /** Of the database, where other processes can reach it. */
    url: fresh.url,
    now,
    /** Time passes without waiting. */
    advance: (ms: number) => {
      clock.offsetMs += ms
    },
    request,
    call,
    user,
    session,
    workspace,
    as,
    key,
    run,
    mails,
    code,
    close,
  }
}

function overheard(database: Database, hear: (statement: Sql) => void): Database {
  const telling =
    (query: Database['query']): Database['query'] =>
    statement => {
      hear(statement)
      return query(statement)
    }
  return {
    ...database,
    query: telling(database.query),
    lookups: { query: telling(database.lookups.query) },
    readingFor: key => ({ query: telling(database.readingFor(key).query) }),
    transaction: work => database.transaction(tx => work({ ...tx, query: telling(tx.query), last: telling(tx.last) })),
  }
}

/** A caller must not learn why; whoever reads a failed test must. */
function withCause(answer: Answer, line: string | undefined): Answer {
  const { err } = JSON.parse(line ?? '{}') as { err?: { stack?: string; message?: string } }
  const cause = err?.stack ?? err?.message ?? 'nothing was logged'
  const tell = () => void process.stderr.write(`An answer was 500, because:\n${cause}\n`)
  try {
    onTestFailed(tell)
  } catch {
    // Outside a test, as in `beforeAll`: nobody will ask later.
    tell()
  }
  return { ...answer, cause }
}

/** For one test: closed when it ends. */
export async function platformForTest(options: PlatformOptions = {}): Promise<TestPlatform> {
  const made = await platform(options)
  onTestFinished(() => made.close())
  return made
}
