// Commits that need not wait for the disk one by one: those that come while one flush is under way share the next.

/** `flush` brings everything to the disk that was committed before it began. Resolves when that is so for what is committed now. */
export function flushTogether(flush: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      const mine = flush().then(() => {})
      // Whoever waits for its turn goes on after a failure, which is told to those who waited for this one.
      running = mine.catch(() => {})
      next = undefined
      return mine
    })
    return next
  }
}
