// What happens to runs by themselves: scripts go on, and runs whose runner is lost are given to another.
import { AgentRunId, WorkspaceId } from '../../contract/ids.ts'
import { object } from '../../contract/records.ts'
import type { Ages } from '../../kit/ages.ts'
import { type JobContext, type Jobs, job } from '../../kit/jobs.ts'
import * as messages from './messages/store.ts'
import { runBuiltin } from './runs/builtin/running.ts'
import { enqueueOwn, giveBack, holdFamily } from './runs/ending.ts'
import { runScript } from './runs/script/running.ts'
import * as store from './runs/store.ts'

const piece = 100
const minuteBefore = (now: Date) => new Date(now.getTime() - 60_000)

/** Uploads that no message holds. */
export const ages: Ages = { message_files: { column: 'expires' } }

export default {
  'threads.runScript': job({
    payload: object({ runId: AgentRunId, workspaceId: WorkspaceId }),
    timeoutSeconds: 60,
    concurrency: 4,
    key: ({ runId }) => runId,
    run: runScript,
  }),

  'threads.runBuiltin': job({
    payload: object({ runId: AgentRunId, workspaceId: WorkspaceId }),
    // Longer than a slice and the longest answer of a model together.
    timeoutSeconds: 900,
    concurrency: 8,
    key: ({ runId }) => runId,
    run: runBuiltin,
  }),

  'threads.sweepLeases': job({
    payload: object({}),
    schedule: '* * * * *',
    due: now => [store.lapsed(now, 1), store.forgotten(minuteBefore(now), 1), store.forsaken(minuteBefore(now))],
    key: () => 'all',
    async run(ctx) {
      for (;;) {
        const lapsed = await ctx.db.query<Lapsed>(store.lapsed(ctx.now(), piece))
        for (const one of lapsed) await takeBack(ctx, one)
        if (lapsed.length < piece) break
      }
      const minuteAgo = minuteBefore(ctx.now())
      const forgotten = await ctx.db.query<Forgotten>(store.forgotten(minuteAgo, piece))
      for (const one of forgotten) await enqueueOwn(ctx.enqueue, one)
      await store.settleForsaken(ctx.db, minuteAgo, ctx.now())
    },
  }),
} satisfies Jobs

type Forgotten = Pick<store.RunRow, 'id' | 'workspaceId' | 'runner'>
type Lapsed = { id: string; threadId: string; workspaceId: string }

/** Looked at again once it is held: its runner may have been heard of meanwhile. */
async function takeBack(ctx: JobContext, { id, threadId, workspaceId }: Lapsed): Promise<void> {
  const outcome = await ctx.transaction(async tx => {
    const family = await holdFamily(tx, threadId)
    const run = await store.lock(tx, id)
    if (!family || !run?.leaseUntil || Date.parse(run.leaseUntil) > ctx.now().getTime()) return null
    if (run.status === 'parked') {
      // Whoever decides lets another take it up; until then nobody is missed.
      await store.letGo(tx, id, ctx.now())
      await messages.failStreamed(tx, id, ctx.now())
      return null
    }
    const became = await giveBack({ ...ctx, db: tx }, family, run)
    const target = { object: 'thread', id: threadId }
    await ctx.record(tx, { chain: workspaceId, action: `threads.runs.${became}`, target })
    return { became, runner: run.runner }
  })
  if (outcome?.became === 'requeued') await enqueueOwn(ctx.enqueue, { id, workspaceId, runner: outcome.runner })
}
