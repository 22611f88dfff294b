// Carries out what the model asked for, one call after the other, each once; where a person must be asked, the run waits.
import type { RunTools } from '../../../../kit/jobs.ts'
import { cut, type Work } from '../own.ts'
import type { PendingCall } from './conversation.ts'
import { done, Stop } from './stopping.ts'
import * as store from './store.ts'

export async function carryOut(
  work: Work,
  tools: RunTools,
  pending: readonly PendingCall[],
  signal: AbortSignal,
): Promise<void> {
  for (const call of pending) {
    signal.throwIfAborted()
    await carryOutOne(work, tools, call)
  }
}

/** Under the same key whenever it is tried again, so that nothing is done twice. */
async function carryOutOne(work: Work, tools: RunTools, { callId, tool, args, reason }: PendingCall): Promise<void> {
  const { ctx, run, token, hash } = work
  const { named, waitsFor } = await store.stateOf(ctx.db, run.id)
  const { asked = {} } = named
  // The run may have been parked, and its process lost before it wrote down for which call: it is this one.
  const isOthers = waitsFor === null || Object.values(asked).includes(waitsFor)
  const approvalId = asked[callId] ?? (isOthers ? null : waitsFor)
  const answer = await tools.call(tool, args, { idempotencyKey: `${run.id}.${callId}`, approvalId, reason })
  if (answer.isOver) throw new Stop({ is: 'over' })
  if (answer.approvalId !== null) {
    const remembered = { asked: { ...asked, [callId]: answer.approvalId } }
    await store.keep(ctx.db, { id: run.id, hash }, remembered, ctx.now())
    throw new Stop({ is: 'parked' })
  }
  if (!isOthers)
    await store.keep(ctx.db, { id: run.id, hash }, { asked: { ...asked, [callId]: waitsFor ?? '' } }, ctx.now())
  const { workspaceId, threadId } = run
  const parts = [{ type: 'tool_result', callId, ok: answer.ok, ...cut(parsed(answer.text)) }]
  const message = { workspaceId, threadId, role: 'tool', parts }
  done(await ctx.call(token, 'messages.post', message), 'write down a call')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
