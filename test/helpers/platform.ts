// The one helper of the tests: a whole platform with its own database, and callers to use it.
import { randomBytes } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { ApiKeyId } from '../../src/areas/api_keys/contract.ts'
import { mintRunToken } from '../../src/areas/api_keys/runs.ts'
import * as keys from '../../src/areas/api_keys/store.ts'
import { openAccount } from '../../src/areas/auth/accounts.ts'
import { SessionId } from '../../src/areas/auth/sessions/contract.ts'
import { insertSession } from '../../src/areas/auth/sessions/store.ts'
import * as accounts from '../../src/areas/auth/store.ts'
import * as workspaces from '../../src/areas/workspaces/store.ts'
import { requestOf } from '../../src/client/request.ts'
import { WorkspaceId } from '../../src/contract/ids.ts'
import type { Role } from '../../src/contract/permissions.ts'
import { scopes as allScopes, type CallerKind, type Scope } from '../../src/contract/scopes.ts'
import { first } from '../../src/kit/db.ts'
import { newId } from '../../src/kit/random.ts'
import { sql } from '../../src/kit/sql.ts'
import { hintOf, newKeySecret, newToken, tokenHash } from '../../src/kit/tokens.ts'
import { operation as lookUp } from '../../src/operations.ts'
import { readConfig } from '../../src/server/config.ts'
import type { Outbound } from '../../src/server/outbound.ts'
import { startPlatform } from '../../src/server/start.ts'
import { freshDatabase, freshLimiter } from './engines.ts'

export const password = 'Correct4Horse!'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field, and checked against their schemas elsewhere
export type Answer = { status: number; headers: Record<string, any>; body: any; result: any; error: any; text: string }

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
  outbound?: Outbound
}

export type TestPlatform = Awaited<ReturnType<typeof platform>>

let count = 0

/** Closed by itself when the file or test that asked for it ends, if `close` is not called. */
export async function platform({ env = {}, logTo, outbound }: PlatformOptions = {}) {
  const fresh = await freshDatabase()
  const clock = { offsetMs: 0 }
  const now = () => new Date(Date.now() + clock.offsetMs)
  const config = readConfig({
    SECRET_KEY: randomBytes(32).toString('hex'),
    ANONYMOUS_RATE_LIMIT: '1000000',
    // A machine that is busy with other tests is no reason to refuse.
    MAX_EVENT_LOOP_DELAY: '60000',
    LOG_LEVEL: logTo ? 'trace' : 'silent',
    ...env,
  })
  const logger = logTo ? pino({ level: 'trace' }, { write: logTo }) : pino({ level: 'silent' })
  const limiter = await freshLimiter()
  const running = await startPlatform({
    config,
    database: fresh.database,
    limiter,
    logger,
    now,
    ...(outbound && { outbound }),
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
  }

  /** A raw request; nothing is added to it. */
  async function request(options: InjectOptions): Promise<Answer> {
    // As a stream, since an answer may go on for ever: of live updates only the beginning is read.
    const answer = await app.inject({ ...options, payloadAsStream: true })
    const { statusCode: status, headers } = answer
    let text = ''
    for await (const chunk of answer.stream().setEncoding('utf8')) {
      text += chunk
      if (headers['content-type'] === 'text/event-stream') break
    }
    let body: Answer['body'] = null
    try {
      body = JSON.parse(text)
    } catch {
      // Not JSON: `text` has it.
    }
    return { status, headers, body, result: body?.result, error: body === null ? null : body.error, text }
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
    const { method, path, body } = requestOf(operation, input)
    return await request({
      method: method as 'GET',
      url: path,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...caller?.headers, ...headers },
      ...(body !== undefined && { payload: body }),
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

  /** A run token of this kind, with all that its starter holds. */
  async function run(starter: TestCaller, callerKind: CallerKind, role: Role = 'owner'): Promise<TestCaller> {
    const standing = { scopes: null, role, ownerId: starter.userId }
    const { workspaceId, userId } = starter
    const { id, token } = await mintRunToken(database, standing, { workspaceId, callerKind, scopes: allScopes }, now())
    return { userId, workspaceId, token, id, headers: { authorization: `Bearer ${token}` } }
  }

  /** The mails to an address, oldest first, once there are that many. */
  async function mails(to: string, atLeast = 1): Promise<{ subject: string; text: string; html: string }[]> {
    for (let tries = 0; ; tries++) {
      const rows = await database.query<{ subject: string; text: string; html: string }>(
        sql`select subject, text, html from mailbox where recipient = ${to} order by number`,
      )
      if (rows.length >= atLeast) return rows
      if (tries > 400) throw new Error(`${to} has ${rows.length} mails, expected ${atLeast}`)
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

/** For one test: closed when it ends. */
export async function platformForTest(options: PlatformOptions = {}): Promise<TestPlatform> {
  const made = await platform(options)
  onTestFinished(() => made.close())
  return made
}
