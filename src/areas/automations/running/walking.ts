// Goes over the steps from the first: what is written down as done is passed over, the next one is done and written down.
import { deedOf } from '../definition/shorthands.ts'
import type { Step } from '../fields/contract.ts'
import { peopleIn } from '../people.ts'
import { doneAs } from './deeds.ts'
import { each } from './for_each.ts'
import { done, type Outcome, type Result, retrying } from './outcomes.ts'
import { saveStep } from './store.ts'
import { isTrue, rendered, type Values } from './values.ts'
import { isOut, type Work } from './work.ts'

/** Stops at the first that waits, fails or is not this process's any more. `values.steps` grows with each. */
export async function walk(work: Work, steps: readonly Step[], prefix: string, values: Values): Promise<Outcome> {
  for (const [index, step] of steps.entries()) {
    const outcome = await pass(work, step, `${prefix}${index}`, values)
    if (outcome.is !== 'done') return outcome
  }
  return done
}

async function pass(work: Work, step: Step, path: string, values: Values): Promise<Outcome> {
  const row = work.rows.get(path)
  const isDone = row !== undefined && row.status !== 'waiting'
  if (isDone && row.status === 'skipped') return done
  if (isDone) {
    const inside = await within(work, step, path, values, row.output)
    if (inside.is !== 'done') return inside
    remember(values, step, row)
    const isOver = row.status === 'failed' && !isLeft(step)
    return isOver ? { is: 'failed', error: row.error ?? 'It failed.' } : done
  }
  if (isOut(work)) return { is: 'paused' }
  if (step.do !== 'branch' && step.if !== undefined && !row) {
    const { matches } = isTrue(step.if, values)
    if (!matches) return await saved(work, step, path, values, { status: 'skipped', input: null })
  }
  if (step.do === 'forEach')
    return await each(work, step, path, values, walk, (output, input, error) =>
      saved(work, step, path, values, { status: error === null ? 'succeeded' : 'failed', input, output, error }),
    )
  return await did(work, step, path, values)
}

async function did(work: Work, step: Step, path: string, values: Values): Promise<Outcome> {
  const { ctx } = work
  const row = work.rows.get(path)
  const begun = ctx.now()
  if (row && row.waitsFor === retrying && row.until !== null && new Date(row.until) > begun) {
    return { is: 'waiting', until: new Date(row.until) }
  }
  const attempt = row === undefined ? 1 : row.waitsFor === retrying ? row.attempt + 1 : row.attempt
  const input = row && row.waitsFor !== retrying ? (row.input as Record<string, unknown>) : inputOf(step, values)
  const result = await doneAs(work, step, { path, attempt, row, input, values })
  if (result.is === 'paused') return result
  const ms = Math.max(0, ctx.now().getTime() - begun.getTime())
  const fields = { input, attempt, ms, started: row ? new Date(row.started) : begun, threadId: threadOf(result) }
  if (result.is === 'waiting') {
    const { until, waitsFor, output = null } = result
    const isSaved = await saved(work, step, path, values, { ...fields, status: 'waiting', until, waitsFor, output })
    return isSaved.is === 'done' ? { is: 'waiting', until } : isSaved
  }
  if (result.is === 'succeeded') {
    const { output } = result
    const isSaved = await saved(work, step, path, values, { ...fields, status: 'succeeded', output })
    return isSaved.is === 'done' ? await within(work, step, path, values, output) : isSaved
  }
  return await failed(work, step, path, values, result, fields)
}

function inputOf(step: Step, values: Values): Record<string, unknown> {
  if (step.do === 'branch') return { if: step.if === undefined ? true : isTrue(step.if, values).matches }
  return rendered(step.with ?? {}, values)
}

type Fields = { input: unknown; attempt: number; ms: number; started: Date; threadId: string | null }

/** Tried again where it says so, else the end of it, unless the step lets the rest go on. */
async function failed(
  work: Work,
  step: Step,
  path: string,
  values: Values,
  result: Extract<Result, { is: 'failed' }>,
  fields: Fields,
): Promise<Outcome> {
  const { error, isRetried, isFinal = false, output = null } = result
  const retry = step.retry ?? work.execution.definition.retry ?? { max: 0, backoffSeconds: 1 }
  if (isRetried && fields.attempt <= retry.max) {
    const until = new Date(work.ctx.now().getTime() + retry.backoffSeconds * 1000 * 2 ** (fields.attempt - 1))
    const waiting = { ...fields, status: 'waiting' as const, until, waitsFor: retrying, error }
    const isSaved = await saved(work, step, path, values, waiting)
    return isSaved.is === 'done' ? { is: 'waiting', until } : isSaved
  }
  const isSaved = await saved(work, step, path, values, { ...fields, status: 'failed', error, output })
  if (isSaved.is !== 'done') return isSaved
  return isLeft(step) && !isFinal ? done : { is: 'failed', error }
}

/** What the step itself is made of, once it says which way. */
async function within(work: Work, step: Step, path: string, values: Values, output: unknown): Promise<Outcome> {
  if (step.do !== 'branch' && step.do !== 'approve') return done
  const { went } = (output ?? {}) as { went?: string }
  if (went === 'steps' && step.steps) return await walk(work, step.steps, `${path}.steps.`, values)
  if (went === 'else' && step.else) return await walk(work, step.else, `${path}.else.`, values)
  return done
}

const isLeft = ({ onError }: Step) => onError === 'continue'

const threadOf = (result: Result) => ('threadId' in result ? (result.threadId ?? null) : null)

function remember(values: Values, { id }: Step, row: { output: unknown; status: string; error: string | null }): void {
  if (id !== undefined) values.steps[id] = { output: row.output, status: row.status, error: row.error }
}

type Saving = Partial<Fields> & {
  status: 'waiting' | 'succeeded' | 'failed' | 'skipped'
  input: unknown
  output?: unknown
  error?: string | null
  until?: Date
  waitsFor?: string | null
}

async function saved(work: Work, step: Step, path: string, values: Values, saving: Saving): Promise<Outcome> {
  const { ctx, execution } = work
  const now = ctx.now()
  const { status, input, output = null, error = null, until = null, waitsFor = null } = saving
  const { attempt = 1, ms = 0, started = now, threadId = null } = saving
  const deed = deedOf(step.do)
  const row = {
    ...{ path, id: step.id ?? null, do: deed?.kind === 'operation' ? deed.id : step.do, status, input, output, error },
    ...{ attempt, ms, waitsFor, until, started, ended: status === 'waiting' ? null : now, threadId },
    people: peopleIn([input, output]),
  }
  if (!(await saveStep(ctx.db, execution, row))) return { is: 'over' }
  const shown = { ...row, until: until?.toISOString() ?? null, started: started.toISOString(), ended: null }
  work.rows.set(path, shown)
  if (status !== 'waiting') remember(values, step, { output, status, error })
  return done
}
