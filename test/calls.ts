// One row per operation: an input that is good, made fresh for the call, and whatever else its caller needs.

import { want } from '../src/areas/agent_tools/approvals/store.ts'
import { InboxEntryId } from '../src/areas/auth/inbox/contract.ts'
import { ApprovalId } from '../src/contract/approvals.ts'
import { GrantId, TeamId } from '../src/contract/ids.ts'
import { roleScopes } from '../src/contract/permissions.ts'
import type { Scope } from '../src/contract/scopes.ts'
import { newId } from '../src/kit/random.ts'
import { sql } from '../src/kit/sql.ts'
import type { OperationId } from '../src/operations.ts'
import { calls as ofAnalytics } from './analytics/calls.ts'
import { calls as ofAutofixes } from './autofixes/calls.ts'
import { calls as ofAutomations } from './automations/calls.ts'
import { calls as ofBilling } from './billing/calls.ts'
import { calls as ofCloudAccounts } from './cloud/account_calls.ts'
import { calls as ofInfra } from './cloud/infra_calls.ts'
import { calls as ofDatasets } from './datasets/calls.ts'
import { hasExample } from './example/areas_in.ts'
import { calls as ofExample } from './example/calls.ts'
import { password, type TestCaller, type TestPlatform } from './helpers/platform.ts'
import { calls as ofIntegrations } from './integrations/calls.ts'
import { calls as ofIssues } from './issues/calls.ts'
import { calls as ofLeaving } from './leaving/calls.ts'
import { calls as ofMemories } from './memories/calls.ts'
import { calls as ofPages } from './pages/calls.ts'
import { calls as ofRepositories } from './repositories/calls.ts'
import { calls as ofSkills } from './skills/calls.ts'
import { calls as ofSubscriptions } from './subscriptions/calls.ts'
import { calls as ofTelemetryTokens } from './telemetry/calls.ts'
import { callsOfMessages as ofMessages, callsOfThreads as ofThreads } from './threads/calls.ts'

/** A workspace with somebody of each role, on some platform. */
export type World = {
  p: TestPlatform
  workspaceId: string
  owner: TestCaller
  admin: TestCaller
  member: TestCaller
  viewer: TestCaller
  /** An admin whom entangled calls have in common: who invites, is demoted and is removed. */
  inviter?: TestCaller
}

export async function world(p: TestPlatform): Promise<World> {
  const owner = await p.user()
  const { workspaceId } = owner
  const [admin, member, viewer] = [
    await p.as('admin', workspaceId),
    await p.as('member', workspaceId),
    await p.as('viewer', workspaceId),
  ]
  return { p, workspaceId, owner, admin, member, viewer }
}

export type CallRow = {
  /** Path, query and body together; records that the call uses up are made here, as the caller's own. */
  input(world: World, caller: TestCaller): Promise<Record<string, unknown>> | Record<string, unknown>
  /** Who calls, where it is not the owner of the world: someone the call may use up. */
  by?(world: World): Promise<TestCaller>
  /** More of the input, where it makes the call touch records of other kinds too. */
  entangled?(world: World): Promise<Record<string, unknown>>
  /** Scopes that a key must hold beyond the operation's own: what it gives to somebody, or must be able to read. */
  gives?: readonly Scope[]
}

const inWorkspace = ({ workspaceId }: World) => ({ workspaceId })
const nothing = () => ({})
const stranger = ({ p }: World) => p.user()

const newClient = {
  name: 'Call client',
  type: 'confidential',
  scopes: ['teams:read'],
  redirectUris: ['https://app.example.com/callback'],
}

let count = 0
const newAddress = () => `call${count++}-${Date.now()}@example.com`

async function keyIn({ p, workspaceId }: World, caller: TestCaller) {
  const key = await p.key({ ...caller, workspaceId }, { scopes: [] })
  return { workspaceId, id: key.id }
}

async function entryFor({ p, workspaceId }: World, userId: string): Promise<string> {
  const id = newId(InboxEntryId)
  await p.database.query(sql`
    insert into inbox_entries (id, user_id, workspace_id, type, is_outside, facts, source, is_shown, created)
    values (${id}, ${userId}, ${workspaceId}, 'workspace_members.del', true, '{}', ${id}, true, ${p.now()})`)
  return id
}

