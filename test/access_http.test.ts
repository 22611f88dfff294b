// Over HTTP, for every operation: one call that is let in, and one for each reason for which a call is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WorkspaceId } from '../src/contract/ids.ts'
import { isOfKind } from '../src/contract/kinds.ts'
import { type Operation, workspaceIn } from '../src/contract/operation.ts'
import { type Role, roleScopes } from '../src/contract/permissions.ts'
import { agentCallers, type Scope, scopes } from '../src/contract/scopes.ts'
import { newId, randomText } from '../src/kit/random.ts'
import { sql } from '../src/kit/sql.ts'
import { newKeySecret } from '../src/kit/tokens.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { calls, inputFor as goodInput, rowOf, signedElsewhere, type World, world } from './calls.ts'
import { type Answer, platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'

let p: TestPlatform
let here: World
let elsewhere: World

beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
  elsewhere = await world(p)
})
afterAll(() => p.close())

const known: readonly string[] = operationIds
const operationOf = (id: string) => lookUp(id) as Operation
const statusOf = (id: string) => operationOf(id).status ?? 200
const neededBy = (id: string): readonly Scope[] => {
  const { access } = operationOf(id)
  return typeof access === 'string' ? [] : access
}
const isOpenTo = (id: string, credential: 'key' | 'run') => {
  const { access, credentials } = operationOf(id)
  return access !== 'user' && (credentials?.includes(credential) ?? true)
}
const having = (test: (operation: Operation, id: string) => boolean) => known.filter(id => test(operationOf(id), id))

/** The doors for telemetry refuse in a form of their own: test/telemetry walks them. */
const credentialed = having(({ access, signal }) => access !== 'public' && signal === undefined)
const scoped = having(({ access }) => typeof access !== 'string')
/** What is for runs alone is refused to people whatever they are. */
const isForPeople = ({ credentials }: Operation) => credentials?.includes('session') ?? true
const ofWorkspace = having(operation => workspaceIn(operation) !== null && isForPeople(operation))
const ofPathWorkspace = having(operation => workspaceIn(operation) === 'path' && isForPeople(operation))
/** The path fields that name a record, beside the workspace. */
/** The number of a version names something only together with its record. */
const recordFields = (id: string) =>
  Object.keys(operationOf(id).path?.properties ?? {}).filter(n => n !== 'workspaceId' && n !== 'version')
const ofRecord = having((_, id) => recordFields(id).length > 0)
/** What whoever has its address may use, from wherever. */
const byAddress: readonly string[] = ['automations.hook', ...signedElsewhere, 'integrations.inbound', 'pages.public']
/** Tools have the same names everywhere. */
const ofForeignRecord = ofRecord.filter(id => !id.startsWith('agent_tools.') && !byAddress.includes(id))

const inputFor = (id: string, w: World = here, caller?: TestCaller) => goodInput(id, w, caller)

/** Who may: the owner of the world, or somebody the call may use up. */
async function someoneFor(id: string): Promise<TestCaller> {
  return (await rowOf(id).by?.(here)) ?? here.owner
}

/** The workspace of an input may be one that was made for the call. */
async function keyFor(input: Record<string, unknown>, own: readonly Scope[]): Promise<TestCaller> {
  const workspaceId = typeof input.workspaceId === 'string' ? input.workspaceId : here.workspaceId
  return await p.key({ ...here.owner, workspaceId }, { scopes: own })
}

function expectRefusal(answer: Answer, status: 401 | 403 | 404, reason?: string): void {
  const message = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not found' }[status]
  expect({ status: answer.status, message: answer.error?.message }).toEqual({ status, message })
  expect(answer.body).toMatchObject({ success: false, message: null })
  expect('result' in answer.body).toBe(false)
  if (reason) expect(answer.error.metadata.reason).toBe(reason)
}

describe('the table of calls', () => {
  it('has a row for every operation and none for others', () => {
    expect(Object.keys(calls).sort()).toEqual([...known].sort())
  })
})

describe('let in', () => {
  it.each(known)('%s answers as its contract says', async id => {
    const caller = operationOf(id).access === 'public' ? null : await someoneFor(id)
    const answer = await p.call(id, await inputFor(id, here, caller ?? here.owner), caller)
    expect(answer.error ?? null).toBeNull()
    expect(answer.status).toBe(statusOf(id))
    expect(answer.headers['ratelimit-policy']).toMatch(/^"(rest|anonymous)";q=\d+;w=60$/)
  })

  it.each(scoped.filter(id => isOpenTo(id, 'key') && id !== 'workspaces.restore'))(
    '%s takes a key with its scopes and no others',
    async id => {
      const input = await inputFor(id)
      const key = await keyFor(input, [...neededBy(id), ...(rowOf(id).gives ?? [])])
      const answer = await p.call(id, input, key)
      expect(answer.error ?? null).toBeNull()
      expect(answer.status).toBe(statusOf(id))
    },
  )
})

