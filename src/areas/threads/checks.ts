// What a thread may be: where it stands, who sees it, what it is about, and what is told of it.
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { lockExisting, refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import { mostDepth, type ThreadType, threadMoves } from './fields/contract.ts'
import * as messages from './messages/store.ts'
import type { Held, ThreadRow } from './store.ts'
import * as store from './store.ts'

function refuse(path: string, rule: string, expected: string): never {
  throw badRequest(`"${path}" must be ${expected}.`, [{ path, rule, expected }])
}

/** The thread above, held; 400 where there is none that the caller sees, or where it is too deep. */
export async function parentOf(db: Db, caller: Caller, workspaceId: string, id: string | null): Promise<Held | null> {
  if (id === null) return null
  const parent = await store.lock(db, workspaceId, id, caller)
  if (!parent) refuse('parentThreadId', 'reference', 'a thread of this workspace that you may see')
  if (parent.depth >= mostDepth) refuse('parentThreadId', 'depth', `a thread with at most ${mostDepth - 1} above it`)
  return parent
}

/** A hypothesis belongs to an investigation, and only a hypothesis has a verdict. */
export function checkHypothesis(type: ThreadType, parentType: ThreadType | null, hypothesis: unknown): void {
  if (type === 'hypothesis' && parentType !== 'investigation') {
    refuse('parentThreadId', 'type', 'an investigation, where the type is hypothesis')
  }
  if (type !== 'hypothesis' && hypothesis !== undefined) {
    refuse('hypothesis', 'type', 'left out of a thread that is no hypothesis')
  }
}

/** The team stays until the transaction ends; before any thread is locked. */
export async function checkTeam(db: Db, workspaceId: string, visibility: string, teamId: string | null): Promise<void> {
  if (visibility === 'team' && teamId === null) refuse('teamId', 'required', 'there, where the visibility is team')
  if (visibility !== 'team' && teamId !== null)
    refuse('teamId', 'visibility', 'left out, unless the visibility is team')
  if (teamId === null) return
  const known = await lockExisting(db, directory, workspaceId, 'team', [teamId])
  if (!known.has(teamId)) refuse('teamId', 'reference', 'a team of this workspace')
}

type About = { context?: readonly { type: string; id: string }[]; issueId?: string | null }

/** Records that the caller may read, each as it is named. */
export async function checkAbout(db: Db, caller: Caller, workspaceId: string, about: About): Promise<void> {
  const { context = [], issueId = null } = about
  const references = context.map(({ type, id }) => ({ object: type, id }))
  await refuseUnknown(db, directory, caller, workspaceId, references, 'context')
  if (issueId === null) return
  const issue = [{ object: 'issue', id: issueId }]
  await refuseUnknown(db, directory, caller, workspaceId, issue, 'issueId')
  await lockExisting(db, directory, workspaceId, 'issue', [issueId])
}

export async function checkEvidence(db: Db, { id, parentThreadId }: Held, evidence: readonly string[] = []) {
  if (evidence.length === 0) return
  const known = await messages.among(db, parentThreadId === null ? [id] : [id, parentThreadId], evidence)
  const index = evidence.findIndex(one => !known.has(one))
  if (index === -1) return
  refuse(`hypothesis.evidence.${index}`, 'reference', 'a message of this thread, or of the one above it')
}

/** Who sees a thread is its owner’s to say, and an admin’s unless it becomes private. */
export function refuseSharing(caller: Caller, thread: Pick<Held, 'ownerId'>, visibility: string | undefined): void {
  if (caller.ownerId === thread.ownerId) return
  const isAdmin = caller.role === 'owner' || caller.role === 'admin'
  if (isAdmin && visibility !== 'private') return
  throw forbidden('Only its owner says who sees a thread; admins may open or share it, and make none private.')
}

/** By hand a thread is archived and taken back; the rest follows from its runs. */
export function checkArchiving(thread: Held, status: 'archived' | 'idle'): void {
  const isBusy = !['idle', 'failed', 'archived'].includes(thread.status)
  if (isBusy) throw conflict('A run is active in the thread; cancel it first.', { state: thread.status, moves: [] })
  if (thread.status !== status) threadMoves.check('thread', thread.status, status)
}

export function refuseArchived({ status }: Pick<Held, 'status'>): void {
  if (status !== 'archived') return
  throw conflict('The thread is archived; set its status to idle first.', { state: status, moves: ['idle'] })
}

/** For the ledger, which admins read: of what is private, that it is there and no word of it. */
export function toldOf(thread: ThreadRow): object {
  if (thread.visibility !== 'private') return thread
  const { id, type, visibility, status, parentThreadId } = thread
  return { id, type, visibility, status, parentThreadId }
}
