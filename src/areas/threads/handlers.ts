// Carries out the operations on threads themselves; runs are spread in.
import { conflict, notFound } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import * as labels from '../labels/store.ts'
import * as pages from '../pages/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { refuseForeignChange, refuseForeignChild } from './agents.ts'
import {
  checkAbout,
  checkArchiving,
  checkEvidence,
  checkHypothesis,
  checkTeam,
  parentOf,
  refuseArchived,
  refuseSharing,
  toldOf,
} from './checks.ts'
import { ownThreads } from './contract.ts'
import { exportOf } from './exporting.ts'
import { ThreadId, unnamed } from './fields/contract.ts'
import { eventsOf } from './following.ts'
import { reportOf } from './report.ts'
import runs from './runs/handlers.ts'
import { hidePrivate } from './runs/store.ts'
import { searchThreads } from './searching.ts'
import * as store from './store.ts'

const own = implement(ownThreads, {
  'threads.list': ({ db, caller }, { workspaceId, ...query }) => store.pageOfThreads(db, query, workspaceId, caller),

  'threads.get': ({ db, caller }, { workspaceId, id }) => existing(db, caller, workspaceId, id),

  'threads.search': async ({ db, caller, now }, { workspaceId, q, limit = 20 }) => {
    return { items: await searchThreads(db, caller, workspaceId, q, limit, now()) }
  },

  'threads.post': async ({ db, caller, now, note }, { workspaceId, labels: labelIds = [], ...fields }) => {
    const usual = caller.callerKind === 'automation' ? 'automation' : 'chat'
    const { type = usual, parentThreadId = null, context = [], issueId = null, hypothesis } = fields
    refuseForeignChild(caller, { type, parentThreadId })
    await enter(db, caller, workspaceId)
    if (fields.teamId) await checkTeam(db, workspaceId, fields.visibility ?? 'team', fields.teamId)
    await checkAbout(db, caller, workspaceId, { context, issueId })
    const parent = await parentOf(db, caller, workspaceId, parentThreadId)
    if (parent) refuseArchived(parent)
    checkHypothesis(type, parent?.type ?? null, hypothesis)
    const sharing = await sharingOf(db, caller, workspaceId, fields, parentThreadId)
    const id = newId(ThreadId)
    const { name } = fields
    const made = {
      id,
      workspaceId,
      ownerId: caller.ownerId,
      name: name ?? hypothesis?.statement?.slice(0, 200).padEnd(4, '.') ?? unnamed[type],
      isNamed: name !== undefined || hypothesis?.statement !== undefined,
      type,
      ...sharing,
      parentThreadId,
      depth: parent ? parent.depth + 1 : 0,
      statement: hypothesis?.statement ?? null,
      issueId,
      summary: fields.summary ?? null,
    }
    await store.insert(db, made, now())
    if (context.length > 0) await store.putContext(db, workspaceId, id, context)
    if (labelIds.length > 0) await relabel(db, workspaceId, id, labelIds)
    const thread = await existing(db, caller, workspaceId, id)
    note({ after: toldOf(thread) })
    return thread
  },

  'threads.patch': async ({ db, caller, now, note, origin }, { workspaceId, id, labels: labelIds, ...fields }) => {
    await enter(db, caller, workspaceId)
    const { visibility, teamId, context, issueId, hypothesis, outcome, status, type, name, summary } = fields
    if (teamId) await checkTeam(db, workspaceId, 'team', teamId)
    await checkAbout(db, caller, workspaceId, { ...(context && { context }), ...(issueId && { issueId }) })
    const held = await found(store.lock(db, workspaceId, id, caller), 'thread')
    refuseForeignChange(caller, held, { ...fields, labels: labelIds })
    const before = await existing(db, caller, workspaceId, id)
    if (!isUnchanged(origin.ifMatch, before)) {
      throw conflict('The thread has changed since you read it; read it again.', { updated: before.updated })
    }
    if (Object.values({ ...fields, labelIds }).every(value => value === undefined)) {
      note({ unchanged: true })
      return before
    }
    if (visibility !== undefined || teamId !== undefined) {
      refuseSharing(caller, held, visibility)
      await checkTeam(db, workspaceId, visibility ?? before.visibility, teamOf(before, visibility, teamId))
    }
    if (type !== undefined && type !== before.type) {
      if (held.lastSeq > 0) throw conflict('The thread has messages, so its type stays.', { state: before.type })
      const parent = before.parentThreadId && (await store.find(db, workspaceId, before.parentThreadId, caller))
      checkHypothesis(type, parent ? parent.type : null, hypothesis)
    } else checkHypothesis(before.type, before.type === 'hypothesis' ? 'investigation' : null, hypothesis)
    await checkEvidence(db, held, hypothesis?.evidence)
    if (status !== undefined) checkArchiving(held, status)
    else if (before.status === 'archived') refuseArchived(held)
    const change: store.ThreadChanges = {
      name,
      ...(name !== undefined && { isNamed: true, namingSeq: null }),
      type,
      visibility,
      ...(visibility !== undefined && { teamId: teamOf(before, visibility, teamId) }),
      ...(teamId !== undefined && { teamId }),
      status,
      ...hypothesis,
      ...(hypothesis?.evidence && { evidence: [...new Set(hypothesis.evidence)] }),
      ...(outcome !== undefined && {
        outcomeKind: outcome?.kind ?? null,
        outcomeSummary: outcome?.summary ?? null,
        outcomeCause: outcome?.causeClass ?? null,
      }),
      issueId,
      summary,
    }
    await store.update(db, id, change, now())
    if (visibility !== undefined && visibility !== 'private') await hidePrivate(db, id)
    if (context) await store.putContext(db, workspaceId, id, context)
    if (labelIds) await relabel(db, workspaceId, id, labelIds)
    const after = await existing(db, caller, workspaceId, id)
    note({ before: toldOf(before), after: toldOf(after) })
    return after
  },

  'threads.del': async ({ db, caller, access, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    const ids = await store.lockTree(db, workspaceId, id)
    const before = await existing(db, caller, workspaceId, id)
    const reach = reachOf(access, caller)
    if (reach !== null && before.ownerId !== reach) throw notFound('thread')
    note({ before: toldOf(before) })
    await store.remove(db, ids)
    return { workspaceId, id, _object: 'thread' as const }
  },

  'threads.events': async (ctx, { workspaceId, id, lastEventId }) => {
    await existing(ctx.db, ctx.caller, workspaceId, id)
    return await eventsOf(ctx, id, lastEventId)
  },

  'threads.export': async ({ db, caller }, { workspaceId, id, format = 'md' }) => {
    return exportOf(db, await existing(db, caller, workspaceId, id), format, caller)
  },

  'threads.publish': staged(
    async ({ db, caller, now }, { workspaceId, id, ...asked }) => {
      const thread = await existing(db, caller, workspaceId, id)
      if (thread.visibility !== 'workspace') refuseSharing(caller, thread, 'workspace')
      const report = await reportOf(db, thread, caller)
      const source = { object: 'thread', id }
      return await pages.preparePage(db, { workspaceId, kind: 'thread_report', source, report }, asked, now())
    },
    async (ctx, { workspaceId, id }, prepared) => {
      const { db, caller } = ctx
      await enter(db, caller, workspaceId)
      const held = await found(store.lock(db, workspaceId, id, caller), 'thread')
      const { visibility } = await existing(db, caller, workspaceId, id)
      if (visibility !== 'workspace') refuseSharing(caller, held, 'workspace')
      return await pages.publish(ctx, prepared)
    },
  ),
})

export default { ...own, ...runs }

function existing(db: Db, caller: Caller, workspaceId: string, id: string): Promise<store.ThreadRow> {
  return found(store.find(db, workspaceId, id, caller), 'thread')
}

/** As the thread above, where nothing is said: what is private stays so below. */
async function sharingOf(
  db: Db,
  caller: Caller,
  workspaceId: string,
  given: { visibility?: store.ThreadRow['visibility']; teamId?: string | null },
  parentThreadId: string | null,
): Promise<{ visibility: store.ThreadRow['visibility']; teamId: string | null }> {
  const parent = parentThreadId === null ? undefined : await store.find(db, workspaceId, parentThreadId, caller)
  const visibility = given.visibility ?? (given.teamId ? 'team' : (parent?.visibility ?? 'workspace'))
  const inherited = given.visibility === undefined && !given.teamId ? (parent?.teamId ?? null) : null
  const teamId = given.teamId ?? inherited
  await checkTeam(db, workspaceId, visibility, teamId)
  return { visibility, teamId }
}

function teamOf(
  before: store.ThreadRow,
  visibility: string | undefined,
  teamId: string | null | undefined,
): string | null {
  if (teamId !== undefined) return teamId
  return (visibility ?? before.visibility) === 'team' ? before.teamId : null
}

async function relabel(db: Db, workspaceId: string, id: string, only: readonly string[]): Promise<void> {
  await labels.changeLabels(db, workspaceId, [{ object: 'thread', id, only }])
}
