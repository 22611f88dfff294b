// Transactions that stand in line are committed one after the other and brought to the disk together.

const mostInOneSync = 64

/** `force` writes a record of its own and syncs everything before it; nobody's transaction is called done before that. */
export function groupSync(force: () => Promise<unknown>) {
  let inLine = 0
  let unsynced = 0
  let group = Promise.withResolvers<void>()
  let syncing: Promise<void> = Promise.resolve()
  async function syncAll(): Promise<void> {
    const done = group
    group = Promise.withResolvers()
    unsynced = 0
    syncing = force().then(() => {})
    await syncing.then(done.resolve, done.reject)
  }
  return {
    /** Returns what is to be called at the end of the turn. */
    arrive() {
      inLine++
      return async () => {
        inLine--
        if (unsynced > 0 && (inLine === 0 || unsynced >= mostInOneSync)) await syncAll()
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
