// Every change of a memory: held, checked, written, told to the ledger.
import { badRequest, conflict } from '../../contract/errors.ts'
import type { Access, Caller, Context } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { Outdated } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { lockExisting, type Reference, refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { lookAt, refusePaths } from './about/comparing.ts'
import { confirm, setAbout } from './about/store.ts'
import { columnsOf, type Fields, hashOf, refuseOpening } from './changes.ts'
import { forget } from './meaning/store.ts'
import * as store from './store.ts'
import { insertVersion } from './versions/store.ts'

type Changing = Pick<Context, 'db' | 'now' | 'note' | 'origin' | 'enqueue'> & { caller: Caller; access: Access }
type Changed = Fields & { labels?: string[]; about?: store.MemoryRow['about'] }

export async function change(
  { db, caller, access, now, note, origin, enqueue }: Changing,
  workspaceId: string,
  id: string,
  { labels: labelIds, about, ...fields }: Changed,
): Promise<store.MemoryRow> {
  const at = now()
  await enter(db, caller, workspaceId)
  await refuseStrangeTeam(db, workspaceId, fields.teamId ?? null)
  await lockChain(db, workspaceId, id, fields.supersededById ?? null)
  const before = await found(store.find(db, caller, workspaceId, id, at), 'memory')
  if (!isUnchanged(origin.ifMatch, before)) {
    throw conflict('The memory has changed since you read it; read it again.', { updated: before.updated })
  }
  const after = await patched(note, before, { ...fields, labels: labelIds, about }, async () => {
    const columns = columnsOf(before, fields, at)
    refuseOpening(caller, access, before, { ...before, ...(columns as Partial<store.MemoryRow>) })
    await refuseSuperseding(db, caller, before, fields.supersededById ?? null, at)
    refusePaths(about ?? [])
    if (about) await refuseNewAbout(db, caller, workspaceId, before.about, about)
    await refuseSameAgain(db, caller, before, columns, at)
    const isEmbedded = await store.update(db, before, columns, at)
    if (isEmbedded) await enqueue('memories.embed', { workspaceId, memoryId: id, cause: `${id} ${at.toISOString()}` })
    if (columns.visibility === 'private') await forget(db, id)
    const text = { ...before, ...fields, id, workspaceId, version: before.version + 1 }
    if (columns.version !== undefined) await insertVersion(db, text, caller, at)
    if (about) await setAbout(db, workspaceId, id, about)
    else if (columns.version !== undefined) await confirm(db, id)
    if (about || columns.version !== undefined) {
      await lookAt(enqueue, { workspaceId, memoryId: id }, about ?? before.about, `${id} ${at.toISOString()}`)
    }
    if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'memory', id, only: labelIds }])
    return await found(store.find(db, caller, workspaceId, id, at), 'memory')
  })
  note({ before, after })
  return after
}

export async function refuseStrangeTeam(db: Db, workspaceId: string, teamId: string | null): Promise<void> {
  if (teamId === null || (await lockExisting(db, directory, workspaceId, 'team', [teamId])).has(teamId)) return
  const expected = 'a team of this workspace'
  throw badRequest(`"teamId" must be ${expected}.`, [{ path: 'teamId', rule: 'reference', expected }])
}

/** What it was about already may stay, also where the caller could not name it. */
async function refuseNewAbout(
  db: Db,
  caller: Caller,
  workspaceId: string,
  before: readonly Reference[],
  about: readonly Reference[],
): Promise<void> {
  const isThere = (one: Reference) => before.some(other => other.object === one.object && other.id === one.id)
  const added = about.filter(one => !isThere(one))
  await refuseUnknown(db, directory, caller, workspaceId, added, 'about')
}

type Text = { hash: string; but: string | null; now: Date }

/** 409 where a memory that the caller sees says the same; of others nobody learns anything. */
export async function refuseSame(db: Db, caller: Caller, workspaceId: string, text: Text): Promise<void> {
  await store.lockText(db, workspaceId, text.hash)
  const existingId = await store.sameText(db, caller, workspaceId, text)
  if (existingId === undefined) return
  throw conflict('A memory says the same already; change that one, or let this one say something else.', {
    existingId,
  })
}

/** A new text, or one that counts again, must not be one that counts already. */
async function refuseSameAgain(
  db: Db,
  caller: Caller,
  before: store.MemoryRow,
  columns: store.MemoryChanges,
  now: Date,
): Promise<void> {
  const isActive = (columns.status ?? before.status) === 'active' || columns.expiresAt !== undefined
  const isNew = columns.hash !== undefined || (columns.status === 'active' && before.status !== 'active')
  const isBack = before.status === 'expired' && columns.expiresAt !== undefined
  if (!isActive || !(isNew || isBack)) return
  const hash = String(columns.hash ?? hashOf(before))
  await refuseSame(db, caller, before.workspaceId, { hash, but: before.id, now })
}

/** The memory, and the one that is to supersede it with all that superseded that: nobody makes a circle meanwhile. */
async function lockChain(db: Db, workspaceId: string, id: string, supersededById: string | null): Promise<void> {
  const chain = supersededById === null ? [] : await store.chainFrom(db, workspaceId, supersededById)
  await store.lock(db, workspaceId, [...new Set([id, ...chain])])
  if (supersededById === null) return
  if (String(await store.chainFrom(db, workspaceId, supersededById)) !== String(chain)) throw new Outdated()
}

/** 400 where the other is not there for the caller, leads back to this one, or is for fewer people to see. */
async function refuseSuperseding(
  db: Db,
  caller: Caller,
  { workspaceId, id, visibility }: store.MemoryRow,
  byId: string | null,
  now: Date,
): Promise<void> {
  if (byId === null) return
  const refuse = (expected: string) =>
    badRequest(`"supersededById" must be ${expected}.`, [{ path: 'supersededById', rule: 'memory', expected }])
  const by = await store.find(db, caller, workspaceId, byId, now)
  if (!by) throw refuse('another memory of this workspace')
  if (by.visibility === 'private' && visibility !== 'private') throw refuse('a memory that is not private')
  if ((await store.chainFrom(db, workspaceId, byId)).includes(id)) {
    throw refuse('a memory that this one does not supersede itself, directly or through others')
  }
}
