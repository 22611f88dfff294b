// Readings on a few connections, dealt out in turns: whoever asks for much waits for their own, and others not for them.
import { ApiError } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { freeze } from '../../kit/memoize.ts'
import type { Sql } from '../../kit/sql.ts'

/** Sends statements together on one connection; each answer comes by itself. */
export type Send = (statements: readonly Sql[]) => Promise<Promise<object[]>[]>

type Waiting = {
  statement: Sql
  /** Equal for equal readings that may be shared. */
  same: string | undefined
  answer: Promise<object[]>
  settle: (answer: Promise<object[]>) => void
  queue: Queue
}

/** `size` is how many statements go together: few at first, more while they are quick, one at a time where they are not. */
type Queue = { key: string; waiting: Waiting[]; readings: Map<string, Waiting>; lanes: number; size: number }

const firstSize = 2
const mostTogether = 32
const slowFromMs = 50
const mostWaiting = 1_000
const mostRemembered = 10_000

/** One key never has more than half of the lanes. */
export function fairReads(lanes: readonly Send[], timeoutMs: number, slowMs = slowFromMs): (key: string) => Db {
  const mostLanes = Math.max(1, Math.floor(lanes.length / 2))
  const free = [...lanes]
  // In the order in which they are served next.
  const queues = new Map<string, Queue>()
  // Keys whose readings have been quick so far; these may share what is sent together.
  const quick = new Set<string>()
  let isScheduled = false
  /** At the end of the turn, so that what one turn asks for goes together. */
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      for (const queue of [...queues.values()]) {
        if (free.length === 0) return
        if (isReady(queue)) void serve(queue)
      }
      // Some of them may have more for the lanes that nobody else needs.
      if (free.length > 0 && [...queues.values()].some(isReady)) schedule()
    })
  }
  const isReady = ({ waiting, lanes: taken }: Queue) => waiting.length > 0 && taken < mostLanes

  /** Of one key; quick ones are sent together with others that are. */
  function gather(first: Queue): Waiting[] {
    const batch = first.waiting.splice(0, first.size)
    if (!quick.has(first.key)) return batch
    for (const queue of queues.values()) {
      const room = Math.min(queue.size, mostTogether - batch.length)
      if (room <= 0) break
      if (quick.has(queue.key) && isReady(queue)) batch.push(...queue.waiting.splice(0, room))
    }
    return batch
  }

  async function serve(first: Queue): Promise<void> {
    const lane = free.shift() as Send
    const batch = gather(first)
    for (const { same, queue } of batch) if (same) queue.readings.delete(same)
    const served = new Set(batch.map(({ queue }) => queue))
    for (const queue of served) {
      queue.lanes++
      // Behind all others now.
      queues.delete(queue.key)
      queues.set(queue.key, queue)
    }
    const isConnected = await settle(lane, batch, timeoutMs, judge)
    for (const queue of served) {
      queue.lanes--
      if (queue.waiting.length === 0 && queue.lanes === 0) queues.delete(queue.key)
    }
    // The one that was used last is the likeliest to be connected; one that is lost is tried after the others.
    if (isConnected) free.unshift(lane)
    else free.push(lane)
    // Others may be waiting for the lane, also where these are through.
    if (queues.size > 0) schedule()
  }

  function judge(queue: Queue, ms: number): void {
    const isSlow = ms > slowMs
    queue.size = isSlow ? 1 : Math.min(queue.size * 2, mostTogether)
    if (isSlow) quick.delete(queue.key)
    else if (queue.size > firstSize) {
      if (quick.size >= mostRemembered) quick.clear()
      quick.add(queue.key)
    }
  }

  function ask(key: string, statement: Sql): Promise<object[]> {
    const queue: Queue = queues.get(key) ?? { key, waiting: [], readings: new Map(), lanes: 0, size: firstSize }
    const same = statement.cachedUntil && statement.name + JSON.stringify(statement.values)
    // Not sent yet, so the answer is not older than the question.
    const known = same ? queue.readings.get(same) : undefined
    if (known) return known.answer
    if (queue.waiting.length >= mostWaiting) return Promise.reject(tooMany())
    queues.set(key, queue)
    const { promise, resolve } = Promise.withResolvers<object[]>()
    const one = { queue, statement, same, answer: same ? promise.then(freeze) : promise, settle: resolve }
    queue.waiting.push(one)
    if (same) queue.readings.set(same, one)
    schedule()
    return one.answer
  }

  return key => ({ query: <T extends object>(statement: Sql) => ask(key, statement) as Promise<T[]> })
}

/** False where the connection could not be had. Answers come in order: each has taken the time since the one before. */
async function settle(
  lane: Send,
  batch: readonly Waiting[],
  timeoutMs: number,
  judge: (queue: Queue, ms: number) => void,
): Promise<boolean> {
  let before = performance.now()
  const told = (queue: Queue) => {
    const now = performance.now()
    judge(queue, now - before)
    before = now
  }
  try {
    const answers = await lane(batch.map(({ statement }) => statement))
    const settled = batch.map(({ queue, settle }, index) => {
      const answer = (answers[index] as Promise<object[]>).catch(error => {
        throw isTimeout(error) ? tookTooLong(timeoutMs, error) : error
      })
      settle(answer)
      return answer.then(
        () => told(queue),
        () => told(queue),
      )
    })
    await Promise.all(settled)
    return true
  } catch (error) {
    for (const { settle } of batch) settle(Promise.reject(error))
    return false
  }
}

function isTimeout(error: unknown): boolean {
  return ((error as Error).cause as { code?: string } | undefined)?.code === '57014'
}

function tookTooLong(timeoutMs: number, cause: unknown): ApiError {
  const seconds = timeoutMs / 1000
  const detail = `Reading this took longer than ${seconds} s; narrow it with filters, or ask for a page nearer to the beginning.`
  return new ApiError('unavailable', detail, undefined, { cause })
}

function tooMany(): ApiError {
  return new ApiError(
    'unavailable',
    'Too much of this workspace is being read at once; ask again in a moment, for less.',
  )
}
