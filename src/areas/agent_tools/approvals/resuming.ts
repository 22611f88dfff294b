// The run that asked goes on when people have decided, or when their time is over.
import type { Context } from '../../../kit/context.ts'
import type { JobContext } from '../../../kit/jobs.ts'
import { enqueueOwn, type HeldRun, holdRun, resumeRun } from '../../threads/others/store.ts'
import * as workspaces from '../../workspaces/store.ts'
import * as store from './store.ts'

/** With the last thing that it waited for; returns the thread that it goes on in. */
export async function resumeAfter(
  ctx: Pick<Context, 'db' | 'now' | 'enqueue'> & { feed: Pick<Context['feed'], 'tell'> },
  workspaceId: string,
  held: HeldRun | null,
): Promise<string | null> {
  if (held?.run.status !== 'parked' || held.run.waitsFor === 'answer') return null
  if ((await store.countOpen(ctx.db, workspaceId, held.run.id, ctx.now())) > 0) return null
  await resumeRun(ctx, held.family, held.run)
  return held.family.thread.id
}

const againSeconds = 5

/** Nobody decided: the call stays undone, and the run is told so when it asks. */
export async function expireApproval(
  ctx: JobContext,
  { workspaceId, approvalId }: { workspaceId: string; approvalId: string },
): Promise<void> {
  const { now } = ctx
  const known = await store.find(ctx.db, workspaceId, approvalId, null, now())
  if (!known || !['pending', 'expired'].includes(known.status)) return
  if (known.status === 'pending') {
    return await ctx.enqueue(
      'agent_tools.expireApproval',
      { workspaceId, approvalId },
      { startAfterSeconds: againSeconds },
    )
  }
  const told: (() => void)[] = []
  const resumed = await ctx.transaction(async tx => {
    await workspaces.keepAlive(tx, workspaceId)
    const held = await holdRun(tx, known.threadId, known.runId)
    const isNews = await store.expire(tx, workspaceId, approvalId, now())
    // What it enqueues and tells is for after the commit; both are looked for by themselves, should this process end.
    const feed = {
      ...ctx.feed,
      tell: (...news: Parameters<typeof ctx.feed.tell>) => void told.push(() => ctx.feed.tell(...news)),
    }
    const inside = { db: tx, now, feed: feed as Context['feed'], enqueue: async () => {} }
    const threadId = await resumeAfter(inside, workspaceId, held)
    const targets = [
      ...(threadId ? [{ action: 'threads.runs.moved', target: { object: 'thread', id: threadId } }] : []),
      ...(isNews
        ? [{ action: 'agent_tools.approvals.expired', target: { object: 'agent_tool_approval', id: approvalId } }]
        : []),
    ]
    for (const one of targets) await ctx.record(tx, { chain: workspaceId, ...one })
    return threadId ? held?.run : undefined
  })
  for (const tell of told) tell()
  if (resumed) await enqueueOwn(ctx.enqueue, resumed)
}