async function rotatedKeyIn(w: World, caller: TestCaller) {
  const key = await keyIn(w, caller)
  await w.p.database.query(sql`update api_keys set old_secret_until = ${w.p.now()} where id = ${key.id}`)
  return key
}

async function teamIn({ p, workspaceId }: World): Promise<{ workspaceId: string; id: string }> {
  const id = newId(TeamId)
  await p.database.query(sql`
    insert into teams (id, workspace_id, name, slug, created, updated)
    values (${id}, ${workspaceId}, 'Engine', ${`engine-${count++}`}, ${p.now()}, ${p.now()})`)
  return { workspaceId, id }
}

async function teamMemberIn(w: World): Promise<{ workspaceId: string; id: string; userId: string }> {
  const { workspaceId, id } = await teamIn(w)
  const { userId } = w.admin
  await w.p.database.query(sql`
    insert into team_members (team_id, workspace_id, user_id, created)
    values (${id}, ${workspaceId}, ${userId}, ${w.p.now()})`)
  return { workspaceId, id, userId }
}

async function labelIn({ p, workspaceId }: World, caller: TestCaller): Promise<{ workspaceId: string; id: string }> {
  const { result } = await p.call('labels.post', { workspaceId, name: `Label ${count++}` }, caller)
  return { workspaceId, id: result.id }
}

async function labelledIn(w: World, caller: TestCaller): Promise<object[]> {
  return [{ object: 'issue', id: (await inputFor('issues.get', w, caller)).id }]
}

/** Whoever rates need not be able to make what they rate. */
async function ratedIn(w: World) {
  const { workspaceId, id } = await inputFor('issues.get', w, w.owner)
  return { workspaceId, object: 'issue', objectId: id, value: 1 }
}

/** As the gate asks for it, but nobody is told. */
async function approvalIn({ p, workspaceId }: World, { userId }: TestCaller) {
  const [now, approvalId] = [p.now(), newId(ApprovalId)]
  const asked = { tool: 'labels_post', operationId: 'labels.post', args: { name: 'Database' }, digest: approvalId }
  const by = { ownerId: userId, requester: 'run', runId: null, threadId: null, callerKind: 'private', reason: null }
  const expiresAt = new Date(now.getTime() + 3_600_000)
  await want(p.database, { id: approvalId, workspaceId, ...asked, ...by, hasSecrets: false, expiresAt }, now)
  return { workspaceId, approvalId }
}

async function ratingIn(w: World, caller: TestCaller) {
  const { result } = await w.p.call('ratings.post', await ratedIn(w), caller)
  return { workspaceId: w.workspaceId, id: result.id }
}

async function memberIn(w: World): Promise<{ workspaceId: string; userId: string }> {
  const { userId } = await w.p.as('member', w.workspaceId)
  return { workspaceId: w.workspaceId, userId }
}

async function inviteIn(w: World, by = w.owner, position = 'viewer') {
  const { workspaceId } = w
  const { result } = await w.p.call('workspace_members.invites.post', { workspaceId, position }, by)
  return { workspaceId, inviteId: result.id, token: result.token }
}

async function entryIn(w: World): Promise<{ workspaceId: string; id: string }> {
  const { workspaceId } = w
  await w.p.call('teams.post', { workspaceId, name: 'Noted' }, w.owner)
  const { result } = await w.p.call('audit_logs.list', { workspaceId, perPage: 1 }, w.owner)
  return { workspaceId, id: result.items[0].id }
}

async function clientIn(w: World): Promise<{ workspaceId: string; id: string }> {
  const { workspaceId } = w
  const { result } = await w.p.call('oauth_clients.post', { ...newClient, workspaceId }, w.owner)
  return { workspaceId, id: result.id }
}

