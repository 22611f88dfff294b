// Carries out the operations on memories.
import { badRequest, conflict, forbidden } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, Outdated, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting, type Reference, readable, refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import * as workspaces from '../workspaces/store.ts'
import { lookAt, refusePaths } from './about/comparing.ts'
import { confirm, setAbout } from './about/store.ts'
import { columnsOf, futureOf, hashOf, refuseOpening, seenBy, toldOf } from './changes.ts'
import { MemoryId, memories } from './contract.ts'
import { meaningOf } from './meaning/asking.ts'
import { forget } from './meaning/store.ts'
import { searchMemories } from './ranking.ts'
import * as store from './store.ts'

export default implement(memories, {
  'memories.list': ({ db, caller, now }, { workspaceId, ...query }) =>
    store.pageOfMemories(db, query, caller, workspaceId, now()),

  'memories.get': ({ db, caller, now }, { workspaceId, id }) =>
    found(store.find(db, caller, workspaceId, id, now()), 'memory'),

  'memories.search': staged(
    (ctx, { workspaceId, q }) => meaningOf(ctx, workspaceId, q),
    async ({ db, caller, now, enqueue }, { workspaceId, q, limit = 20, include, ...filters }, meaning) => {
      const asked = { q, limit, ...filters, includesExpired: include === 'expired', now: now(), meaning }
      const items = await searchMemories(db, caller, workspaceId, asked)
      if (caller.callerKind !== null && items.length > 0) {
        await enqueue('memories.used', { workspaceId, ids: items.map(({ memory }) => memory.id) })
      }
      return { items }
    },
  ),

  'memories.versions.list': async ({ db, caller, now }, { workspaceId, id, ...query }) => {
    await found(store.find(db, caller, workspaceId, id, now()), 'memory')
    return await store.pageOfVersions(db, query, id)
  },

  'memories.post': async (
    { db, caller, now, note, enqueue },
    { workspaceId, labels: labelIds = [], about = [], ...fields },
  ) => {
    const at = now()
    const { title, markdown, sourceType = sourceOf(caller), visibility = 'workspace', teamId = null } = fields
    const { pinned = false, confidence = 1, expiresAt = null } = fields
    const { sourceThreadId = ownThread(caller, visibility), sourceMessageIds = [] } = fields
    const seen = seenBy({ visibility, teamId })
    await enter(db, caller, workspaceId)
    await refuseStrangeTeam(db, workspaceId, teamId)
    refusePaths(about)
    await refuseUnknown(db, directory, caller, workspaceId, about, 'about')
    await refuseStrangeSource(db, caller, workspaceId, fields)
    // Neither ends before this is written: what is gone would leave its id here.
    if (sourceThreadId !== null) await lockExisting(db, directory, workspaceId, 'thread', [sourceThreadId])
    if (sourceMessageIds.length > 0) await lockExisting(db, directory, workspaceId, 'message', sourceMessageIds)
    const id = newId(MemoryId)
    const hash = hashOf(fields)
    const made = { id, workspaceId, ownerId: caller.ownerId, title, markdown, hash, sourceType, ...seen }
    const source = { sourceThreadId, sourceMessageIds: [...new Set(sourceMessageIds)] }
    await refuseSame(db, caller, workspaceId, { hash, but: null, now: at })
    const row = { ...made, ...source, pinned, confidence, expiresAt: futureOf(expiresAt, at) }
    const isEmbedded = await store.insert(db, row, at)
    if (isEmbedded) await enqueue('memories.embed', { workspaceId, memoryId: id, cause: `${id} 1` })
    await store.insertVersion(db, { ...made, version: 1 }, caller, at)
    if (about.length > 0) await setAbout(db, workspaceId, id, about)
    await lookAt(enqueue, { workspaceId, memoryId: id }, about, `${id} 1`)
    await labels.changeLabels(db, workspaceId, [{ object: 'memory', id, add: labelIds }])
    const memory = await found(store.find(db, caller, workspaceId, id, at), 'memory')
    note(toldOf(undefined, memory))
    return memory
  },

  'memories.patch': async (
    { db, caller, access, now, note, origin, enqueue },
    { workspaceId, id, labels: labelIds, about, ...fields },
  ) => {
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
      if (columns.version !== undefined) await store.insertVersion(db, text, caller, at)
      if (about) await setAbout(db, workspaceId, id, about)
      else if (columns.version !== undefined) await confirm(db, id)
      if (about || columns.version !== undefined) {
        await lookAt(enqueue, { workspaceId, memoryId: id }, about ?? before.about, `${id} ${at.toISOString()}`)
      }
      if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'memory', id, only: labelIds }])
      return await found(store.find(db, caller, workspaceId, id, at), 'memory')
    })
    note(toldOf(before, after))
    return after
  },

  'memories.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    const around = await store.around(db, workspaceId, id)
    await store.lock(db, workspaceId, around)
    if (String(await store.around(db, workspaceId, id)) !== String(around)) throw new Outdated()
    const reach = reachOf(access, caller)
    const before = await found(store.find(db, caller, workspaceId, id, now(), reach), 'memory')
    await store.remove(db, workspaceId, id, reach)
    note(toldOf(before, undefined))
    return { workspaceId, id, _object: 'memory' as const }
  },
})

