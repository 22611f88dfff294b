// The built-in runner: asks the model, carries out what it wants, and tells it the results, until it has answered.
import type { JobContext } from '../../../../kit/jobs.ts'
import { ModelFailure } from '../../../../kit/model.ts'
import type { MessageRow } from '../../messages/store.ts'
import type { ThreadRow } from '../../store.ts'
import { usedInDay } from '../daily.ts'
import { takeUp, type Work } from '../own.ts'
import { answer } from './answering.ts'
import { allowance, tokensIn, usedUp } from './budget.ts'
import { carryOut } from './calling.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import { noModel, type Setup, setupOf } from './endpoint.ts'
import { beginWith, type Going, lateness, spentNow, writeDown } from './going.ts'
import { lose, settle } from './leaving.ts'
import { systemOf } from './prompt.ts'
import { done, failed, type Outcome, Stop } from './stopping.ts'
import { watch } from './watching.ts'

/** Of one job; then it makes room for others, and goes on in another. */
const sliceMs = 60_000
const longestAnswerMs = 300_000
const mostMessages = 100
const mostFailures = 4
const firstPauseMs = 250
const longestPauseMs = 30_000

export async function runBuiltin(ctx: JobContext, { runId }: { runId: string; workspaceId: string }): Promise<void> {
  const work = await takeUp(ctx, runId, ['queued'])
  if (!work) return
  try {
    await settle(work, await outcomeOf(work).catch(stopped))
  } catch (error) {
    await lose(work, error)
  }
}

function stopped(error: unknown): Outcome {
  if (error instanceof Stop) return error.outcome
  throw error
}

async function outcomeOf(work: Work): Promise<Outcome> {
  const going = await beginWith(work, await settingsOf(work))
  const watching = watch(work, () => lateness(going))
  try {
    return await goOn(going, watching.signal)
  } finally {
    watching.stop()
    await writeDown(going)
  }
}

async function goOn(going: Going, signal: AbortSignal): Promise<Outcome> {
  const { work } = going
  const tools = await work.ctx.tools(work.token)
  if (!tools) return { is: 'over' }
  const system = await backgroundOf(work)
  // A result that people have deleted is not asked for again and again.
  const carriedOut = new Set<string>()
  let failures = 0
  for (;;) {
    signal.throwIfAborted()
    // Anew each time: people may have changed what it may use.
    const setup = await settingsOf(work)
    going.setup = setup
    const { turns, isAnswered, ...wanted } = await read(work)
    if (isAnswered) return { is: 'ended', status: 'succeeded' }
    const day = await usedInDay(work.ctx.db, work.run.workspaceId, work.ctx.now())
    const error = usedUp(setup.limits, spentNow(going), day)
    if (error) return failed(error).outcome
    const pending = wanted.pending.filter(({ callId }) => !carriedOut.has(callId))
    if (pending.length > 0) {
      await carryOut(work, tools, pending, signal)
      for (const { callId } of pending) carriedOut.add(callId)
    } else {
      const reads = tokensIn(JSON.stringify([system, turns, tools.list]))
      const allowed = allowance(setup.limits, spentNow(going), day, reads)
      if ('usedUp' in allowed) return failed(allowed.usedUp).outcome
      const { mostOutput, bounded } = allowed
      const request = { system, turns, tools: tools.list, mostOutput, signal, timeoutMs: longestAnswerMs }
      const failure = await failureOf(answer(going, { request, reads, bounded }))
      failures = failure ? failures + 1 : 0
      if (failure) await waitOrGiveUp(failure, failures, signal)
    }
    if (work.ctx.now().getTime() - going.begun > sliceMs) return { is: 'later', afterSeconds: 0 }
  }
}

async function settingsOf({ ctx, run }: Work): Promise<Setup> {
  const setup = await setupOf(ctx, run.workspaceId)
  if (typeof setup === 'string') throw failed(noModel(setup))
  return setup
}

async function backgroundOf(work: Work): Promise<string> {
  const { ctx, run, token } = work
  const { workspaceId, threadId: id } = run
  const thread = done(await ctx.call(token, 'threads.get', { workspaceId, id }), 'read the thread') as ThreadRow
  const { turns } = await read(work)
  const asked = turns.findLast(turn => turn.role === 'user')
  return await systemOf(work, thread, `${thread.name} ${thread.hypothesis?.statement ?? ''} ${asked?.text ?? ''}`)
}

/** As anybody reads it who may no more than the run. */
async function read({ ctx, run, token }: Work): Promise<Conversation> {
  const { workspaceId, threadId } = run
  const query = { workspaceId, threadId, orderBy: 'seq', order: 'desc', perPage: mostMessages }
  const { items } = done(await ctx.call(token, 'messages.list', query), 'read the thread') as { items: MessageRow[] }
  return conversationOf([...items].reverse(), run)
}

async function failureOf(work: Promise<void>): Promise<ModelFailure | null> {
  try {
    await work
    return null
  } catch (error) {
    if (error instanceof ModelFailure) return error
    throw error
  }
}

/** Twice as long each time, or as long as the endpoint says. */
async function waitOrGiveUp(failure: ModelFailure, failures: number, signal: AbortSignal): Promise<void> {
  if (!failure.isPassing) throw failed(`The run stopped because ${failure.message}.`)
  if (failures > mostFailures) throw failed(`The run stopped after ${failures} tries, because ${failure.message}.`)
  const ms = failure.retryAfterMs ?? firstPauseMs * 2 ** (failures - 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.min(ms, longestPauseMs))
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}
