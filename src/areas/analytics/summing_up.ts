// Every metric over the last days in one number, beside that of as many days before.
import type { Db } from '../../kit/db.ts'
import { dayMs } from '../../kit/time_zones.ts'
import { metrics } from './metrics/table.ts'
import { answer } from './querying/answering.ts'
import type { Plan } from './querying/planning.ts'

export async function summary(db: Db, workspaceId: string, days: number, now: Date) {
  const to = now.getTime()
  const span = { from: to - days * dayMs, to }
  const before = { from: span.from - days * dayMs, to: span.from }
  // One bucket each: people who are active twice in it are counted once.
  const plan: Plan = {
    metrics,
    span,
    calendar: { granularity: 'day', timezone: 'UTC', weekStart: 'monday' },
    edges: [span.from],
    groupBy: [],
    filters: [],
    previous: { span: before, edges: [before.from] },
    keysOf: null,
  }
  const series = await answer(db, workspaceId, plan, now)
  return {
    from: new Date(span.from).toISOString(),
    to: now.toISOString(),
    asOfSeq: series[0]?.asOfSeq ?? 0,
    figures: series.map(({ metric, unit, definition, groups: [group] }) => {
      const value = group?.points[0]?.value ?? null
      const previous = group?.previous?.[0]?.value ?? null
      const change = value !== null && previous !== null && previous !== 0 ? (value - previous) / previous : null
      return { metric, unit, definition, value, previous, change }
    }),
  }
}
