// Carries out the operations on memories themselves; versions are spread in.
import { badRequest } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { implement, Outdated, staged } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting, readable, refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { lookAt, refusePaths } from './about/comparing.ts'
import { setAbout } from './about/store.ts'
import { futureOf, hashOf, seenBy } from './changes.ts'
import { change, refuseSame, refuseStrangeTeam } from './changing.ts'
import { ownMemories } from './contract.ts'
import { MemoryId } from './fields/contract.ts'
import { meaningOf } from './meaning/asking.ts'
import { searchMemories } from './ranking.ts'
import * as store from './store.ts'
import versions from './versions/handlers.ts'
import { insertVersion } from './versions/store.ts'

const own = implement(ownMemories, {
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
    await insertVersion(db, { ...made, version: 1 }, caller, at)
    if (about.length > 0) await setAbout(db, workspaceId, id, about)
    await lookAt(enqueue, { workspaceId, memoryId: id }, about, `${id} 1`)
    await labels.changeLabels(db, workspaceId, [{ object: 'memory', id, add: labelIds }])
    const memory = await found(store.find(db, caller, workspaceId, id, at), 'memory')
    note({ after: memory })
    return memory
  },

  'memories.patch': (ctx, { workspaceId, id, ...fields }) => change(ctx, workspaceId, id, fields),

  'memories.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    const around = await store.around(db, workspaceId, id)
    await store.lock(db, workspaceId, around)
    if (String(await store.around(db, workspaceId, id)) !== String(around)) throw new Outdated()
    const reach = reachOf(access, caller)
    const before = await found(store.find(db, caller, workspaceId, id, now(), reach), 'memory')
    await store.remove(db, workspaceId, id, reach)
    note({ before })
    return { workspaceId, id, _object: 'memory' as const }
  },
})

function sourceOf({ callerKind }: Caller): store.MemoryRow['sourceType'] {
  if (callerKind === null) return 'manual'
  if (callerKind === 'automation') return 'automation'
  return callerKind === 'investigation' || callerKind === 'hypothesis' ? 'investigation' : 'observation'
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

export default { ...own, ...versions }
