// Counts what workspaces use, hour by hour; a day that is over is closed, and the ledgers of who pays are told.
import { usageDimensions } from '../../../contract/plans.ts'
import { bytesKept } from '../../../kit/blobs.ts'
import type { Db } from '../../../kit/db.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { countBetween } from '../../automations/executions/store.ts'
import { bytesOn } from '../../telemetry_tokens/usage/store.ts'
import { usedBetween } from '../../threads/runs/usage/store.ts'
import { allSeatsUsed } from '../../workspace_members/store.ts'
import { deletedBetween, findHeld } from '../../workspaces/limits/store.ts'
import { stillThere } from '../../workspaces/store.ts'
import * as store from './store.ts'

export const dayMs = 86_400_000

export function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs)
}

/** Of these the most at one time counts, of all others the sum. */
export const gauges: ReadonlySet<string> = new Set(['seats', 'storage_bytes'])

/** What days are counted from is kept for about so long. */
const mostDaysBack = 60

/** Days that are over once more, until they are closed: what came in the last hour before midnight, or a stop, counts too. */
export async function meter(ctx: JobContext): Promise<void> {
  const today = dayOf(ctx.now())
  const yesterday = new Date(today.getTime() - dayMs)
  const { last, open } = await store.progress(ctx.db, today)
  const from = Math.min(...[yesterday, last, open].flatMap(day => (day === null ? [] : [day.getTime()])))
  // The oldest first, and today last: its seats say that all days before it are counted.
  for (const day of daysFrom(from, today)) {
    await store.putDay(ctx.db, day, await known(ctx.db, await flowsOn(ctx.db, day)))
  }
  await store.putDay(ctx.db, today, await known(ctx.db, [...(await flowsOn(ctx.db, today)), ...(await levels(ctx.db))]))
  await closeDays(ctx, today)
}

function daysFrom(from: number, today: Date): Date[] {
  const first = Math.max(from, today.getTime() - mostDaysBack * dayMs)
  const count = Math.max(0, Math.round((today.getTime() - first) / dayMs))
  return Array.from({ length: count }, (_, index) => new Date(first + index * dayMs))
}

/** Of one workspace the days that are over, where somebody is about to charge for them before the hour's metering. */
export async function meterOne(ctx: JobContext, workspaceId: string): Promise<void> {
  const today = dayOf(ctx.now())
  for (const day of await uncounted(ctx.db, workspaceId, today)) {
    await store.putDay(ctx.db, day, await known(ctx.db, await flowsOf(ctx.db, workspaceId, day)))
  }
  for (const day of await store.openDaysOf(ctx.db, workspaceId, today)) await closeDay(ctx, workspaceId, new Date(day))
}

/** Whether all days before this one are counted and closed. */
export async function isMetered(db: Db, workspaceId: string, now: Date): Promise<boolean> {
  const today = dayOf(now)
  if ((await store.openDaysOf(db, workspaceId, today)).length > 0) return false
  for (const day of await uncounted(db, workspaceId, today)) {
    if ((await flowsOf(db, workspaceId, day)).length > 0) return false
  }
  return true
}

/** From the oldest that is open, or else from the last that has anything: days are counted in their order. */
async function uncounted(db: Db, workspaceId: string, today: Date): Promise<Date[]> {
  const { last, open } = await store.progressOf(db, workspaceId, today)
  const following = last === null ? today.getTime() - dayMs : last.getTime() + dayMs
  return daysFrom(open?.getTime() ?? following, today)
}

async function flowsOf(db: Db, workspaceId: string, day: Date): Promise<store.DayRow[]> {
  return (await flowsOn(db, day)).filter(row => row.workspaceId === workspaceId)
}

async function flowsOn(db: Db, day: Date): Promise<store.DayRow[]> {
  const to = new Date(day.getTime() + dayMs)
  const runs = await usedBetween(db, day, to)
  const executions = await countBetween(db, day, to)
  const telemetry = await bytesOn(db, day)
  const flows = [
    ...runs.flatMap(({ workspaceId, runs: count, tokens }): store.DayRow[] => [
      { workspaceId, dimension: 'agent_runs', quantity: count },
      { workspaceId, dimension: 'agent_tokens', quantity: tokens },
    ]),
    ...executions.map(
      ({ workspaceId, count }): store.DayRow => ({
        workspaceId,
        dimension: 'automation_runs',
        quantity: count,
      }),
    ),
    ...telemetry.map(
      ({ workspaceId, bytes }): store.DayRow => ({
        workspaceId,
        dimension: 'telemetry_bytes',
        quantity: bytes,
      }),
    ),
  ]
  return together(flows, await deletedBetween(db, day, to))
}

/** With what is deleted by now: it was used all the same. */
function together(flows: readonly store.DayRow[], deleted: Awaited<ReturnType<typeof deletedBetween>>) {
  const sums = new Map<string, store.DayRow>()
  for (const { workspaceId, dimension: name, quantity } of [...flows, ...deleted]) {
    const dimension = usageDimensions.find(one => one === name)
    if (!dimension) continue
    const key = `${workspaceId} ${dimension}`
    sums.set(key, { workspaceId, dimension, quantity: quantity + (sums.get(key)?.quantity ?? 0) })
  }
  return [...sums.values()]
}

async function levels(db: Db): Promise<store.DayRow[]> {
  const seats = await allSeatsUsed(db)
  const files = await bytesKept(db)
  return [
    ...seats.map(({ workspaceId, count }): store.DayRow => ({ workspaceId, dimension: 'seats', quantity: count })),
    ...files.map(
      ({ workspaceId, bytes }): store.DayRow => ({ workspaceId, dimension: 'storage_bytes', quantity: bytes }),
    ),
  ]
}

/** A workspace may have gone since it was counted. */
async function known(db: Db, rows: readonly store.DayRow[]): Promise<store.DayRow[]> {
  const there = await stillThere(db, [...new Set(rows.map(({ workspaceId }) => workspaceId))])
  return rows.filter(({ workspaceId }) => there.has(workspaceId))
}

const mostDays = 200

async function closeDays(ctx: JobContext, today: Date): Promise<void> {
  for (;;) {
    const open = await store.openDays(ctx.db, today, mostDays)
    for (const { workspaceId, day } of open) await closeDay(ctx, workspaceId, new Date(day))
    if (open.length < mostDays || ctx.signal.aborted) return
  }
}

export async function closeDay(ctx: JobContext, workspaceId: string, day: Date): Promise<void> {
  const { provider } = await findHeld(ctx.db, ctx.settings.billing, workspaceId)
  await ctx.transaction(async tx => {
    const counts = await store.closeDay(tx, workspaceId, day)
    if (provider === 'none' || Object.keys(counts).length === 0) return
    const target = { object: 'usage', id: day.toISOString().slice(0, 10) }
    await ctx.record(tx, { chain: workspaceId, action: 'billing.metered', target, counts })
  })
}

export type Total = { dimension: (typeof usageDimensions)[number]; quantity: number }

/** Days together: sums, and of what is a level the highest. */
export function totalOf(rows: readonly store.UsedRow[]): Total[] {
  return usageDimensions.flatMap(dimension => {
    const own = rows.filter(row => row.dimension === dimension).map(({ quantity }) => quantity)
    if (own.length === 0) return []
    const quantity = gauges.has(dimension) ? Math.max(...own) : own.reduce((sum, one) => sum + one, 0)
    return [{ dimension, quantity }]
  })
}
