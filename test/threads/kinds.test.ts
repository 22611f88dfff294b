// Every kind of run against every operation, by the table as it is written down and not by the contract's own words.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methodOf, type Operation, workspaceIn } from '../../src/contract/operation.ts'
import { agentCallers, type CallerKind } from '../../src/contract/scopes.ts'
import { sql } from '../../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../../src/operations.ts'
import { inputFor, type World, world } from '../calls.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from '../helpers/platform.ts'

let p: TestPlatform
let here: World
let elsewhere: World

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

/** What no agent does, of whatever kind. */
const forPeople = [
  /^(auth|api_keys)\.del$/,
  /^api_keys\.(patch|rotate|transfer|endOldSecret)$/,
  /^agent_tools\.(patch|reset|approvals\.decide)$/,
  /^audit_logs\.export$/,
  /^automations\.(post|patch|trigger|rotateHook|executions\.rerun|versions\.revert|templates\.install)$/,
  /^cloud_accounts\.(post|patch|del|sync|validate|state\.put)$/,
  /^datasets\.purge$/,
  /^billing\.(patch|portal|invoices\.pay)$/,
  /^integrations\.(post|patch|del|rotateSecret|test|backfill|mapping\.test|deliveries\.redeliver(Many)?|tools\.refresh|people\.(put|del))$/,
  /^oauth_clients\.(post|patch|del|rotateSecret|grants\.del)$/,
  /^subscriptions\.(patch|checkout)$/,
  /^telemetry_tokens\.(post|patch|rotate|del)$/,
  /^threads\.runs\.claim$/,
  /^workspace_members\.(patch|del|invites\.(post|resend|del))$/,
  /^workspaces\.(post|del|restore|settings\.patch|exports\.(post|get|file)|import)$/,
]

/** Writes by their method that only compute. */
const computing = [
  'access.explain',
  'agent_tools.run',
  'analytics.query',
  'automations.check',
  'automations.dryRun',
  'datasets.detection.test',
  'datasets.query',
  'issues.rules.test',
  'skills.validate',
  'skills.prompt',
  'subscriptions.preview',
]

/** Ruled by the tool that it names: here one that reads, and that was reviewed. */
const ruledByName = ['integrations.tools.call']

/** What people set for themselves alone. */
const ofThemselves = ['analytics.dashboards.putMine', 'integrations.people.put']

const ofAll = [
  'messages.post',
  'messages.patch',
  'messages.files.post',
  'threads.runs.heartbeat',
  'threads.runs.finish',
]
const ofHypothesis = [...ofAll, 'threads.patch']
const ofInvestigation = [
  ...ofHypothesis,
  'threads.post',
  'threads.runs.post',
  'issues.notes.post',
  'memories.post',
  'memories.patch',
  'memories.versions.revert',
]

/** Beside reading. */
const ownWork: Readonly<Record<CallerKind, readonly string[]>> = {
  private: ofAll,
  automation: ofAll,
  hypothesis: ofHypothesis,
  investigation: ofInvestigation,
  autofix: [...ofInvestigation, 'autofixes.post', 'autofixes.patch', 'autofixes.check'],
}

type Expected = 'done' | 'asked' | 'credential' | 'caller_kind' | 'policy' | 'scope'

/** `grants` are an automation's. */
function expected(kind: CallerKind, id: string, grants: 'all' | 'none' = 'all'): Expected {
  const operation = operationOf(id)
  const { access, credentials } = operation
  if (access === 'user' || (credentials && !credentials.includes('run'))) return 'credential'
  if (forPeople.some(one => one.test(id))) return 'caller_kind'
  if (ownWork[kind].includes(id)) return 'done'
  const isScoped = typeof access !== 'string'
  if (kind === 'automation' && grants === 'none' && isScoped) return 'scope'
  if (methodOf(operation) === 'GET' || computing.includes(id) || ruledByName.includes(id)) return 'done'
  if (kind === 'automation') return methodOf(operation) === 'DELETE' ? 'policy' : 'done'
  if (kind === 'private') return methodOf(operation) === 'DELETE' ? 'policy' : 'asked'
  return 'caller_kind'
}

const operationOf = (id: string) => lookUp(id) as Operation
/** A workspace that waits for its deletion has no runs; the doors for telemetry refuse them in their own form. */
const known = operationIds.filter(id => {
  const { access, signal } = operationOf(id)
  return access !== 'public' && signal === undefined && id !== 'workspaces.restore'
})

function said({ status, headers, error }: Answer): string {
  if (status === 202 && headers['approval-id'] !== undefined) return 'asked'
  return status < 300 ? 'done' : String(error?.metadata?.reason ?? `${status} ${error?.detail}`)
}

/** Hypotheses stand under investigations alone, so that is where an autofix can show that it may make them. */
const typeOf: Readonly<Record<CallerKind, string>> = {
  private: 'chat',
  automation: 'chat',
  hypothesis: 'hypothesis',
  investigation: 'investigation',
  autofix: 'investigation',
}

type Working = { threadId: string; run: TestCaller }

async function threadOf(type: string): Promise<string> {
  const { workspaceId, owner } = here
  const above = type === 'hypothesis' ? { parentThreadId: await threadOf('investigation') } : {}
  return (await p.call('threads.post', { workspaceId, type, ...above }, owner)).result.id
}

async function atWork(kind: CallerKind, options: object = {}): Promise<Working> {
  const threadId = await threadOf(typeOf[kind])
  return { threadId, run: await p.run(here.owner, kind, { threadId, ...options }) }
}

