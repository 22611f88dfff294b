// A good call for every operation on analytics.
import type { CallRow, World } from '../calls.ts'

const span = ({ p }: World) => ({
  from: new Date(p.now().getTime() - 86_400_000).toISOString(),
  to: new Date(p.now().getTime() + 60_000).toISOString(),
})

const question = (w: World) => ({ metrics: ['issues.opened'], ...span(w) })

const tiles = [{ show: 'line', last: '30d', metrics: ['issues.opened'] }]

export const calls = {
  'analytics.metrics': { input: ({ workspaceId }) => ({ workspaceId }) },
  'analytics.query': { input: w => ({ workspaceId: w.workspaceId, ...question(w) }) },
  'analytics.summary': { input: ({ workspaceId }) => ({ workspaceId }) },
  'analytics.explain': {
    input: ({ p, workspaceId }) => ({ workspaceId, metric: 'issues.opened', bucket: p.now().toISOString() }),
  },
  'analytics.export': { input: w => ({ workspaceId: w.workspaceId, ...question(w) }) },
  'analytics.dashboards.mine': { input: ({ workspaceId }) => ({ workspaceId }) },
  'analytics.dashboards.putMine': { input: ({ workspaceId }) => ({ workspaceId, tiles }) },
  'analytics.dashboards.get': { input: ({ workspaceId }) => ({ workspaceId, role: 'member' }) },
  'analytics.dashboards.put': { input: ({ workspaceId }) => ({ workspaceId, role: 'member', tiles }) },
  'analytics.publish': { input: w => ({ workspaceId: w.workspaceId, query: question(w) }) },
} satisfies Record<string, CallRow>
