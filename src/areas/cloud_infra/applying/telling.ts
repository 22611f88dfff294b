// What is told of an account, and how it is cut and compared.
import type { Tx } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import type { Found, FoundNode, NodeKey, Relation } from '../../cloud_accounts/found/contract.ts'
import { keepAlive } from '../../workspaces/store.ts'

export type Account = { id: string; workspaceId: string; ownerId: string; provider: string }

/**
 * `at` is the moment of the change in history, the same on each try. `complete`: what is absent is missing. `isGone`: the
 * account itself, so that nothing more will be told of it.
 */
export type Telling = {
  syncId: string
  at: Date
  complete: boolean
  source: 'sync' | 'push' | 'telemetry'
  isGone?: true
}

export type Counts = {
  nodesAdded: number
  nodesChanged: number
  nodesRemoved: number
  edgesAdded: number
  edgesRemoved: number
}

export type ToldEdge = {
  from: NodeKey | { id: string }
  to: NodeKey | { id: string }
  relation: Relation
  confidence: number
}

export type Told = Omit<Found, 'edges'> & { edges: readonly ToldEdge[] }

export type ToldNode = FoundNode & { digest: string; tier: string }

export type Applying = Pick<JobContext, 'db' | 'transaction' | 'record' | 'signal'>

export function keyOf({ type, region, externalId }: NodeKey): string {
  return JSON.stringify([type, region, externalId])
}

/** A transaction of these is short on the embedded engine, where everybody waits for it. */
const pieceOf = 200
export function* piecesOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += pieceOf) yield all.slice(from, from + pieceOf)
}

/** A piece of work in one transaction. Whoever ends an account holds workspaces before their records, so this does, too. */
export function inWorkspace<T>(
  { transaction }: Applying,
  { workspaceId }: Account,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transaction(async tx => {
    await keepAlive(tx, workspaceId)
    return await work(tx)
  })
}
