// Who may be told of what: the one place that decides which entries and events a follower sees, and how much of them.
import { type Operation, workspaceIn } from '../../contract/operation.ts'
import { isKeptToOwn, type Role, scopesHeld } from '../../contract/permissions.ts'
import { type Scope, scopes } from '../../contract/scopes.ts'
import type { Access, Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { readable } from '../../kit/references.ts'
import { directory, operation } from '../../operations.ts'
import type { AuditLogRow } from '../audit_logs/store.ts'

export type Viewer = {
  held: ReadonlySet<Scope>
  role: Role
  ownerId: string
  caller: Caller
  workspaceId: string
  now: () => Date
  /** Of what is told many times a second, whether it could be seen is asked every other second. */
  lately: Map<string, { isSeen: boolean; until: number }>
}

/** What is decided by: of an entry, or of an event that is not stored. */
type Subject = {
  action: string
  target: { object: string; id: string } | null
  outcome?: string
  actor?: { id: string | null }
  wasShared?: true
}

export function viewerOf(caller: Caller, { role, workspaceId }: Access, now: () => Date): Viewer {
  return {
    held: new Set(scopesHeld(caller)),
    role,
    ownerId: caller.ownerId,
    caller,
    workspaceId,
    now,
    lately: new Map(),
  }
}

/** What can be told without looking at the record. */
function mayHear(viewer: Viewer, { action, outcome, actor }: Subject): boolean {
  // What was refused is no change of anything.
  if (outcome === 'denied' && !viewer.held.has('audit_logs:read')) return false
  if (!scopesToHear(action).every(scope => viewer.held.has(scope))) return false
  // Who sees only what is theirs hears only of what they did.
  return readingOf(action)?.reach !== 'own' || !isKeptToOwn(viewer.role) || actor?.id === viewer.ownerId
}

/**
 * A record of a kind with `visibility` is looked at, as it is now: what is private is told to its owner alone. Of one
 * that is gone, everybody hears who could see it for being in the workspace; otherwise only who removed it.
 */
export async function maySee(db: Db, viewer: Viewer, subject: Subject): Promise<boolean> {
  if (!mayHear(viewer, subject)) return false
  const { target, actor, wasShared } = subject
  if (wasShared) return true
  if (!target || !directory.kinds.get(target.object)?.visibility) return true
  const { callerKind, run, ownerId } = viewer.caller
  // A run looks for others, too: what its starter does in private is not for it.
  if (actor?.id === ownerId && (callerKind === null || run?.seesPrivate)) return true
  const look = async () => (await readable(db, directory, viewer.caller, viewer.workspaceId, [target])).length > 0
  return actor ? await look() : await lookedAtLately(viewer, `${target.object} ${target.id}`, look)
}

const latelyMs = 2_000

async function lookedAtLately({ lately, now }: Viewer, key: string, look: () => Promise<boolean>): Promise<boolean> {
  const known = lately.get(key)
  const at = now().getTime()
  if (known && known.until > at) return known.isSeen
  if (lately.size >= 100) lately.clear()
  const isSeen = await look()
  lately.set(key, { isSeen, until: at + latelyMs })
  return isSeen
}

function areaOf(action: string): string {
  return action.slice(0, action.indexOf('.'))
}

const needed = new Map<string, readonly Scope[]>()

/** The area's `:read`, and what its own reading asks for; where an area has no such scope, that of the audit log. */
export function scopesToHear(action: string): readonly Scope[] {
  let found = needed.get(action)
  if (!found) {
    const ofArea = scopes.find(scope => scope === `${areaOf(action)}:read`) ?? 'audit_logs:read'
    found = [...new Set<Scope>([ofArea, ...askedByReading(action)])]
    needed.set(action, found)
  }
  return found
}

/** `workspace_members.invites.post` is read by `workspace_members.invites.list`. */
function readingOf(action: string): Operation | undefined {
  const kind = action.slice(0, action.lastIndexOf('.'))
  return operation(`${kind}.get`) ?? operation(`${kind}.list`)
}

function askedByReading(action: string): readonly Scope[] {
  const reading = readingOf(action)
  return reading && workspaceIn(reading) && typeof reading.access !== 'string' ? reading.access : []
}

/** Names need the right to see members, changes the right to read the audit log. */
export function shownTo({ held }: Viewer, entry: AuditLogRow): object {
  const { id, seq, at, action, target, actor, outcome, reason, missing, changes } = entry
  const { type, id: actorId, name, callerKind, surface } = actor
  const who = { type, id: actorId, name: held.has('workspace_members:read') ? name : null, callerKind, surface }
  const told = { id, seq, at, action, target, actor: who }
  return held.has('audit_logs:read') ? { ...told, outcome, reason, missing, changes } : told
}
