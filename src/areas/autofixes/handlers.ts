// Carries out the operations on autofixes. Git works in `before`; what it found holds only while the patch is the same.
import { conflict, notFound } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { isUnchanged } from '../../kit/etag.ts'
import { asRead, implement, Outdated, staged } from '../../kit/implement.ts'
import { found, patched } from '../../kit/outcomes.ts'
import { reachOf } from '../../kit/owned.ts'
import { newId } from '../../kit/random.ts'
import { lockExisting } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import * as labels from '../labels/store.ts'
import * as pages from '../pages/store.ts'
import * as repositories from '../repositories/store.ts'
import { findAutofixSettings } from '../workspaces/autofix/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { type Judged, judge } from './checking.ts'
import { autofixes } from './contract.ts'
import { isEnough, isOpen, refuseApplying, refuseApproval, refuseClosed, refuseForeignRun } from './deciding.ts'
import { deliver } from './delivering/applying.ts'
import { branchOf } from './delivering/commits.ts'
import { AutofixId } from './fields/contract.ts'
import { hold, originOf, refuseUnreadable, sha256Of, sourceOf, whole } from './proposing.ts'
import { lookAt, settle } from './settling.ts'
import { fileOf, reportOf } from './showing.ts'
import * as store from './store.ts'

const mostOpen = 200

