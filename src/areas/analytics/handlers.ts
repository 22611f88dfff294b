// Carries out the operations on figures; dashboards are spread in.
import { forbidden } from '../../contract/errors.ts'
import { permit } from '../../contract/permissions.ts'
import type { Caller } from '../../kit/context.ts'
import { type Implementation, implement, staged } from '../../kit/implement.ts'
import { apiKeys } from '../api_keys/contract.ts'
import { viewerOf } from '../events/store.ts'
import * as pages from '../pages/store.ts'
import { enter } from '../workspaces/entering/store.ts'
import { ownAnalytics } from './contract.ts'
import dashboardHandlers from './dashboards/handlers.ts'
import { explain } from './explaining.ts'
import { exported } from './exporting.ts'
import type { Metric } from './metrics/metric.ts'
import { metrics } from './metrics/table.ts'
import { answer } from './querying/answering.ts'
import { type Asked, type Plan, planOf } from './querying/planning.ts'
import { reportOf } from './report.ts'
import { summary } from './summing_up.ts'

const own = implement(ownAnalytics, {
  'analytics.metrics': async () => ({ items: metrics.map(shown) }),

  // Outside a transaction: it reads, and may take a while.
  'analytics.query': staged(
    async ({ db, caller, now }, { workspaceId, ...asked }) => {
      const plan = planFor(caller, asked)
      const series = await answer(db, workspaceId, plan, now())
      const { granularity, timezone, weekStart } = plan.calendar
      const [from, to] = [plan.span.from, plan.span.to].map(at => new Date(at).toISOString()) as [string, string]
      return { from, to, granularity, timezone, weekStart, series }
    },
    async (_ctx, _input, answered) => answered,
  ),

  'analytics.summary': ({ db, now }, { workspaceId, period = '7d' }) =>
    summary(db, workspaceId, Number.parseInt(period, 10), now()),

  'analytics.explain': ({ db, caller, access, now }, { workspaceId: _, ...asked }) =>
    explain(db, viewerOf(caller, access, now), asked),

  'analytics.export': staged(
    async ({ db, caller, now }, { workspaceId, format = 'csv', ...asked }) => ({
      chunks: exported(db, workspaceId, planFor(caller, asked), format, now()),
      format,
    }),
    async ({ note }, { workspaceId, ...asked }, { chunks, format }) => {
      note({ target: { object: 'workspace', id: workspaceId }, after: { ...asked, format } })
      const contentType = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
      return { contentType, fileName: `analytics.${format}`, chunks }
    },
  ),

  'analytics.publish': staged(
    async ({ db, caller, now }, { workspaceId, query, ...asked }) => {
      const plan = planFor(caller, query)
      const report = reportOf(plan, await answer(db, workspaceId, plan, now()))
      const source = { workspaceId, kind: 'analytics_snapshot' as const, source: null, report }
      return await pages.preparePage(db, source, asked, now())
    },
    async (ctx, { workspaceId }, prepared) => {
      await enter(ctx.db, ctx.caller, workspaceId)
      return await pages.publish(ctx, prepared)
    },
  ),
})

export default { ...own, ...dashboardHandlers } satisfies Implementation

/** Which keys there are and what each is used for, is for who may list them: members see their own. */
function planFor(caller: Caller, asked: Asked): Plan {
  const plan = planOf(asked)
  if (![...plan.groupBy, ...plan.filters.map(({ name }) => name)].includes('credential')) return plan
  const permission = permit(caller, apiKeys.operations['api_keys.list'])
  if (permission.allowed) return { ...plan, keysOf: permission.reach === 'own' ? caller.ownerId : null }
  const { reason, missing } = permission
  throw forbidden('To tell requests apart by credential you must be able to list API keys.', { reason, missing })
}

function shown(metric: Metric) {
  const { name, unit, kind, definition, from: source, dimensions } = metric
  return {
    name,
    unit,
    kind,
    definition,
    source,
    events: metric.from === 'ledger' ? [...metric.events] : [],
    dimensions: Object.entries(dimensions).map(([dimension, values]) => ({ name: dimension, values })),
    smallest: metric.from === 'records' ? metric.smallest : ('minute' as const),
    parts: metric.from === 'metrics' ? [...metric.whole] : [],
    list: metric.from === 'records' && metric.list ? { ...metric.list, fields: { ...metric.list.fields } } : null,
  }
}
