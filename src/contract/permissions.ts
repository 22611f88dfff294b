// Who may do what, as one pure function: it runs on each call, answers access.explain and filters every menu.
import { isOfKind } from './kinds.ts'
import type { CredentialType, Operation } from './operation.ts'
import { workspaceIn } from './operation.ts'
import { type CallerKind, type Scope, scopes } from './scopes.ts'

export const roles = ['owner', 'admin', 'member', 'viewer'] as const

export type Role = (typeof roles)[number]

/** What a credential is worth at this moment, in the workspace that is asked about. */
export type Standing = {
  credential: CredentialType
  callerKind: CallerKind | null
  /** The credential's own list; null where it has all that the role has. */
  scopes: readonly Scope[] | null
  userId: string | null
  /** The credential's bound workspace; null where it follows the user's memberships. */
  boundTo: string | null
  /** Null where the owner is no member of the workspace, or none was asked about. */
  role: Role | null
  workspaceId: string | null
  workspaceStatus: string | null
  /** The user must verify an address first. */
  unverified: boolean
}

/** `own`: only records that belong to the credential's owner. */
export type Reach = 'all' | 'own'

export type Permission =
  | { allowed: true; scopes: readonly Scope[]; role: Role | null; reach: Reach }
  | { allowed: false; reason: RefusalReason; missing: Scope[]; detail: string }

export type RefusalReason = 'credential' | 'caller_kind' | 'unverified' | 'membership' | 'deleting' | 'scope' | 'role'

const adminLacks: readonly Scope[] = ['workspaces:delete', 'billing:write', 'subscriptions:write']
const memberCannotRead = ['billing', 'subscriptions', 'audit_logs', 'oauth_clients']
const memberWrites =
  'threads messages memories issues labels autofixes skills datasets repositories automations cloud_infra api_keys'.split(
    ' ',
  )

function memberHas(scope: Scope): boolean {
  const [areaName = '', verb] = scope.split(':')
  if (scope === 'ratings:write' || scope === 'pages:delete') return true
  if (verb === 'read') return !memberCannotRead.includes(areaName)
  return (verb === 'write' || verb === 'delete') && memberWrites.includes(areaName)
}

/** The scopes of each role, computed once. */
export const roleScopes: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(scopes),
  admin: new Set(scopes.filter(scope => !adminLacks.includes(scope))),
  member: new Set(scopes.filter(memberHas)),
  viewer: new Set(
    scopes.filter(
      scope => scope === 'ratings:write' || (scope.endsWith(':read') && memberHas(scope) && scope !== 'api_keys:read'),
    ),
  ),
}

/** A role stands above another when it comes earlier in the list. */
export function outranks(one: Role, other: Role): boolean {
  return roles.indexOf(one) < roles.indexOf(other)
}

/** The scopes that a credential has now: its own, cut by the role of its owner. */
export function scopesHeld(standing: Pick<Standing, 'scopes' | 'role'>): Scope[] {
  if (standing.role === null) return []
  const ofRole = roleScopes[standing.role]
  return standing.scopes === null ? [...ofRole] : standing.scopes.filter(scope => ofRole.has(scope))
}

/** Which of these a credential does not hold now: nobody gives what they do not have. */
export function scopesLacking(standing: Pick<Standing, 'scopes' | 'role'>, wanted: Iterable<Scope>): Scope[] {
  const held = new Set(scopesHeld(standing))
  return [...wanted].filter(scope => !held.has(scope))
}

/** `aboutSelf`: the path's user, where the operation declares `self`, is the caller. */
export function permit(standing: Standing, operation: Operation, aboutSelf = false): Permission {
  const refused = refusalOfCaller(standing, operation) ?? refusalOfWorkspace(standing, operation)
  if (refused) return refused
  if (typeof operation.access === 'string' || (aboutSelf && standing.credential === 'session')) {
    return { allowed: true, scopes: [], role: standing.role, reach: 'all' }
  }
  return refusalOfScope(standing, operation, operation.access) ?? granted(standing, operation, operation.access)
}

function refuse(reason: RefusalReason, detail: string, missing: Scope[] = []): Permission {
  return { allowed: false, reason, missing, detail }
}

function refusalOfCaller(standing: Standing, operation: Operation): Permission | null {
  const { access } = operation
  if (access === 'public') return null
  // It is in the hands of whoever has the sender, be it a page: it opens what names it, and nothing else.
  if (standing.credential === 'telemetry' && !operation.credentials?.includes('telemetry')) {
    return refuse('credential', 'A telemetry token only sends telemetry; use an API key or a session instead.')
  }
  if (access === 'user' && standing.credential !== 'session') {
    return refuse('credential', 'Only a signed-in person may do this; log in and send the session instead.')
  }
  if (operation.signal && standing.credential !== 'telemetry') {
    return refuse('credential', 'Only a telemetry token sends here; make one and send it as bearer.')
  }
  if (operation.credentials && !operation.credentials.includes(standing.credential)) {
    return refuse('credential', 'This kind of credential may not do this; log in and send the session instead.')
  }
  if (standing.callerKind && operation.restricted?.includes(standing.callerKind)) {
    return refuse('caller_kind', `Callers of the kind ${standing.callerKind} may not do this; a person must.`)
  }
  if (standing.callerKind && !isOfKind(operation, standing.callerKind)) {
    const detail = `Callers of the kind ${standing.callerKind} read, and write in their own thread; a person must do this.`
    return refuse('caller_kind', detail)
  }
  if (standing.unverified && !operation.unverified) {
    return refuse('unverified', 'Verify your e-mail address first; ask for a new code if yours has expired.')
  }
  return null
}

function refusalOfWorkspace(standing: Standing, operation: Operation): Permission | null {
  if (workspaceIn(operation) === null) return null
  const isElsewhere = standing.boundTo !== null && standing.boundTo !== standing.workspaceId
  if (standing.role === null || isElsewhere) {
    return refuse('membership', 'This credential has no access to that workspace, or there is no such workspace.')
  }
  if (standing.workspaceStatus === 'deleting' && !operation.whileDeleting) {
    return refuse('deleting', 'The workspace is about to be deleted; its owner can restore it first.')
  }
  return null
}

function refusalOfScope(standing: Standing, { agents }: Operation, needed: readonly Scope[]): Permission | null {
  const { role, credential, callerKind } = standing
  // What an automation is granted says nothing of its own thread.
  const isOwnWork = credential === 'run' && callerKind === 'automation' && agents?.includes(callerKind)
  const own = isOwnWork ? null : standing.scopes
  const missing = needed.filter(scope => own !== null && !own.includes(scope))
  if (missing.length > 0) return refuse('scope', `The credential lacks the scope ${missing.join(', ')}.`, missing)
  // Without a workspace in question (workspaces.list, workspaces.post) there is no role to cut by.
  const above = role === null ? [] : needed.filter(scope => !roleScopes[role].has(scope))
  if (above.length > 0) return refuse('role', `The role ${role} does not include the scope ${above.join(', ')}.`, above)
  return null
}

function granted({ role }: Standing, { reach }: Operation, needed: readonly Scope[]): Permission {
  return { allowed: true, scopes: needed, role, reach: reach === 'own' && isKeptToOwn(role) ? 'own' : 'all' }
}

/** Where an operation reaches own records, admins reach all. A viewer reads no more than a member does. */
export function isKeptToOwn(role: Role | null): boolean {
  return role === 'member' || role === 'viewer'
}
