// One process at a time works on an account: the lease is kept up while the work goes on, and ends with the process.
import type { Db } from '../../../kit/db.ts'
import * as store from './store.ts'

const renewMs = 15_000

type Working = { db: Db; id: string; signal: AbortSignal }

/** The signal is also given where the lease was lost: the account is gone, or is read from elsewhere now. */
export type Work = (account: store.Leased, signal: AbortSignal) => Promise<void>

/** False where another process has it, or where there is no such account. */
export async function underLease(ctx: Working, workspaceId: string, id: string, work: Work): Promise<boolean> {
  const { db, id: lease } = ctx
  const account = await store.take(db, workspaceId, id, lease)
  if (!account) return false
  const lost = new AbortController()
  const renew = () =>
    void store.renew(db, id, lease).then(
      isHeld => isHeld || lost.abort(),
      () => {},
    )
  const renewing = setInterval(renew, renewMs)
  try {
    await work(account, AbortSignal.any([ctx.signal, lost.signal]))
  } catch (error) {
    // Nobody waits for the rest any more.
    if (!lost.signal.aborted || ctx.signal.aborted) throw error
  } finally {
    clearInterval(renewing)
    await store.release(db, id, lease)
  }
  return true
}