/** The input of a run's own work in this thread; of any other operation, a good one. */
async function inputIn(id: string, { threadId, run }: Working): Promise<Record<string, unknown>> {
  const { workspaceId, owner } = here
  const own = { workspaceId, id: threadId, runId: run.id }
  const below = { workspaceId, type: 'hypothesis', parentThreadId: threadId }
  switch (id) {
    case 'messages.post':
      return { workspaceId, threadId, text: 'Found.' }
    case 'messages.patch': {
      const begun = { workspaceId, threadId, text: 'Found', status: 'streaming' }
      return { workspaceId, id: (await p.call('messages.post', begun, run)).result.id, append: ' it.' }
    }
    case 'threads.patch':
      return { workspaceId, id: threadId, summary: 'It waits.' }
    case 'threads.post':
      return below
    case 'threads.runs.post': {
      const { result } = await p.call('threads.post', below, owner)
      return { workspaceId, id: result?.id ?? threadId, runner: 'external' }
    }
    case 'autofixes.patch':
    case 'autofixes.check': {
      const input = await inputFor(id, here)
      await p.database.query(sql`update autofixes set run_thread_id = ${threadId} where id = ${String(input.id)}`)
      return input
    }
    case 'threads.runs.heartbeat':
      return own
    case 'threads.runs.finish':
      return { ...own, status: 'succeeded' }
    default:
      return await inputFor(id, here)
  }
}

/** Where its own work is no other than anybody's: the good input of everybody. */
const isOwn = (kind: CallerKind, id: string) => ownWork[kind].includes(id)

describe('the table', () => {
  it('names operations that only compute, and no others', () => {
    const found = known.filter(id => {
      const { access } = operationOf(id)
      const isRead = typeof access !== 'string' && access.every(scope => scope.endsWith(':read'))
      return isRead && methodOf(operationOf(id)) !== 'GET'
    })
    const isOther = (id: string) => computing.includes(id) || ruledByName.includes(id) || ofThemselves.includes(id)
    expect(found.filter(id => !isOther(id))).toEqual([])
  })
})

describe.each(agentCallers)('a run of the kind %s', kind => {
  let working: Working
  beforeAll(async () => {
    working = await atWork(kind)
  })

  it.each(known)('is answered by %s as the table says', async id => {
    // One of its own for what ends the run, and for what a person is asked: of that a run may want so much at a time.
    const isApart = id === 'threads.runs.finish' || expected(kind, id) === 'asked'
    const by = isApart ? await atWork(kind) : working
    const input = isOwn(kind, id) ? await inputIn(id, by) : await inputFor(id, here)
    const workspaceId = typeof input.workspaceId === 'string' ? input.workspaceId : here.workspaceId
    const isElsewhere = workspaceId !== here.workspaceId
    const caller = isElsewhere ? await p.run({ ...here.owner, workspaceId }, kind) : by.run
    expect(said(await p.call(id, input, caller))).toBe(expected(kind, id))
  })

  it('does its own work in no other thread', async () => {
    const other = await atWork(kind)
    for (const id of ownWork[kind].filter(one => /^(messages|threads)\./.test(one) && lookUp(one))) {
      // An automation that is granted messages writes them where it is told to.
      if (kind === 'automation' && id === 'messages.post') continue
      // An upload is in no thread yet.
      if (id === 'messages.files.post') continue
      const answer = await p.call(id, await inputIn(id, other), working.run)
      expect([id, answer.status, answer.error?.metadata.reason]).toEqual([id, 403, 'thread'])
    }
  })

  it('opens nothing from the next request on, once it has ended', async () => {
    const { threadId, run } = await atWork(kind)
    const read = () => p.call('threads.get', { workspaceId: here.workspaceId, id: threadId }, run)
    expect((await read()).status).toBe(200)
    const path = { workspaceId: here.workspaceId, id: threadId, runId: run.id }
    expect((await p.call('threads.runs.cancel', path, here.owner)).status).toBe(200)
    expect((await read()).status).toBe(401)
    const { workspaceId } = here
    for (const id of known) {
      const fields = Object.keys(operationOf(id).path?.properties ?? {})
      const input = { ...Object.fromEntries(fields.map(name => [name, 'x'])), workspaceId }
      expect([id, (await p.call(id, input, run)).status]).toEqual([id, 401])
    }
  })
})

describe('an automation with no grants', () => {
  let working: Working
  beforeAll(async () => {
    working = await atWork('automation', { grants: [] })
  })

  it.each(known)('is answered by %s as the table says', async id => {
    const by = id === 'threads.runs.finish' ? await atWork('automation', { grants: [] }) : working
    const input = isOwn('automation', id) ? await inputIn(id, by) : await inputFor(id, here)
    const workspaceId = typeof input.workspaceId === 'string' ? input.workspaceId : here.workspaceId
    const isElsewhere = workspaceId !== here.workspaceId
    const caller = isElsewhere ? await p.run({ ...here.owner, workspaceId }, 'automation', { grants: [] }) : by.run
    expect(said(await p.call(id, input, caller))).toBe(expected('automation', id, 'none'))
  })
})

describe('in another workspace', () => {
  const cases = known.filter(id => {
    const operation = operationOf(id)
    const isForRuns = operation.access !== 'user' && (operation.credentials?.includes('run') ?? true)
    return isForRuns && workspaceIn(operation) !== null
  })

  it.each(cases)('%s is refused to runs of every kind', async id => {
    const input = await inputFor(id, elsewhere)
    for (const kind of agentCallers) {
      const run = await p.run(here.owner, kind)
      const answer = await p.call(id, input, run)
      // What the kind never does is told first; nothing of the other workspace is.
      const isBanned = expected(kind, id) === 'caller_kind'
      expect([kind, answer.status, said(answer)]).toEqual([kind, 403, isBanned ? 'caller_kind' : 'membership'])
    }
  })
})
