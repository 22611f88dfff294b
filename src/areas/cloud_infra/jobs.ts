// Tiers after their rules have changed, and what is missing for so long that it goes.
import { WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type Jobs, job } from '../../kit/jobs.ts'
import { keptDays } from './applying/store.ts'
import { waiting } from './applying/waiting.ts'
import { missing, purge } from './nodes/store.ts'
import { judgeAll } from './tiers/judging.ts'

export const ages: Ages = {
  cloud_infra_node_states: { column: 'until', afterDays: keptDays },
  cloud_infra_edges: { column: 'until', afterDays: keptDays },
  cloud_infra_changes: { column: 'at', afterDays: keptDays },
}

const purgedAtOnce = 200

export default {
  ...waiting,
  'cloud_infra.judge': job({
    payload: object({ workspaceId: WorkspaceId }),
    timeoutSeconds: 600,
    key: ({ workspaceId }) => workspaceId,
    run: (ctx, { workspaceId }) => judgeAll(ctx, workspaceId),
  }),
  'cloud_infra.purge': job({
    payload: object({}),
    schedule: '17 3 * * *',
    due: now => [missing(now, 1)],
    run: async ctx => {
      while ((await ctx.transaction(tx => purge(tx, ctx.now(), purgedAtOnce))) === purgedAtOnce) {
        ctx.signal.throwIfAborted()
      }
    },
  }),
} satisfies Jobs
