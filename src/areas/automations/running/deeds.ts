// What each kind of step does.
import { deedOf } from '../definition/shorthands.ts'
import type { StepRow } from '../executions/store.ts'
import type { Step } from '../fields/contract.ts'
import { asked } from './approving.ts'
import { called, toolCall } from './calling.ts'
import { mailed } from './mailing.ts'
import type { Result } from './outcomes.ts'
import { threaded } from './threading.ts'
import type { Values } from './values.ts'
import type { Work } from './work.ts'

export type Place = {
  path: string
  attempt: number
  /** What was written down of it before, where it waited. */
  row: StepRow | undefined
  input: Record<string, unknown>
  values: Values
}

export async function doneAs(work: Work, step: Step, place: Place): Promise<Result> {
  const { input } = place
  const at = { ...place, timeoutSeconds: step.timeoutSeconds }
  const deed = deedOf(step.do)
  if (!deed) return { is: 'failed', error: `There is no step ${step.do} any more.`, isRetried: false }
  if (deed.kind === 'operation') return await called(work, deed.id, input, at)
  switch (deed.word) {
    case 'wait':
      return waited(work, place)
    case 'branch':
      return { is: 'succeeded', output: { went: input.if === true ? 'steps' : 'else' } }
    case 'run_tool': {
      const call = toolCall(String(input.name), (input.args ?? {}) as Record<string, unknown>)
      if (!call) return { is: 'failed', error: `There is no tool ${input.name}.`, isRetried: false }
      return await called(work, call.id, call.input, at)
    }
    case 'send_email':
      return await mailed(work, place)
    case 'start_thread':
    case 'thread':
      return await threaded(work, place, deed.word === 'thread')
    case 'approve':
      return await asked(work, step, place)
    default:
      return { is: 'failed', error: `There is no step ${step.do}.`, isRetried: false }
  }
}

function waited({ ctx }: Work, { row, input }: Place): Result {
  if (row?.until) {
    const until = new Date(row.until)
    return until <= ctx.now() ? { is: 'succeeded', output: null } : { is: 'waiting', until, waitsFor: null }
  }
  const seconds = Number(input.seconds)
  if (!(seconds >= 1 && seconds <= 86_400)) {
    return { is: 'failed', error: 'It can wait 1 to 86,400 seconds.', isRetried: false }
  }
  return { is: 'waiting', until: new Date(ctx.now().getTime() + seconds * 1000), waitsFor: null }
}
