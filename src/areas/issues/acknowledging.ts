// Somebody looks at a new issue and says so from elsewhere, as they could by changing its status.
import { conflict } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { found } from '../../kit/outcomes.ts'
import { changeOf } from './changes.ts'
import { refuseMerged } from './merging/merging.ts'
import * as store from './store.ts'
import { actorOf, insertEntries } from './timeline/store.ts'

/** In a transaction that holds the workspace and the user. 404 where there is none, 409 where it is not new any more. */
export async function acknowledge(
  db: Db,
  { workspaceId, id, userId }: { workspaceId: string; id: string; userId: string },
  now: Date,
): Promise<{ before: store.IssueRow; after: store.IssueRow }> {
  await store.lock(db, workspaceId, [id])
  const before = await found(store.find(db, workspaceId, id), 'issue')
  refuseMerged(before)
  if (before.status !== 'new') {
    throw conflict(`Somebody was here before: the issue is ${before.status}.`, { state: before.status })
  }
  const { columns, entries } = changeOf(before, { status: 'triaging' }, now)
  await store.update(db, id, columns, now)
  await insertEntries(db, workspaceId, actorOf({ credential: 'session', ownerId: userId }), entries, now)
  return { before, after: await found(store.find(db, workspaceId, id), 'issue') }
}
