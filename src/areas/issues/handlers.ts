// Carries out the operations on issues themselves; notes, alerts and rules are spread in.
import type { Static } from 'typebox'
import type { Kind } from '../../contract/directory.ts'
import { conflict, notFound } from '../../contract/errors.ts'
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { implement, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting } from '../../kit/references.ts'
import { searchSql } from '../../kit/search_sql.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import * as pages from '../pages/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import alerts from './alerts/handlers.ts'
import { type Change, changeOf } from './changes.ts'
import { ownIssues } from './contract.ts'
import { IssueId, isClosed, type SourceGiven } from './fields/contract.ts'
import { investigate } from './investigating.ts'
import { likeliest, wordsOf } from './likeness/store.ts'
import { lockAround, merge, refuseMerged, release, split } from './merging/merging.ts'
import { meaningMe, refuseStrangers, tellAssigned } from './people.ts'
import { reportOf } from './report.ts'
import rules from './rules/handlers.ts'
import * as store from './store.ts'
import notes from './timeline/handlers.ts'
import { actorOf, insertEntries, type NewEntry, peopleOf } from './timeline/store.ts'

const own = implement(ownIssues, {
  'issues.list': async ({ db, caller }, { workspaceId, assigneeId, ...query }) => {
    const meant = await meaningMe(db, caller, workspaceId, assigneeId)
    return await store.pageOfIssues(db, { ...query, ...(meant !== undefined && { assigneeId: meant }) }, workspaceId)
  },

  'issues.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'issues.search': async ({ db, caller, now }, { workspaceId, q, limit = 20 }) => {
    const kind = directory.kinds.get('issue') as Kind
    const hits = await searchSql(db, [kind], caller, workspaceId, { q, limit, now: now() })
    const ids = hits.map(({ id }) => id)
    const byId = ids.length > 0 ? await store.findAll(db, workspaceId, ids) : new Map<string, store.IssueRow>()
    const items = hits.flatMap(({ id, snippet }) => {
      const issue = byId.get(id)
      return issue ? [{ issue, snippet }] : []
    })
    return { items }
  },

  'issues.similar': async ({ db }, { workspaceId, id, limit = 5 }) => {
    const issue = await existing(db, workspaceId, id)
    const words = await wordsOf(db, issue.title, issue.body)
    const found = await likeliest(db, workspaceId, issue, words, limit)
    const byId = await store.findAll(
      db,
      workspaceId,
      found.map(one => one.id),
    )
    const items = found.flatMap(({ id: otherId, score, note, ...shares }) => {
      const other = byId.get(otherId)
      if (!other) return []
      const { status, dismissReason, mttrSeconds: seconds } = other
      return [{ issue: other, score, shares, outcome: { status, dismissReason, seconds, note } }]
    })
    return { items }
  },

  'issues.post': async (ctx, { workspaceId, labels: labelIds = [], ...fields }) => {
    const { db, caller, now } = ctx
    await enter(db, caller, workspaceId)
    await refuseStrangers(db, workspaceId, fields)
    if (fields.fingerprint) {
      await store.lockCounter(db, workspaceId)
      await refuseHeld(db, workspaceId, fields.fingerprint)
    }
    const at = now()
    const { status = 'new', severity = 'medium', assigneeId = null } = fields
    const { userId, teamId } = peopleOf(assigneeId)
    const made = {
      ...nothing,
      id: newId(IssueId),
      title: fields.title,
      body: fields.body ?? null,
      severity,
      status,
      ...sourceOf(caller, fields.source),
      fingerprint: fields.fingerprint ?? null,
      assigneeUserId: userId,
      assigneeTeamId: teamId,
      teamId: fields.teamId ?? null,
      resources: [...new Set(fields.resources)],
      triagedAt: status === 'new' ? null : at,
    }
    // Sent together: from the number on, whoever else makes an issue here waits.
    const inserted = Promise.all([
      store.lockCounter(db, workspaceId),
      store.insert(db, { workspaceId, ownerId: caller.ownerId }, [made], at),
    ])
    const entries: NewEntry[] = [{ issueId: made.id, type: 'created', data: { to: status } }]
    if (assigneeId) entries.push({ issueId: made.id, type: 'assigned', about: assigneeId })
    if (labelIds.length > 0) {
      await inserted
      entries.push(...(await relabel(db, workspaceId, made.id, labelIds)))
    }
    const [, , issue] = await Promise.all([
      inserted,
      insertEntries(db, workspaceId, actorOf(caller), entries, at),
      existing(db, workspaceId, made.id),
    ])
    await tellAssigned(ctx, workspaceId, made.id, assigneeId)
    return issue
  },

  'issues.patch': async (ctx, { workspaceId, id, labels: labelIds, ...fields }) => {
    const { db, caller, now, note, origin } = ctx
    await enter(db, caller, workspaceId)
    await refuseStrangers(db, workspaceId, fields)
    await store.lock(db, workspaceId, [id])
    const before = await existing(db, workspaceId, id)
    if (!isUnchanged(origin.ifMatch, before)) {
      throw conflict('The issue has changed since you read it; read it again.', { updated: before.updated })
    }
    return await patched(note, before, { ...fields, labels: labelIds }, async () => {
      refuseMerged(before)
      const at = now()
      const { columns, entries } = changeOf(before, fields, at)
      await refuseSecond(db, before, columns)
      if (labelIds) entries.push(...(await relabel(db, workspaceId, id, labelIds)))
      await store.update(db, id, columns, at)
      await insertEntries(db, workspaceId, actorOf(caller), entries, at)
      if (fields.assigneeId !== before.assigneeId) await tellAssigned(ctx, workspaceId, id, fields.assigneeId ?? null)
      return await existing(db, workspaceId, id)
    })
  },

  'issues.investigate': async (ctx, { workspaceId, id, prompt, hypotheses = [] }) => {
    const { db, caller, note } = ctx
    await enter(db, caller, workspaceId)
    await store.lock(db, workspaceId, [id])
    const issue = await existing(db, workspaceId, id)
    refuseMerged(issue)
    const started = await investigate(ctx, issue, { prompt, hypotheses })
    note({
      target: { object: 'issue', id },
      after: { id: started.id, hypothesisThreadIds: started.hypothesisThreadIds },
    })
    return started
  },

  'issues.merge': async ({ db, caller, now, note }, { workspaceId, id, intoId }) => {
    await enter(db, caller, workspaceId)
    note({ before: await merge({ db, caller, workspaceId, now: now() }, id, intoId) })
    return await existing(db, workspaceId, id)
  },

  'issues.split': async ({ db, caller, now, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    note({ before: await split({ db, caller, workspaceId, now: now() }, id) })
    return await existing(db, workspaceId, id)
  },

  'issues.publish': staged(
    async ({ db, now }, { workspaceId, id, ...asked }) => {
      const report = await reportOf(db, await existing(db, workspaceId, id))
      const source = { object: 'issue', id }
      return await pages.preparePage(db, { workspaceId, kind: 'issue_report', source, report }, asked, now())
    },
    async (ctx, { workspaceId, id }, prepared) => {
      await enter(ctx.db, ctx.caller, workspaceId)
      if (!(await lockExisting(ctx.db, directory, workspaceId, 'issue', [id])).has(id)) throw notFound('issue')
      return await pages.publish(ctx, prepared)
    },
  ),

  'issues.del': async ({ db, caller, access, now, note }, { workspaceId, id }) => {
    await enter(db, caller, workspaceId)
    await lockAround(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    const reach = reachOf(access, caller)
    if (reach !== null && before.ownerId !== reach) await found(Promise.resolve(undefined), 'issue')
    note({ before })
    const released = await release({ db, caller, workspaceId, now: now() }, before)
    const also = released.map(one => {
      return { workspaceId, action: 'issues.split', target: { object: 'issue', id: one.before.id }, ...one }
    })
    note({ also })
    await store.remove(db, workspaceId, id, reach)
    return { workspaceId, id, _object: 'issue' as const }
  },
})

export default { ...own, ...notes, ...alerts, ...rules }

const nothing = {
  alertSeverity: null,
  correlationKey: null,
  resources: [],
  recurrenceOfId: null,
  occurrences: 0,
  firstSeen: null,
  lastSeen: null,
}

function existing(db: Db, workspaceId: string, id: string): Promise<store.IssueRow> {
  return found(store.find(db, workspaceId, id), 'issue')
}

function sourceOf({ callerKind }: Caller, source: Static<typeof SourceGiven> = {}) {
  const type = callerKind === null ? 'manual' : callerKind === 'automation' ? 'automation' : 'agent'
  return {
    sourceType: source.type ?? type,
    sourceExternalRef: source.externalId ?? null,
    sourceUrl: source.url ?? null,
  }
}

/** A fingerprint belongs to one issue at a time. */
async function refuseHeld(db: Db, workspaceId: string, fingerprint: string | null | undefined): Promise<void> {
  const existingId = fingerprint ? await store.holderOf(db, workspaceId, fingerprint) : undefined
  if (existingId === undefined) return
  throw conflict('Another issue has that fingerprint; work there, or leave the fingerprint out.', { existingId })
}

/** What came back as a newer issue is not opened a second time. */
async function refuseSecond(db: Db, before: store.IssueRow, { status }: Change['columns']): Promise<void> {
  const { fingerprint, id, workspaceId } = before
  if (status !== 'open' || !isClosed(before.status) || fingerprint === null) return
  const existingId = await store.holderOf(db, workspaceId, fingerprint)
  if (existingId === undefined || existingId === id) return
  throw conflict('The problem came back as a newer issue; work there, or merge this one into it.', { existingId })
}

/** Sets the labels of an issue whose row is held; what that changed goes into the timeline, by name. */
async function relabel(db: Db, workspaceId: string, issueId: string, only: readonly string[]): Promise<NewEntry[]> {
  const change = await labels.changeLabels(db, workspaceId, [{ object: 'issue', id: issueId, only }])
  const removed = [...change.removed, ...change.replaced]
  if (change.added.length + removed.length === 0) return []
  const names = await labels.namesOf(
    db,
    workspaceId,
    [...change.added, ...removed].map(({ labelId }) => labelId),
  )
  const named = (some: readonly { labelId: string }[]) => some.flatMap(({ labelId }) => names.get(labelId) ?? [])
  return [{ issueId, type: 'labels', data: { added: named(change.added), removed: named(removed) } }]
}
