// A script that asked goes on with what the next person says in the thread.
import type { Context } from '../../../../kit/context.ts'
import type { Held } from '../../store.ts'
import { resumeRun } from '../ending.ts'
import * as store from '../store.ts'
import * as scripts from './store.ts'

/** The thread is held. What waits for an approval goes on waiting. */
export async function answerAsked(
  ctx: Pick<Context, 'db' | 'now' | 'feed' | 'enqueue'>,
  thread: Held,
  text: string,
): Promise<void> {
  if (thread.status !== 'waiting_on_human') return
  const run = await store.activeIn(ctx.db, thread.id)
  if (run?.status !== 'parked' || run.waitsFor !== 'answer') return
  await scripts.remember(ctx.db, run.id, { answer: text }, ctx.now())
  await resumeRun(ctx, { thread, parent: undefined }, run)
}