/**
 * Before anything is locked: the workspace and whoever acts in it stay until the transaction ends, so that nothing is
 * left in the name of somebody who is gone.
 */
async function enter(db: Db, { ownerId }: Caller, workspaceId: string): Promise<void> {
  if (ownerId.startsWith('usr_')) {
    if (await workspaces.keepMember(db, workspaceId, ownerId)) return
    throw forbidden('You are no longer a member of this workspace.')
  }
  await workspaces.keepAlive(db, workspaceId)
  if (ownerId.startsWith('team_')) await lockExisting(db, directory, workspaceId, 'team', [ownerId])
}

function sourceOf({ callerKind }: Caller): store.MemoryRow['sourceType'] {
  if (callerKind === null) return 'manual'
  if (callerKind === 'automation') return 'automation'
  return callerKind === 'investigation' || callerKind === 'hypothesis' ? 'investigation' : 'observation'
}

async function refuseStrangeTeam(db: Db, workspaceId: string, teamId: string | null): Promise<void> {
  if (teamId === null || (await lockExisting(db, directory, workspaceId, 'team', [teamId])).has(teamId)) return
  const expected = 'a team of this workspace'
  throw badRequest(`"teamId" must be ${expected}.`, [{ path: 'teamId', rule: 'reference', expected }])
}

/** Of a run; a private thread is not named where others read. */
function ownThread({ run }: Caller, visibility: string): string | null {
  return run && (!run.seesPrivate || visibility === 'private') ? run.threadId : null
}

type Source = { sourceThreadId?: string | null; sourceMessageIds?: string[] }

/** 400 where the writer may not read what it is said to come from, or it is not there: nobody learns which. */
async function refuseStrangeSource(
  db: Db,
  caller: Caller,
  workspaceId: string,
  { sourceThreadId, sourceMessageIds = [] }: Source,
): Promise<void> {
  const threads = sourceThreadId ? [{ object: 'thread', id: sourceThreadId }] : []
  if (threads.length > 0 && (await readable(db, directory, caller, workspaceId, threads)).length === 0) {
    const expected = 'a thread of this workspace that you may read'
    throw badRequest(`"sourceThreadId" does not name ${expected}.`, [
      { path: 'sourceThreadId', rule: 'reference', expected },
    ])
  }
  const messages = sourceMessageIds.map(id => ({ object: 'message', id }))
  await refuseUnknown(db, directory, caller, workspaceId, messages, 'sourceMessageIds')
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
async function refuseSame(db: Db, caller: Caller, workspaceId: string, text: Text): Promise<void> {
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