export default implement(autofixes, {
  'autofixes.list': ({ db }, { workspaceId, ...query }) => store.pageOfAutofixes(db, query, workspaceId),

  'autofixes.get': ({ db }, { workspaceId, id }) => existing(db, workspaceId, id),

  'autofixes.diff': staged(async (ctx, { workspaceId, id, format = 'patch' }) => {
    const { row, inner } = await both(ctx.db, workspaceId, id)
    return await fileOf(ctx, row, inner, format)
  }, asRead),

  'autofixes.post': staged(
    async (ctx, { workspaceId, repositoryId, issueId, threadId, patch, baseRef, baseSha }) => {
      const { db, caller } = ctx
      const source = sourceOf(caller, threadId)
      await refuseUnreadable(db, caller, workspaceId, { repository: repositoryId, issue: issueId, thread: threadId })
      const judged = await judge(ctx, {
        ...{ workspaceId, repositoryId, patch: whole(patch) },
        ...(baseRef !== undefined && { baseRef }),
        ...(baseSha !== undefined && { baseSha }),
      })
      refuseThere(judged)
      return { source, judged }
    },
    async ({ db, caller, now }, input, { source, judged }) => {
      const {
        workspaceId,
        repositoryId,
        title,
        description = null,
        patch,
        status = 'proposed',
        labels: labelIds,
      } = input
      const issueId = input.issueId ?? null
      await enter(db, caller, workspaceId)
      await hold(db, workspaceId, {
        repository: repositoryId,
        issue: issueId,
        thread: source.threadId ?? source.runThreadId,
      })
      const id = newId(AutofixId)
      const { runThreadId } = source
      const at = now()
      if (runThreadId !== null) await store.supersede(db, workspaceId, { repositoryId, runThreadId, id }, at)
      if ((await store.countOpen(db, workspaceId, repositoryId)) >= mostOpen) {
        throw conflict(
          `A repository has at most ${mostOpen} open autofixes; reject or delete those that are not needed.`,
        )
      }
      const made = {
        id,
        workspaceId,
        ownerId: caller.ownerId,
        title,
        description,
        repositoryId,
        issueId,
        status,
        patch: whole(patch),
      }
      await store.insert(
        db,
        { ...made, ...source, ...judged, origin: originOf(caller), patchSha256: sha256Of(made.patch) },
        at,
      )
      await labels.changeLabels(db, workspaceId, [{ object: 'autofix', id, add: labelIds ?? [] }])
      return await existing(db, workspaceId, id)
    },
  ),

  'autofixes.patch': staged(
    async (ctx, { workspaceId, id, issueId, ...fields }) => {
      const { db, caller } = ctx
      const { row, inner } = await both(db, workspaceId, id)
      refuseForeignRun(caller, inner)
      await refuseUnreadable(db, caller, workspaceId, { issue: issueId })
      const patch = fields.patch === undefined ? inner.patch : whole(fields.patch)
      const { baseRef = row.baseRef, baseSha = row.baseSha } = fields
      const isOther = patch !== inner.patch || baseRef !== row.baseRef || baseSha !== row.baseSha
      if (!isOther || !isOpen(row) || row.repositoryId === null) return { row, judged: null }
      await refuseUnreadable(db, caller, workspaceId, { repository: row.repositoryId })
      const judged = await judge(ctx, { workspaceId, repositoryId: row.repositoryId, patch, baseRef, baseSha })
      refuseThere(judged)
      return { row, judged }
    },
    async ({ db, caller, now, note, origin }, input, { row, judged }) => {
      const { workspaceId, id, labels: labelIds, ...fields } = input
      await enter(db, caller, workspaceId)
      if (fields.issueId) await hold(db, workspaceId, { issue: fields.issueId })
      await store.lock(db, workspaceId, id)
      const before = await existing(db, workspaceId, id)
      if (!isUnchanged(origin.ifMatch, before)) {
        throw conflict('The autofix has changed since you read it; read it again.', { updated: before.updated })
      }
      refuseMoved(row, before)
      return await patched(note, before, { ...fields, labels: labelIds }, async () => {
        if (Object.values(fields).some(value => value !== undefined)) refuseClosed(before, 'changed')
        const at = now()
        if (judged) await store.keepCheck(db, id, judged)
        const { title = before.title, description = before.description } = fields
        const isOther = judged !== null || title !== before.title || description !== before.description
        if (isOther) await store.dropApprovals(db, id)
        const isBack = isOther && before.status === 'approved'
        const status = isBack ? 'proposed' : before.status === 'draft' ? fields.status : undefined
        const patch = fields.patch === undefined ? undefined : whole(fields.patch)
        const patchSha256 = patch === undefined ? undefined : sha256Of(patch)
        await store.update(db, id, { ...fields, patch, status, patchSha256, updated: at })
        if (labelIds) await labels.changeLabels(db, workspaceId, [{ object: 'autofix', id, only: labelIds }])
        return await existing(db, workspaceId, id)
      })
    },
  ),

  'autofixes.check': staged(
    async (ctx, { workspaceId, id }) => {
      const { row, inner } = await both(ctx.db, workspaceId, id)
      refuseForeignRun(ctx.caller, inner)
      if (row.status !== 'applied') refuseClosed(row, 'checked')
      return await lookAt(ctx, row)
    },
    async ({ db, now, note }, { workspaceId, id }, look) => {
      const action = await settle(db, look, now())
      note({ before: look.row })
      const after = await existing(db, workspaceId, id)
      if (action === null && after.patchSha256 !== look.row.patchSha256) throw new Outdated()
      return after
    },
  ),

  'autofixes.approve': async ({ db, caller, now, note }, { workspaceId, id, patchSha256 }) => {
    await enter(db, caller, workspaceId)
    await store.lock(db, workspaceId, id)
    const { row: before, inner } = await both(db, workspaceId, id)
    refuseApproval(before, patchSha256)
    await store.approve(db, workspaceId, id, caller.ownerId, now())
    const counted = await existing(db, workspaceId, id)
    if (before.status === 'proposed' && isEnough(counted, inner)) {
      await store.update(db, id, { status: 'approved', updated: now() })
    }
    note({ before })
    return await existing(db, workspaceId, id)
  },

  'autofixes.reject': async ({ db, caller, now, note }, { workspaceId, id, reason, note: said = null }) => {
    await enter(db, caller, workspaceId)
    await store.lock(db, workspaceId, id)
    const before = await existing(db, workspaceId, id)
    refuseClosed(before, 'rejected')
    await store.update(db, id, { status: 'rejected', closeReason: reason, closeNote: said, updated: now() })
    note({ before })
    return await existing(db, workspaceId, id)
  },

  'autofixes.apply': staged(
    async (ctx, { workspaceId, id, target }) => {
      const { row, inner } = await both(ctx.db, workspaceId, id)
      refuseApplying(row, inner, await findAutofixSettings(ctx.db, workspaceId), target)
      return { row, delivered: await deliver(ctx, row, inner, target) }
    },
    async ({ db, caller, now, note }, { workspaceId, id, target }, { row, delivered }) => {
      await enter(db, caller, workspaceId)
      await store.lock(db, workspaceId, id)
      const { row: before, inner } = await both(db, workspaceId, id)
      refuseMoved(row, before)
      refuseApplying(before, inner, await findAutofixSettings(db, workspaceId), target)
      const { commitSha, parts, isPushed, pullRequestUrl } = delivered
      const at = now()
      await store.keepCommitParts(db, id, parts)
      await store.update(db, id, {
        ...{ status: 'applied', branch: branchOf(id), commitSha, updated: at },
        ...(isPushed && before.pushedAt === null && { pushedAt: at }),
        ...(pullRequestUrl !== null && { pullRequestUrl }),
      })
      note({ before })
      return await existing(db, workspaceId, id)
    },
  ),

  'autofixes.publish': staged(
    async ({ db, now }, { workspaceId, id, ...asked }) => {
      const { row, inner } = await both(db, workspaceId, id)
      const repository = row.repositoryId && (await repositories.find(db, workspaceId, row.repositoryId))
      const report = reportOf(row, inner.patch, repository ? repository.name : 'deleted')
      const source = { object: 'autofix', id }
      return await pages.preparePage(db, { workspaceId, kind: 'autofix_run', source, report }, asked, now())
    },
    async (ctx, { workspaceId, id }, prepared) => {
      await enter(ctx.db, ctx.caller, workspaceId)
      if (!(await lockExisting(ctx.db, directory, workspaceId, 'autofix', [id])).has(id)) throw notFound('autofix')
      return await pages.publish(ctx, prepared)
    },
  ),

  'autofixes.del': async ({ db, caller, access, note }, { workspaceId, id }) => {
    const reach = reachOf(access, caller)
    await store.lock(db, workspaceId, id)
    const before = await found(store.find(db, workspaceId, id, reach), 'autofix')
    if (before.status === 'applied') {
      throw conflict('It is applied and not merged yet; delete it once it is merged.', { state: before.status })
    }
    await store.remove(db, workspaceId, id, reach)
    note({ before })
    return { workspaceId, id, _object: 'autofix' as const }
  },
})

function existing(db: Db, workspaceId: string, id: string): Promise<store.AutofixRow> {
  return found(store.find(db, workspaceId, id), 'autofix')
}

async function both(db: Db, workspaceId: string, id: string) {
  const row = await existing(db, workspaceId, id)
  return { row, inner: await found(store.findInner(db, workspaceId, id), 'autofix') }
}

function refuseThere({ isThere, check }: Judged): void {
  if (isThere) throw conflict('The branch has this change already.', { headSha: check.headSha })
}

/** Git looked at another patch than the one that is there now: it looks again. */
function refuseMoved(seen: store.AutofixRow, now: store.AutofixRow): void {
  const isSame = (['patchSha256', 'baseRef', 'baseSha', 'status', 'repositoryId'] as const).every(
    key => seen[key] === now[key],
  )
  if (!isSame) throw new Outdated()
}