describe('refused without a credential', () => {
  it.each(credentialed)('%s answers 401', async id => {
    const input = await inputFor(id)
    const plain = await p.call(id, input)
    expectRefusal(plain, 401)
    const wrong: Record<string, string>[] = [
      { 'x-api-key': newKeySecret() },
      { 'x-api-key': `atr_${randomText('ab', 54)}` },
      { 'x-api-key': here.owner.token },
      { authorization: `Bearer sess_${randomText('ab', 43)}` },
      { authorization: `Bearer ${(await p.key(here.owner)).token}` },
      { authorization: 'Basic YTpi' },
      { cookie: `session=${(await p.key(here.owner)).token}` },
      { ...here.owner.headers, 'x-api-key': (await p.key(here.owner)).token },
    ]
    for (const headers of wrong) expectRefusal(await p.call(id, input, { headers }), 401)
  })
})

describe('refused for a scope', () => {
  it.each(scoped.filter(id => isOpenTo(id, 'key')))('%s names the one that is missing', async id => {
    const input = await inputFor(id)
    for (const scope of neededBy(id)) {
      if (id === 'workspaces.restore') continue
      const key = await keyFor(
        input,
        scopes.filter(other => other !== scope),
      )
      const answer = await p.call(id, input, key)
      expectRefusal(answer, 403, 'scope')
      expect(answer.error.metadata.missing).toEqual([scope])
      expect(answer.error.detail).toContain(scope)
      const explained = await p.call('access.explain', { operation: id }, key)
      expect(explained.result).toMatchObject({ allowed: false, reason: 'scope', missing: [scope] })
    }
  })
})

describe('refused for a role', () => {
  const roles: readonly Exclude<Role, 'owner'>[] = ['admin', 'member', 'viewer']
  // Without a workspace in question there is no role: workspaces.list and .post are everybody's.
  const cases = scoped
    .filter(id => ofWorkspace.includes(id))
    .flatMap(id =>
      roles.filter(role => neededBy(id).some(scope => !roleScopes[role].has(scope))).map(role => [id, role] as const),
    )

  it.each(cases)('%s refuses a session and a key of a %s', async (id, role) => {
    const input = await inputFor(id)
    const workspaceId = String(input.workspaceId)
    const session = workspaceId === here.workspaceId ? here[role] : await p.as(role, workspaceId)
    const answer = await p.call(id, input, session)
    expectRefusal(answer, 403, 'role')
    expect(answer.error.metadata.missing).toEqual(neededBy(id).filter(scope => !roleScopes[role].has(scope)))
    const explained = await p.call('access.explain', { operation: id, workspaceId }, session)
    expect(explained.result).toMatchObject({ allowed: false, reason: 'role', role })
    if (!isOpenTo(id, 'key') || id === 'workspaces.restore') return
    const key = await p.key({ ...session, workspaceId })
    expectRefusal(await p.call(id, input, key), 403, 'role')
  })
})

describe('refused for the workspace', () => {
  it.each(ofWorkspace)('%s cannot tell another workspace from one that does not exist', async id => {
    const input = await inputFor(id, elsewhere)
    const unknown = { ...input, workspaceId: newId(WorkspaceId) }
    const callers = [here.owner, await p.key(here.owner)]
    if (!isOpenTo(id, 'key')) callers.pop()
    for (const caller of callers) {
      const foreign = await p.call(id, input, caller)
      expectRefusal(foreign, 403, 'membership')
      const absent = await p.call(id, unknown, caller)
      expect(absent.text).toBe(foreign.text)
      expect(namesOf(absent.headers)).toEqual(namesOf(foreign.headers))
    }
    // The one who belongs there is let in by the same input, so it was the workspace that decided.
    expect((await p.call(id, input, elsewhere.owner)).status).toBe(statusOf(id))
  })

  it.each(ofPathWorkspace)('%s takes a malformed workspace for one that does not exist', async id => {
    const input = await inputFor(id)
    const callers = [here.owner, await p.key(here.owner)]
    const unknown = await p.call(id, { ...input, workspaceId: newId(WorkspaceId) }, here.owner)
    for (const workspaceId of ['nonsense', 'ws_\0', `ws_${'A'.repeat(32)}`, "ws_' or 1=1", 'x'.repeat(500)]) {
      for (const caller of callers) {
        const answer = await p.call(id, { ...input, workspaceId }, caller)
        expectRefusal(answer, 403)
        if (isOpenTo(id, 'key')) expect(answer.text).toBe(unknown.text)
      }
    }
  })

  it.each(ofWorkspace.filter(id => workspaceIn(operationOf(id)) === 'body'))(
    '%s asks for a well-formed workspace in the body first',
    async id => {
      for (const workspaceId of [undefined, 'nonsense', 7, null, `ws_${'A'.repeat(32)}`]) {
        const answer = await p.call(id, { ...(await inputFor(id)), workspaceId }, here.owner)
        expect(answer.status).toBe(400)
        expect(answer.error.metadata.issues[0].path).toBe('workspaceId')
      }
    },
  )

  it.each(ofWorkspace)('%s is closed while the workspace waits for its deletion, unless it says so', async id => {
    const gone = await world(p)
    const input = { ...(await inputFor(id, gone)), workspaceId: gone.workspaceId }
    const key = await p.key(gone.owner)
    await p.database.query(sql`update workspaces set status = 'deleting' where id = ${gone.workspaceId}`)
    expectRefusal(await p.call(id, input, key), 401)
    const answer = await p.call(id, input, gone.owner)
    if (operationOf(id).whileDeleting) expect(answer.error?.metadata?.reason).not.toBe('deleting')
    else expectRefusal(answer, 403, 'deleting')
  })

  it.each(ofWorkspace)('%s refuses a suspended member and their key', async id => {
    const input = await inputFor(id)
    const someone = await p.as('owner', String(input.workspaceId))
    const place = { ...someone, workspaceId: String(input.workspaceId) }
    const key = await p.key(place)
    await p.database.query(sql`
      update workspace_members set status = 'suspended'
      where workspace_id = ${place.workspaceId} and user_id = ${someone.userId}`)
    expectRefusal(await p.call(id, input, someone), 403)
    expectRefusal(await p.call(id, input, key), 401)
  })
})

