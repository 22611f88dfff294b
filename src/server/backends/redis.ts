// The shared limiter: one hash per key, one script for all who ask in the same turn, exact across processes.
import { createClient, defineScript } from 'redis'
import { type Limiter, memoryLimiter, type Verdict, windowSeconds } from '../request/limits.ts'

/**
 * Takes as many as there is room for, or nothing where that is less than a whole; returns the room that there was. Fields are seconds of the server's own clock,
 * so that processes need not agree on theirs.
 */
const takeScript = `
local now = tonumber(redis.call('TIME')[1])
local limit = tonumber(ARGV[1])
local wanted = tonumber(ARGV[2])
local oldest = now - ${windowSeconds}
local total = 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if tonumber(fields[i]) < oldest then redis.call('HDEL', KEYS[1], fields[i])
  else total = total + tonumber(fields[i + 1]) end
end
local room = limit - total
if room <= 0 then return 0 end
if ARGV[3] == 'whole' and wanted > room then return room end
redis.call('HINCRBY', KEYS[1], now, math.min(room, wanted))
redis.call('EXPIRE', KEYS[1], ${windowSeconds + 2})
return room`

/** Many requests of one each share what there is; what one request brings passes as a whole or not at all. */
type Take = 'each' | 'whole'

type Warn = (error: unknown) => void

/** After a failure Redis is left alone this long: a store that hangs must not hold up every request. */
const restMs = 1_000

const answerTimeoutMs = 1_000

/** The client's own time limit ends once a command is sent; a store that hangs would be waited for without end. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${answerTimeoutMs} ms`)), answerTimeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** While Redis is away, limits go on in this process; `warn` hears of it once each time. */
export async function redisLimiter(url: string, warn: Warn): Promise<Limiter> {
  let wasConnected = false
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: 2_000,
      // A wrong address stops the start; one that worked is tried for ever.
      reconnectStrategy: (tries, cause) => (wasConnected ? Math.min(100 * 2 ** tries, 2_000) : cause),
    },
    scripts: {
      take: defineScript({
        SCRIPT: takeScript,
        NUMBER_OF_KEYS: 1,
        parseCommand(parser, key: string, limit: number, wanted: number, take: Take) {
          parser.pushKey(key)
          parser.push(String(limit), String(wanted), take)
        },
        transformReply: undefined as unknown as () => number,
      }),
    },
  })
  const local = memoryLimiter()
  let isAway = false
  let restUntil = 0
  const lost = (error: unknown) => {
    // Before the first connection the start itself says what is wrong.
    if (!isAway && wasConnected) warn(error)
    isAway = true
    restUntil = performance.now() + restMs
  }
  client.on('error', lost)
  await client.connect()
  wasConnected = true
  /** Undefined where Redis does not say. */
  async function ask(key: string, limit: number, wanted: number, take: Take): Promise<number | undefined> {
    try {
      const room = Number(await inTime(client.take(`atrium:limit:${key}`, limit, wanted, take)))
      isAway = false
      return room
    } catch (error) {
      lost(error)
      return undefined
    }
  }

  type Together = { limit: number; wanted: number; room: PromiseWithResolvers<number | undefined> }
  let turn = new Map<string, Together>()
  const flush = () => {
    const asked = turn
    turn = new Map()
    for (const [key, { limit, wanted, room }] of asked) void ask(key, limit, wanted, 'each').then(room.resolve)
  }

  const isResting = () => isAway && performance.now() < restUntil

  async function takeWhole(key: string, limit: number, weight: number): Promise<Verdict> {
    const room = isResting() ? undefined : await ask(key, limit, weight, 'whole')
    if (room === undefined) return await local.take(key, limit, weight)
    const allowed = room >= weight
    return { allowed, remaining: allowed ? room - weight : room, resetSeconds: windowSeconds }
  }

  return {
    /** Whoever is the third of a turn to ask finds two fewer than there were: as if each had asked alone. */
    async take(key, limit, weight = 1): Promise<Verdict> {
      if (weight !== 1) return await takeWhole(key, limit, weight)
      if (isResting()) return await local.take(key, limit)
      if (turn.size === 0) setImmediate(flush)
      const together = turn.get(key) ?? { limit, wanted: 0, room: Promise.withResolvers<number | undefined>() }
      turn.set(key, together)
      const before = together.wanted++
      const room = await together.room.promise
      if (room === undefined) return await local.take(key, limit)
      const left = room - before - 1
      return { allowed: left >= 0, remaining: Math.max(left, 0), resetSeconds: windowSeconds }
    },
    isAway: () => isAway,
    async ping() {
      await client.ping()
    },
    async close() {
      await local.close()
      client.destroy()
    },
  }
}
