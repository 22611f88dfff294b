// How a run ends, parks or goes back to the queue, and what that makes of its thread and of the one above.
import type { Context } from '../../../kit/context.ts'
import type { Db } from '../../../kit/db.ts'
import * as messages from '../messages/store.ts'
import { addUsage, type Held, lockFamily, setStatus } from '../store.ts'
import * as store from './store.ts'

type Family = { thread: Held; parent: Held | undefined }

/** The thread and the one above it, held in this order: above before below. */
export async function holdFamily(db: Db, threadId: string): Promise<Family | undefined> {
  const rows = await lockFamily(db, threadId)
  const thread = rows.find(({ id }) => id === threadId)
  return thread && { thread, parent: rows.find(({ id }) => id !== threadId) }
}

/** What waiting runners, waiting callers and open pages hear. */
export function told(what: 'queued' | 'ended', threadId: string, { id, status }: { id: string; status: string }) {
  return { action: `threads.runs.${what}`, target: { object: 'thread', id: threadId }, data: { runId: id, status } }
}

type Telling = Pick<Context, 'db' | 'now'> & { feed: Pick<Context['feed'], 'tell'> }

/** The family is held, and the run is active. */
export async function endRun(
  ctx: Telling,
  family: Family,
  run: store.RunRow,
  ending: store.Ending,
): Promise<store.RunRow> {
  const { db, now, feed } = ctx
  const { thread, parent } = family
  const ended = await store.end(db, run.id, ending, now())
  await messages.failStreamed(db, run.id, now())
  // What it told while it was running, its messages have told the thread.
  const { in: tokensIn = 0, out: tokensOut = 0 } = ending.usage ?? {}
  if (tokensIn + tokensOut > 0) await addUsage(db, thread.id, tokensIn, tokensOut)
  const isFollowed = ending.status === 'succeeded' && (await store.isAnyBelow(db, thread.id))
  const idle = isFollowed ? 'waiting_on_agents' : 'idle'
  await setStatus(db, thread.id, ending.status === 'failed' ? 'failed' : idle, now())
  if (parent?.status === 'waiting_on_agents' && !(await store.isAnyBelow(db, parent.id))) {
    await setStatus(db, parent.id, 'idle', now())
  }
  feed.tell(run.workspaceId, told('ended', thread.id, ended))
  return ended
}

const mostLost = 3

/** Its runner is lost: another may try, so many times. Returns what became of it. */
export async function giveBack(ctx: Telling, family: Family, run: store.RunRow): Promise<'requeued' | 'lost'> {
  const { db, now, feed } = ctx
  const lost = await store.requeue(db, run.id, now())
  if (lost >= mostLost) {
    await endRun(ctx, family, run, { status: 'failed', error: `The runner was lost ${mostLost} times.` })
    return 'lost'
  }
  await messages.failStreamed(db, run.id, now())
  await setStatus(db, family.thread.id, 'queued', now())
  feed.tell(run.workspaceId, told('queued', family.thread.id, { id: run.id, status: 'queued' }))
  return 'requeued'
}

type Parked = Pick<store.RunRow, 'id' | 'runner' | 'workspaceId'>

/** Until a person has decided or said something; the family is held. `waitsFor`: an approval, or `answer`. */
export async function parkRun(
  { db, now }: Pick<Telling, 'db' | 'now'>,
  { thread }: Family,
  run: Pick<store.RunRow, 'id'>,
  waitsFor: string,
): Promise<void> {
  await store.park(db, run.id, waitsFor, now())
  await setStatus(db, thread.id, 'waiting_on_human', now())
}

/** The person has decided: it goes on where it stopped; the family is held. */
export async function resumeRun(
  ctx: Telling & Pick<Context, 'enqueue'>,
  { thread }: Family,
  run: Parked,
): Promise<void> {
  const { db, now, enqueue, feed } = ctx
  const became = await store.unpark(db, run.id, now())
  if (!became) return
  await setStatus(db, thread.id, became, now())
  if (became === 'queued') feed.tell(run.workspaceId, told('queued', thread.id, { id: run.id, status: became }))
  await enqueueOwn(enqueue, run)
}

/** What the platform carries out itself. */
export async function enqueueOwn(
  enqueue: Context['enqueue'],
  { id: runId, runner, workspaceId }: Parked,
): Promise<void> {
  if (runner === 'script') await enqueue('threads.runScript', { runId, workspaceId })
  if (runner === 'builtin') await enqueue('threads.runBuiltin', { runId, workspaceId })
}
