// What the platform's own runners share: how they take up a run, end it, leave it, and show what a call gave.
import type { JobContext } from '../../../kit/jobs.ts'
import { newToken, tokenHash } from '../../../kit/tokens.ts'
import { setStatus } from '../store.ts'
import { endRun, holdFamily } from './ending.ts'
import { leaseEnd } from './leases.ts'
import * as store from './store.ts'

export type Work = { ctx: JobContext; run: store.RunRow; token: string; hash: string }

const mostShown = 20_000

/** A token of its own: whoever worked on it before can do nothing more. */
export async function takeUp(ctx: JobContext, runId: string, states: readonly string[]): Promise<Work | null> {
  const token = newToken('run')
  const hash = tokenHash(token)
  const run = await ctx.transaction(async tx => {
    const known = await store.lockWithThread(tx, runId)
    if (!known || !states.includes(known.status)) return undefined
    const taken = await store.lease(tx, runId, hash, leaseEnd(ctx.now()), ctx.now())
    await setStatus(tx, known.threadId, 'running', ctx.now())
    return taken
  })
  return run ? { ctx, run, token, hash } : null
}

/** A transcript holds the beginning of what is long; so does what is made of it later. */
export function cut(value: unknown): { output: unknown; truncated?: true } {
  const text = JSON.stringify(value ?? null)
  return text.length <= mostShown ? { output: value ?? null } : { output: text.slice(0, mostShown), truncated: true }
}

export async function finish(work: Work, ending: { status: 'succeeded' | 'failed'; error?: string }): Promise<void> {
  const { ctx, run, token } = work
  const { threadId: id, id: runId, workspaceId } = run
  const answer = await ctx.call(token, 'threads.runs.finish', { workspaceId, id, runId, ...ending })
  if (answer.status < 300 || answer.status === 401) return
  if (answer.status >= 500 || answer.status === 429) throw new Error(`to end a run was answered with ${answer.status}`)
  // Whoever started it may have lost the right to end it; it ends all the same.
  await ctx.transaction(async tx => {
    const family = await holdFamily(tx, id)
    const held = await store.lock(tx, runId)
    if (!family || held?.status !== 'running') return
    const refused = { status: 'failed', error: ending.error ?? answer.error?.detail ?? 'The run could not be ended.' }
    await endRun({ ...ctx, db: tx }, family, held, refused)
    await ctx.record(tx, { chain: workspaceId, action: 'threads.runs.moved', target: { object: 'thread', id } })
  })
}

/** Parked with the question that its call led to; whoever decides has it taken up again, where it stopped. */
export async function leave({ ctx, run, hash }: Work): Promise<void> {
  await ctx.transaction(async tx => {
    await store.lockWithThread(tx, run.id)
    await store.letGo(tx, run.id, ctx.now(), hash)
  })
}
