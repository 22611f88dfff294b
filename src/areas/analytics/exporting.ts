// Series as a file: one line a point, the series one after the other.

import { csvLine } from '../../kit/csv.ts'
import type { Db } from '../../kit/db.ts'
import { answer, type Group, type Point, type Series } from './querying/answering.ts'
import { labelOf } from './querying/labels.ts'
import type { Plan } from './querying/planning.ts'

/** A metric at a time: a file of ten is never whole in memory. */
export async function* exported(
  db: Db,
  workspaceId: string,
  plan: Plan,
  format: 'csv' | 'ndjson',
  now: Date,
): AsyncGenerator<string> {
  const titles = ['metric', 'unit', 'at', 'label', ...plan.groupBy, 'is_other', 'value', 'p50', 'p95', 'count']
  if (format === 'csv') yield csvLine([...titles, ...(plan.previous ? ['previous_at', 'previous'] : [])])
  for (const metric of plan.metrics) {
    const [series] = await answer(db, workspaceId, { ...plan, metrics: [metric] }, now)
    if (!series) continue
    for (const group of series.groups) {
      yield group.points
        .map((point, index) => {
          const before = group.previous?.[index]
          return format === 'csv'
            ? csvOf(plan, series, group, point, before)
            : jsonOf(plan, series, group, point, before)
        })
        .join('')
    }
  }
}

function csvOf(
  plan: Plan,
  { metric, unit }: Series,
  { by, isOther }: Group,
  point: Point,
  before: Point | undefined,
): string {
  const { at, value, p50, p95, count } = point
  const groups = plan.groupBy.map(name => by[name])
  const earlier = plan.previous ? [before?.at, before?.value] : []
  return csvLine([metric, unit, at, labelOf(at, plan.calendar), ...groups, isOther, value, p50, p95, count, ...earlier])
}

function jsonOf(
  plan: Plan,
  { metric, unit, asOfSeq }: Series,
  { by, isOther }: Group,
  point: Point,
  before: Point | undefined,
): string {
  const label = labelOf(point.at, plan.calendar)
  return `${JSON.stringify({ metric, unit, asOfSeq, by, isOther, ...point, label, ...(before && { previous: before }) })}\n`
}