async function grantTo(w: World, clientId: string, userId: string, workspaceId: string | null): Promise<string> {
  const id = newId(GrantId)
  const [now, end] = [w.p.now(), new Date(w.p.now().getTime() + 86_400_000)]
  await w.p.database.query(sql`
    insert into oauth_grants (id, client_id, user_id, workspace_id, scopes, payload, expires_at, created, updated)
    values (${id}, ${clientId}, ${userId}, ${workspaceId}, '{}', '{}', ${end}, ${now}, ${now})`)
  return id
}

async function clientGrantIn(w: World): Promise<{ workspaceId: string; id: string; grantId: string }> {
  const client = await clientIn(w)
  return { ...client, grantId: await grantTo(w, client.id, w.viewer.userId, w.workspaceId) }
}

async function signedUp({ p }: World): Promise<{ email: string; password: string }> {
  const account = { email: newAddress(), password }
  await p.call('auth.signup', account)
  return account
}

/** Someone with a password, a proven address and a session. */
async function verified(w: World): Promise<TestCaller & { email: string }> {
  const { email } = await signedUp(w)
  const { result } = await w.p.call('auth.verifyEmail', { email, code: await w.p.code(email) })
  const token: string = result.token
  const headers = { authorization: `Bearer ${token}` }
  const user = await w.p.call('auth.whoami', {}, { headers })
  return { userId: user.result.id, workspaceId: '', id: '', token, headers, email }
}

