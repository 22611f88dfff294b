// The one place where a plan refuses: an operation that says what it counts adds no more than the workspace may have.
import type { PlanDimension } from '../../contract/plans.ts'
import type { Access, LedgerNote } from '../../kit/context.ts'
import type { Db } from '../../kit/db.ts'
import { beyondPlan, isBeyond } from '../../kit/plans.ts'
import type { Platform } from './platform.ts'

type Keep = <T>(db: Db, access: Access | null, notes: LedgerNote, carryOut: () => Promise<T>) => Promise<T>

/**
 * Counted when all is done and under a lock, so that two who add the last one do not both: what is too much is rolled
 * back with its transaction. Only what grew is refused: who is over the limit may still give things up.
 */
export function planKeeper(platform: Platform, dimension: PlanDimension): Keep {
  const { limits, settings, now } = platform
  return async (db, access, notes, carryOut) => {
    if (!settings.billing) return await carryOut()
    const before = access && (await limits.current(db, access.workspaceId, dimension, now()))
    const result = await carryOut()
    // Where the input does not name the workspace, the handler does.
    const workspaceId = access?.workspaceId ?? notes.workspaceId
    if (workspaceId === undefined || notes.addsNothing) return result
    const limit = await limits.limit(db, settings.billing, workspaceId, dimension)
    if (limit === null) return result
    // A value is judged by itself: what else is there may be beyond the limit already.
    if (notes.wants !== undefined) {
      if (isBeyond(limit, notes.wants)) throw beyondPlan(dimension, limit, before ?? 0)
      return result
    }
    await limits.hold(db, workspaceId, dimension)
    const after = await limits.current(db, workspaceId, dimension, now())
    const hasGrown = before === null || after > before
    if (hasGrown && isBeyond(limit, after)) throw beyondPlan(dimension, limit, before ?? after - 1)
    return result
  }
}
