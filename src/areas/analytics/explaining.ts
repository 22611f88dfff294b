// From a point to the entries of the ledger that it is made of, as far as whoever asks may see them.
import { badRequest, refused } from '../../contract/errors.ts'
import type { Db } from '../../kit/db.ts'
import { refuseTimezone } from '../../kit/time_zones.ts'
import { shownAmong } from '../audit_logs/store.ts'
import { maySee, shownTo, type Viewer } from '../events/store.ts'
import type { Granularity } from './metrics/metric.ts'
import { beginOf, type Calendar, momentOf, nextOf, type Span } from './querying/buckets.ts'
import { filtersOf, metricNamed, refuseDimension } from './querying/planning.ts'
import { factsBetween } from './querying/store.ts'

type Asked = {
  metric: string
  bucket: string
  from?: string
  to?: string
  granularity?: Granularity
  timezone?: string
  weekStart?: Calendar['weekStart']
  filter?: string | readonly string[]
  after?: number
  limit?: number
}

export async function explain(db: Db, viewer: Viewer, asked: Asked) {
  const { granularity = 'day', timezone = 'UTC', weekStart = 'monday', after = 0, limit = 50 } = asked
  refuseTimezone(timezone)
  const metric = metricNamed(asked.metric, 'metric')
  if (metric.from !== 'ledger') {
    const instead = metric.from === 'records' ? `look at ${metric.records}` : `explain ${metric.whole.join(' and ')}`
    throw badRequest(`${metric.name} is not made of entries; ${instead}.`, [
      { path: 'metric', rule: 'source', expected: 'a metric with the source ledger' },
    ])
  }
  const filters = filtersOf(valuesByName([asked.filter ?? []].flat()))
  for (const { name } of filters) refuseDimension(metric, name, 'filter')
  const calendar = { granularity, timezone, weekStart }
  const span = spanOf(asked, calendar)
  const facts = await factsBetween(db, viewer.workspaceId, metric.name, { span, filters, after, limit })
  const entries = await shownAmong(
    db,
    viewer.workspaceId,
    facts.map(({ seq }) => seq),
  )
  const items = []
  for (const { seq, weight, value } of facts) {
    const entry = entries.find(one => one.seq === seq)
    if (!entry || !(await maySee(db, viewer, entry))) continue
    const { at, action, target } = entry
    const { actor } = shownTo(viewer, entry) as Pick<typeof entry, 'actor'>
    items.push({ seq, at, action, target, actor, weight, value })
  }
  return {
    metric: metric.name,
    definition: metric.definition,
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    items,
    hidden: facts.length - items.length,
    next: facts.length === limit ? (facts.at(-1)?.seq ?? null) : null,
  }
}

/** The bucket, as far as the query asks for it. */
function spanOf({ bucket, from, to }: Asked, calendar: Calendar): Span {
  const begin = beginOf(momentOf(bucket, 'bucket'), calendar)
  const span = {
    from: Math.max(begin, from === undefined ? begin : momentOf(from, 'from')),
    to: Math.min(nextOf(begin, calendar), to === undefined ? Number.POSITIVE_INFINITY : momentOf(to, 'to')),
  }
  if (span.from >= span.to) throw refused('bucket', 'range', 'a bucket with something between "from" and "to"')
  return span
}

/** `severity:high`; what has no colon is no dimension. */
function valuesByName(filter: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const text of filter) {
    const colon = text.indexOf(':')
    if (colon < 1) {
      throw badRequest('"filter" must be a dimension and a value, such as severity:high.', [
        { path: 'filter', rule: 'pattern', expected: 'a dimension, a colon and a value' },
      ])
    }
    const name = text.slice(0, colon)
    values.set(name, [...(values.get(name) ?? []), text.slice(colon + 1)])
  }
  return Object.fromEntries(values)
}
