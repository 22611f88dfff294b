// Transactions that stand in line are committed one after the other and brought to the disk together.

/**
 * Of 32 callers, some are answered and ask again while the engine is at work for the others: with all of them in one sync,
 * a seventh less was done (`npm run bench -- before`, `api_keys.post`).
 */
const usuallyInOneSync = 16
const mostInOneSync = 64
/** More than usual share one where the disk is slow: the work between two takes this many times as long as a sync. */
const workPerSync = 4

/** `force` writes a record of its own and syncs everything before it; nobody's transaction is called done before that. */
export function groupSync(force: () => Promise<unknown>) {
  let inLine = 0
  let unsynced = 0
  let group = Promise.withResolvers<void>()
  let syncing: Promise<void> = Promise.resolve()
  let dueAt = 0
  async function syncAll(): Promise<void> {
    const done = group
    group = Promise.withResolvers()
    unsynced = 0
    const begun = performance.now()
    syncing = force().then(() => {
      const ended = performance.now()
      dueAt = ended + (ended - begun) * workPerSync
    })
    // In a turn of their own: the next transaction, whose answer came along, goes on first, and the engine with it.
    await syncing.then(() => setImmediate(done.resolve), done.reject)
  }
  function isDue(): boolean {
    if (inLine === 0 || unsynced >= mostInOneSync) return true
    return unsynced >= usuallyInOneSync && performance.now() >= dueAt
  }
  return {
    /** Returns what is to be called at the end of the turn. */
    arrive() {
      inLine++
      return async () => {
        inLine--
        if (unsynced > 0 && isDue()) await syncAll()
      }
    },
    /** When a transaction begins: undefined where it is to sync by itself, else when it will have been synced. */
    later(): Promise<void> | undefined {
      if (inLine === 1 && unsynced === 0) return undefined
      unsynced++
      group.promise.catch(() => {})
      return group.promise
    },
    /** When everything that was committed so far is on the disk. */
    async all(): Promise<void> {
      await Promise.all([syncing, unsynced > 0 && group.promise])
    },
  }
}
