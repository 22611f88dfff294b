// Who changes something in a workspace holds it first, and their own place in it.
import { forbidden } from '../../../contract/errors.ts'
import type { Caller } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import { lockExisting } from '../../../kit/references.ts'
import { directory } from '../../../operations.ts'
import { keepAlive, keepMember } from '../store.ts'

/**
 * Before anything is locked: the workspace and whoever acts in it stay until the transaction ends, so that nothing is
 * left in the name of somebody who is gone.
 */
export async function enter(db: Db, { ownerId }: Pick<Caller, 'ownerId'>, workspaceId: string): Promise<void> {
  if (!ownerId.startsWith('usr_')) {
    await keepAlive(db, workspaceId)
    if (ownerId.startsWith('team_')) await lockExisting(db, directory, workspaceId, 'team', [ownerId])
    return
  }
  const isMember = await keepMember(db, workspaceId, ownerId)
  if (!isMember) throw forbidden('You are no longer a member of this workspace.')
}
