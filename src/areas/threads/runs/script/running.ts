// Carries out a script step by step; whatever happens between two steps, the next one to look goes on from there.
import { check, test } from '../../../../kit/cel.ts'
import type { CallAnswer, JobContext } from '../../../../kit/jobs.ts'
import { holdFamily, parkRun } from '../ending.ts'
import { leaseEnd } from '../leases.ts'
import { cut, finish, leave, takeUp, type Work } from '../own.ts'
import * as store from '../store.ts'
import { deedOf, rootsOf } from './checking.ts'
import type { Step } from './contract.ts'
import * as scripts from './store.ts'

/** Of one job; then it makes room for others and goes on in another. */
const longestMs = 5_000

/** What came of a step: go on with what it names, or stop here. */
type Outcome =
  | { named?: Record<string, unknown> }
  | { failed: string }
  | { parked: true }
  | { waiting: true }
  | { over: true }

export async function runScript(ctx: JobContext, { runId, workspaceId }: { runId: string; workspaceId: string }) {
  const work = await takeUp(ctx, runId, ['queued', 'running'])
  if (!work) return
  const begun = ctx.now().getTime()
  for (;;) {
    const script = await scripts.scriptOf(ctx.db, runId)
    const step = script?.steps?.[script.place]
    if (script?.status !== 'running') return
    const { place, named, waitsFor } = script
    if (!step) return void (await finish(work, { status: 'succeeded' }))
    const outcome = await carryOut(work, step, place, named, waitsFor)
    if ('over' in outcome) return
    if ('failed' in outcome) return void (await finish(work, { status: 'failed', error: outcome.failed }))
    if ('parked' in outcome) return await park(work, place)
    if ('waiting' in outcome) return await leave(work)
    const went = { place, hash: work.hash, named: outcome.named ?? {} }
    if (!(await scripts.advance(ctx.db, runId, went, ctx.now()))) return
    if (ctx.signal.aborted || ctx.now().getTime() - begun > longestMs) break
    const renewed = await store.renew(ctx.db, runId, work.run.attempt, leaseEnd(ctx.now()), ctx.now())
    if (!renewed) return
  }
  await ctx.enqueue('threads.runScript', { runId, workspaceId })
}

async function carryOut(
  work: Work,
  step: Step,
  place: number,
  named: Record<string, unknown>,
  waitsFor: string | null,
): Promise<Outcome> {
  switch (deedOf(step)) {
    case 'say':
      return await said(work, place, step.say ?? '')
    case 'call':
      return await called(work, place, step, waitsFor)
    case 'expect':
      return expected(step.expect ?? '', named)
    case 'hypothesis':
      return await supposed(work, place, step)
    case 'ask': {
      const { question = '', options = [] } = step.ask ?? {}
      const text = [question, ...options.map(option => `- ${option}`)].join('\n')
      const outcome = await said(work, place, text)
      return 'named' in outcome ? { parked: true } : outcome
    }
    default:
      return { failed: `Step ${place} says nothing to do.` }
  }
}

/** The key is the same whenever the step is tried again, so that nothing is done twice. */
function send(
  { ctx, run, token }: Work,
  place: number,
  what: string,
  id: string,
  input: object,
  approvalId: string | null = null,
): Promise<CallAnswer> {
  const { workspaceId } = run
  const idempotencyKey = `${run.id}.${place}.${what}`
  return ctx.call(token, id, { workspaceId, ...input }, { idempotencyKey, approvalId })
}

async function said(work: Work, place: number, text: string): Promise<Outcome> {
  const answer = await send(work, place, 'say', 'messages.post', { threadId: work.run.threadId, text })
  return outcomeOf(answer, 'say something')
}

/** Where the token has ended, another goes on, or nobody. */
function outcomeOf({ status, error }: CallAnswer, what: string, named: Record<string, unknown> = {}): Outcome {
  if (status === 401) return { over: true }
  if (status >= 500 || status === 429) throw new Error(`to ${what} was answered with ${status}`)
  return status < 300 ? { named } : { failed: `To ${what} was refused: ${error?.detail ?? status}` }
}

/** `approvalId`: it was asked for at this place before, and people have decided since, or let it expire. */
async function called(work: Work, place: number, step: Step, approvalId: string | null): Promise<Outcome> {
  const { operation = '', input = {} } = step.call ?? {}
  const answer = await send(work, place, 'call', operation, input, approvalId)
  if (answer.status === 401) return { over: true }
  if (answer.status >= 500 || answer.status === 429) throw new Error(`${operation} was answered with ${answer.status}`)
  const { status, result, error } = answer
  const isOk = status < 300
  const output = cut(isOk ? result : error)
  const callId = `step_${place}`
  const call = { type: 'tool_call', tool: operation.replaceAll('.', '_'), args: input, callId }
  const tell = async (what: string, parts: readonly object[]) => {
    const message = { threadId: work.run.threadId, parts }
    return outcomeOf(await send(work, place, what, 'messages.post', message), 'write down a call')
  }
  const isAsked = answer.approvalId !== null || approvalId !== null
  if (isAsked) {
    const asked = await tell('asked', [call])
    if (!('named' in asked)) return asked
    if (answer.approvalId !== null) return { waiting: true }
  }
  const told = await tell('told', [...(isAsked ? [] : [call]), { type: 'tool_result', callId, ok: isOk, ...output }])
  if (!('named' in told)) return told
  if (step.as !== undefined) return { named: { [step.as]: { status, result: output.output, error } } }
  return isOk ? { named: {} } : { failed: `${operation} was refused: ${error?.detail ?? status}` }
}

function expected(text: string, named: Record<string, unknown>): Outcome {
  const checked = check(text, rootsOf(Object.keys(named)))
  if (!checked.ok) return { failed: `Not as expected: ${checked.problem.message}` }
  const { matches, reason } = test(checked.expression, named)
  return matches ? { named: {} } : { failed: `Not as expected: ${text}${reason ? ` (${reason})` : ''}` }
}

async function supposed(work: Work, place: number, step: Step): Promise<Outcome> {
  const { statement = '', steps } = step.hypothesis ?? {}
  const child = { type: 'hypothesis', parentThreadId: work.run.threadId, hypothesis: { statement } }
  const made = await send(work, place, 'thread', 'threads.post', child)
  const outcome = outcomeOf(made, 'make a hypothesis')
  if (!('named' in outcome) || !steps || steps.length === 0) return outcome
  const { id } = made.result as { id: string }
  const started = await send(work, place, 'run', 'threads.runs.post', { id, runner: 'script', steps })
  return outcomeOf(started, 'start a hypothesis')
}

/** The place moves on with it: what the person says is for the next step. */
async function park({ ctx, run, hash }: Work, place: number): Promise<void> {
  await ctx.transaction(async tx => {
    const family = await holdFamily(tx, run.threadId)
    const held = await store.lock(tx, run.id)
    if (!family || held?.status !== 'running') return
    if (!(await scripts.advance(tx, run.id, { place, hash, named: {} }, ctx.now()))) return
    await parkRun({ ...ctx, db: tx }, family, run, 'answer')
    await store.letGo(tx, run.id, ctx.now())
    const target = { object: 'thread', id: run.threadId }
    await ctx.record(tx, { chain: run.workspaceId, action: 'threads.runs.moved', target })
  })
}
