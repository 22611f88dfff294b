// The embedded engine has one session: background work asks for one thing at a time, while no request is unanswered.
import { isInBackground } from '../../kit/background.ts'

/** Where requests never pause, background work goes on all the same: it waits no longer than this for them. */
const longestMs = 50

type Waiting = { since: number; begin: () => void }

export function requestsFirst(waitMs = longestMs) {
  /** Of requests, what the engine has not answered yet. */
  let asked = 0
  let isBusy = false
  const waiting: Waiting[] = []
  let overdue: NodeJS.Timeout | undefined

  function next(): void {
    clearTimeout(overdue)
    overdue = undefined
    const [first] = waiting
    if (isBusy || !first) return
    const leftMs = first.since + waitMs - performance.now()
    if (asked > 0 && leftMs > 0) {
      overdue = setTimeout(next, leftMs)
      return
    }
    waiting.shift()
    isBusy = true
    first.begin()
  }

  /** A turn later: a request that was just answered asks its next question first. */
  const nextInTurn = () => void setImmediate(next)

  function answered(): void {
    asked--
    if (asked === 0 && waiting.length > 0) nextInTurn()
  }

  async function behindRequests<T>(ask: () => Promise<T>): Promise<T> {
    await new Promise<void>(begin => {
      waiting.push({ since: performance.now(), begin })
      next()
    })
    try {
      return await ask()
    } finally {
      isBusy = false
      if (waiting.length > 0) nextInTurn()
    }
  }

  return <T>(ask: () => Promise<T>): Promise<T> => {
    if (isInBackground()) return behindRequests(ask)
    asked++
    const answer = ask()
    answer.then(answered, answered)
    return answer
  }
}