describe('refused for the record', () => {
  it.each(ofForeignRecord)('%s cannot tell a record of another workspace from one that does not exist', async id => {
    const caller = await someoneFor(id)
    const input = await inputFor(id, here, caller)
    const foreign = await inputFor(id, elsewhere, elsewhere.owner)
    for (const field of recordFields(id)) {
      // What every workspace has under the same name, such as a tool, is nobody's own.
      const value = foreign[field] === input[field] ? likeIt(String(input[field])) : foreign[field]
      const other = await p.call(id, { ...input, [field]: value }, caller)
      expectRefusal(other, 404)
      const absent = await p.call(id, { ...input, [field]: likeIt(String(input[field])) }, caller)
      expect(absent.text).toBe(other.text)
    }
  })

  it.each(ofRecord)('%s takes a malformed id for one that does not exist', async id => {
    const caller = await someoneFor(id)
    const input = await inputFor(id, here, caller)
    for (const field of recordFields(id)) {
      for (const wrong of ['nonsense', '\0', `${input[field]}x`, String(input[field]).toUpperCase(), '%', '..%2f..']) {
        expectRefusal(await p.call(id, { ...input, [field]: wrong }, caller), 404)
      }
    }
  })
})

describe('refused for the caller kind', () => {
  // A workspace that waits for its deletion takes neither keys nor runs.
  // What the policy says of a tool elsewhere depends on the tool, which `access.explain` is not told.
  const cases = credentialed.filter(id => id !== 'workspaces.restore' && id !== 'integrations.tools.call')

  it.each(cases)('%s refuses the kinds that it lists or the policy does, as access.explain says', async id => {
    const { restricted = [] } = operationOf(id)
    for (const kind of agentCallers) {
      const isTheirs = isOfKind(operationOf(id), kind)
      for (const credential of ['run', 'key'] as const) {
        // A call that is let in may use up its record, so each has one of its own.
        const input = await inputFor(id)
        const workspaceId = typeof input.workspaceId === 'string' ? input.workspaceId : here.workspaceId
        const owner = { ...here.owner, workspaceId }
        const caller = credential === 'run' ? await p.run(owner, kind) : await p.key(owner, { callerKind: kind })
        const { result } = await p.call('access.explain', { operation: id, workspaceId }, caller)
        const answer = await p.call(id, input, caller)
        // What a run does in its own thread is refused in another's, which nobody can say without looking at it.
        if (answer.error?.metadata?.reason === 'thread') {
          expect(result.allowed && operationOf(id).agents?.includes(kind)).toBe(true)
          continue
        }
        // A person may be asked first.
        const isAsked = answer.headers['approval-id'] !== undefined && answer.status === 202
        expect(result.allowed).toBe(answer.status === statusOf(id) || isAsked)
        if (isAsked) expect([kind, result.detail]).toEqual(['private', expect.stringContaining('approve')])
        if (!isOpenTo(id, credential)) expectRefusal(answer, 403, 'credential')
        else if (restricted.includes(kind) || !isTheirs) expectRefusal(answer, 403, 'caller_kind')
        else if (!result.allowed) expectRefusal(answer, 403, 'policy')
        if (!result.allowed) expect(result).toMatchObject({ ...answer.error.metadata, detail: answer.error.detail })
      }
    }
  })

  it.each(credentialed.filter(id => !isOpenTo(id, 'key')))('%s refuses keys whatever their scopes', async id => {
    expectRefusal(await p.call(id, await inputFor(id), await p.key(here.owner)), 403, 'credential')
  })
})

/** Another id of the same format; of the name of a tool elsewhere, another server. */
function likeIt(id: string): string {
  const [, server] = /^int\.(.+)\.[^.]+$/.exec(id) ?? []
  if (server) return id.replace(server, randomText('0123456789abcdefghijklmnopqrstuvwxyz', server.length))
  const [prefix = ''] = /^.*_/.exec(id) ?? []
  return prefix + randomText('0123456789abcdefghijklmnopqrstuvwxyz', id.length - prefix.length)
}

function namesOf(headers: object): string[] {
  return Object.keys(headers).sort()
}
