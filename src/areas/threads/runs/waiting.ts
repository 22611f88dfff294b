// Waiting for a run to be queued or to end: told at once in whichever process, and looked for in case that is missed.
import type { Context, Ephemeral } from '../../../kit/context.ts'
import * as store from './store.ts'

type Waiting = Pick<Context, 'feed' | 'now'>

const lookMs = 2_000

/** True as soon as `look` finds something, false when the time is over. */
export async function until(
  { feed, now }: Waiting,
  workspaceId: string,
  isNews: (event: Ephemeral) => boolean,
  look: () => Promise<boolean>,
  ms: number,
): Promise<boolean> {
  let wake: () => void = () => {}
  let isWoken = false
  // Heard before the first look, so that nothing falls between the two.
  const unhear = feed.hear([workspaceId], event => {
    if (!isNews(event)) return
    isWoken = true
    wake()
  })
  const end = now().getTime() + ms
  // By the clock of the service, and by a timer too: a clock may be set back.
  const isOver = AbortSignal.timeout(Math.max(ms, 1))
  try {
    for (;;) {
      isWoken = false
      if (await look()) return true
      if (isOver.aborted || now().getTime() >= end) return false
      if (isWoken) continue
      await new Promise<void>(resolve => {
        const goOn = () => {
          clearTimeout(timer)
          isOver.removeEventListener('abort', goOn)
          resolve()
        }
        const timer = setTimeout(goOn, lookMs)
        isOver.addEventListener('abort', goOn)
        wake = goOn
      })
    }
  } finally {
    unhear()
  }
}

const over = ['succeeded', 'failed', 'cancelled']

/** The run as it is when it has ended, or when the time is over; undefined where it is gone with its thread or its starter. */
export async function awaitEnd(
  ctx: Waiting & Pick<Context, 'db'>,
  workspaceId: string,
  runId: string,
  ms: number,
): Promise<store.RunRow | undefined> {
  let run: store.RunRow | undefined
  const look = async () => {
    run = await store.findById(ctx.db, workspaceId, runId)
    return run === undefined || over.includes(run.status)
  }
  const isEnd = ({ action, data }: Ephemeral) =>
    action === 'threads.runs.ended' && (data as { runId?: string }).runId === runId
  await until(ctx, workspaceId, isEnd, look, ms)
  return run
}
