// Commits that need not wait for the disk one by one: those that come while one flush is gathered share it.

type Flushing = {
  /** Brings everything to the disk that was committed before it began. */
  flush: () => Promise<unknown>
  /** Resolves when no more commits are to be waited for. */
  gathered: () => Promise<void>
}

/** Resolves when what is committed now is on the disk. */
export function flushTogether({ flush, gathered }: Flushing): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(gathered).then(() => {
      const mine = flush().then(() => {})
      // Whoever waits for its turn goes on after a failure, which is told to those who waited for this one.
      running = mine.catch(() => {})
      next = undefined
      return mine
    })
    return next
  }
}

/** How many are at work, and a wait until none is, though never for longer than given. */
export function atWork(longestMs: number) {
  let count = 0
  const waiting = new Set<() => void>()
  return {
    begin: () => void count++,
    end() {
      if (--count > 0) return
      for (const goOn of waiting) goOn()
    },
    others: () => count > 1,
    async idle(): Promise<void> {
      if (count === 0) return
      await new Promise<void>(resolve => {
        const goOn = () => {
          clearTimeout(timer)
          // Also where it waited long enough: some are at work for hours on end.
          waiting.delete(goOn)
          resolve()
        }
        const timer = setTimeout(goOn, longestMs)
        waiting.add(goOn)
      })
    },
  }
}
