// Merges an issue into another and takes it out again. The rows of both issues are locked first, in the order of ids.
import { badRequest, conflict } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { Outdated } from '../../../kit/implement.ts'
import { found } from '../../../kit/outcomes.ts'
import * as issues from '../store.ts'
import { actorOf, insertEntries } from '../timeline/store.ts'
import * as store from './store.ts'

export type Released = { before: issues.IssueRow; after: issues.IssueRow }

export type Acting = { db: Db; caller: Caller; workspaceId: string; now: Date }

/** 409: whoever works on a merged issue should work on the other. */
export function refuseMerged({ duplicateOfId }: Pick<issues.IssueRow, 'duplicateOfId'>): void {
  if (duplicateOfId === null) return
  throw conflict('The issue was merged into another; work there, or split it first.', { duplicateOfId })
}

export async function merge(acting: Acting, id: string, intoId: string): Promise<issues.IssueRow> {
  const { db, caller, workspaceId, now } = acting
  const rootId = await store.rootOf(db, workspaceId, intoId)
  if (rootId === undefined) {
    // The issue itself is looked for first: whoever cannot see it learns nothing about the other.
    await existing(db, workspaceId, id)
    throw badRequest('"intoId" must be an issue of this workspace.', [
      { path: 'intoId', rule: 'reference', expected: 'an issue of this workspace' },
    ])
  }
  await issues.lock(db, workspaceId, [id, rootId])
  const before = await existing(db, workspaceId, id)
  if (rootId === id) {
    const expected = 'another issue, which is not merged into this one'
    throw badRequest(`"intoId" must be ${expected}.`, [{ path: 'intoId', rule: 'cycle', expected }])
  }
  refuseMerged(before)
  const into = await issues.find(db, workspaceId, rootId)
  if (!into || into.duplicateOfId !== null) throw new Outdated()
  await store.moveAll(db, id, rootId)
  await store.mark(db, id, rootId, now)
  const facts = { from: before.status, to: 'dismissed', reason: 'merge' }
  await insertEntries(
    db,
    workspaceId,
    actorOf(caller),
    [
      { issueId: id, type: 'status', data: { ...facts, relation: 'merged_into', number: into.number } },
      { issueId: rootId, type: 'linked', data: { relation: 'merged', number: before.number } },
    ],
    now,
  )
  return before
}

export async function split(acting: Acting, id: string): Promise<issues.IssueRow> {
  const { db, workspaceId } = acting
  const rootId = await found(store.rootOf(db, workspaceId, id), 'issue')
  await issues.lock(db, workspaceId, [id, rootId])
  const before = await existing(db, workspaceId, id)
  if (before.duplicateOfId === null) throw conflict('The issue is not merged into another; there is nothing to split.')
  if ((await store.rootOf(db, workspaceId, id)) !== rootId) throw new Outdated()
  await takeOut(acting, before, rootId)
  return before
}

/** Both are locked. */
async function takeOut(acting: Acting, before: issues.IssueRow, rootId: string): Promise<void> {
  const { db, caller, workspaceId, now } = acting
  const { id, number } = before
  await store.moveBack(db, rootId, id, await store.under(db, workspaceId, id))
  const to = await store.unmark(db, id, rootId, now)
  const root = await issues.find(db, workspaceId, rootId)
  const from = { relation: 'split_from' as const, ...(root && { number: root.number }) }
  await insertEntries(
    db,
    workspaceId,
    actorOf(caller),
    [
      { issueId: id, type: 'status', data: { from: before.status, to, reason: 'split', ...from } },
      { issueId: rootId, type: 'linked', data: { relation: 'split', number } },
    ],
    now,
  )
}

/** Before an issue goes: it leaves the one that it is merged into, and those that are merged into it come back. Returns those. */
export async function release(acting: Acting, issue: issues.IssueRow): Promise<Released[]> {
  const { db, workspaceId } = acting
  const { id } = issue
  const rootId = await store.rootOf(db, workspaceId, id)
  if (rootId !== undefined && rootId !== id) await takeOut(acting, issue, rootId)
  const released: Released[] = []
  for (const duplicateId of await store.duplicatesOf(db, workspaceId, id)) {
    const before = await issues.find(db, workspaceId, duplicateId)
    if (!before) continue
    await takeOut(acting, before, id)
    released.push({ before, after: await existing(db, workspaceId, duplicateId) })
  }
  return released
}

/** The issue, the one that it is merged into, and all that point at it, locked in one order. */
export async function lockAround(db: Db, workspaceId: string, id: string): Promise<void> {
  const reading = async () => {
    const rootId = await store.rootOf(db, workspaceId, id)
    return [
      ...new Set([...(await issues.around(db, workspaceId, id)), ...(rootId === undefined ? [] : [rootId])]),
    ].sort()
  }
  const ids = await reading()
  await issues.lock(db, workspaceId, ids)
  if ((await reading()).join() !== ids.join()) throw new Outdated()
}

function existing(db: Db, workspaceId: string, id: string): Promise<issues.IssueRow> {
  return found(issues.find(db, workspaceId, id), 'issue')
}
