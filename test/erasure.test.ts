// A person with an unusual name does everything, is erased, and stands nowhere any more.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWrite } from '../src/contract/operation.ts'
import { sql } from '../src/kit/sql.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { rowOf, type World, world } from './calls.ts'
import { people } from './helpers/accounts.ts'
import { authorizeUrl, browser, cliRedirect, pkce, tokensFor } from './helpers/oauth.ts'
import { password, platform, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { placesOf, storedIn } from './helpers/stored.ts'

let p: TestPlatform
let here: World
beforeAll(async () => {
  p = await platform({ env: { RATE_LIMIT: '1000000' } })
  here = await world(p)
})
afterAll(() => p.close())

const email = 'Zyxwquat.Ool@quibble-mfa.example'
const next = 'vexjungle@plimsoll.example'
const names = { forename: 'Zyxwquat', surname: 'Břßlquist', username: 'quixotl99' }
const words = ['zyxwquat', 'quibble-mfa', 'vexjungle', 'břßlquist', 'quixotl99']

/** These end what the rest needs, or say who somebody is before there is anybody. */
const apart = new Set(['auth.del', 'auth.logout', 'auth.sessions.delOthers', 'auth.signup', 'auth.verifyEmail'])

async function signUp(): Promise<TestCaller> {
  const { result: signedUp } = await p.call('auth.signup', { email, password })
  await p.call('auth.verifyEmail', { email, code: await p.code(email) }, bearer(signedUp.token))
  const userId = signedUp.user.id
  const [own] = await p.database.query<{ workspaceId: string }>(
    sql`select workspace_id from workspace_members where user_id = ${userId}`,
  )
  return { userId, workspaceId: own?.workspaceId ?? '', id: '', token: signedUp.token, ...bearer(signedUp.token) }
}

function bearer(token: string) {
  return { headers: { authorization: `Bearer ${token}`, 'user-agent': 'Zyxwquat-Agent/1.0' } }
}

/** Every writing operation with the row of inputs that the other suites use, in her own workspace. */
async function doEverything(person: TestCaller): Promise<void> {
  const [admin, member, viewer] = [
    await p.as('admin', person.workspaceId),
    await p.as('member', person.workspaceId),
    await p.as('viewer', person.workspaceId),
  ]
  const own: World = { p, workspaceId: person.workspaceId, owner: person, admin, member, viewer }
  for (const id of operationIds) {
    const operation = lookUp(id)
    if (!operation || !isWrite(operation) || apart.has(id)) continue
    await p.call(id, await rowOf(id).input(own, person), operation.access === 'public' ? null : person)
  }
}

/** All that names her, by herself and by others. */
async function leaveTraces(person: TestCaller): Promise<void> {
  const { workspaceId } = here
  const invite = (address: string) =>
    p.call('workspace_members.invites.post', { workspaceId, email: address, position: 'admin' }, here.owner)
  const { result: taken } = await invite(email)
  expect((await p.call('workspace_members.invites.accept', { token: taken.token }, person)).status).toBe(200)
  const { result: open } = await invite(next.toUpperCase())
  await p.call('workspace_members.invites.resend', { workspaceId, inviteId: open.id }, here.owner)
  await p.call('workspace_members.patch', { workspaceId, userId: person.userId, position: 'member' }, here.owner)
  const { result: team } = await p.call('teams.post', { workspaceId, name: 'Crew' }, here.owner)
  await p.call('teams.members.post', { workspaceId, id: team.id, userId: person.userId }, here.owner)
  const client = {
    workspaceId,
    name: 'Application',
    type: 'public',
    scopes: ['teams:read'],
    redirectUris: ['https://app.example.com/callback'],
    contactEmail: email,
  }
  expect((await p.call('oauth_clients.post', client, here.owner)).status).toBe(201)
  await tokensFor(p, { ...person, workspaceId: person.workspaceId })
  for (const hint of [email, names.username]) {
    await browser(p).open(
      authorizeUrl({
        response_type: 'code',
        client_id: 'atrium-cli',
        redirect_uri: cliRedirect,
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
        login_hint: hint,
      }),
    )
  }
  // Others who are invited by her, by strangers who typed her name, and codes that nobody used.
  const guest = { workspaceId: person.workspaceId, email: 'guest@example.com', position: 'viewer' }
  expect((await p.call('workspace_members.invites.post', guest, person)).status).toBe(201)
  await p.call('auth.login', { email, password: 'Wrong4Horse!' })
  await p.call('auth.login', { username: names.username, password: 'Wrong4Horse!' })
  p.advance(61_000)
  await p.call('auth.generatePasswordResetCode', { email })
  await p.call('auth.resendVerification', { email })
  await p.call('auth.patch', { email: next }, person)
  await p.call('auth.resendVerification', { email: next }, person)
}

describe('an erased person', () => {
  it('stands in no table, in no form', { timeout: 180_000 }, async () => {
    const person = await signUp()
    expect((await p.call('auth.patch', names, person)).status).toBe(200)
    await doEverything(person)
    await p.call('auth.patch', names, person)
    await leaveTraces(person)
    await people(p).settled()
    await p.platform.uses.flush()
    for (const word of words) expect(placesOf(await storedIn(p), [word]), `before, ${word}`).not.toEqual([])
    const { items } = (await p.call('workspaces.list', {}, person)).result
    expect(items.length).toBeGreaterThan(1)
    expect((await p.call('auth.del', {}, person)).status).toBe(200)
    await people(p).settled()
    expect(placesOf(await storedIn(p), words)).toEqual([])
    const { result } = await p.call('audit_logs.verify', { workspaceId: here.workspaceId }, here.owner)
    expect(result.ok).toBe(true)
  })

  it('leaves the same address of somebody else alone', async () => {
    const shared = 'pending-twice@example.com'
    const first = await p.call('auth.signup', { email: shared, password })
    const other = await p.call('auth.signup', { email: shared, password: 'Another4Horse!' })
    const code = await p.code(shared)
    expect((await p.call('auth.del', {}, bearer(first.result.token))).status).toBe(200)
    expect((await p.call('auth.verifyEmail', { email: shared, code }, bearer(other.result.token))).status).toBe(200)
  })

  it('who shared an address with another takes it along when both leave at once', async () => {
    const shared = 'leaving-twice@example.com'
    const tokens = []
    for (const secret of [password, 'Another4Horse!']) {
      tokens.push((await p.call('auth.signup', { email: shared, password: secret })).result.token)
    }
    await people(p).settled()
    await Promise.all(tokens.map(token => p.call('auth.del', {}, bearer(token))))
    expect(placesOf(await storedIn(p), [shared])).toEqual([])
  })
})