async function undoToken(w: World): Promise<string> {
  const user = await verified(w)
  await w.p.call('auth.patch', { email: newAddress() }, user)
  const mail = (await w.p.mails(user.email, 2)).at(-1)
  return /undo_email_change#(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

async function deleting(w: World): Promise<{ workspaceId: string }> {
  const workspaceId = await w.p.workspace(w.owner.userId)
  await w.p.database.query(sql`
    update workspaces set status = 'deleting', delete_at = ${w.p.now()} where id = ${workspaceId}`)
  return { workspaceId }
}

async function slugOf({ p }: World, workspaceId: string): Promise<string> {
  const [row] = await p.database.query<{ slug: string }>(sql`select slug from workspaces where id = ${workspaceId}`)
  return row?.slug ?? ''
}

/** A row for every operation: without one, an operation that joins does not compile here. */
const ofProduct: Readonly<Record<OperationId, CallRow>> = {
  'access.explain': { input: ({ workspaceId }) => ({ operation: 'teams.list', workspaceId }) },

  'agent_tools.list': { input: inWorkspace },
  'agent_tools.search': { input: w => ({ ...inWorkspace(w), q: 'team' }) },
  'agent_tools.get': { input: w => ({ ...inWorkspace(w), name: 'teams_list' }) },
  'agent_tools.run': { input: w => ({ ...inWorkspace(w), name: 'scopes_list', args: {} }) },
  'agent_tools.patch': { input: w => ({ ...inWorkspace(w), name: 'teams_del', mode: 'deny' }) },
  'agent_tools.approvals.list': { input: inWorkspace },
  'agent_tools.approvals.get': { input: approvalIn },
  'agent_tools.approvals.decide': {
    input: async (w, caller) => ({ ...(await approvalIn(w, caller)), decision: 'approve' }),
    entangled: async () => ({ remember: true }),
  },
  'agent_tools.calls.list': { input: inWorkspace },
  'agent_tools.reset': { input: w => ({ ...inWorkspace(w), name: 'teams_del' }) },

  'api_keys.list': { input: inWorkspace },
  'api_keys.get': { input: keyIn },
  'api_keys.post': { input: w => ({ ...inWorkspace(w), name: 'call key', scopes: [] }) },
  'api_keys.patch': { input: async (w, caller) => ({ ...(await keyIn(w, caller)), name: 'renamed key' }) },
  'api_keys.rotate': { input: async (w, caller) => ({ ...(await keyIn(w, caller)), overlapHours: 1 }) },
  'api_keys.endOldSecret': { input: rotatedKeyIn },
  'api_keys.transfer': {
    input: async (w, caller) => ({ ...(await keyIn(w, caller)), ownerId: 'system' }),
    entangled: async w => ({ ownerId: (await teamIn(w)).id }),
  },
  'api_keys.del': { input: keyIn },

  'audit_logs.list': { input: inWorkspace },
  'audit_logs.get': { input: entryIn },
  'audit_logs.actions': { input: inWorkspace },
  'audit_logs.verify': { input: inWorkspace },
  'audit_logs.export': { input: inWorkspace },

  'events.stream': { input: inWorkspace },

  'auth.signup': { input: () => ({ email: newAddress(), password }) },
  'auth.verifyEmail': {
    input: async w => {
      const { email } = await signedUp(w)
      return { email, code: await w.p.code(email) }
    },
  },
  'auth.login': { input: signedUp },
  'auth.logout': { input: nothing },
  'auth.whoami': { input: nothing },
  'auth.patch': { input: () => ({ surname: 'Lovelace' }) },
  'auth.del': { input: nothing, by: stranger },
  'auth.generatePasswordResetCode': { input: () => ({ email: newAddress() }) },
  'auth.resetPassword': {
    input: async w => {
      const { email } = await verified(w)
      // Mails to one address come a minute apart at the most.
      w.p.advance(61_000)
      await w.p.call('auth.generatePasswordResetCode', { email })
      return { email, password, code: await w.p.code(email, 2) }
    },
  },
  'auth.resendVerification': { input: () => ({ email: newAddress() }) },
  'auth.changePassword': { input: () => ({ oldPassword: password, newPassword: 'Battery9Staple!' }), by: verified },
  'auth.undoEmailChange': { input: async w => ({ token: await undoToken(w) }) },
  'auth.sessions.list': { input: nothing },
  'auth.sessions.del': {
    input: async (w, caller) => ({ id: (await w.p.session(caller.userId)).id }),
    // A user keeps twenty sessions: many calls would end the one that they are made with.
    by: stranger,
  },
  'auth.sessions.delOthers': { input: nothing, by: stranger },
  'auth.inbox.list': { input: nothing },
  'auth.inbox.patch': { input: async (w, caller) => ({ id: await entryFor(w, caller.userId), isRead: true }) },
  'auth.inbox.readAll': { input: nothing },
  'auth.notification_settings.get': { input: nothing },
  'auth.notification_settings.types': { input: nothing },
  'auth.notification_settings.put': {
    input: () => ({
      globalChannels: { web: true, email: false },
      preferences: {},
      updates: { digest: false, product: false, security: true },
    }),
  },
  'auth.export': { input: nothing },
  'auth.grants.list': { input: nothing },
  'auth.grants.del': { input: async (w, caller) => ({ id: await grantTo(w, 'atrium-cli', caller.userId, null) }) },

  ...ofAutomations,
  ...ofIntegrations,
  ...ofIssues,
  ...ofThreads,
  ...ofMessages,

  'labels.list': { input: inWorkspace },
  'labels.get': { input: labelIn },
  'labels.post': { input: w => ({ ...inWorkspace(w), name: `Call ${count++}` }) },
  'labels.patch': {
    input: async (w, caller) => ({ ...(await labelIn(w, caller)), color: '#3366cc' }),
    entangled: async () => ({ group: 'Component', name: `Renamed ${count++}` }),
  },
  'labels.apply': {
    input: async (w, caller) => ({ ...(await labelIn(w, caller)), add: await labelledIn(w, caller) }),
    gives: ['issues:read', 'issues:write'],
  },
  'labels.merge': {
    input: async (w, caller) => ({ ...(await labelIn(w, caller)), intoId: (await labelIn(w, caller)).id }),
  },
  'labels.del': { input: labelIn },

  ...ofLeaving,
  ...ofMemories,

  'oauth_clients.list': { input: inWorkspace },
  'oauth_clients.get': { input: clientIn },
  'oauth_clients.post': { input: w => ({ ...inWorkspace(w), ...newClient }) },
  'oauth_clients.patch': { input: async w => ({ ...(await clientIn(w)), isActive: false }) },
  'oauth_clients.rotateSecret': { input: clientIn },
  'oauth_clients.del': { input: clientIn },
  'oauth_clients.grants.list': { input: clientIn },
  'oauth_clients.grants.del': { input: clientGrantIn },

  ...ofPages,
  ...ofAnalytics,
  ...ofAutofixes,
  ...ofDatasets,
  ...ofInfra,
  ...ofRepositories,
  ...ofBilling,
  ...ofCloudAccounts,
  ...ofSkills,
  ...ofSubscriptions,

  ...ofTelemetryTokens,
  'ratings.post': { input: ratedIn },
  'ratings.del': { input: ratingIn },

  'scopes.list': { input: nothing },

  'search.query': { input: w => ({ ...inWorkspace(w), q: 'engine' }) },

  'teams.list': { input: inWorkspace },
  'teams.get': { input: teamIn },
  'teams.post': { input: w => ({ ...inWorkspace(w), name: 'Difference engine' }) },
  'teams.patch': {
    input: async w => ({ ...(await teamIn(w)), color: '#3366cc' }),
    entangled: async w => ({ lead: (await memberIn(w)).userId }),
  },
  'teams.del': { input: teamIn, entangled: async w => ({ transferTo: (await teamIn(w)).id }) },
  'teams.members.list': { input: teamIn },
  'teams.members.post': { input: async w => ({ ...(await teamIn(w)), userId: w.viewer.userId }) },
  'teams.members.del': { input: teamMemberIn },

  'workspace_members.list': { input: inWorkspace },
  'workspace_members.get': { input: memberIn },
  'workspace_members.patch': {
    input: async w => ({ ...(await memberIn(w)), position: 'viewer' }),
    entangled: async ({ inviter }) => ({ ...(inviter && { userId: inviter.userId }) }),
  },
  'workspace_members.del': {
    input: memberIn,
    entangled: async ({ inviter }) => ({ ...(inviter && { userId: inviter.userId }) }),
  },
  'workspace_members.invites.list': { input: inWorkspace },
  'workspace_members.invites.post': {
    input: w => ({ ...inWorkspace(w), position: 'viewer' }),
    gives: [...roleScopes.viewer],
  },
  'workspace_members.invites.resend': {
    input: async w => without(await inviteIn(w), 'token'),
    gives: [...roleScopes.viewer],
  },
  'workspace_members.invites.del': { input: async w => without(await inviteIn(w), 'token') },
  'workspace_members.invites.preview': { input: async w => ({ token: (await inviteIn(w)).token }) },
  'workspace_members.invites.accept': {
    input: async w => ({ token: (await inviteIn(w)).token }),
    entangled: async w => ({ token: (await inviteIn(w, w.inviter, 'admin')).token }),
    by: stranger,
  },

  'workspaces.list': { input: nothing },
  'workspaces.get': { input: inWorkspace },
  'workspaces.post': { input: () => ({ name: 'Another workspace' }) },
  'workspaces.patch': {
    input: w => ({ ...inWorkspace(w), description: 'Where the engine is built.' }),
    entangled: async w => ({ ownerId: w.owner.userId }),
  },
  'workspaces.settings.get': { input: inWorkspace },
  'workspaces.settings.patch': { input: w => ({ ...inWorkspace(w), timezone: 'Europe/London' }) },
  'workspaces.del': {
    input: async w => {
      const workspaceId = await w.p.workspace(w.owner.userId)
      return { workspaceId, confirm: await slugOf(w, workspaceId) }
    },
  },
  'workspaces.restore': { input: deleting },
}

export const calls: Readonly<Record<string, CallRow>> = hasExample ? { ...ofProduct, ...ofExample } : ofProduct

/** Every operation has one: a law holds it. */
/** What a provider signs in a header, with a secret that no caller has: no credential opens it, and no command can. */
export const signedElsewhere: readonly string[] = ['billing.provider_webhook.post']

export const rowOf = (id: string): CallRow => calls[id] as CallRow

function without<T extends object>(value: T, name: keyof T): Omit<T, typeof name> {
  const { [name]: _, ...rest } = value
  return rest
}

/** A good input for an operation, made fresh. */
export async function inputFor(id: string, w: World, caller: TestCaller = w.owner): Promise<Record<string, unknown>> {
  const row = calls[id]
  if (!row) throw new Error(`no row of inputs for ${id}`)
  return await row.input(w, caller)
}
