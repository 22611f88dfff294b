// What the protocol itself changes is written to the ledger under the same names as the operations that do the like.
import type { Tx } from '../../../kit/db.ts'
import { instanceChain } from '../../../kit/ledger_records.ts'
import type { Change } from '../../ledger/changes.ts'
import type { LedgerEntry } from '../../ledger/ledger.ts'
import type { Platform } from '../../request/platform.ts'
import { currentVisit } from './visit.ts'

type Happening = {
  action: string
  workspaceId: string | null
  actor: { type: string; id: string | null; credentialId: string | null }
  target: LedgerEntry['target']
  changes?: readonly Change[]
}

/** The last statement of its transaction. */
export async function record({ ledger, now }: Platform, tx: Tx, happening: Happening): Promise<void> {
  const { action, workspaceId, actor, target, changes = [] } = happening
  const visit = currentVisit()
  const entry: LedgerEntry = {
    at: now().toISOString(),
    action,
    outcome: 'success',
    actor: { ...actor, callerKind: null, surface: 'rest' },
    target,
    changes,
    requestId: visit?.requestId ?? null,
  }
  const personal = { address: visit?.address ?? null, userAgent: visit?.userAgent ?? null, changes: [] }
  await ledger.append(tx, [{ chain: workspaceId ?? instanceChain, entry, personal }], true)
}
