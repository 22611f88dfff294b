// How many processes of git run at once, and who is next: one workspace does not keep the others waiting.
import { GitFailure } from '../../../kit/git.ts'

type Waiting = { key: string; start: () => void }

export type Lane = <T>(key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** As many at a time as there are places, and `mostOfOne` of them for one key; whoever has none running goes first. */
export function lane(places: number, mostWaiting: number, mostOfOne = places): Lane {
  const running: string[] = []
  const waiting: Waiting[] = []

  function next(): void {
    if (running.length >= places) return
    const having = (key: string) => running.filter(other => other === key).length
    const one = waiting.find(({ key }) => having(key) === 0) ?? waiting.find(({ key }) => having(key) < mostOfOne)
    if (!one) return
    waiting.splice(waiting.indexOf(one), 1)
    running.push(one.key)
    one.start()
  }

  return async (key, signal, work) => {
    if (waiting.length >= mostWaiting) throw new GitFailure('busy', 'too many others wait for git')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const mine = { key, start: resolve }
    const leave = () => {
      const index = waiting.indexOf(mine)
      if (index >= 0) waiting.splice(index, 1)
      reject(new GitFailure('aborted', 'nobody waits for it any more'))
    }
    if (signal.aborted) leave()
    else waiting.push(mine)
    signal.addEventListener('abort', leave, { once: true })
    next()
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
    try {
      return await work()
    } finally {
      running.splice(running.indexOf(key), 1)
      next()
    }
  }
}
