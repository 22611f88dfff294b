// What a sender calls over: the issues of its fingerprints are resolved, where nobody has closed them.
import type { Db } from '../../../kit/db.ts'
import { changeOf } from '../changes.ts'
import * as issues from '../store.ts'
import { actorOf, insertEntries, type NewEntry } from '../timeline/store.ts'
import { stepsOf } from './store.ts'

/** The platform itself. */
const sender = { ownerId: 'system', credential: 'key' } as const

type Moved = { before: issues.IssueRow; after: issues.IssueRow }

/** Those that were moved, as they were and as they are. */
export async function resolveByFingerprint(
  db: Db,
  workspaceId: string,
  fingerprints: readonly string[],
  now: Date,
): Promise<Moved[]> {
  if (fingerprints.length === 0) return []
  const ways = Map.groupBy(await stepsOf(db, workspaceId, fingerprints), ({ fingerprint }) => fingerprint)
  const open = [...ways.values()].flatMap(way => (way.at(-1)?.closedAt === null ? [way.at(-1)?.id ?? ''] : []))
  const ids = await issues.lock(db, workspaceId, open)
  const entries: NewEntry[] = []
  const moved: issues.IssueRow[] = []
  for (const before of (await issues.findAll(db, workspaceId, ids)).values()) {
    if (before.status === 'resolved' || before.status === 'dismissed' || before.duplicateOfId !== null) continue
    const change = changeOf(before, { status: 'resolved' }, now)
    await issues.update(db, before.id, change.columns, now)
    entries.push(...change.entries)
    moved.push(before)
  }
  if (moved.length === 0) return []
  await insertEntries(db, workspaceId, actorOf(sender), entries, now)
  const after = await issues.findAll(
    db,
    workspaceId,
    moved.map(({ id }) => id),
  )
  return moved.flatMap(before => {
    const row = after.get(before.id)
    return row ? [{ before, after: row }] : []
  })
}
