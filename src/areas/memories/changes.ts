// What a change of a memory means: which columns it sets, and what of it others may read in the ledger.
import { hash } from 'node:crypto'
import { badRequest, forbidden } from '../../contract/errors.ts'
import type { Access, Caller } from '../../kit/context.ts'
import type { MemoryChanges, MemoryRow } from './store.ts'

/** Equal for texts that differ in case, spaces and the width of letters alone. */
export function hashOf({ title, markdown }: Pick<MemoryRow, 'title' | 'markdown'>): string {
  const normal = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()
  return hash('sha256', `${normal(title)}\n${normal(markdown)}`)
}

/** ISO in one form, or 400 where it is not in the future. */
export function futureOf(expiresAt: string | null, now: Date): string | null {
  if (expiresAt === null) return null
  if (Date.parse(expiresAt) > now.getTime()) return new Date(expiresAt).toISOString()
  const expected = 'a time later than now'
  throw badRequest(`"expiresAt" must be ${expected}.`, [{ path: 'expiresAt', rule: 'future', expected }])
}

type Seen = Pick<MemoryRow, 'visibility' | 'teamId'>

/** A team is named exactly where the team sees it. */
export function seenBy({ visibility, teamId }: Seen): Seen {
  if (visibility === 'team' && teamId === null) {
    const expected = 'the id of a team, since the visibility is "team"'
    throw badRequest(`"teamId" must be ${expected}.`, [{ path: 'teamId', rule: 'visibility', expected }])
  }
  if (visibility !== 'team' && teamId !== null) {
    const expected = 'left out, unless the visibility is "team"'
    throw badRequest(`"teamId" must be ${expected}.`, [{ path: 'teamId', rule: 'visibility', expected }])
  }
  return { visibility, teamId }
}

/** Nobody but its owner makes a memory visible to more or fewer; admins may, but not hide it from themselves. */
export function refuseOpening(caller: Caller, { role }: Access, before: MemoryRow, after: Seen): void {
  if (after.visibility === before.visibility && after.teamId === before.teamId) return
  const isOwner = before.ownerId === caller.ownerId
  const isAdmin = role === 'owner' || role === 'admin'
  if (isOwner || (isAdmin && after.visibility !== 'private')) return
  throw forbidden('Only its owner can change who sees a memory, or an admin, who cannot make it private.')
}

export type Fields = Partial<
  Pick<
    MemoryRow,
    'title' | 'markdown' | 'visibility' | 'teamId' | 'supersededById' | 'pinned' | 'confidence' | 'expiresAt'
  >
> & { status?: 'active' | 'archived' }

/** The columns that these fields set. What superseded it is forgotten when it is archived or made active. */
export function columnsOf(before: MemoryRow, fields: Fields, now: Date): MemoryChanges {
  const { title = before.title, markdown = before.markdown, status, supersededById, expiresAt } = fields
  if (supersededById && status) {
    const expected = 'left out where "supersededById" is given'
    throw badRequest(`"status" must be ${expected}.`, [{ path: 'status', rule: 'supersededById', expected }])
  }
  const isReworded = title !== before.title || markdown !== before.markdown
  const isRestored = supersededById === null && before.status === 'superseded'
  return {
    ...(fields.pinned !== undefined && { pinned: fields.pinned }),
    ...(fields.confidence !== undefined && { confidence: fields.confidence }),
    ...(isReworded && { title, markdown, hash: hashOf({ title, markdown }), version: before.version + 1 }),
    ...(expiresAt !== undefined && expiresAt !== before.expiresAt && { expiresAt: futureOf(expiresAt, now) }),
    ...(isRestored && { status: 'active', supersededById: null }),
    ...(status && { status, supersededById: null }),
    ...(supersededById && { status: 'superseded', supersededById }),
    ...seenColumns(before, fields),
  }
}

function seenColumns(before: MemoryRow, { visibility = before.visibility, teamId }: Fields): Partial<Seen> {
  const isSame = visibility === before.visibility && (teamId === undefined || teamId === before.teamId)
  if (isSame) return {}
  const isOther = visibility !== before.visibility
  return seenBy({ visibility, teamId: teamId === undefined ? (isOther ? null : before.teamId) : teamId })
}
