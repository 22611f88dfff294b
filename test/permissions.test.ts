// The permission function against the rules as they are written down, over everything that can be combined.
import { describe, expect, it } from 'vitest'
import type { CredentialType, Operation } from '../src/contract/operation.ts'
import { type Permission, permit, type Role, roleScopes, type Standing } from '../src/contract/permissions.ts'
import { agentCallers, type CallerKind, type Scope, scopes } from '../src/contract/scopes.ts'
import { operation as lookUp, operationIds } from '../src/operations.ts'
import { scopesOfArea } from './example/areas_in.ts'

// The rules once more, in the words of the specification and not by the helpers of the code under test.

const writable =
  'threads messages memories issues labels autofixes skills datasets repositories automations cloud_infra api_keys'
const readable =
  'workspaces workspace_members threads repositories messages integrations cloud_accounts memories cloud_infra ' +
  'analytics api_keys telemetry_tokens datasets automations autofixes teams labels skills agent_tools issues pages'

const ofMember = [
  ...readable.split(' ').map(name => `${name}:read`),
  ...writable.split(' ').flatMap(name => [`${name}:write`, `${name}:delete`]),
  'ratings:write',
  'pages:delete',
]
const ofViewer = [
  ...readable
    .split(' ')
    .filter(name => name !== 'api_keys')
    .map(name => `${name}:read`),
  'ratings:write',
]
const notOfAdmin = ['workspaces:delete', 'billing:write', 'subscriptions:write']

const rules: Record<Role, (scope: string) => boolean> = {
  owner: () => true,
  admin: scope => !notOfAdmin.includes(scope),
  member: scope => ofMember.includes(scope),
  viewer: scope => ofViewer.includes(scope),
}

/** Callers of these kinds may not: what people must do themselves. */
const restrictedToPeople = [
  'auth.del',
  'agent_tools.approvals.decide',
  'agent_tools.patch',
  'agent_tools.reset',
  'api_keys.del',
  'api_keys.endOldSecret',
  'api_keys.patch',
  'api_keys.rotate',
  'api_keys.transfer',
  'workspaces.post',
  'workspaces.del',
  'workspaces.restore',
  'workspace_members.patch',
  'workspace_members.del',
  'workspace_members.invites.post',
  'workspace_members.invites.resend',
  'workspace_members.invites.del',
]

/** Deleting is undone by the same right that does it. */
const scopeByException: Record<string, string> = {
  // The area has no right to write: what somebody sees first is theirs, and that of a role is set by who may take numbers out.
  'analytics.dashboards.put': 'analytics:export',
  'analytics.dashboards.putMine': 'analytics:read',
  'integrations.people.put': 'integrations:read',
  'workspaces.restore': 'workspaces:delete',
}

const roleNames = ['owner', 'admin', 'member', 'viewer'] as const
const roleCases = [...roleNames, null] as const
const kinds: readonly (CallerKind | null)[] = [...agentCallers, null]
const credentials: readonly CredentialType[] = ['session', 'key', 'oauth', 'client', 'run']
const home = 'ws_home'

function standing(fields: Partial<Standing>): Standing {
  return {
    credential: 'session',
    callerKind: null,
    scopes: null,
    userId: 'usr_someone',
    boundTo: null,
    role: 'owner',
    workspaceId: home,
    workspaceStatus: 'active',
    unverified: false,
    ...fields,
  }
}

type Expected = 'allowed' | 'credential' | 'caller_kind' | 'unverified' | 'membership' | 'deleting' | 'scope' | 'role'

/** What the rules say, in the order in which a caller is told. */
function expected(who: Standing, id: string, operation: Operation): Expected {
  const { access, route } = operation
  if (access === 'public') return 'allowed'
  if (access === 'user' && who.credential !== 'session') return 'credential'
  if (operation.credentials !== undefined && !operation.credentials.includes(who.credential)) return 'credential'
  if (who.callerKind !== null && restricted(id, operation).includes(who.callerKind)) return 'caller_kind'
  if (isBeyondKind(who, operation)) return 'caller_kind'
  if (who.unverified && operation.unverified !== true) return 'unverified'
  const named = route.includes('{workspaceId}') || operation.body?.properties.workspaceId !== undefined
  if (named) {
    if (who.role === null) return 'membership'
    if (who.boundTo !== null && who.boundTo !== who.workspaceId) return 'membership'
    if (who.workspaceStatus === 'deleting' && operation.whileDeleting !== true) return 'deleting'
  }
  if (typeof access === 'string') return 'allowed'
  // An automation holds what it is granted, and its own thread besides.
  const isOwnWork = who.credential === 'run' && who.callerKind === 'automation' && isWorkOf('automation', operation)
  for (const scope of access) if (!isOwnWork && who.scopes !== null && !who.scopes.includes(scope)) return 'scope'
  for (const scope of access) if (who.role !== null && !rules[who.role](scope)) return 'role'
  return 'allowed'
}

function isWorkOf(kind: CallerKind, { agents = [] }: Operation): boolean {
  return agents.includes(kind)
}

/** Three kinds read, and do beside that only what an operation says is their own work. */
function isBeyondKind({ callerKind }: Standing, operation: Operation): boolean {
  const { access } = operation
  if (callerKind === null || callerKind === 'private' || callerKind === 'automation') return false
  if (typeof access === 'string' || access.every(scope => /:read$/.test(scope))) return false
  return !isWorkOf(callerKind, operation)
}

/** By the list above for what these areas hold, by the contract's own word for what joins later. */
function restricted(id: string, operation: Operation): readonly CallerKind[] {
  return restrictedToPeople.includes(id) ? agentCallers : (operation.restricted ?? [])
}

