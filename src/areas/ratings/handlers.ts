// Carries out the operations on ratings.
import type { Kind } from '../../contract/directory.ts'
import { badRequest, forbidden, notFound } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { answering, implement } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { newId } from '../../kit/random.ts'
import { raterOf } from '../../kit/rating_sql.ts'
import { lockExisting } from '../../kit/references.ts'
import type { Settings } from '../../kit/settings.ts'
import { directory } from '../../operations.ts'
import * as workspaces from '../workspaces/store.ts'
import { RatingId, ratings } from './contract.ts'
import * as store from './store.ts'

export default implement(ratings, {
  'ratings.post': async ({ db, caller, settings, now, note }, { workspaceId, ...input }) => {
    const { object, objectId, value, reason = null, comment = null } = input
    const { kind, id } = lookedFor(object, objectId)
    refuseUnreasoned(directory.kinds.get(object), value, reason)
    const raterId =
      input.raterId === undefined ? raterOf(caller) : outsider(caller, settings, workspaceId, input.raterId)
    await enter(db, caller, workspaceId)
    const rated = await store.rated(db, kind, readerBehind(caller), workspaceId, id)
    if (!rated) throw notFound('record')
    refuseOwnThread(caller, rated)
    const rating = { id: newId(RatingId), workspaceId, object, objectId, value, reason, comment, raterId }
    const { row, isNew } = await store.put(db, { ...rating, credential: caller.credentialId }, now())
    // What is said of a private record stays between its rater and the figures.
    note({ target: { object: 'rating', id: row.id }, after: { object, objectId, value, reason } })
    return isNew ? row : answering(200, row)
  },

  'ratings.del': async ({ db, caller, note }, { workspaceId, id }) => {
    // What acts for somebody may take back what they rated themselves.
    const raters = [raterOf(caller), caller.ownerId]
    const gone = await found(store.removeOwn(db, workspaceId, id, raters, caller.credentialId), 'rating')
    const { comment: _, ...before } = gone
    note({ before })
    return { workspaceId, id, _object: 'rating' as const }
  },
})

const rateable = [...directory.kinds.values()].filter(kind => kind.ratings)

/** Where there is no such kind, or no such id can be, something is looked for all the same: it takes the same time. */
function lookedFor(object: string, id: string): { kind: Kind; id: string } {
  const kind = rateable.find(one => one.object === object)
  const pattern = (kind?.id as { pattern?: string } | undefined)?.pattern
  if (kind && pattern && new RegExp(pattern).test(id)) return { kind, id }
  return { kind: kind ?? (rateable[0] as Kind), id: '' }
}

/** Says nothing of any record, only of its kind. */
function refuseUnreasoned(kind: Kind | undefined, value: number, reason: string | null): void {
  if (kind?.ratings !== 'reasoned' || value === 1 || reason !== null) return
  const expected = 'a reason, since the rating is -1'
  throw badRequest(`"reason" must be ${expected}.`, [{ path: 'reason', rule: 'required', expected }])
}

/** The credential's owner decides what can be seen; what else the credential itself may do does not matter here. */
function readerBehind(caller: Caller) {
  return { ...caller, scopes: caller.credential === 'session' ? caller.scopes : (caller.ownerScopes ?? null) }
}

/** Keyed, so that nobody who reads the database can try out names. */
function outsider({ callerKind }: Caller, { sign }: Settings, workspaceId: string, raterId: string): string {
  if (callerKind !== null) throw forbidden('An agent rates as itself; leave "raterId" out.', { reason: 'caller_kind' })
  return `ext:${sign('rating', `${workspaceId} ${raterId}`).slice(0, 32)}`
}

function refuseOwnThread({ run }: Caller, { threadId }: store.Rated): void {
  if (!run || threadId === null || run.threadId !== threadId) return
  throw forbidden('A run may not rate what its own thread made; a person can.', { reason: 'own_thread' })
}

/** The workspace, and who rates in it, stay until the transaction ends. */
async function enter(db: Db, { ownerId }: Caller, workspaceId: string): Promise<void> {
  if (!ownerId.startsWith('usr_')) {
    await workspaces.keepAlive(db, workspaceId)
    if (ownerId.startsWith('team_')) await lockExisting(db, directory, workspaceId, 'team', [ownerId])
  } else if (!(await workspaces.keepMember(db, workspaceId, ownerId))) {
    throw forbidden('You are no longer a member of this workspace.')
  }
}
