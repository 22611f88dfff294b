// What a message cites must be there, and be open to everybody who sees the thread.
import type { Caller } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { refuseUnknown } from '../../kit/references.ts'
import { directory } from '../../operations.ts'
import type { Part } from '../threads/messages/contract.ts'
import * as threads from '../threads/store.ts'

/** 400 where the caller may not read it, or others who see the thread may not. */
export async function checkCitations(
  db: Db,
  caller: Caller,
  workspaceId: string,
  thread: Pick<threads.Held, 'id' | 'visibility'>,
  parts: readonly Part[],
): Promise<void> {
  const cited = parts.flatMap(({ type, object = '', id = '' }) => (type === 'citation' ? [{ object, id }] : []))
  if (cited.length === 0) return
  await refuseUnknown(db, directory, caller, workspaceId, cited, 'citations')
  if (thread.visibility === 'private') return
  const shown = await threads.find(db, workspaceId, thread.id, caller)
  // Somebody who sees the thread and nothing that is only theirs: its team, or nobody in particular.
  const audience = {
    ...caller,
    ownerId: shown?.teamId ?? 'nobody',
    role: caller.role === 'viewer' ? 'viewer' : 'member',
  }
  await refuseUnknown(db, directory, audience as Caller, workspaceId, cited, 'citations')
}
