// What a sender calls over: the issues of its fingerprints are resolved, where nobody has closed them.
import type { Db } from '../../../kit/db.ts'
import { changeOf } from '../changes.ts'
import * as issues from '../store.ts'
import { actorOf, insertEntries, type NewEntry } from '../timeline/store.ts'
import { stepsOf } from './store.ts'

/** The platform itself. */
const sender = { ownerId: 'system', credential: 'key' } as const

/** How many were moved. */
export async function resolveByFingerprint(
  db: Db,
  workspaceId: string,
  fingerprints: readonly string[],
  now: Date,
): Promise<number> {
  if (fingerprints.length === 0) return 0
  const ways = Map.groupBy(await stepsOf(db, workspaceId, fingerprints), ({ fingerprint }) => fingerprint)
  const open = [...ways.values()].flatMap(way => (way.at(-1)?.closedAt === null ? [way.at(-1)?.id ?? ''] : []))
  const ids = await issues.lock(db, workspaceId, open)
  const entries: NewEntry[] = []
  for (const before of (await issues.findAll(db, workspaceId, ids)).values()) {
    if (before.status === 'resolved' || before.status === 'dismissed' || before.duplicateOfId !== null) continue
    const change = changeOf(before, { status: 'resolved' }, now)
    await issues.update(db, before.id, change.columns, now)
    entries.push(...change.entries)
  }
  await insertEntries(db, workspaceId, actorOf(sender), entries, now)
  return entries.length
}
