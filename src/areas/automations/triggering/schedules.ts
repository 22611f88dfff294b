// What is due by its schedule: taken by one process, made into executions, and due again at its next time.
import type { JobContext } from '../../../kit/jobs.ts'
import { jitterMs, nextTimes } from '../definition/times.ts'
import * as executions from '../executions/store.ts'
import * as store from '../store.ts'
import { enqueueAll, type Made, start } from './starting.ts'

/** What is later than this was missed: nothing ran at its time. */
const missedMs = 5 * 60_000
const mostAtOnce = 50
const mostStranded = 200

/** In short transactions, so that nobody else waits long. */
export async function fire(ctx: JobContext): Promise<void> {
  for (;;) {
    const made: Made[] = []
    const taken = await ctx.transaction(async tx => {
      const now = ctx.now()
      const due = await store.takeSchedules(tx, now, mostAtOnce)
      for (const one of due) made.push(...(await fireOne({ ...ctx, db: tx }, one, now)))
      const next = due.map(({ automationId, place, cron, timezone }) => {
        const at = nextTimes(cron, timezone, now, 1)[0]
        return { automationId, place, nextAt: at?.toISOString() ?? null }
      })
      if (next.length > 0) await store.setNext(tx, next)
      return due.length
    })
    await enqueueAll(ctx, made)
    if (taken < mostAtOnce || ctx.signal.aborted) return
  }
}

async function fireOne(ctx: Pick<JobContext, 'db'>, due: store.Schedule, now: Date): Promise<Made[]> {
  const automation = await store.acting(ctx.db, due.automationId)
  if (!automation?.enabled || due.nextAt === null) return []
  const at = new Date(due.nextAt)
  const isMissed = now.getTime() - at.getTime() > missedMs
  if (isMissed && due.missed === 'skip') return []
  const late = jitterMs(due.automationId, at, due.jitterSeconds)
  const waitsUntil = late > 0 ? new Date(now.getTime() + late) : null
  const data = { on: 'schedule', at: at.toISOString(), isMissed }
  const one = { triggerOn: 'schedule' as const, triggerAt: at, eventSeq: null, event: null, byUserId: null, data }
  return (await start(ctx.db, automation, [{ ...one, waitsUntil }], now)).made
}

/** What a process that died has left, and what could go on though nobody was told. */
export async function sweep(ctx: JobContext): Promise<void> {
  for (const { id } of await ctx.db.query(executions.stranded(ctx.now(), mostStranded))) {
    await ctx.enqueue('automations.run', { id, slot: 'on' })
  }
}