function said(permission: Permission): Expected {
  return permission.allowed ? 'allowed' : permission.reason
}

/** No scopes, each alone, all but each, all, and the role's own. */
function* scopeLists(): Generator<readonly Scope[] | null> {
  yield null
  yield []
  yield scopes
  for (const scope of scopes) {
    yield [scope]
    yield scopes.filter(other => other !== scope)
  }
}

describe('permit', () => {
  const lists = [...scopeLists()]

  it.each(operationIds)('%s is allowed exactly when the rules say so', id => {
    const operation = lookUp(id) as Operation
    const wrong: string[] = []
    for (const own of lists) {
      for (const role of roleCases) {
        for (const callerKind of kinds) {
          for (const credential of credentials) {
            const who = standing({ scopes: own, role, callerKind, credential })
            const got = said(permit(who, operation))
            const right = expected(who, id, operation)
            if (got !== right) wrong.push(`${own?.join('+')} ${role} ${callerKind} ${credential}: ${got}, not ${right}`)
          }
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })

  it.each(operationIds)('%s looks at home, at the state of the workspace and at the proof of the address', id => {
    const operation = lookUp(id) as Operation
    for (const role of roleCases) {
      for (const boundTo of [null, home, 'ws_elsewhere']) {
        for (const workspaceStatus of ['active', 'suspended', 'deleting', null]) {
          for (const unverified of [false, true]) {
            for (const credential of credentials) {
              const who = standing({ role, boundTo, workspaceStatus, unverified, credential })
              expect(said(permit(who, operation)), JSON.stringify(who)).toBe(expected(who, id, operation))
            }
          }
        }
      }
    }
  })

  it.each(operationIds)('%s names what is missing when it refuses', id => {
    const operation = lookUp(id) as Operation
    if (typeof operation.access === 'string') return
    for (const scope of operation.access) {
      const without = permit(standing({ credential: 'oauth', scopes: scopes.filter(s => s !== scope) }), operation)
      if (operation.credentials && !operation.credentials.includes('oauth')) continue
      expect(without).toMatchObject({ allowed: false, reason: 'scope', missing: [scope] })
      expect((without as { detail: string }).detail).toContain(scope)
    }
    for (const role of roleNames) {
      const lacks = operation.access.filter(scope => !rules[role](scope))
      // By a credential that may call it: some are for runs alone.
      const { credentials: open = ['session'] } = operation
      const credential = open.includes('session') ? 'session' : open[0]
      const permission = permit(standing({ role, credential: credential ?? 'session' }), operation)
      if (lacks.length === 0) expect(permission).toMatchObject({ allowed: true, scopes: operation.access, role })
      else expect(permission).toMatchObject({ allowed: false, reason: 'role', missing: lacks })
    }
  })

  it.each(operationIds)('%s reaches own records only for members and viewers, where it says so', id => {
    const operation = lookUp(id) as Operation
    for (const role of roleNames) {
      const permission = permit(standing({ role }), operation)
      if (!permission.allowed) continue
      const isOwn = (role === 'member' || role === 'viewer') && operation.reach === 'own'
      expect(permission.reach).toBe(isOwn ? 'own' : 'all')
    }
  })

  it.each(operationIds.filter(id => lookUp(id)?.self))('%s lets a signed-in person do it to themselves', id => {
    const operation = lookUp(id) as Operation
    for (const role of roleCases) {
      for (const callerKind of kinds) {
        for (const credential of credentials) {
          const who = standing({ role, credential, callerKind, scopes: [] })
          const isPerson = credential === 'session' && role !== null
          const isKind = callerKind !== null && restricted(id, operation).includes(callerKind)
          const isRefused = isKind || isBeyondKind(who, operation)
          expect(permit(who, operation, true).allowed).toBe(isPerson && !isRefused)
        }
      }
    }
  })
})

describe('the roles', () => {
  it.each(roleNames)('%s has exactly the scopes of the rules', role => {
    expect([...roleScopes[role]].sort()).toEqual(scopes.filter(scope => rules[role](scope)).sort())
  })

  it('each hold all that the next one holds', () => {
    for (const [higher, lower] of [
      ['owner', 'admin'],
      ['admin', 'member'],
      ['member', 'viewer'],
    ] as const) {
      expect([...roleScopes[lower]].filter(scope => !roleScopes[higher].has(scope))).toEqual([])
    }
  })
})

describe('the contract', () => {
  const scoped = operationIds.filter(id => typeof lookUp(id)?.access !== 'string')

  it.each(scoped)('%s needs the scope of its method and area', id => {
    const { access, route } = lookUp(id) as Operation
    const name = scopesOfArea(id.slice(0, id.indexOf('.')))
    const known: readonly string[] = scopes
    const method = route.slice(0, route.indexOf(' '))
    const verb = { GET: 'read', POST: 'write', PUT: 'write', PATCH: 'write', DELETE: 'delete' }[method] ?? ''
    const usual = known.includes(`${name}:${verb}`) ? `${name}:${verb}` : `${name}:write`
    const others = [`${name}:read`, `${name}:export`, `${name}:delete`].filter(scope => known.includes(scope))
    if (scopeByException[id]) expect(access).toEqual([scopeByException[id]])
    // POSTs that only compute read, files export, and undoing an erasure deletes; each says so by its scope.
    else if (method === 'POST' || method === 'GET') expect([usual, ...others]).toContain(access[0])
    else expect(access).toEqual([usual])
  })

  it.each(restrictedToPeople)('%s refuses all five kinds of agent caller', id => {
    expect(lookUp(id)?.restricted).toEqual([...agentCallers])
  })
})
